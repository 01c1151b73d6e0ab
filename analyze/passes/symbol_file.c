/* SPDX-License-Identifier: MIT
 * symbol_file.c -- one program or library on disk: which function and line is at an address.
 */
#include "passes/symbol_file.h"

#include "config.h"

#ifndef HAVE_LIBDW

bool symbol_files_supported(void)
{
	return false;
}

enum symbol_found symbol_file_open(struct symbol_file **out, const char *path,
				   const struct build_id *id, enum symbol_trust trust,
				   struct budget *budget, struct error *err)
{
	(void)out, (void)path, (void)id, (void)trust, (void)budget;
	err->code = 0;
	return SYMBOL_FILE_NONE;
}

void symbol_file_free(struct symbol_file *f)
{
	(void)f;
}

size_t symbol_file_lines(struct symbol_file *f, uint64_t addr,
			 struct symbol_line out[SYMBOL_LINES_MAX])
{
	(void)f, (void)addr, (void)out;
	return 0;
}

void symbol_lines_release(struct symbol_line *lines, size_t n)
{
	(void)lines, (void)n;
}

bool symbol_file_has(struct symbol_file *f, uint64_t addr, const char *name)
{
	(void)f, (void)addr, (void)name;
	return false;
}

#else

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"
#include "base/vec.h"

/* Longer mangled names are shown as they are. */
#define MANGLED_MAX 16384

/* Functions that may overlap at one address: aliases, and parts of others. */
#define OVERLAP_MAX 64

struct function {
	uint64_t start, end;
	const char *name; /* mangled; weak: the file's */
	bool exported;
};

/* Addresses of one unit of the debug information. */
struct unit_range {
	uint64_t start, end;
	Dwarf_Off die;
};

struct symbol_file {
	struct budget *budget; /* weak */
	int fd;
	Elf *elf;
	Dwarf *dwarf; /* NULL: there is no debug information */
	/* The C++ run-time library, which knows how to read C++ names, and its function for that;
	 * NULL: names stay as they are. Not linked: nothing else here needs it. */
	void *runtime;
	char *(*demangle)(const char *mangled, char *out, size_t *out_bytes, int *status);
	VEC(struct function) functions; /* by start */
	VEC(struct unit_range) units;   /* by start */
};

bool symbol_files_supported(void)
{
	return true;
}

/* ---- opening ---- */

/* Places where opening a path means more than reading a file. */
static bool is_odd_place(const char *path)
{
	static const char *const places[] = {"/dev/", "/proc/", "/sys/", "/net/", "/run/"};

	if (*path != '/' || strstr(path, "/../"))
		return true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strncmp(path, places[i], strlen(places[i])))
			return true;
	return false;
}

static bool may_open(const struct stat *st, enum symbol_trust trust)
{
	if (!S_ISREG(st->st_mode))
		return false;
	return trust == SYMBOL_TRUSTED ||
	       ((st->st_uid == 0 || st->st_uid == geteuid()) && !(st->st_mode & S_IWOTH));
}

static int open_regular(const char *path, enum symbol_trust trust)
{
	struct stat st;
	int fd;

	if (trust == SYMBOL_FOUND && is_odd_place(path))
		return -1;
	/* Before opening, too: to open a device may do something. */
	if (stat(path, &st) < 0 || !may_open(&st, trust))
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !may_open(&st, trust))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool has_build_id(Elf *elf, const struct build_id *want)
{
	const void *bytes;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &bytes);

	return n > 0 && (size_t)n == want->n && !memcmp(bytes, want->bytes, want->n);
}

/* Inner functions behind outer ones; of aliases the first by name comes last and is found first. */
static bool function_less(const struct function *a, const struct function *b, const void *ctx)
{
	(void)ctx;
	if (a->start != b->start)
		return a->start < b->start;
	if (a->end != b->end)
		return a->end > b->end;
	return strcmp(a->name, b->name) > 0;
}
SORT_DEFINE(functions_sort, struct function, function_less)

static bool unit_less(const struct unit_range *a, const struct unit_range *b, const void *ctx)
{
	(void)ctx;
	return a->start < b->start;
}
SORT_DEFINE(units_sort, struct unit_range, unit_less)

static int add_functions(struct symbol_file *f, Elf_Scn *section, const GElf_Shdr *header,
			 struct error *err)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	int rc;

	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		GElf_Sym s;
		const char *name;

		if (!gelf_getsym(data, (int)i, &s) || s.st_shndx == SHN_UNDEF || s.st_size == 0 ||
		    s.st_value > UINT64_MAX - s.st_size ||
		    (GELF_ST_TYPE(s.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(s.st_info) != STT_GNU_IFUNC))
			continue;
		name = elf_strptr(f->elf, header->sh_link, s.st_name);
		if (!name || !*name)
			continue;
		rc = vec_push(&f->functions,
			      ((struct function){s.st_value, s.st_value + s.st_size, name,
						 header->sh_type == SHT_DYNSYM}),
			      f->budget, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_functions(struct symbol_file *f, struct error *err)
{
	Elf_Scn *section = NULL;
	int rc = 0;

	while (rc == 0 && (section = elf_nextscn(f->elf, section)) != NULL) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			rc = add_functions(f, section, &header, err);
	}
	functions_sort(f->functions.at, f->functions.n, NULL);
	return rc;
}

/* Compilers need not write .debug_aranges, so the units are asked themselves. */
static int read_units(struct symbol_file *f, struct error *err)
{
	Dwarf_Off at = 0, next;
	size_t header_bytes;
	int rc = 0;

	while (rc == 0 && dwarf_nextcu(f->dwarf, at, &next, &header_bytes, NULL, NULL, NULL) == 0) {
		Dwarf_Addr base, start, end;
		ptrdiff_t k = 0;
		Dwarf_Die die;

		if (!dwarf_offdie(f->dwarf, at + header_bytes, &die))
			break;
		while (rc == 0 && (k = dwarf_ranges(&die, k, &base, &start, &end)) > 0)
			if (start < end)
				rc = vec_push(
					&f->units,
					((struct unit_range){start, end, dwarf_dieoffset(&die)}),
					f->budget, err);
		at = next;
	}
	units_sort(f->units.at, f->units.n, NULL);
	return rc;
}

enum symbol_found symbol_file_open(struct symbol_file **out, const char *path,
				   const struct build_id *id, enum symbol_trust trust,
				   struct budget *budget, struct error *err)
{
	struct symbol_file *f;
	int fd = open_regular(path, trust);
	Elf *elf;

	err->code = 0;
	if (fd < 0)
		return SYMBOL_FILE_NONE;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || (id->n && !has_build_id(elf, id))) {
		enum symbol_found found =
			elf && elf_kind(elf) == ELF_K_ELF ? SYMBOL_FILE_OTHER : SYMBOL_FILE_NONE;
		elf_end(elf);
		close(fd);
		return found;
	}
	f = budget_realloc(budget, NULL, 0, sizeof *f, err);
	if (!f) {
		elf_end(elf);
		close(fd);
		return SYMBOL_FILE_NONE;
	}
	*f = (struct symbol_file){.budget = budget, .fd = fd, .elf = elf};
	f->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	f->runtime = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (f->runtime)
		*(void **)&f->demangle = dlsym(f->runtime, "__cxa_demangle");
	if (read_functions(f, err) < 0 || (f->dwarf && read_units(f, err) < 0)) {
		symbol_file_free(f);
		return SYMBOL_FILE_NONE;
	}
	err->code = 0;
	*out = f;
	return SYMBOL_FILE_OPEN;
}

void symbol_file_free(struct symbol_file *f)
{
	if (!f)
		return;
	vec_release(&f->functions, f->budget);
	vec_release(&f->units, f->budget);
	dwarf_end(f->dwarf);
	elf_end(f->elf);
	close(f->fd);
	if (f->runtime)
		dlclose(f->runtime);
	budget_free(f->budget, f, sizeof *f);
}

/* ---- looking up ---- */

static char *demangled(const struct symbol_file *f, const char *name)
{
	char *words = NULL;
	int status;

	if (f->demangle && !strncmp(name, "_Z", 2) && strlen(name) <= MANGLED_MAX)
		words = f->demangle(name, NULL, NULL, &status);
	return words ? words : strdup(name);
}

/* Rows whose start is not above `addr`. */
static size_t rows_up_to(const void *rows, size_t n, size_t each, uint64_t addr)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (*(const uint64_t *)((const char *)rows + mid * each) <= addr)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* The innermost function around an address. */
static const struct function *function_at(const struct symbol_file *f, uint64_t addr)
{
	size_t n = rows_up_to(f->functions.at, f->functions.n, sizeof *f->functions.at, addr);

	for (size_t k = 0; k < OVERLAP_MAX && k < n; k++)
		if (addr < f->functions.at[n - 1 - k].end)
			return &f->functions.at[n - 1 - k];
	return NULL;
}

bool symbol_file_has(struct symbol_file *f, uint64_t addr, const char *name)
{
	size_t n = rows_up_to(f->functions.at, f->functions.n, sizeof *f->functions.at, addr);

	for (size_t k = 0; k < OVERLAP_MAX && k < n; k++) {
		const struct function *g = &f->functions.at[n - 1 - k];
		bool same = false;
		char *words;

		if (addr >= g->end || !g->exported)
			continue;
		words = demangled(f, g->name);
		if (words)
			same = !strcmp(words, name) || !strcmp(g->name, name);
		free(words);
		if (same)
			return true;
	}
	return false;
}

/* The unit whose code an address is in. Ranges of units do not overlap in what linkers make. */
static bool unit_at(const struct symbol_file *f, uint64_t addr, Dwarf_Die *out)
{
	size_t n = rows_up_to(f->units.at, f->units.n, sizeof *f->units.at, addr);

	return n > 0 && addr < f->units.at[n - 1].end &&
	       dwarf_offdie(f->dwarf, f->units.at[n - 1].die, out);
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute at;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &at) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &at))
		return dwarf_formstring(&at);
	return dwarf_attr_integrate(die, DW_AT_name, &at) ? dwarf_formstring(&at) : NULL;
}

/* Where an inlined function was called. */
static void take_call(struct symbol_line *out, Dwarf_Die *inlined, Dwarf_Die *unit)
{
	Dwarf_Attribute at;
	Dwarf_Files *files;
	Dwarf_Word file, line;

	out->file = NULL;
	out->line = 0;
	if (!dwarf_attr(inlined, DW_AT_call_file, &at) || dwarf_formudata(&at, &file) != 0 ||
	    !dwarf_attr(inlined, DW_AT_call_line, &at) || dwarf_formudata(&at, &line) != 0 ||
	    line > INT32_MAX || dwarf_getsrcfiles(unit, &files, NULL) != 0)
		return;
	out->file = dwarf_filesrc(files, file, NULL, NULL);
	out->line = out->file ? (int)line : 0;
}

/* Functions around an address by the debug information, innermost first. */
static size_t scope_lines(const struct symbol_file *f, Dwarf_Die *unit, uint64_t addr,
			  struct symbol_line *out)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	size_t n = 0;
	int n_scopes = dwarf_getscopes(unit, addr, &scopes);
	/* Around an inlined function dwarf_getscopes lists where it was written, not called. */
	int n_chain = n_scopes > 0 ? dwarf_getscopes_die(&scopes[0], &chain) : 0;

	for (int i = 0; i < n_chain && n < SYMBOL_LINES_MAX; i++) {
		int tag = dwarf_tag(&chain[i]);
		const char *name;

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		name = name_of(&chain[i]);
		out[n].function = demangled(f, name ? name : "??");
		if (!out[n].function)
			break;
		n++;
		if (tag == DW_TAG_subprogram)
			break;
		if (n < SYMBOL_LINES_MAX)
			take_call(&out[n], &chain[i], unit);
	}
	free(chain);
	free(scopes);
	return n;
}

size_t symbol_file_lines(struct symbol_file *f, uint64_t addr,
			 struct symbol_line out[SYMBOL_LINES_MAX])
{
	const struct function *g = function_at(f, addr);
	Dwarf_Die unit;
	size_t n = 0;

	memset(out, 0, SYMBOL_LINES_MAX * sizeof *out);
	if (f->dwarf && unit_at(f, addr, &unit)) {
		Dwarf_Line *line = dwarf_getsrc_die(&unit, addr);
		int number = 0;

		n = scope_lines(f, &unit, addr, out);
		out[0].file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
		out[0].line = line && dwarf_lineno(line, &number) == 0 && number > 0 ? number : 0;
	}
	if (n == 0 && g && (out[0].function = demangled(f, g->name)) != NULL)
		n = 1;
	return n;
}

void symbol_lines_release(struct symbol_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lines[i].function);
}

#endif
