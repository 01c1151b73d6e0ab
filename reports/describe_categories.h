/* SPDX-License-Identifier: MIT
 * describe_categories.h -- what each live block is, and which evidence says so.
 */
#ifndef REPORTS_DESCRIBE_CATEGORIES_H
#define REPORTS_DESCRIBE_CATEGORIES_H

#include "passes/purpose.h"
#include "replay/moment.h"
#include "reports/emit.h"

struct categories_view {
	const struct model *model;
	const struct rules *rules;
	const struct purpose *purpose;
	const struct state *state;
	const struct moment *at;
	bool list_blocks; /* in text, too */
	bool has_explain; /* tell all about the block at `explain` alone */
	uint64_t explain; /* an address that an active block of the state holds */
};

/* The active block of a state that holds an address, or NULL. */
const struct state_block *categories_block_at(const struct state *s, uint64_t address);

void describe_categories(struct emit *e, const struct categories_view *v);

#endif
