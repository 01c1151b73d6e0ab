/* SPDX-License-Identifier: MIT
 * mk_pickle.h -- writes one description of data as every pickler (and JSON) would.
 *
 * The description is a Python literal: None True False 12 -1 0x7f00 1.5 'text' "text" [..] (..)
 * {..}. Strings know \\ \' \" \n \xNN (a byte). `&name VALUE` names a value and `*name` is the same
 * object again; `VALUE x 1500` inside a list is 1,500 values that are equal but not the same.
 *
 *     struct mk_bytes b = mk_pickle(MK_PROTOCOL_4, "{'segments': [], 'device_traces': [[]]}");
 *     ... b.at[0 .. b.n - 1] ...
 *     mk_bytes_free(&b);
 *
 * A description that cannot be read ends the program: it is part of a test.
 */
#ifndef TESTS_LIB_MK_PICKLE_H
#define TESTS_LIB_MK_PICKLE_H

#include <stddef.h>
#include <stdint.h>

enum mk_dialect {
	MK_PROTOCOL_0, /* CPython's pickler, by protocol */
	MK_PROTOCOL_1,
	MK_PROTOCOL_2,
	MK_PROTOCOL_3,
	MK_PROTOCOL_4,
	MK_PROTOCOL_5,
	MK_JIT,  /* torch::jit::Pickler: protocol 2, containers memoised when complete */
	MK_JSON, /* sharing is lost, tuples become lists */
	MK_DIALECTS,
};

const char *mk_dialect_name(enum mk_dialect dialect);

struct mk_bytes {
	uint8_t *at;
	size_t n, cap;
};

struct mk_bytes mk_pickle(enum mk_dialect dialect, const char *description);
void mk_bytes_free(struct mk_bytes *b);

void mk_bytes_add(struct mk_bytes *b, const void *bytes, size_t n);
/* As printf, behind what is there; NUL-terminated, the NUL not counted. For descriptions. */
void mk_bytes_printf(struct mk_bytes *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
