/* SPDX-License-Identifier: MIT
 * clean.h -- text from untrusted files, made safe to show in XML, HTML and SVG.
 *
 * What stays: every valid UTF-8 character, TAB and LF. C0 and C1 controls, DEL, noncharacters and
 * bytes that are no UTF-8 become U+FFFD; characters that hide, turn or break text (zero-width and
 * bidirectional ones, U+2028, U+2029, U+FEFF) become visible: \u202e. Markup is the writer's
 * business.
 */
#ifndef REPORTS_CLEAN_H
#define REPORTS_CLEAN_H

#include <stddef.h>

/* Bytes that one cleaned character takes at most. */
#define CLEAN_MAX 7

/* Take one character from *at (before `end`), leave its clean form in `out` (not terminated).
 * Returns its bytes, 1 to CLEAN_MAX, and moves *at by at least one. */
size_t clean_next(const char **at, const char *end, char out[CLEAN_MAX]);

/* The cleaned text in buf, NUL-terminated. Longer than `max_chars` characters: the middle is
 * replaced by one U+2026, since paths and symbols keep their meaning at both ends. `size` is at
 * least (max_chars + 1) * CLEAN_MAX. Returns buf. */
const char *clean_elide(char *buf, size_t size, const char *bytes, size_t n, size_t max_chars);

#endif
