/* SPDX-License-Identifier: MIT
 * report_holes.c -- free memory as the allocator sees it, to foretell where it puts an allocation.
 */
#include "reports/report_holes.h"

struct sized {
	uint64_t size, start;
};

static int compare_sized(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

void holes_init(struct holes *h, struct budget *budget)
{
	*h = (struct holes){.budget = budget};
	runs_init(&h->by_address, budget);
}

void holes_release(struct holes *h)
{
	if (!h->budget)
		return;
	runs_release(&h->by_address);
	for (size_t i = 0; i < h->by_size.n; i++)
		ordered_release(&h->by_size.at[i]);
	vec_release(&h->by_size, h->budget);
	vec_release(&h->shared, h->budget);
	vec_release(&h->lane_of_home, h->budget);
}

static int add_home(struct holes *h, uint32_t lane, uint32_t *home, struct error *err)
{
	int rc = vec_push(&h->lane_of_home, lane, h->budget, err);

	if (rc == 0)
		*home = (uint32_t)h->lane_of_home.n - 1;
	return rc;
}

/* Make room for a lane. */
static int add_lanes(struct holes *h, uint32_t lane, struct error *err)
{
	while (h->by_size.n <= lane) {
		uint32_t home = 0, last = (uint32_t)h->by_size.n;
		int rc = vec_reserve(&h->by_size, 1, h->budget, err);

		if (rc < 0 || (rc = vec_reserve(&h->shared, 1, h->budget, err)) < 0 ||
		    (rc = add_home(h, last, &home, err)) < 0)
			return rc;
		ordered_init(&h->by_size.at[h->by_size.n++], sizeof(struct sized), compare_sized,
			     h->budget);
		h->shared.at[h->shared.n++] = home;
	}
	return 0;
}

int holes_new_home(struct holes *h, uint32_t lane, uint32_t *home, struct error *err)
{
	int rc = add_lanes(h, lane, err);

	return rc < 0 ? rc : add_home(h, lane, home, err);
}

int holes_shared_home(struct holes *h, uint32_t lane, uint32_t *home, struct error *err)
{
	int rc = add_lanes(h, lane, err);

	if (rc == 0)
		*home = h->shared.at[lane];
	return rc;
}

static struct ordered *sizes_of(const struct holes *h, uint32_t home)
{
	return &h->by_size.at[h->lane_of_home.at[home]];
}

static void remove_hole(struct holes *h, const struct run *hole)
{
	struct ordered *sizes = sizes_of(h, hole->row);
	struct sized key = {hole->end - hole->start, hole->start};

	ordered_remove(sizes, ordered_from(sizes, &key));
	runs_remove(&h->by_address, hole->start);
}

static int add_hole(struct holes *h, uint64_t start, uint64_t end, uint32_t home, struct error *err)
{
	int rc;

	if (start == end)
		return 0;
	rc = runs_insert(&h->by_address, (struct run){start, end, home}, err);
	return rc < 0 ? rc
		      : ordered_insert(sizes_of(h, home), &(struct sized){end - start, start}, err);
}

/* What is left of `hole` without [start, end). */
static int cut(struct holes *h, struct run hole, uint64_t start, uint64_t end, struct error *err)
{
	int rc = 0;

	remove_hole(h, &hole);
	if (hole.start < start)
		rc = add_hole(h, hole.start, start, hole.row, err);
	if (rc == 0 && end < hole.end)
		rc = add_hole(h, end, hole.end, hole.row, err);
	return rc;
}

int holes_give(struct holes *h, uint64_t start, uint64_t size, uint32_t home, struct error *err)
{
	uint64_t end = start + size;
	const struct run *before, *behind;

	if (end <= start || runs_overlap(&h->by_address, start, end))
		return 0;
	before = runs_before(&h->by_address, start);
	if (before && before->end == start && before->row == home) {
		start = before->start;
		remove_hole(h, before);
	}
	behind = runs_behind(&h->by_address, start);
	if (behind && behind->start == end && behind->row == home) {
		end = behind->end;
		remove_hole(h, behind);
	}
	return add_hole(h, start, end, home, err);
}

int holes_take(struct holes *h, uint64_t start, uint64_t size, uint32_t *home, struct error *err)
{
	const struct run *hole = runs_holding(&h->by_address, start);

	if (!hole)
		return 0;
	*home = hole->row;
	return size ? cut(h, *hole, start, start + size, err) : 0;
}

int holes_drop(struct holes *h, uint64_t start, uint64_t size, struct error *err)
{
	const struct run *hole;
	int rc = 0;

	while (rc == 0 && (hole = runs_overlap(&h->by_address, start, start + size)))
		rc = cut(h, *hole, start, start + size, err);
	return rc;
}

uint32_t holes_rank(const struct holes *h, uint32_t lane, uint64_t size, uint64_t start)
{
	const struct run *hole = runs_holding(&h->by_address, start);
	const struct sized *s;
	struct ordered_at p;
	uint32_t rank = 0;

	if (lane >= h->by_size.n || !hole || hole->start != start ||
	    h->lane_of_home.at[hole->row] != lane || hole->end - hole->start < size)
		return HOLES_NEAR;
	p = ordered_from(&h->by_size.at[lane], &(struct sized){.size = size});
	while (rank < HOLES_NEAR && (s = ordered_get(&h->by_size.at[lane], p)) &&
	       s->start != start) {
		p = ordered_next(&h->by_size.at[lane], p);
		rank++;
	}
	return rank;
}
