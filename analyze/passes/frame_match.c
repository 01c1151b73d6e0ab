/* SPDX-License-Identifier: MIT
 * frame_match.c -- which frame of one file is which frame of another, although code has moved.
 */
#include "passes/frame_match.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "passes/frame_match_private.h"

const char *frame_pairing_name(enum frame_pairing p)
{
	static const char *const names[] = {
		[FRAME_UNPAIRED] = "none",
		[FRAME_SAME] = "same",
		[FRAME_MOVED] = "moved",
		[FRAME_RENAMED] = "renamed",
	};

	return names[p];
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A frame of either side whose file has a partner. */
struct placed {
	uint32_t pair;     /* string of the file in new: the same on both sides */
	uint64_t function; /* hash of the name's bytes */
	int64_t line;
	uint32_t frame;
	uint8_t side; /* 0 base, 1 new */
	uint8_t how;  /* enum frame_pairing of the file */
};

struct placed_list {
	VEC(struct placed) at;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = ORDER(x->pair, y->pair);

	if (!order)
		order = ORDER(x->function, y->function);
	if (!order)
		order = ORDER(x->side, y->side);
	if (!order)
		order = ORDER(x->line, y->line);
	return order ? order : ORDER(x->frame, y->frame);
}

/* So that differences of any two do not overflow. */
static int64_t line_within_reason(int64_t line)
{
	return line < -1 ? -1 : line > INT32_MAX ? INT32_MAX : line;
}

static int place_frames(struct placed_list *list, const struct frame_match *m,
			const struct frame_list *frames, int side, struct error *err)
{
	for (size_t i = 1; i < frames->n; i++) {
		const struct frame *f = &frames->frames[i];
		const struct str *name = strtab_get(frames->strings, f->name);
		struct placed p = {
			.pair = side ? f->file.i : m->files.at[f->file.i],
			.function = hash_bytes(name->bytes, name->length),
			.line = line_within_reason(f->line),
			.frame = (uint32_t)i,
			.side = (uint8_t)side,
			.how = side ? FRAME_UNPAIRED : m->file_how.at[f->file.i],
		};
		int rc;

		if (!side && p.how == FRAME_UNPAIRED)
			continue;
		if ((rc = vec_push(&list->at, p, m->budget, err)) < 0)
			return rc;
	}
	return 0;
}

/* --- lines of one function --------------------------------------------------------------------- */

/* Frames of one function in a pair of files, by line. */
struct group {
	const struct placed *base, *new;
	size_t n_base, n_new;
};

/* All shifts of a larger group are not worth their time. */
#define GROUP_MAX_SHIFTS 4096
/* Lines that a statement may have moved against the others of its function. */
#define LINE_TOLERANCE 10
/* A shift that only one line of several speaks for is no evidence when it is larger. */
#define LONE_SHIFT 25

static size_t count_at_shift(const struct group *g, int64_t shift)
{
	size_t i = 0, k = 0, n = 0;

	while (i < g->n_base && k < g->n_new) {
		int64_t d = g->new[k].line - g->base[i].line;

		if (d == shift) {
			n++;
			i++;
			k++;
		} else if (d < shift) {
			k++;
		} else {
			i++;
		}
	}
	return n;
}

static int64_t magnitude(int64_t v)
{
	return v < 0 ? -v : v;
}

/* Of equally good shifts: that of the file, none, the smallest. */
static bool better_shift(int64_t a, size_t n_a, int64_t b, size_t n_b, int64_t of_file)
{
	if (n_a != n_b)
		return n_a > n_b;
	if ((a == of_file) != (b == of_file))
		return a == of_file;
	if (magnitude(a) != magnitude(b))
		return magnitude(a) < magnitude(b);
	return a > b;
}

static int64_t shift_of_group(const struct group *g, int64_t of_file)
{
	int64_t best = 0;
	size_t n_best = count_at_shift(g, 0);

	if (better_shift(of_file, count_at_shift(g, of_file), best, n_best, of_file)) {
		best = of_file;
		n_best = count_at_shift(g, of_file);
	}
	if (g->n_base * g->n_new > GROUP_MAX_SHIFTS)
		return best;
	for (size_t i = 0; i < g->n_base; i++) {
		for (size_t k = 0; k < g->n_new; k++) {
			int64_t shift = g->new[k].line - g->base[i].line;
			size_t n = count_at_shift(g, shift);

			if (better_shift(shift, n, best, n_best, of_file)) {
				best = shift;
				n_best = n;
			}
		}
	}
	return best;
}

static void join(struct frame_match *m, const struct group *g, size_t i, size_t k)
{
	const struct placed *b = &g->base[i], *n = &g->new[k];

	m->of_base.at[b->frame] = n->frame;
	m->of_new.at[n->frame] = b->frame;
	m->how.at[b->frame] =
		(uint8_t)(b->how == FRAME_SAME && b->line != n->line ? FRAME_MOVED : b->how);
}

/* What is left between two lines that were found again, in order. */
static void join_between(struct frame_match *m, const struct group *g, size_t i, size_t i_end,
			 size_t k, size_t k_end, int64_t shift)
{
	bool all = i_end - i == k_end - k;

	while (i < i_end && k < k_end) {
		int64_t off = g->new[k].line - g->base[i].line - shift;

		if (magnitude(off) <= LINE_TOLERANCE &&
		    (all || off == 0 || i_end - i == 1 || k_end - k == 1)) {
			join(m, g, i++, k++);
		} else if (off < 0) {
			k++;
		} else {
			i++;
		}
	}
}

static void align_group(struct frame_match *m, const struct group *g, int64_t of_file)
{
	int64_t shift = shift_of_group(g, of_file);
	size_t n = count_at_shift(g, shift), from_i = 0, from_k = 0, i = 0, k = 0;
	bool alone = g->n_base == 1 && g->n_new == 1;

	if (n < 2 && !alone && shift != 0 && shift != of_file && magnitude(shift) > LONE_SHIFT)
		return;
	while (i < g->n_base && k < g->n_new) {
		int64_t d = g->new[k].line - g->base[i].line;

		if (d == shift) {
			join_between(m, g, from_i, i, from_k, k, shift);
			join(m, g, i, k);
			from_i = ++i;
			from_k = ++k;
		} else if (d < shift) {
			k++;
		} else {
			i++;
		}
	}
	join_between(m, g, from_i, g->n_base, from_k, g->n_new, shift);
}

/* The group that begins at `at`; returns where the next begins. */
static size_t next_group(const struct placed_list *list, size_t at, struct group *g)
{
	const struct placed *first = &list->at.at[at];
	size_t end = at, base = 0;

	while (end < list->at.n && list->at.at[end].pair == first->pair &&
	       list->at.at[end].function == first->function) {
		base += list->at.at[end].side == 0;
		end++;
	}
	*g = (struct group){first, first + base, base, end - at - base};
	return end;
}

static int compare_shift(const void *a, const void *b)
{
	return ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* Everything that could have moved votes; groups that are too large to count abstain. */
static int vote(const struct placed_list *list, size_t at, size_t end, struct budget *budget,
		int64_t *shift, struct error *err)
{
	VEC(int64_t) votes = {0};
	size_t n_best = 0;
	struct group g;
	int rc = 0;

	*shift = 0;
	while (at < end && rc == 0) {
		at = next_group(list, at, &g);
		if (g.n_base * g.n_new > GROUP_MAX_SHIFTS)
			continue;
		for (size_t i = 0; i < g.n_base && rc == 0; i++)
			for (size_t k = 0; k < g.n_new && rc == 0; k++)
				rc = vec_push(&votes, g.new[k].line - g.base[i].line, budget, err);
	}
	if (rc == 0 && votes.n > 1)
		qsort(votes.at, votes.n, sizeof *votes.at, compare_shift);
	for (size_t i = 0, k; i < votes.n && rc == 0; i = k) {
		for (k = i; k < votes.n && votes.at[k] == votes.at[i]; k++)
			;
		if (better_shift(votes.at[i], k - i, *shift, n_best, 0)) {
			*shift = votes.at[i];
			n_best = k - i;
		}
	}
	vec_release(&votes, budget);
	return rc;
}

static int align_frames(struct frame_match *m, const struct placed_list *list, struct error *err)
{
	for (size_t at = 0, end; at < list->at.n; at = end) {
		int64_t shift;
		struct group g;
		int rc;

		for (end = at; end < list->at.n && list->at.at[end].pair == list->at.at[at].pair;)
			end = next_group(list, end, &g);
		if ((rc = vote(list, at, end, m->budget, &shift, err)) < 0)
			return rc;
		for (size_t k = at; k < end;) {
			k = next_group(list, k, &g);
			if (g.n_base && g.n_new)
				align_group(m, &g, shift);
		}
	}
	return 0;
}

/* --- the whole --------------------------------------------------------------------------------- */

static int tables_init(struct frame_match *m, const struct frame_list *base,
		       const struct frame_list *new, struct error *err)
{
	size_t n_strings = base->strings->rows.n;
	int rc;

	if ((rc = vec_reserve(&m->of_base, base->n + 1, m->budget, err)) < 0 ||
	    (rc = vec_reserve(&m->how, base->n + 1, m->budget, err)) < 0 ||
	    (rc = vec_reserve(&m->of_new, new->n + 1, m->budget, err)) < 0 ||
	    (rc = vec_reserve(&m->files, n_strings, m->budget, err)) < 0 ||
	    (rc = vec_reserve(&m->file_how, n_strings, m->budget, err)) < 0)
		return rc;
	m->of_base.n = m->how.n = base->n + 1;
	m->of_new.n = new->n + 1;
	m->files.n = m->file_how.n = n_strings;
	memset(m->of_base.at, 0, m->of_base.n * sizeof *m->of_base.at);
	memset(m->how.at, 0, m->how.n);
	memset(m->of_new.at, 0, m->of_new.n * sizeof *m->of_new.at);
	memset(m->files.at, 0, n_strings * sizeof *m->files.at);
	memset(m->file_how.at, 0, n_strings);
	m->file_how.at[0] = FRAME_SAME; /* no file on either side */
	return 0;
}

/* Only equal lines of equal functions in equal files. */
static void keep_equal(struct frame_match *m)
{
	for (size_t i = 0; i < m->of_base.n; i++) {
		if (m->how.at[i] != FRAME_SAME && m->of_base.at[i]) {
			m->of_new.at[m->of_base.at[i]] = 0;
			m->of_base.at[i] = 0;
			m->how.at[i] = FRAME_UNPAIRED;
		}
	}
}

static void align_equal(struct frame_match *m, const struct placed_list *list)
{
	struct group g;

	for (size_t k = 0; k < list->at.n;) {
		size_t i = 0, n = 0;

		k = next_group(list, k, &g);
		while (i < g.n_base && n < g.n_new) {
			if (g.base[i].line == g.new[n].line)
				join(m, &g, i++, n++);
			else if (g.base[i].line < g.new[n].line)
				i++;
			else
				n++;
		}
	}
}

int frame_match_init(struct frame_match *out, const struct frame_list *base,
		     const struct frame_list *new, bool exact, struct budget *budget,
		     struct error *err)
{
	struct frame_match m = {.budget = budget};
	struct placed_list list = {0};
	int rc;

	if ((rc = tables_init(&m, base, new, err)) < 0 ||
	    (rc = frame_match_files(&m, base, new, exact, err)) < 0 ||
	    (rc = place_frames(&list, &m, base, 0, err)) < 0 ||
	    (rc = place_frames(&list, &m, new, 1, err)) < 0)
		goto out;
	if (list.at.n > 1)
		qsort(list.at.at, list.at.n, sizeof *list.at.at, compare_placed);
	if (exact) {
		align_equal(&m, &list);
		keep_equal(&m);
	} else if ((rc = align_frames(&m, &list, err)) < 0) {
		goto out;
	}
	*out = m;
	m = (struct frame_match){.budget = budget};
out:
	vec_release(&list.at, budget);
	frame_match_release(&m);
	return rc;
}

void frame_match_release(struct frame_match *m)
{
	if (!m || !m->budget)
		return;
	vec_release(&m->of_base, m->budget);
	vec_release(&m->of_new, m->budget);
	vec_release(&m->how, m->budget);
	vec_release(&m->files, m->budget);
	vec_release(&m->file_how, m->budget);
	m->budget = NULL;
}
