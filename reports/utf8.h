/* SPDX-License-Identifier: MIT
 * utf8.h -- strict UTF-8: what is a character, how wide it is, and what must not reach a terminal.
 */
#ifndef REPORTS_UTF8_H
#define REPORTS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes (1..4) of the character that starts at `s`, its code point in *code; 0 when the bytes are
 * no UTF-8 (cut, overlong, a surrogate, above U+10FFFF). n > 0. */
size_t utf8_decode(const char *s, size_t n, uint32_t *code);

/* Columns of a character on a terminal: 2 for East Asian wide ones and emoji, else 1. */
unsigned utf8_columns(uint32_t code);

/* Control characters, and the invisible ones that reorder or hide text. */
bool utf8_is_control(uint32_t code);

/* The text form of the character at `s` (n > 0) into `to` of at least 16 bytes: itself, or an
 * escape (\n, \x1b, \u202e, \xff for a byte that is no UTF-8). Returns bytes written; *used bytes
 * of s, *columns on the terminal. */
size_t utf8_escape(char *to, const char *s, size_t n, size_t *used, unsigned *columns);

#endif
