/* SPDX-License-Identifier: MIT
 * load_row.h -- one dict of a snapshot by its keys, and typed access to its values.
 *
 * A value of the wrong type is no error yet: the row may lie where nobody looks. It is kept as a
 * fault and stands for an absent value meanwhile.
 */
#ifndef ANALYZE_MODEL_LOAD_ROW_H
#define ANALYZE_MODEL_LOAD_ROW_H

#include "model/load_private.h"

#define KEY_BIT(word) (UINT64_C(1) << (word))
#define KEY_LAST      KEY_FX_ORIGINAL_TRACE

/* Keys that rows of each kind may have; anything else is counted as unknown. */
#define EVENT_KEYS                                                                                \
	(KEY_BIT(KEY_ACTION) | KEY_BIT(KEY_ADDR) | KEY_BIT(KEY_DEVICE_FREE) | KEY_BIT(KEY_SIZE) | \
	 KEY_BIT(KEY_STREAM) | KEY_BIT(KEY_TIME_US) | KEY_BIT(KEY_FRAMES) |                       \
	 KEY_BIT(KEY_COMPILE_CONTEXT) | KEY_BIT(KEY_USER_METADATA) |                              \
	 KEY_BIT(KEY_INTERNAL_METADATA) | KEY_BIT(KEY_POOL_ID) | KEY_BIT(KEY_FORWARD_FRAMES) |    \
	 KEY_BIT(KEY_CATEGORY))
#define SEGMENT_KEYS                                                                            \
	(KEY_BIT(KEY_DEVICE) | KEY_BIT(KEY_ADDRESS) | KEY_BIT(KEY_TOTAL_SIZE) |                 \
	 KEY_BIT(KEY_ALLOCATED_SIZE) | KEY_BIT(KEY_ACTIVE_SIZE) | KEY_BIT(KEY_REQUESTED_SIZE) | \
	 KEY_BIT(KEY_STREAM) | KEY_BIT(KEY_SEGMENT_TYPE) | KEY_BIT(KEY_SEGMENT_POOL_ID) |       \
	 KEY_BIT(KEY_IS_EXPANDABLE) | KEY_BIT(KEY_FRAMES) | KEY_BIT(KEY_FORWARD_FRAMES) |       \
	 KEY_BIT(KEY_BLOCKS) | KEY_BIT(KEY_REGISTRATION_COUNTER))
#define BLOCK_KEYS                                                                \
	(KEY_BIT(KEY_ADDRESS) | KEY_BIT(KEY_SIZE) | KEY_BIT(KEY_REQUESTED_SIZE) | \
	 KEY_BIT(KEY_STATE) | KEY_BIT(KEY_FRAMES) | KEY_BIT(KEY_FORWARD_FRAMES) | \
	 KEY_BIT(KEY_HISTORY) | KEY_BIT(KEY_USER_METADATA))
#define FRAME_KEYS                                                                                 \
	(KEY_BIT(KEY_NAME) | KEY_BIT(KEY_FILENAME) | KEY_BIT(KEY_LINE) | KEY_BIT(KEY_FX_NODE_OP) | \
	 KEY_BIT(KEY_FX_NODE_NAME) | KEY_BIT(KEY_FX_NODE_TARGET) | KEY_BIT(KEY_FX_NODE_INFO) |     \
	 KEY_BIT(KEY_FX_ORIGINAL_TRACE))
#define ANNOTATION_KEYS \
	(KEY_BIT(KEY_STAGE) | KEY_BIT(KEY_NAME) | KEY_BIT(KEY_DEVICE) | KEY_BIT(KEY_TIME_US))

/* One dict's pairs by key; the last of equal keys wins. Values of absent keys are unset. */
struct row {
	struct loader *l;
	uint64_t mask; /* KEY_BITs present */
	uint64_t offset;
	uint32_t id; /* of the row being made, for faults */
	enum load_tag kind;
	cell value[KEY_LAST + 1];
};

static inline bool row_has(const struct row *r, enum load_word key)
{
	return r->mask >> key & 1 && !cell_is_const(r->value[key], CELL_NONE);
}

void row_fault(struct row *r, enum load_word key, const char *wanted);
uint64_t row_u64(struct row *r, enum load_word key, uint64_t absent);
str_id row_str(struct row *r, enum load_word key);
bool row_bool(struct row *r, enum load_word key);
int row_stack(struct row *r, enum load_word key, stack_id *out, struct error *err);
/* False when absent. */
bool row_pool(struct row *r, enum load_word key, struct pool_id *out);
/* forward_frames: lines of text, kept as frames that have a name only. */
int row_text_stack(struct row *r, enum load_word key, stack_id *out, struct error *err);

/* load_event.c. Make an event of a row; `pairs` are the row's own. */
int event_row(struct row *r, cell *out, struct error *err);
/* An event exactly like an earlier one but for its numbers and its stack. False, with nothing
 * done, when anything at all is different: event_row then decides. */
bool event_again(struct loader *l, const cell *pairs, size_t n, cell *out);
/* Remember how the last event was made, so that its successors of the same shape cost less. */
void event_learn(struct loader *l, const cell *pairs, size_t n, uint64_t mask);

/* One more of `key` in a map of counts. */
int count_unknown(struct hashmap *map, uint64_t key, struct error *err);

#endif
