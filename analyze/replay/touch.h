/* SPDX-License-Identifier: MIT
 * touch.h -- the first event at every address of a trace: it tells what lived before event 0.
 *
 * A block whose first event is a free was there already; one whose first event is an alloc was
 * not; one without any event never changed. One hash lookup an event, and most are saved because
 * the two events of a free come in pairs.
 */
#ifndef ANALYZE_REPLAY_TOUCH_H
#define ANALYZE_REPLAY_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"

/* The first event at an address. */
struct touch_event {
	uint64_t address, size; /* size: requested bytes as the event says */
	uint32_t event;         /* number of the event */
	uint8_t action;         /* enum action: alloc or a free */
};

struct touch {
	struct budget *budget; /* weak */
	uint64_t *keys;        /* open addressing, TOUCH_FREE = empty slot */
	size_t n_slots, n;
	bool has_free_key; /* the address that looks like an empty slot was touched */
	VEC(struct touch_event) frees;
	/* First allocs of more than 1 MiB, by address after touch_scan: each is the beginning of
	 * a block that was inactive until then. */
	VEC(struct touch_event) large_allocs;
	uint64_t n_segment_events;
	uint32_t seen; /* bit 1 << action for each action that occurs */
};

int touch_scan(struct touch *t, const struct model *m, const struct device *d,
	       struct budget *budget, struct error *err);
void touch_release(struct touch *t);
bool touch_has(const struct touch *t, uint64_t address);
/* The first large alloc at an address in (after, upto], or NULL. */
const struct touch_event *touch_large_alloc(const struct touch *t, uint64_t after, uint64_t upto);

#endif
