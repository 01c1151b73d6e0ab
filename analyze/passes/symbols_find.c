/* SPDX-License-Identifier: MIT
 * symbols_find.c -- where the files of a recorded library may lie.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "passes/native_frame.h"
#include "passes/symbols_private.h"

struct search {
	struct module_files files;
	const struct build_id *id;
	enum symbol_trust trust;
	struct budget *budget;
	struct error *err;
};

/* Try one path, which is freed. */
static int try_path(struct search *s, char *path)
{
	struct symbol_file *f;
	enum symbol_found found = SYMBOL_FILE_NONE;

	if (!path)
		return error_set(s->err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	s->err->code = 0;
	if (s->files.n < MODULE_FILES)
		found = symbol_file_open(&f, path, s->id, s->trust, s->budget, s->err);
	free(path);
	s->files.other_build |= found == SYMBOL_FILE_OTHER;
	if (found == SYMBOL_FILE_OPEN)
		s->files.at[s->files.n++] = f;
	return (int)s->err->code;
}

static char *joined(const char *a, const char *b, const char *c)
{
	char *path;

	return asprintf(&path, "%s%s%s", a, b, c) < 0 ? NULL : path;
}

/* FOLDER/.build-id/12/3456.debug */
static int try_build_id(struct search *s, const char *folder)
{
	char name[2 * BUILD_ID_MAX + 20];
	size_t at;

	if (s->id->n < 2)
		return 0;
	at = (size_t)snprintf(name, sizeof name, "/.build-id/%02x/", s->id->bytes[0]);
	for (size_t i = 1; i < s->id->n; i++)
		at += (size_t)snprintf(name + at, sizeof name - at, "%02x", s->id->bytes[i]);
	return try_path(s, joined(folder, name, ".debug"));
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A path that the user named. */
static int try_named(struct search *s, const char *named, const char *path)
{
	int rc;

	if (!is_folder(named)) {
		/* Without a build id only its name says which library it is. */
		if (!s->id->n && strcmp(path_base(named), path_base(path)) != 0)
			return 0;
		return try_path(s, strdup(named));
	}
	if ((rc = try_build_id(s, named)) < 0 ||
	    (rc = try_path(s, joined(named, *path == '/' ? "" : "/", path))) < 0)
		return rc;
	return try_path(s, joined(named, "/", path_base(path)));
}

int module_files_open(struct module_files *out, const char *path, const struct build_id *id,
		      const struct symbols_options *options, struct budget *budget,
		      struct error *err)
{
	struct search s = {.id = id, .trust = SYMBOL_TRUSTED, .budget = budget, .err = err};
	int rc = 0;

	for (size_t i = 0; i < options->n_paths && rc == 0; i++)
		rc = try_named(&s, options->paths[i], path);
	if (rc == 0 && options->recorded_paths) {
		s.trust = SYMBOL_FOUND;
		if ((rc = try_build_id(&s, "/usr/lib/debug")) == 0)
			rc = try_path(&s, strdup(path));
	}
	if (rc < 0)
		module_files_close(&s.files);
	else
		*out = s.files;
	return rc;
}

void module_files_close(struct module_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		symbol_file_free(f->at[i]);
	f->n = 0;
}

size_t module_files_lines(struct module_files *f, uint64_t addr,
			  struct symbol_line out[SYMBOL_LINES_MAX])
{
	size_t best = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct symbol_line lines[SYMBOL_LINES_MAX];
		size_t n = symbol_file_lines(f->at[i], addr, lines);

		if (n > 0 && (best == 0 || (lines[0].file && !out[0].file))) {
			symbol_lines_release(out, best);
			memcpy(out, lines, n * sizeof *lines);
			best = n;
		} else {
			symbol_lines_release(lines, n);
		}
	}
	return best;
}
