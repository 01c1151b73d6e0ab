/* SPDX-License-Identifier: MIT
 * xml.h -- the one way from here to XML, SVG and HTML: libxml2's writer, with text cleaned first.
 *
 * Every text and attribute value passes clean.h and the writer's escaping, so a string from a
 * file can never become markup. Names of elements and attributes are constants of the program.
 *
 *     xml_open(x, "rect");
 *     xml_attr_i64(x, "width", 10);
 *     xml_text(x, name);
 *     xml_close(x);
 *
 * Calls do not fail: the first failure is remembered and told by xml_free.
 */
#ifndef REPORTS_XML_H
#define REPORTS_XML_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "reports/out.h"

enum xml_dialect {
	XML_PLAIN, /* XML with a declaration; empty elements close themselves */
	XML_HTML,  /* HTML5 with its doctype; every element gets an end tag */
};

struct xml;

/* `to` is weak and outlives it. Errors: ERR_NOMEM. */
int xml_new(struct xml **out, enum xml_dialect dialect, struct out *to, struct error *err);
/* Close what is open, flush and free. ERR_NOMEM when any call before failed; failures of `to` are
 * told by out_close. NULL is a no-op. */
int xml_free(struct xml *x, struct error *err);

void xml_open(struct xml *x, const char *name);
void xml_close(struct xml *x);
/* xml_open, xml_text, xml_close. */
void xml_element(struct xml *x, const char *name, const char *text);

/* Directly behind xml_open, before any text. */
void xml_attr(struct xml *x, const char *name, const char *value);
void xml_attr_i64(struct xml *x, const char *name, int64_t value);
/* A value written in pieces: xml_text and xml_printf between the two. */
void xml_attr_begin(struct xml *x, const char *name);
void xml_attr_end(struct xml *x);

void xml_text(struct xml *x, const char *text);
void xml_textn(struct xml *x, const char *bytes, size_t n);
/* At most 1023 bytes; for numbers and short words. */
void xml_printf(struct xml *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line break between elements, so that documents can be read and compared. */
void xml_newline(struct xml *x);

/* HTML: an element that has no content and no end tag, its attributes as name, value, ..., NULL. */
void xml_void(struct xml *x, const char *name, const char *const *attrs);
/* <style> or <script> with `constant` as it is: bytes of the program, never of a file. A style
 * holds neither "<" nor "&", a script neither "</script" nor "<!--": they would end it early. */
void xml_raw_element(struct xml *x, const char *name, const char *constant);
/* Bytes in base64 as the text of the open element: nothing in it can be markup. */
void xml_base64(struct xml *x, const void *bytes, size_t n);
/* The meta elements that come first in a page: its policy, which allows exactly this style and
 * script (NULL: none) by their hashes and no load from anywhere, and no referrer. */
void xml_page_policy(struct xml *x, const char *style, const char *script);

#endif
