/* SPDX-License-Identifier: MIT
 * test_emit_html.c -- facts as elements of a page; strings of a file stay text, whatever is in them.
 */
#include "reports/emit.h"
#include "reports/xml.h"
#include "tests/lib/tap.h"

static struct error err;

/* Say something in a page; its bytes, for the caller to free. */
static char *said(void (*say)(struct emit *e))
{
	struct emit_options o = {.format = EMIT_HTML};
	struct out *out;
	struct xml *x;
	struct emit *e;
	char *copy = NULL;

	if (out_open_memory(&out, &err) < 0 || xml_new(&x, XML_HTML, out, &err) < 0)
		exit(1);
	xml_open(x, "main");
	o.page = x;
	if (emit_new(&e, NULL, &o, &err) < 0)
		exit(1);
	emit_object_begin(e, NULL, NULL);
	say(e);
	emit_object_end(e);
	emit_free(e);
	xml_close(x);
	if (xml_free(x, &err) == 0) {
		size_t n;
		const char *bytes = out_memory(out, &n);

		copy = malloc(n + 1);
		if (copy)
			memcpy(copy, bytes, n + 1);
	}
	out_abandon(out);
	return copy;
}

static void say_everything(struct emit *e)
{
	emit_u64(e, "events", "events", 1200);
	emit_bytes(e, "peak", "peak", 3 << 20);
	emit_bytes(e, "limit", NULL, 5);
	emit_str(e, "none", "nothing", NULL);
	emit_prose(e, "A sentence, then a list.");
	emit_prose(e, "- one");
	emit_prose(e, "- two");
	emit_line(e, "a line");
	emit_object_begin(e, "part", "A part");
	emit_table_begin(e, "rows", "Rows");
	for (int i = 0; i < 2; i++) {
		emit_row_begin(e);
		emit_i64(e, "n", "n", i);
		emit_str(e, "name", "name", i ? "b" : "a");
		emit_str(e, "hidden", NULL, "in JSON only");
		emit_row_end(e);
	}
	emit_table_end(e);
	emit_object_end(e);
	emit_table_begin(e, "empty", "A table without rows");
	emit_table_end(e);
}

static const char hostile[] = "</dd><script>alert(1)</script><img src=x "
			      "onerror='a'>\"'&amp;\x01\x1b[31m\xff\xe2\x80\xae\xe2\x80\xa8";

static void say_hostile(struct emit *e)
{
	emit_str(e, "a", "pair", hostile);
	emit_prose(e, "%s", hostile);
	emit_prose(e, "- %s", hostile);
	emit_line(e, "%s", hostile);
	emit_heading(e, "%s", hostile);
	emit_object_begin(e, "o", hostile);
	emit_str(e, "b", hostile, "label");
	emit_object_end(e);
	emit_table_begin(e, "t", hostile);
	emit_row_begin(e);
	emit_str(e, "c", hostile, hostile);
	emit_row_end(e);
	emit_table_end(e);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Nothing but elements of emit_html.c, and nothing but plain characters. */
static void check_hostile(void)
{
	char *page = said(say_hostile);
	size_t shown;

	if (!ok(page != NULL, "a page of hostile strings"))
		return;
	is_u64(count(page, "<script"), 0, "no script begins");
	is_u64(count(page, "<img"), 0, "no picture");
	is_u64(count(page, "</dd>"), count(page, "<dd>"), "no element is ended by a string");
	shown = count(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
	ok(shown >= 9, "every one of them is shown (%zu)", shown);
	ok(!strchr(page, 1) && !strchr(page, 27), "no control character");
	is_u64(count(page, "\xe2\x80\xae"), 0, "no change of the direction of writing");
	is_u64(count(page, "\xe2\x80\xa8"), 0, "no line separator");
	is_u64(count(page, "\xff"), 0, "nothing that is no UTF-8");
	free(page);
}

static void check_elements(void)
{
	char *page = said(say_everything);

	is_str(page,
	       "<!DOCTYPE html>\n"
	       "<main><dl "
	       "class=\"pairs\"><div><dt>events</dt><dd>1,200</dd></div><div><dt>peak</dt>"
	       "<dd>3.00 MiB</dd></div><div><dt>nothing</dt><dd>-</dd></div></dl>\n"
	       "<p>A sentence, then a list.</p>\n"
	       "<ul class=\"words\"><li>one</li><li>two</li></ul>\n"
	       "<pre class=\"lines\">a line\n</pre>\n"
	       "<section><h3>A part</h3>\n"
	       "<h3>Rows</h3><div class=\"scroll\"><table><thead><tr><th scope=\"col\">n</th>"
	       "<th scope=\"col\" class=\"words\">name</th></tr></thead><tbody>\n"
	       "<tr><td>0</td><td class=\"words\">a</td></tr>\n"
	       "<tr><td>1</td><td class=\"words\">b</td></tr>\n"
	       "</tbody></table></div>\n"
	       "</section>\n"
	       "</main>\n",
	       "pairs, sentences, lists, lines, sections, tables");
	free(page);
}

int main(void)
{
	check_elements();
	check_hostile();
	return done_testing();
}
