/* SPDX-License-Identifier: MIT
 * diff_flame.c -- a differential flame graph: outermost calls on top, red grew, blue shrank.
 */
#include <stdio.h>
#include <string.h>

#include "passes/site.h"
#include "reports/clean.h"
#include "reports/diff_draw.h"
#include "reports/stack_lines.h"

#define ROW_HEIGHT (19 * SVG_PX)
#define MAX_DEPTH  40
/* Narrower boxes are left out, and boxes narrower than a few letters have no words. */
#define MIN_WIDTH 4
#define MIN_WORDS (34 * SVG_PX)
#define MAX_CHARS 120

svg_len diff_flame_height(const struct diff_tree *t)
{
	uint32_t depth = t->depth < MAX_DEPTH ? t->depth : MAX_DEPTH;

	return (svg_len)(depth + 1) * ROW_HEIGHT;
}

static const char *node_class(const struct diff_node *n)
{
	static const char *const grew[] = {"grew-1", "grew-2", "grew-3", "grew-4"};
	static const char *const shrank[] = {"shrank-1", "shrank-2", "shrank-3", "shrank-4"};
	uint64_t base = n->bytes[0], new = n->bytes[1], larger = base > new ? base : new;
	double share;
	size_t strength;

	if (base == new || larger == 0)
		return "same";
	share = (double)(base > new ? base - new : new - base) / (double)larger;
	strength = share > 0.75 ? 3 : share > 0.4 ? 2 : share > 0.1 ? 1 : 0;
	return new > base ? grew[strength] : shrank[strength];
}

/* White words on the strongest colours. */
static bool is_dark(const char *class)
{
	return !strcmp(class, "grew-4") || !strcmp(class, "shrank-4") || !strcmp(class, "shrank-3");
}

static void node_words(const struct diff_picture *p, const struct diff_node *n, bool whole,
		       char *buf, size_t size)
{
	const struct diff *d = p->r->diff;
	const struct model *m = n->in_base ? d->base.model : d->new.model;
	struct site site = {n->kind, n->frame};

	if (n->parent == DIFF_NO_NODE)
		(void)snprintf(buf, size, "all");
	else if (whole || n->kind != SITE_FRAME)
		site_words(m, site, buf, size);
	else
		site_short(m, site, buf, size);
}

static void draw_node(struct xml *x, const struct diff_picture *p, const struct diff_node *n,
		      svg_len left, svg_len width, svg_len top)
{
	char words[1024], clean[(MAX_CHARS * 2 + 1) * CLEAN_MAX], tip[sizeof clean + 256];
	char base[UNITS_BUF], new[UNITS_BUF], delta[UNITS_BUF + 1];
	const char *class = node_class(n);
	size_t room = (size_t)(width > 8 * SVG_PX ? (width - 8 * SVG_PX) / 72 : 0);

	svg_group(x, "box");
	node_words(p, n, true, words, sizeof words);
	(void)snprintf(tip, sizeof tip, "%s: %s, from %s to %s",
		       clean_elide(clean, sizeof clean, words, strlen(words), 2 * MAX_CHARS),
		       diff_words_delta(NULL, delta, n->bytes[0], n->bytes[1]),
		       units_bytes(base, n->bytes[0]), units_bytes(new, n->bytes[1]));
	svg_tooltip(x, tip);
	svg_rect(x, class, left, top, width, ROW_HEIGHT);
	if (width >= MIN_WORDS && room >= 4) {
		node_words(p, n, false, words, sizeof words);
		clean_elide(clean, sizeof clean, words, strlen(words),
			    room < MAX_CHARS ? room : MAX_CHARS);
		svg_text(x, is_dark(class) ? "on-dark" : "on-light", SVG_START, left + 4 * SVG_PX,
			 top + 13 * SVG_PX, clean);
	}
	xml_close(x);
	xml_newline(x);
}

/* Parents lie above their children; a node's children begin where it begins. */
struct place {
	svg_len left, width;
	uint32_t next; /* child to draw next */
	svg_len at;    /* where */
};

static svg_len width_of(const struct diff_node *child, const struct diff_node *parent,
			svg_len width)
{
	if (parent->weight == 0)
		return 0;
	return (svg_len)((__uint128_t)child->weight * (uint64_t)width / parent->weight);
}

void diff_flame_draw(struct xml *x, const struct diff_picture *p, svg_len left, svg_len right,
		     svg_len top)
{
	const struct diff_tree *t = &p->tree;
	struct place stack[MAX_DEPTH + 1];
	size_t depth = 1;

	draw_node(x, p, &t->at.at[0], left, right - left, top);
	stack[0] = (struct place){left, right - left, t->at.at[0].first_child, left};
	while (depth > 0) {
		struct place *s = &stack[depth - 1];
		const struct diff_node *n;
		svg_len width, at = s->at;

		if (s->next == DIFF_NO_NODE) {
			depth--;
			continue;
		}
		n = &t->at.at[s->next];
		width = width_of(n, &t->at.at[n->parent], s->width);
		s->next = n->next;
		s->at += width;
		if (width < MIN_WIDTH)
			continue;
		draw_node(x, p, n, at, width, top + (svg_len)n->depth * ROW_HEIGHT);
		if (depth <= MAX_DEPTH && n->depth < MAX_DEPTH)
			stack[depth++] = (struct place){at, width, n->first_child, at};
	}
}
