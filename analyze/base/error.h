/* SPDX-License-Identifier: MIT
 * error.h -- one failure: its kind, its place in the input, and words for a person.
 *
 * Convention of the whole program: a function that can fail returns 0 on success and a negative
 * `enum err_code` on failure, takes `struct error *err` as its last parameter, and leaves its
 * outputs untouched when it fails. The place that knows the offset fills the error, once; every
 * caller passes it on unchanged. Nothing below cli/ prints or exits.
 */
#ifndef ANALYZE_BASE_ERROR_H
#define ANALYZE_BASE_ERROR_H

#include <stdarg.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE = -1,       /* the caller asked for something that does not exist */
	ERR_NO_MOMENT = -2,   /* a valid question about a moment the file does not have */
	ERR_SYSTEM = -3,      /* open, read, write, mmap, ... failed; words carry strerror */
	ERR_NOMEM = -4,       /* malloc failed although the budget would have allowed it */
	ERR_LIMIT = -5,       /* the memory budget (--limit) or a fixed limit would be exceeded */
	ERR_CUT = -6,         /* the input ends before the data does */
	ERR_FORMAT = -7,      /* the bytes are not what their format allows */
	ERR_UNSAFE = -8,      /* a pickle opcode that imports or calls */
	ERR_UNSUPPORTED = -9, /* a known kind of file that is not a memory snapshot */
	ERR_SCHEMA = -10,     /* well-formed data of the wrong shape (path in the words) */
};

/* `offset` of an error that has no place in the input. */
#define ERR_NO_OFFSET UINT64_MAX

struct error {
	enum err_code code;
	uint64_t offset; /* byte of the decoded input (after gzip/zstd), or ERR_NO_OFFSET */
	char text[400];  /* one sentence: no capital, no full stop, no offset, no file name */
};

/* Fill *err (which may be NULL) and return `code`, so that callers write `return error_set(...)`.
 * Words that do not fit are cut. */
int error_set(struct error *err, enum err_code code, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int error_setv(struct error *err, enum err_code code, uint64_t offset, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

/* As error_set with ERR_SYSTEM; appends ": " and strerror(errnum). */
int error_set_errno(struct error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
