/* SPDX-License-Identifier: MIT
 * stack.c -- the calling thread's native stack, and what code is where.
 */
#include "capture/stack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* libunwind's cached walk costs 10 ns a frame, glibc's backtrace 330. It is opened and never linked:
 * it exports backtrace and _Unwind_* itself, and would take them over for the whole process. */
static int (*walk)(void **buffer, int size);

/* Code between the driver's function and us: this library, and CUPTI. */
static struct stack_range hidden[2];

static int find_range(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct stack_range *r = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && r->inside >= start && r->inside < start + p->p_memsz) {
			r->start = start;
			r->end = start + p->p_memsz;
			return 1;
		}
	}
	return 0;
}

void stack_find_range(struct stack_range *r)
{
	dl_iterate_phdr(find_range, r);
}

void stack_hide(const void *code)
{
	struct stack_range r = {.inside = (uintptr_t)code};

	stack_find_range(&r);
	hidden[1] = r;
}

static bool is_hidden(uintptr_t pc)
{
	return (pc >= hidden[0].start && pc < hidden[0].end) ||
	       (pc >= hidden[1].start && pc < hidden[1].end);
}

void stack_prepare(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *buffer[4];

	walk = NULL;
	if (library)
		*(void **)&walk = dlsym(library, "unw_backtrace");
	if (!walk)
		walk = backtrace;
	hidden[0].inside = (uintptr_t)(void *)find_range;
	stack_find_range(&hidden[0]);
	walk(buffer, 4);
}

uint32_t stack_native(uint64_t pcs[STACK_MAX])
{
	void *buffer[STACK_MAX];
	int n = walk ? walk(buffer, STACK_MAX) : 0;
	uint32_t kept = 0;

	for (int i = 0; i < n; i++) {
		uintptr_t pc = (uintptr_t)buffer[i];

		if (kept == 0 && is_hidden(pc))
			continue;
		if (pc)
			pcs[kept++] = pc;
	}
	return kept;
}

static int take_generation(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	*(uint64_t *)out = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

uint64_t stack_generation(void)
{
	uint64_t generation = 0;

	dl_iterate_phdr(take_generation, &generation);
	return generation;
}

struct visit {
	void (*take)(void *ctx, const struct stack_module *m);
	void *ctx;
	bool program_seen; /* the first one has no name */
};

static void take_build_id(struct arena_module *m, const char *note, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)note;
		size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;

		if (name + desc > bytes - sizeof *n)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    n->n_descsz <= BUILD_ID_BYTES) {
			m->build_id_bytes = n->n_descsz;
			memcpy(m->build_id, note + sizeof *n + name, n->n_descsz);
			return;
		}
		note += sizeof *n + name + desc;
		bytes -= sizeof *n + name + desc;
	}
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct visit *v = ctx;
	struct stack_module m = {.module.base = info->dlpi_addr};

	(void)size;
	if (*info->dlpi_name)
		snprintf(m.path, sizeof m.path, "%s", info->dlpi_name);
	else if (!v->program_seen && readlink("/proc/self/exe", m.path, sizeof m.path - 1) < 0)
		*m.path = '\0';
	v->program_seen = true;
	if (!*m.path)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_NOTE && !m.module.build_id_bytes)
			take_build_id(&m.module, (const char *)info->dlpi_addr + p->p_vaddr,
				      p->p_memsz);
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		m.module.start = info->dlpi_addr + p->p_vaddr;
		m.module.end = m.module.start + p->p_memsz;
		v->take(v->ctx, &m);
	}
	return 0;
}

void stack_modules(void (*take)(void *ctx, const struct stack_module *m), void *ctx)
{
	struct visit v = {.take = take, .ctx = ctx};

	dl_iterate_phdr(visit_module, &v);
}
