/* SPDX-License-Identifier: MIT
 * budget.h -- how much memory the program may hold, and every growable thing's way to ask for it.
 *
 * One budget is shared by everything that is loaded from input. It counts bytes asked of malloc
 * for columns, tables and arenas, so `used` tracks the resident size closely for large inputs.
 */
#ifndef ANALYZE_BASE_BUDGET_H
#define ANALYZE_BASE_BUDGET_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct budget {
	uint64_t limit; /* bytes; UINT64_MAX = no limit */
	uint64_t used;  /* bytes held now; never above limit */
};

/* The default for --limit: 80 % of the machine's memory, or of the cgroup's limit (v1 and v2)
 * when that is lower. Bytes; UINT64_MAX when nothing can be found out. */
uint64_t budget_default_limit(void);

/* Account for `bytes` more. Errors: ERR_LIMIT (nothing is accounted then). */
int budget_take(struct budget *b, uint64_t bytes, struct error *err);
void budget_give(struct budget *b, uint64_t bytes);

/* Change an allocation of `old_bytes` at `old` (NULL when 0) to `new_bytes`; contents kept as by
 * realloc. Returns NULL with *err set (ERR_LIMIT, ERR_NOMEM), the old allocation still valid. */
void *budget_realloc(struct budget *b, void *old, size_t old_bytes, size_t new_bytes,
		     struct error *err);
/* Free `bytes` at `p`; NULL is a no-op. */
void budget_free(struct budget *b, void *p, size_t bytes);

#endif
