/* SPDX-License-Identifier: MIT
 * regex.h -- regular expressions that people give: one dialect, one way to say what is wrong.
 */
#ifndef ANALYZE_PASSES_REGEX_H
#define ANALYZE_PASSES_REGEX_H

#ifndef PCRE2_CODE_UNIT_WIDTH
#define PCRE2_CODE_UNIT_WIDTH 8
#endif
#include <pcre2.h>
#include <stdint.h>

#include "base/error.h"

/* Perl's dialect over UTF-8; the bytes it is matched with may be anything. `more`: further options of
 * pcre2_compile. `line`: where it stands in a file, 0: nowhere. The caller frees it with pcre2_code_free;
 * matches should have a limit (pcre2_set_match_limit). Errors: ERR_USAGE. */
int regex_compile(pcre2_code **out, const char *re, uint32_t more, uint32_t line,
		  struct error *err);

#endif
