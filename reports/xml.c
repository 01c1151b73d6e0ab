/* SPDX-License-Identifier: MIT
 * xml.c -- the wrapper over xmlTextWriter.
 */
#include "reports/xml.h"

#include <assert.h>
#include <inttypes.h>
#include <libxml/xmlwriter.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/clean.h"
#include "reports/sha256.h"

struct xml {
	xmlTextWriterPtr writer;
	struct out *to; /* weak */
	enum xml_dialect dialect;
	unsigned depth; /* open elements */
	bool failed;
};

static int xml_write(void *ctx, const char *bytes, int n)
{
	struct xml *x = ctx;

	out_bytes(x->to, bytes, (size_t)n);
	return n;
}

static void xml_note(struct xml *x, int rc)
{
	if (rc < 0)
		x->failed = true;
}

int xml_new(struct xml **out, enum xml_dialect dialect, struct out *to, struct error *err)
{
	struct xml *x = calloc(1, sizeof *x);
	xmlOutputBufferPtr buffer;

	if (!x)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	x->to = to;
	x->dialect = dialect;
	buffer = xmlOutputBufferCreateIO(xml_write, NULL, x, NULL);
	x->writer = buffer ? xmlNewTextWriter(buffer) : NULL;
	if (!x->writer) {
		if (buffer)
			xmlOutputBufferClose(buffer);
		free(x);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	if (dialect == XML_HTML)
		xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST "<!DOCTYPE html>\n"));
	else
		xml_note(x, xmlTextWriterStartDocument(x->writer, "1.0", "UTF-8", NULL));
	*out = x;
	return 0;
}

int xml_free(struct xml *x, struct error *err)
{
	bool failed;

	if (!x)
		return 0;
	while (x->depth > 0)
		xml_close(x);
	if (x->dialect == XML_HTML)
		xml_newline(x);
	else
		xml_note(x, xmlTextWriterEndDocument(x->writer));
	xml_note(x, xmlTextWriterFlush(x->writer));
	failed = x->failed;
	xmlFreeTextWriter(x->writer);
	free(x);
	return failed ? error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory while writing XML")
		      : 0;
}

void xml_open(struct xml *x, const char *name)
{
	xml_note(x, xmlTextWriterStartElement(x->writer, BAD_CAST name));
	x->depth++;
}

void xml_close(struct xml *x)
{
	assert(x->depth > 0);
	x->depth--;
	if (x->dialect == XML_HTML)
		xml_note(x, xmlTextWriterFullEndElement(x->writer));
	else
		xml_note(x, xmlTextWriterEndElement(x->writer));
}

void xml_element(struct xml *x, const char *name, const char *text)
{
	xml_open(x, name);
	xml_text(x, text);
	xml_close(x);
}

void xml_attr(struct xml *x, const char *name, const char *value)
{
	xml_attr_begin(x, name);
	xml_text(x, value);
	xml_attr_end(x);
}

void xml_attr_i64(struct xml *x, const char *name, int64_t value)
{
	xml_attr_begin(x, name);
	xml_printf(x, "%" PRId64, value);
	xml_attr_end(x);
}

void xml_attr_begin(struct xml *x, const char *name)
{
	xml_note(x, xmlTextWriterStartAttribute(x->writer, BAD_CAST name));
}

void xml_attr_end(struct xml *x)
{
	xml_note(x, xmlTextWriterEndAttribute(x->writer));
}

void xml_text(struct xml *x, const char *text)
{
	xml_textn(x, text, strlen(text));
}

void xml_textn(struct xml *x, const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;
	char chunk[1024];
	size_t used = 0;

	while (at < end) {
		used += clean_next(&at, end, chunk + used);
		if (at == end || used + CLEAN_MAX >= sizeof chunk) {
			chunk[used] = '\0';
			xml_note(x, xmlTextWriterWriteString(x->writer, BAD_CAST chunk));
			used = 0;
		}
	}
}

void xml_printf(struct xml *x, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	xml_text(x, buf);
}

void xml_newline(struct xml *x)
{
	xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST "\n"));
}

void xml_void(struct xml *x, const char *name, const char *const *attrs)
{
	assert(x->dialect == XML_HTML);
	xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST "<"));
	xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST name));
	for (; *attrs; attrs += 2) {
		xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST " "));
		xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST attrs[0]));
		xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST "=\""));
		/* As content: the writer escapes quotation marks there as well. */
		xml_text(x, attrs[1]);
		xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST "\""));
	}
	xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST ">"));
}

void xml_raw_element(struct xml *x, const char *name, const char *constant)
{
	if (strcmp(name, "script") != 0)
		assert(!strpbrk(constant, "<&") && !strstr(constant, "]]>"));
	assert(!strstr(constant, "</script") && !strstr(constant, "<!--"));
	xml_open(x, name);
	xml_note(x, xmlTextWriterWriteRaw(x->writer, BAD_CAST constant));
	xml_close(x);
}

void xml_base64(struct xml *x, const void *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *at = bytes;
	char chunk[4096];
	size_t used = 0;

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t group = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
				 (left > 2 ? at[i + 2] : 0);

		chunk[used++] = digits[group >> 18];
		chunk[used++] = digits[group >> 12 & 63];
		chunk[used++] = left > 1 ? digits[group >> 6 & 63] : '=';
		chunk[used++] = left > 2 ? digits[group & 63] : '=';
		if (used == sizeof chunk || left <= 3) {
			xml_note(x, xmlTextWriterWriteRawLen(x->writer, BAD_CAST chunk, (int)used));
			used = 0;
		}
	}
}

void xml_page_policy(struct xml *x, const char *style, const char *script)
{
	char style_hash[SHA256_BASE64], script_hash[SHA256_BASE64], policy[400];
	int n = snprintf(policy, sizeof policy, "default-src 'none'; style-src 'sha256-%s'",
			 sha256_base64(style, strlen(style), style_hash));

	if (script)
		n += snprintf(policy + n, sizeof policy - (size_t)n,
			      "; img-src data: blob:; script-src 'sha256-%s'",
			      sha256_base64(script, strlen(script), script_hash));
	(void)snprintf(policy + n, sizeof policy - (size_t)n,
		       "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
		       "trusted-types 'none'");
	xml_void(x, "meta",
		 (const char *const[]){"http-equiv", "Content-Security-Policy", "content", policy,
				       NULL});
	xml_newline(x);
	xml_void(x, "meta",
		 (const char *const[]){"name", "referrer", "content", "no-referrer", NULL});
	xml_newline(x);
}
