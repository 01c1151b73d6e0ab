/* SPDX-License-Identifier: MIT
 * page.c -- what every page here has: head, policy, style, and the frame around its content.
 */
#include "reports/page.h"

void page_open(struct xml *x, const char *name, const char *class)
{
	xml_open(x, name);
	if (class)
		xml_attr(x, "class", class);
}

void page_element(struct xml *x, const char *name, const char *class, const char *text)
{
	page_open(x, name, class);
	xml_text(x, text);
	xml_close(x);
}

void page_paragraph(struct xml *x, const char *class, const char *text)
{
	page_element(x, "p", class, text);
	xml_newline(x);
}

void page_fact(struct xml *x, const char *what, const char *figure, const char *more)
{
	xml_open(x, "div");
	xml_element(x, "dt", what);
	page_element(x, "dd", "figure", figure);
	if (more && more[0])
		page_element(x, "dd", "more", more);
	xml_close(x);
	xml_newline(x);
}

static void page_head(struct xml *x, const char *style, const char *script, const char *file,
		      const char *what)
{
	xml_open(x, "head");
	xml_newline(x);
	xml_void(x, "meta", (const char *const[]){"charset", "utf-8", NULL});
	xml_newline(x);
	xml_page_policy(x, style, script);
	xml_void(x, "meta",
		 (const char *const[]){"name", "viewport", "content",
				       "width=device-width, initial-scale=1", NULL});
	xml_newline(x);
	xml_open(x, "title");
	xml_text(x, file);
	xml_text(x, ": ");
	xml_text(x, what);
	xml_close(x);
	xml_newline(x);
	xml_raw_element(x, "style", style);
	xml_newline(x);
	xml_close(x);
	xml_newline(x);
}

void page_begin(struct xml *x, const char *style, const char *file, const char *what)
{
	page_begin_with(x, style, NULL, file, what);
}

void page_begin_with(struct xml *x, const char *style, const char *script, const char *file,
		     const char *what)
{
	xml_open(x, "html");
	xml_attr(x, "lang", "en");
	xml_newline(x);
	page_head(x, style, script, file, what);
	xml_open(x, "body");
	xml_newline(x);
	xml_open(x, "main");
	xml_newline(x);
	xml_element(x, "h1", what);
	xml_newline(x);
}

void page_script(struct xml *x, const char *script)
{
	xml_raw_element(x, "script", script);
	xml_newline(x);
}

void page_end(struct xml *x, const char *footer)
{
	xml_close(x);
	xml_newline(x);
	xml_element(x, "footer", footer);
	xml_newline(x);
	xml_close(x);
	xml_newline(x);
	xml_close(x);
}
