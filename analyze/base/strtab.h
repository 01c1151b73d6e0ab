/* SPDX-License-Identifier: MIT
 * strtab.h -- interned byte strings: equal bytes have one id.
 *
 * Strings come from untrusted files: any bytes, NUL and invalid UTF-8 included; writers escape.
 * Id 0 means "absent" and has no bytes; "" is an ordinary string. Ids are dense and in order of
 * first appearance, so tables indexed by them are arrays.
 */
#ifndef ANALYZE_BASE_STRTAB_H
#define ANALYZE_BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

typedef struct {
	uint32_t i;
} str_id;

#define STR_NONE ((str_id){0})

struct str {
	const char *bytes; /* followed by a NUL that `length` does not count */
	uint32_t length;
	uint32_t hash;
};

struct strtab {
	struct budget *budget; /* weak */
	struct arena arena;
	VEC(struct str) rows; /* rows.at[0] is the absent string: bytes "", length 0 */
	uint32_t *slots;      /* open addressing, 0 = free */
	size_t n_slots;       /* power of two */
};

int strtab_init(struct strtab *t, struct budget *budget, struct error *err);
void strtab_release(struct strtab *t);

/* The id of these bytes, added when new. Errors: ERR_LIMIT (also: longer than 2^31 bytes or more
 * than 2^28 strings), ERR_NOMEM. */
int strtab_add(struct strtab *t, const char *bytes, size_t length, str_id *out, struct error *err);

/* The id of these bytes, or STR_NONE when they were never added. */
str_id strtab_find(const struct strtab *t, const char *bytes, size_t length);

/* The bytes of an id of this table; never NULL, NUL-terminated. */
static inline const struct str *strtab_get(const struct strtab *t, str_id id)
{
	return &t->rows.at[id.i];
}

#endif
