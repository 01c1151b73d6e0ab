/* SPDX-License-Identifier: MIT
 * touch.c -- the first event at every address of a trace: it tells what lived before event 0.
 */
#include "replay/touch.h"

#include <stdlib.h>

#include "base/hash.h"
#include "model/rounding.h"

#define TOUCH_FREE  UINT64_MAX
#define FIRST_SLOTS 4096

static int grow(struct touch *t, struct error *err)
{
	size_t n = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
	uint64_t *keys = budget_realloc(t->budget, NULL, 0, n * sizeof *keys, err);

	if (!keys)
		return (int)err->code;
	for (size_t i = 0; i < n; i++)
		keys[i] = TOUCH_FREE;
	for (size_t i = 0; i < t->n_slots; i++) {
		size_t at = hash_u64(t->keys[i]) & (n - 1);

		if (t->keys[i] == TOUCH_FREE)
			continue;
		while (keys[at] != TOUCH_FREE)
			at = (at + 1) & (n - 1);
		keys[at] = t->keys[i];
	}
	budget_free(t->budget, t->keys, t->n_slots * sizeof *t->keys);
	t->keys = keys;
	t->n_slots = n;
	return 0;
}

/* True when `address` is new; it is entered then. */
static inline bool enter(struct touch *t, uint64_t address)
{
	size_t mask = t->n_slots - 1, at = hash_u64(address) & mask;

	if (__builtin_expect(address == TOUCH_FREE, 0)) {
		bool is_new = !t->has_free_key;

		t->has_free_key = true;
		return is_new;
	}
	for (; t->keys[at] != TOUCH_FREE; at = (at + 1) & mask)
		if (t->keys[at] == address)
			return false;
	t->keys[at] = address;
	t->n++;
	return true;
}

bool touch_has(const struct touch *t, uint64_t address)
{
	size_t mask = t->n_slots - 1, at = hash_u64(address) & mask;

	if (address == TOUCH_FREE)
		return t->has_free_key;
	for (; t->keys[at] != TOUCH_FREE; at = (at + 1) & mask)
		if (t->keys[at] == address)
			return true;
	return false;
}

static int keep(struct touch *t, struct touch_event e, struct error *err)
{
	int rc = 0;

	if (e.action != ACTION_ALLOC)
		rc = vec_push(&t->frees, e, t->budget, err);
	else if (e.size > SMALL_MAX_BYTES)
		rc = vec_push(&t->large_allocs, e, t->budget, err);
	if (rc == 0 && t->n * 2 >= t->n_slots)
		rc = grow(t, err);
	return rc;
}

static int compare_touches(const void *a, const void *b)
{
	uint64_t x = ((const struct touch_event *)a)->address;
	uint64_t y = ((const struct touch_event *)b)->address;

	return (x > y) - (x < y);
}

static int scan(struct touch *t, const struct model *m, const struct device *d, struct error *err)
{
	/* Only called when there are events, so the columns are there. */
	const uint8_t *action = m->events.action.at + d->first_event;
	const uint64_t *addr = m->events.addr.at + d->first_event;
	const uint64_t *size = m->events.size.at + d->first_event;
	uint64_t last = TOUCH_FREE;

	for (uint64_t i = 0; i < d->n_events; i++) {
		uint8_t a = action[i];
		int rc;

		t->seen |= 1u << a;
		if (a >= ACTION_SEGMENT_ALLOC && a <= ACTION_SEGMENT_UNMAP)
			t->n_segment_events++;
		if (a < ACTION_ALLOC || a > ACTION_FREE_COMPLETED || addr[i] == last)
			continue;
		last = addr[i];
		if (!enter(t, last))
			continue;
		rc = keep(t, (struct touch_event){last, size[i], (uint32_t)i, a}, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int touch_scan(struct touch *t, const struct model *m, const struct device *d,
	       struct budget *budget, struct error *err)
{
	int rc;

	*t = (struct touch){.budget = budget};
	rc = grow(t, err);
	if (rc == 0 && d->n_events)
		rc = scan(t, m, d, err);
	if (rc < 0) {
		touch_release(t);
		return rc;
	}
	if (t->large_allocs.n > 1)
		qsort(t->large_allocs.at, t->large_allocs.n, sizeof t->large_allocs.at[0],
		      compare_touches);
	return 0;
}

void touch_release(struct touch *t)
{
	if (!t->budget)
		return;
	budget_free(t->budget, t->keys, t->n_slots * sizeof *t->keys);
	t->keys = NULL;
	t->n_slots = 0;
	vec_release(&t->frees, t->budget);
	vec_release(&t->large_allocs, t->budget);
}

const struct touch_event *touch_large_alloc(const struct touch *t, uint64_t after, uint64_t upto)
{
	size_t low = 0, high = t->large_allocs.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->large_allocs.at[mid].address <= after)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->large_allocs.n || t->large_allocs.at[low].address > upto)
		return NULL;
	return &t->large_allocs.at[low];
}
