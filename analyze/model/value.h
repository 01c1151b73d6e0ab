/* SPDX-License-Identifier: MIT
 * value.h -- a small read-only tree of decoded data that is shown as it was (allocator settings).
 */
#ifndef ANALYZE_MODEL_VALUE_H
#define ANALYZE_MODEL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

enum value_kind {
	VALUE_NULL,
	VALUE_BOOL,
	VALUE_I64,
	VALUE_U64, /* above INT64_MAX only */
	VALUE_F64,
	VALUE_STR,
	VALUE_LIST,
	VALUE_DICT,
};

/* Deeper data is cut to VALUE_NULL. */
#define VALUE_MAX_DEPTH 16

struct value {
	enum value_kind kind;
	str_id key; /* inside a VALUE_DICT; else STR_NONE */
	union {
		bool boolean;
		int64_t i64;
		uint64_t u64;
		double f64;
		str_id str;
		struct {
			const struct value *at;
			size_t n;
		} items;
	};
};

/* The member of a dict, the last of equal keys, or NULL (also when `v` is NULL or no dict). */
const struct value *value_member(const struct value *v, const struct strtab *strings,
				 const char *key);

#endif
