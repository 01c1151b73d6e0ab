/* SPDX-License-Identifier: MIT
 * error.c -- filling in a struct error.
 */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

int error_setv(struct error *err, enum err_code code, uint64_t offset, const char *fmt, va_list ap)
{
	if (err) {
		err->code = code;
		err->offset = offset;
		vsnprintf(err->text, sizeof err->text, fmt, ap);
	}
	return code;
}

int error_set(struct error *err, enum err_code code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_setv(err, code, offset, fmt, ap);
	va_end(ap);
	return code;
}

int error_set_errno(struct error *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return ERR_SYSTEM;
	va_start(ap, fmt);
	error_setv(err, ERR_SYSTEM, ERR_NO_OFFSET, fmt, ap);
	va_end(ap);
	size_t length = strlen(err->text);
	snprintf(err->text + length, sizeof err->text - length, ": %s", strerror(errnum));
	return ERR_SYSTEM;
}
