/* SPDX-License-Identifier: MIT
 * batch_inputs.c -- the files that paths, folders, patterns and @lists stand for.
 */
#include "cli/batch_inputs.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/natural.h"

/* Lists may name lists. */
#define MAX_LISTS 8

struct finder {
	struct batch_inputs *out;
	struct stat skip; /* st_ino 0: nothing is skipped */
	struct error *err;
};

static int no_memory(struct finder *f)
{
	return error_set(f->err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
}

static int add(struct finder *f, const char *name, const struct stat *st, bool is_named)
{
	struct batch_inputs *x = f->out;
	struct batch_input in = {.name = strdup(name), .is_named = is_named};

	if (!in.name)
		return no_memory(f);
	in.is_file = st && S_ISREG(st->st_mode);
	in.bytes = in.is_file ? (uint64_t)st->st_size : 0;
	if (x->n == x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 64;
		struct batch_input *at = realloc(x->at, cap * sizeof *at);

		if (!at) {
			free(in.name);
			return no_memory(f);
		}
		x->at = at;
		x->cap = cap;
	}
	x->at[x->n++] = in;
	return 0;
}

static bool is_skipped(const struct finder *f, const struct stat *st)
{
	return f->skip.st_ino && st->st_ino == f->skip.st_ino && st->st_dev == f->skip.st_dev;
}

/* Links to files count, links to folders are not followed: no loops. */
static int add_folder(struct finder *f, const char *folder)
{
	char *paths[] = {strdup(folder), NULL};
	FTS *walk;
	FTSENT *x;
	int rc = 0;

	if (!paths[0])
		return no_memory(f);
	while (strlen(paths[0]) > 1 && paths[0][strlen(paths[0]) - 1] == '/')
		paths[0][strlen(paths[0]) - 1] = '\0';
	walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
	while (walk && rc == 0 && (errno = 0, x = fts_read(walk))) {
		struct stat st;

		if (x->fts_info == FTS_D && is_skipped(f, x->fts_statp))
			fts_set(walk, x, FTS_SKIP);
		else if (x->fts_info == FTS_F && S_ISREG(x->fts_statp->st_mode))
			rc = add(f, x->fts_path, x->fts_statp, false);
		else if (x->fts_info == FTS_SL && stat(x->fts_path, &st) == 0 &&
			 S_ISREG(st.st_mode))
			rc = add(f, x->fts_path, &st, false);
		else if (x->fts_info == FTS_DNR || x->fts_info == FTS_ERR)
			rc = error_set_errno(f->err, x->fts_errno, "cannot read the folder '%s'",
					     x->fts_path);
	}
	if (rc == 0 && (!walk || errno))
		rc = error_set_errno(f->err, errno, "cannot read the folder '%s'", folder);
	if (walk)
		fts_close(walk);
	free(paths[0]);
	return rc;
}

static int add_path(struct finder *f, const char *path, int depth);

static int add_list(struct finder *f, const char *list, int depth)
{
	FILE *in = strcmp(list, "-") ? fopen(list, "re") : stdin;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	if (!in)
		return error_set_errno(f->err, errno, "cannot read the list '%s'", list);
	while (rc == 0 && (n = getline(&line, &cap, in)) > 0) {
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = '\0';
		if (n > 0 && line[0] != '#')
			rc = add_path(f, line, depth + 1);
	}
	if (rc == 0 && ferror(in))
		rc = error_set_errno(f->err, errno, "cannot read the list '%s'", list);
	free(line);
	if (in != stdin)
		fclose(in);
	return rc;
}

/* A pattern that matches nothing is a name. */
static int add_pattern(struct finder *f, const char *pattern)
{
	glob_t found;
	int rc = 0, globbed = glob(pattern, GLOB_NOCHECK, NULL, &found);

	if (globbed == GLOB_NOSPACE)
		return no_memory(f);
	if (globbed)
		return add(f, pattern, NULL, true);
	for (size_t i = 0; i < found.gl_pathc && rc == 0; i++) {
		struct stat st;
		bool there = stat(found.gl_pathv[i], &st) == 0;

		rc = there && S_ISDIR(st.st_mode)
			     ? add_folder(f, found.gl_pathv[i])
			     : add(f, found.gl_pathv[i], there ? &st : NULL, true);
	}
	globfree(&found);
	return rc;
}

static int add_path(struct finder *f, const char *path, int depth)
{
	struct stat st;

	if (depth > MAX_LISTS)
		return error_set(f->err, ERR_LIMIT, ERR_NO_OFFSET,
				 "lists that name lists, more than %d deep", MAX_LISTS);
	if (!strcmp(path, "-"))
		return add(f, path, NULL, true);
	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? add_folder(f, path) : add(f, path, &st, true);
	if (path[0] == '@')
		return add_list(f, path + 1, depth);
	if (strpbrk(path, "*?["))
		return add_pattern(f, path);
	return add(f, path, NULL, true);
}

static int compare_inputs(const void *a, const void *b)
{
	const struct batch_input *x = a, *y = b;
	int order = natural_compare(x->name, y->name);

	return order ? order : (int)y->is_named - (int)x->is_named;
}

static void drop(struct batch_inputs *x, bool (*leave)(const struct batch_inputs *, size_t i))
{
	size_t kept = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (leave(x, i))
			free(x->at[i].name);
		else
			x->at[kept++] = x->at[i];
	}
	x->n = kept;
}

static bool is_repeated(const struct batch_inputs *x, size_t i)
{
	return i + 1 < x->n && !strcmp(x->at[i].name, x->at[i + 1].name);
}

int batch_inputs_find(struct batch_inputs *out, char *const *operands, size_t n, const char *skip,
		      struct error *err)
{
	struct batch_inputs x = {0};
	struct finder f = {.out = &x, .err = err};
	int rc = 0;

	if (!skip || stat(skip, &f.skip) < 0)
		f.skip.st_ino = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_path(&f, operands[i], 0);
	if (rc < 0) {
		batch_inputs_release(&x);
		return rc;
	}
	if (x.n)
		qsort(x.at, x.n, sizeof *x.at, compare_inputs);
	/* Of equal names the last is kept: one that was named by itself stays so. */
	for (size_t i = 0; i + 1 < x.n; i++) {
		if (!strcmp(x.at[i].name, x.at[i + 1].name))
			x.at[i + 1].is_named |= x.at[i].is_named;
	}
	drop(&x, is_repeated);
	*out = x;
	return 0;
}

void batch_inputs_release(struct batch_inputs *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->at[i].name);
	free(x->at);
	*x = (struct batch_inputs){0};
}

struct share {
	size_t input;
	uint64_t bytes;
	const char *name;
};

static int larger_first(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_nameless(const struct batch_inputs *x, size_t i)
{
	return !x->at[i].name;
}

/* Largest first, each to the shard with least so far. */
int batch_inputs_shard(struct batch_inputs *x, uint64_t i, uint64_t n, struct error *err)
{
	struct share *shares = calloc(x->n + 1, sizeof *shares);
	uint64_t *loads = calloc(n, sizeof *loads);

	if (!shares || !loads) {
		free(shares);
		free(loads);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	for (size_t k = 0; k < x->n; k++)
		shares[k] = (struct share){k, x->at[k].bytes, x->at[k].name};
	qsort(shares, x->n, sizeof *shares, larger_first);
	for (size_t k = 0; k < x->n; k++) {
		uint64_t least = 0;

		for (uint64_t s = 1; s < n; s++)
			least = loads[s] < loads[least] ? s : least;
		/* What a file costs beside its bytes. */
		loads[least] += shares[k].bytes + 4096;
		if (least + 1 != i) {
			free(x->at[shares[k].input].name);
			x->at[shares[k].input].name = NULL;
		}
	}
	drop(x, is_nameless);
	free(shares);
	free(loads);
	return 0;
}
