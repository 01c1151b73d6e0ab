/* SPDX-License-Identifier: MIT
 * frame_match_files.c -- which source file of one recording is which of another.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/frame_match_private.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Behind "lib/python3.N/" that begins at p, or 0. */
static size_t stdlib_end(const char *path, size_t length, size_t p)
{
	static const char head[] = "lib/python3.";
	size_t n = sizeof head - 1;

	if (length - p <= n || memcmp(path + p, head, n) || !is_digit(path[p + n]))
		return 0;
	for (p += n; p < length && is_digit(path[p]); p++)
		;
	return p < length && path[p] == '/' ? p + 1 : 0;
}

size_t path_kept_from(const char *path, size_t length)
{
	static const char *const folders[] = {"site-packages/", "dist-packages/"};
	size_t kept = 0;

	for (size_t p = 0; p < length; p++) {
		size_t end;

		if (p && path[p - 1] != '/')
			continue;
		for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
			size_t n = strlen(folders[i]);

			if (length - p > n && !memcmp(path + p, folders[i], n))
				kept = p + n;
		}
		if ((end = stdlib_end(path, length, p)))
			kept = end;
	}
	return kept;
}

/* A source file that frames of one side lie in. */
struct source {
	uint32_t string;
	const char *path;
	size_t length, kept, base; /* base: where its name without folders begins */
	size_t first, n_functions; /* in functions, ascending */
	bool paired;
};

struct sources {
	VEC(struct source) at;
	VEC(uint64_t) functions; /* hashes of names, each once in a file */
};

struct located {
	uint32_t file;
	uint64_t function;
};

static int compare_located(const void *a, const void *b)
{
	const struct located *x = a, *y = b;
	int order = ORDER(x->file, y->file);

	return order ? order : ORDER(x->function, y->function);
}

static struct source source_of(const struct strtab *strings, uint32_t string)
{
	const struct str *s = strtab_get(strings, (str_id){string});
	struct source f = {.string = string, .path = s->bytes, .length = s->length};

	f.kept = path_kept_from(f.path, f.length);
	for (f.base = f.length; f.base > f.kept && f.path[f.base - 1] != '/'; f.base--)
		;
	return f;
}

static int sources_init(struct sources *out, const struct frame_list *frames, struct budget *budget,
			struct error *err)
{
	VEC(struct located) all = {0};
	int rc = vec_reserve(&all, frames->n, budget, err);

	for (size_t i = 1; i < frames->n && rc == 0; i++) {
		const struct frame *f = &frames->frames[i];
		const struct str *name = strtab_get(frames->strings, f->name);

		if (f->file.i)
			all.at[all.n++] =
				(struct located){f->file.i, hash_bytes(name->bytes, name->length)};
	}
	if (all.n > 1)
		qsort(all.at, all.n, sizeof *all.at, compare_located);
	for (size_t i = 0; i < all.n && rc == 0; i++) {
		if (i && !compare_located(&all.at[i], &all.at[i - 1]))
			continue;
		if (!out->at.n || out->at.at[out->at.n - 1].string != all.at[i].file) {
			struct source f = source_of(frames->strings, all.at[i].file);

			f.first = out->functions.n;
			if ((rc = vec_push(&out->at, f, budget, err)) < 0)
				break;
		}
		rc = vec_push(&out->functions, all.at[i].function, budget, err);
		out->at.at[out->at.n - 1].n_functions++;
	}
	vec_release(&all, budget);
	return rc;
}

static void sources_release(struct sources *s, struct budget *budget)
{
	vec_release(&s->at, budget);
	vec_release(&s->functions, budget);
}

static size_t shared_functions(const struct sources *a, const struct source *x,
			       const struct sources *b, const struct source *y)
{
	const uint64_t *p = a->functions.at + x->first, *p_end = p + x->n_functions;
	const uint64_t *q = b->functions.at + y->first, *q_end = q + y->n_functions;
	size_t n = 0;

	while (p < p_end && q < q_end) {
		n += *p == *q;
		if (*p == *q) {
			p++;
			q++;
		} else if (*p < *q) {
			p++;
		} else {
			q++;
		}
	}
	return n;
}

static void pair(struct frame_match *m, struct source *b, struct source *n, enum frame_pairing how)
{
	b->paired = n->paired = true;
	m->files.at[b->string] = n->string;
	m->file_how.at[b->string] = (uint8_t)how;
}

/* --- equal ends -------------------------------------------------------------------------------- */

static int compare_key(const char *a, size_t n_a, const char *b, size_t n_b)
{
	size_t n = n_a < n_b ? n_a : n_b;
	int order = n ? memcmp(a, b, n) : 0;

	return order ? order : ORDER(n_a, n_b);
}

/* By the part from `kept` on; `whole` asks for the whole path. */
static int compare_sources(const struct source *x, const struct source *y, bool whole)
{
	size_t i = whole ? 0 : x->kept, k = whole ? 0 : y->kept;

	return compare_key(x->path + i, x->length - i, y->path + k, y->length - k);
}

static int compare_whole(const void *a, const void *b)
{
	return compare_sources(*(struct source *const *)a, *(struct source *const *)b, true);
}

static int compare_kept(const void *a, const void *b)
{
	return compare_sources(*(struct source *const *)a, *(struct source *const *)b, false);
}

struct source_rows {
	VEC(struct source *) at;
};

/* Those without a partner; with `kept`, only those that lie in an environment. */
static int list_unpaired(struct source_rows *out, struct sources *s, bool kept,
			 struct budget *budget, struct error *err)
{
	int rc = vec_reserve(&out->at, s->at.n, budget, err);

	for (size_t i = 0; i < s->at.n && rc == 0; i++) {
		if (!s->at.at[i].paired && (!kept || s->at.at[i].kept))
			out->at.at[out->at.n++] = &s->at.at[i];
	}
	return rc;
}

static int pair_equal(struct frame_match *m, struct sources *base, struct sources *new, bool kept,
		      struct error *err)
{
	int (*compare)(const void *, const void *) = kept ? compare_kept : compare_whole;
	struct source_rows b = {0}, n = {0};
	int rc;

	if ((rc = list_unpaired(&b, base, kept, m->budget, err)) < 0 ||
	    (rc = list_unpaired(&n, new, kept, m->budget, err)) < 0)
		goto out;
	if (b.at.n > 1)
		qsort(b.at.at, b.at.n, sizeof *b.at.at, compare);
	if (n.at.n > 1)
		qsort(n.at.at, n.at.n, sizeof *n.at.at, compare);
	for (size_t i = 0, k = 0; i < b.at.n && k < n.at.n;) {
		int order = compare(&b.at.at[i], &n.at.at[k]);

		if (order == 0)
			pair(m, b.at.at[i++], n.at.at[k++], kept ? FRAME_MOVED : FRAME_SAME);
		else if (order < 0)
			i++;
		else
			k++;
	}
out:
	vec_release(&b.at, m->budget);
	vec_release(&n.at, m->budget);
	return rc;
}

/* --- similar ones ------------------------------------------------------------------------------ */

struct likeness {
	struct source *base, *new;
	size_t score, shared;
};

/* Larger sets of candidates are not looked through pair by pair. */
#define MAX_CANDIDATES 1024

/* Folders and name that the ends of two paths have in common. */
static size_t common_end(const struct source *x, const struct source *y)
{
	size_t i = x->length, k = y->length, n = 0;

	while (i > 0 && k > 0 && x->path[i - 1] == y->path[k - 1]) {
		i--;
		k--;
		n += x->path[i] == '/';
	}
	/* A part counts when all of it is equal. */
	if (i == 0 && k > 0 && y->path[k - 1] == '/')
		return n + 1;
	if (k == 0 && i > 0 && x->path[i - 1] == '/')
		return n + 1;
	return n;
}

/* Most alike first; else by the paths, so that the order depends on nothing but them. */
static int compare_likeness(const void *a, const void *b)
{
	const struct likeness *x = a, *y = b;
	int order = ORDER(y->score, x->score);

	if (!order)
		order = ORDER(y->shared, x->shared);
	if (!order)
		order = compare_sources(x->base, y->base, true);
	return order ? order : compare_sources(x->new, y->new, true);
}

/* Same name: the longer the common end of the path the better. A name alone says little. Another
 * name: at least half of the functions of the smaller file must be in the other. */
static bool alike(struct likeness *l, const struct sources *base, const struct sources *new,
		  bool renamed)
{
	const struct source *x = l->base, *y = l->new;
	size_t fewer = x->n_functions < y->n_functions ? x->n_functions : y->n_functions;

	/* A library and a user's file are never the same. */
	if (!x->kept != !y->kept)
		return false;
	if (renamed) {
		l->shared = shared_functions(base, x, new, y);
		l->score = l->shared;
		return l->shared > 0 && 2 * l->shared >= fewer;
	}
	if (compare_key(x->path + x->base, x->length - x->base, y->path + y->base,
			y->length - y->base))
		return false;
	l->score = common_end(x, y);
	l->shared = shared_functions(base, x, new, y);
	return l->score > 1 || l->shared > 0;
}

static int pair_alike(struct frame_match *m, struct sources *base, struct sources *new,
		      bool renamed, struct error *err)
{
	VEC(struct likeness) all = {0};
	struct source_rows b = {0}, n = {0};
	int rc;

	if ((rc = list_unpaired(&b, base, false, m->budget, err)) < 0 ||
	    (rc = list_unpaired(&n, new, false, m->budget, err)) < 0)
		goto out;
	for (size_t i = 0; i < b.at.n && i < MAX_CANDIDATES; i++) {
		for (size_t k = 0; k < n.at.n && k < MAX_CANDIDATES; k++) {
			struct likeness l = {.base = b.at.at[i], .new = n.at.at[k]};

			if (alike(&l, base, new, renamed) &&
			    (rc = vec_push(&all, l, m->budget, err)) < 0)
				goto out;
		}
	}
	if (all.n > 1)
		qsort(all.at, all.n, sizeof *all.at, compare_likeness);
	for (size_t i = 0; i < all.n; i++) {
		if (!all.at[i].base->paired && !all.at[i].new->paired)
			pair(m, all.at[i].base, all.at[i].new,
			     renamed ? FRAME_RENAMED : FRAME_MOVED);
	}
out:
	vec_release(&all, m->budget);
	vec_release(&b.at, m->budget);
	vec_release(&n.at, m->budget);
	return rc;
}

int frame_match_files(struct frame_match *m, const struct frame_list *base,
		      const struct frame_list *new, bool exact, struct error *err)
{
	struct sources b = {0}, n = {0};
	int rc;

	if ((rc = sources_init(&b, base, m->budget, err)) < 0 ||
	    (rc = sources_init(&n, new, m->budget, err)) < 0 ||
	    (rc = pair_equal(m, &b, &n, false, err)) < 0 || exact)
		goto out;
	if ((rc = pair_equal(m, &b, &n, true, err)) < 0 ||
	    (rc = pair_alike(m, &b, &n, false, err)) < 0)
		goto out;
	rc = pair_alike(m, &b, &n, true, err);
out:
	sources_release(&b, m->budget);
	sources_release(&n, m->budget);
	return rc;
}
