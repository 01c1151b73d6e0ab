/* SPDX-License-Identifier: MIT
 * stack_lines.c -- a stack as lines: whole for programs, folded for people.
 */
#include "reports/stack_lines.h"

#include "passes/site.h"

#define FRAME_BYTES 8192

static frame_id frame_at(const struct model *m, stack_id stack, size_t k)
{
	return m->stacks.pool.at[m->stacks.start.at[stack.i] + k];
}

void describe_stack(struct emit *e, const struct model *m, stack_id stack)
{
	char words[FRAME_BYTES];

	for (size_t k = 0; k < stacks_depth(&m->stacks, stack); k++)
		emit_str(e, NULL, NULL, frame_words(m, frame_at(m, stack, k), words, sizeof words));
}

static void text_folded(struct emit *e, size_t *folded)
{
	char buf[UNITS_BUF];

	if (*folded)
		emit_line(e, "    ... %s",
			  units_noun(buf, sizeof buf, *folded, "library frame", "library frames"));
	*folded = 0;
}

void text_stack(struct emit *e, const struct model *m, stack_id stack)
{
	size_t depth = stacks_depth(&m->stacks, stack), folded = 0, own = 0;
	char words[FRAME_BYTES];

	for (size_t k = 0; k < depth; k++)
		own += frame_is_user(m, frame_at(m, stack, k));
	for (size_t k = 0; k < depth; k++) {
		frame_id f = frame_at(m, stack, k);

		if (own && !frame_is_user(m, f)) {
			folded++;
			continue;
		}
		text_folded(e, &folded);
		emit_line(e, "    %s", frame_words(m, f, words, sizeof words));
	}
	text_folded(e, &folded);
	if (depth == 0)
		emit_line(e, "    %s", site_words(m, site_of_stack(m, stack), words, sizeof words));
}
