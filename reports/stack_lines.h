/* SPDX-License-Identifier: MIT
 * stack_lines.h -- a stack as lines: whole for programs, folded for people.
 */
#ifndef REPORTS_STACK_LINES_H
#define REPORTS_STACK_LINES_H

#include "model/model.h"
#include "passes/site.h"
#include "reports/emit.h"

/* Every frame as a string, innermost first, into the open array; no text. */
void describe_stack(struct emit *e, const struct model *m, stack_id stack);

/* People only: the user's own frames, each run of others as one line with their number and its
 * innermost Python frame; all frames when none is the user's own. */
void text_stack(struct emit *e, const struct model *m, stack_id stack);

/* "train.py:12 step": a site without the folders of its path; "the backward pass". */
const char *site_short(const struct model *m, struct site site, char *buf, size_t size);

#endif
