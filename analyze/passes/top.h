/* SPDX-License-Identifier: MIT
 * top.h -- who holds the bytes of one state, grouped one way, largest first.
 *
 * A row's bytes are the sizes of its active blocks (slack and pending ones included), so the rows
 * add up to the total exactly: the state's active bytes, or what a filter leaves of them.
 */
#ifndef ANALYZE_PASSES_TOP_H
#define ANALYZE_PASSES_TOP_H

#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"
#include "passes/categories.h"
#include "passes/filter.h"
#include "passes/site.h"
#include "replay/replay.h"

enum top_by {
	TOP_SITE,
	TOP_STACK,
	TOP_FILE,       /* of the site */
	TOP_FUNCTION,   /* of the site */
	TOP_ANNOTATION, /* the innermost one open when the block was made */
	TOP_STREAM,
	TOP_POOL,
	TOP_CATEGORY,
};

/* What a row stands for when its key is no name from the file. */
enum top_key {
	TOP_KEY_NAME,
	TOP_KEY_BACKWARD, /* by site, file and function: no Python frame */
	TOP_KEY_NO_STACK,
	TOP_KEY_NONE,             /* by annotation: none was open */
	TOP_KEY_BEFORE_RECORDING, /* by annotation: made before the trace begins */
	TOP_KEY_NO_TIME,          /* by annotation: its event has no time */
};

struct top_row {
	enum top_key key;
	struct site site;       /* TOP_SITE; TOP_STACK: of that stack */
	stack_id stack;         /* TOP_STACK, and of top_run_split */
	str_id file, name;      /* TOP_FILE; TOP_FUNCTION: both; TOP_ANNOTATION: name */
	uint64_t stream;        /* TOP_STREAM */
	struct pool_id pool;    /* TOP_POOL */
	enum category category; /* TOP_CATEGORY */
	uint64_t bytes, blocks;
	/* Of top_run_split: rows of one key follow each other and have one number, from 0; their
	 * bytes together. */
	uint32_t group;
	uint64_t group_bytes;
};

struct top {
	struct budget *budget; /* weak */
	enum top_by by;
	int32_t device;
	int64_t event; /* of the state */
	bool exact;    /* false: what lived before the trace is unknown */
	bool filtered;
	uint64_t total_bytes, blocks;             /* of the rows */
	uint64_t left_out_bytes, left_out_blocks; /* by the filter */
	VEC(struct top_row) rows;
};

/* `filter` may be NULL, and `categories` but for TOP_CATEGORY. Errors: ERR_LIMIT, ERR_NOMEM. */
int top_run(struct top *out, const struct model *m, const struct state *state, enum top_by by,
	    const struct filter *filter, const struct categories *categories, struct budget *budget,
	    struct error *err);
/* The same with a row for each pair of key and stack: the keys largest first, and the stacks of
 * each. */
int top_run_split(struct top *out, const struct model *m, const struct state *state, enum top_by by,
		  const struct filter *filter, const struct categories *categories,
		  struct budget *budget, struct error *err);
void top_release(struct top *t);

#endif
