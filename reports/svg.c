/* SPDX-License-Identifier: MIT
 * svg.c -- drawing primitives over xml.h.
 */
#include "reports/svg.h"

#include <inttypes.h>
#include <stdio.h>

/* "12", "12.5", "-0.5" */
static void svg_number(struct xml *x, const char *prefix, svg_len v)
{
	const char *sign = v < 0 ? "-" : "";
	uint64_t n = v < 0 ? -(uint64_t)v : (uint64_t)v;

	if (n % SVG_PX)
		xml_printf(x, "%s%s%" PRIu64 ".%u", prefix, sign, n / SVG_PX,
			   (unsigned)(n % SVG_PX));
	else
		xml_printf(x, "%s%s%" PRIu64, prefix, sign, n / SVG_PX);
}

static void svg_attr(struct xml *x, const char *name, svg_len v)
{
	xml_attr_begin(x, name);
	svg_number(x, "", v);
	xml_attr_end(x);
}

void svg_begin(struct xml *x, svg_len width, svg_len height, const char *title, const char *desc,
	       const char *style)
{
	xml_open(x, "svg");
	xml_attr(x, "xmlns", "http://www.w3.org/2000/svg");
	xml_attr_begin(x, "viewBox");
	svg_number(x, "0 0 ", width);
	svg_number(x, " ", height);
	xml_attr_end(x);
	svg_attr(x, "width", width);
	svg_attr(x, "height", height);
	xml_attr(x, "class", "picture");
	xml_attr(x, "role", "img");
	xml_attr(x, "aria-labelledby", "picture-title picture-desc");
	xml_newline(x);
	xml_open(x, "title");
	xml_attr(x, "id", "picture-title");
	xml_text(x, title);
	xml_close(x);
	xml_newline(x);
	xml_open(x, "desc");
	xml_attr(x, "id", "picture-desc");
	xml_text(x, desc);
	xml_close(x);
	xml_newline(x);
	if (style) {
		xml_raw_element(x, "style", style);
		xml_newline(x);
	}
}

void svg_group(struct xml *x, const char *class)
{
	xml_open(x, "g");
	xml_attr(x, "class", class);
}

void svg_tooltip(struct xml *x, const char *text)
{
	xml_element(x, "title", text);
}

void svg_line(struct xml *x, const char *class, svg_len x1, svg_len y1, svg_len x2, svg_len y2)
{
	xml_open(x, "line");
	xml_attr(x, "class", class);
	svg_attr(x, "x1", x1);
	svg_attr(x, "y1", y1);
	svg_attr(x, "x2", x2);
	svg_attr(x, "y2", y2);
	xml_close(x);
}

void svg_rect(struct xml *x, const char *class, svg_len left, svg_len top, svg_len width,
	      svg_len height)
{
	xml_open(x, "rect");
	xml_attr(x, "class", class);
	svg_attr(x, "x", left);
	svg_attr(x, "y", top);
	svg_attr(x, "width", width);
	svg_attr(x, "height", height);
	xml_close(x);
}

void svg_circle(struct xml *x, const char *class, svg_len cx, svg_len cy, svg_len r)
{
	xml_open(x, "circle");
	xml_attr(x, "class", class);
	svg_attr(x, "cx", cx);
	svg_attr(x, "cy", cy);
	svg_attr(x, "r", r);
	xml_close(x);
}

void svg_text(struct xml *x, const char *class, enum svg_anchor anchor, svg_len left, svg_len base,
	      const char *text)
{
	xml_open(x, "text");
	xml_attr(x, "class", class);
	svg_attr(x, "x", left);
	svg_attr(x, "y", base);
	if (anchor != SVG_START)
		xml_attr(x, "text-anchor", anchor == SVG_MIDDLE ? "middle" : "end");
	xml_text(x, text);
	xml_close(x);
}

void svg_path_begin(struct xml *x, const char *class)
{
	xml_open(x, "path");
	xml_attr(x, "class", class);
	xml_attr_begin(x, "d");
}

void svg_path_move(struct xml *x, svg_len px, svg_len py)
{
	svg_number(x, "M", px);
	svg_number(x, " ", py);
}

void svg_path_line(struct xml *x, svg_len px, svg_len py)
{
	svg_number(x, "L", px);
	svg_number(x, " ", py);
}

void svg_path_h(struct xml *x, svg_len px)
{
	svg_number(x, "H", px);
}

void svg_path_v(struct xml *x, svg_len py)
{
	svg_number(x, "V", py);
}

void svg_path_close(struct xml *x)
{
	xml_text(x, "Z");
}

void svg_path_end(struct xml *x)
{
	xml_attr_end(x);
	xml_close(x);
}

svg_len svg_label_width(size_t n)
{
	return (svg_len)n * 67;
}
