/* SPDX-License-Identifier: MIT
 * oom_forms.h -- the expressions of oom_messages.xml, compiled; for oom_log.c.
 */
#ifndef ANALYZE_PASSES_OOM_FORMS_H
#define ANALYZE_PASSES_OOM_FORMS_H

#include <stddef.h>

#include "passes/oom_log.h"

struct oom_forms;

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int oom_forms_new(struct oom_forms **out, struct budget *budget, struct error *err);
void oom_forms_free(struct oom_forms *f);

/* Where the first message may begin at or behind `from`; `n` when nowhere. *end: behind it. */
size_t oom_forms_anchor(struct oom_forms *f, const char *text, size_t n, size_t from, size_t *end);

/* What stands before a line, taken off: how many bytes, what they say about whose line it is (a hash,
 * 0: nothing) and the rank (-1: none). */
struct line_prefix {
	size_t length;
	uint64_t key;
	int64_t rank;
};
struct line_prefix oom_forms_prefix(struct oom_forms *f, const char *line, size_t n);

/* The message that `text` begins with. Fills form, cut, backend, device, amounts and hint, appends
 * processes; 1: found, 0: none, or an error. */
int oom_forms_match(struct oom_forms *f, const char *text, size_t n, struct oom_message *out,
		    struct oom_log *log, struct error *err);

#endif
