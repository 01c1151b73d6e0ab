/* SPDX-License-Identifier: MIT
 * regex.c -- regular expressions that people give: one dialect, one way to say what is wrong.
 */
#include "passes/regex.h"

#include <stdio.h>

int regex_compile(pcre2_code **out, const char *re, uint32_t more, uint32_t line, struct error *err)
{
	/* Bytes that are no UTF-8 are told about; a pattern must be. */
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | more;
	PCRE2_UCHAR words[160];
	char where[32] = "";
	PCRE2_SIZE at;
	int code;
	pcre2_code *compiled =
		pcre2_compile((PCRE2_SPTR)re, PCRE2_ZERO_TERMINATED, options, &code, &at, NULL);

	if (!compiled) {
		if (line)
			(void)snprintf(where, sizeof where, "line %u: ", line);
		pcre2_get_error_message(code, words, sizeof words);
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET,
				 "%s'%.120s' is no regular expression: %s at character %zu", where,
				 re, (const char *)words, (size_t)at + 1);
	}
	/* Without JIT (not supported everywhere) the interpreter matches. */
	pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
	*out = compiled;
	return 0;
}
