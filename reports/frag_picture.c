/* SPDX-License-Identifier: MIT
 * frag_picture.c -- segments as bars to scale: live blocks by site, holes hatched, pinners marked.
 *
 * One row per segment, most unreturnable bytes first, then the others by address; the widest
 * segment fills the width. With many segments rows get thinner, down to 5 pixels each, so that a
 * thousand of them stay one picture.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes/fragmentation.h"
#include "reports/describe.h"
#include "reports/frag_report.h"
#include "reports/page.h"
#include "reports/stack_lines.h"
#include "reports/svg.h"

#define WIDTH    (1200 * SVG_PX)
#define LEFT     (150 * SVG_PX)
#define RIGHT    (20 * SVG_PX)
#define MAX_ROWS 1000u
#define HUES     7 /* the largest sites; all others share one */
#define MAX_PINS 3 /* marks in a row */

static const char page_style[] = PAGE_STYLE FRAG_PICTURE_STYLE;

struct picture {
	const struct frag_report *r;
	struct xml *x;
	uint32_t *order;  /* rows of state.segments as drawn */
	uint64_t *stuck;  /* unreturnable bytes of each row of state.segments */
	size_t *frag_row; /* 1 + row of frag.segments of each, 0: none */
	uint8_t *hue;     /* of each site */
	uint64_t hue_bytes[HUES + 1];
	uint32_t hue_site[HUES];
	size_t n_rows;
	uint64_t widest;
	svg_len row_height, top;
};

static const char *const hue_class[] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"};

/* ---- what is drawn ---- */

struct site_bytes {
	uint32_t site;
	uint64_t bytes;
};

static int compare_site_bytes(const void *a, const void *b)
{
	const struct site_bytes *p = a, *q = b;

	if (p->bytes != q->bytes)
		return p->bytes < q->bytes ? 1 : -1;
	return (p->site > q->site) - (p->site < q->site);
}

/* The sites with most live bytes get a colour of their own. */
static int choose_hues(struct picture *p, struct error *err)
{
	const struct frag_report *r = p->r;
	size_t n = r->sites->sites.n;
	struct site_bytes *all = calloc(n ? n : 1, sizeof *all);

	p->hue = calloc(n ? n : 1, 1);
	if (!all || !p->hue) {
		free(all);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	for (size_t i = 0; i < n; i++)
		all[i].site = (uint32_t)i;
	for (size_t i = 0; i < r->state->blocks.n; i++) {
		const struct state_block *b = &r->state->blocks.at[i];

		if (b->state != BLOCK_INACTIVE)
			all[r->sites->of_stack.at[b->stack.i]].bytes += b->size;
	}
	qsort(all, n, sizeof *all, compare_site_bytes);
	for (size_t i = 0; i < n; i++) {
		size_t hue = i < HUES ? i : HUES;

		p->hue[all[i].site] = (uint8_t)hue;
		p->hue_bytes[hue] += all[i].bytes;
		if (i < HUES)
			p->hue_site[i] = all[i].site;
	}
	free(all);
	return 0;
}

static int order_rows(struct picture *p, struct error *err)
{
	const struct frag *f = p->r->frag;
	const struct state *s = p->r->state;
	size_t n = s->segments.n;

	p->order = calloc(n ? n : 1, sizeof *p->order);
	p->stuck = calloc(n ? n : 1, sizeof *p->stuck);
	p->frag_row = calloc(n ? n : 1, sizeof *p->frag_row);
	if (!p->order || !p->stuck || !p->frag_row)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < f->segments.n; i++) {
		p->order[p->n_rows++] = f->segments.at[i].segment;
		p->stuck[f->segments.at[i].segment] = f->segments.at[i].unreturnable;
		p->frag_row[f->segments.at[i].segment] = i + 1;
	}
	for (size_t i = 0; i < n; i++) {
		if (!p->frag_row[i])
			p->order[p->n_rows++] = (uint32_t)i;
	}
	if (p->n_rows > MAX_ROWS)
		p->n_rows = MAX_ROWS;
	for (size_t i = 0; i < p->n_rows; i++) {
		if (s->segments.at[p->order[i]].size > p->widest)
			p->widest = s->segments.at[p->order[i]].size;
	}
	p->row_height = (p->n_rows <= 60 ? 18 : p->n_rows <= 200 ? 9 : 5) * SVG_PX;
	return 0;
}

static svg_len x_of(const struct picture *p, uint64_t bytes)
{
	return (svg_len)((__uint128_t)bytes * (uint64_t)(WIDTH - LEFT - RIGHT) / p->widest);
}

/* ---- drawing ---- */

static const char *block_class(const struct picture *p, const struct state_block *b)
{
	if (b->state == BLOCK_INACTIVE)
		return "hole";
	if (b->state == BLOCK_PENDING)
		return "pending";
	return hue_class[p->hue[p->r->sites->of_stack.at[b->stack.i]]];
}

/* Neighbours of one look are one rectangle; what is narrower than half a pixel joins the last. */
static void draw_blocks(const struct picture *p, const struct state_segment *seg, svg_len y,
			svg_len height)
{
	const struct state *s = p->r->state;
	const char *class = NULL;
	svg_len from = 0, to = 0;

	for (uint64_t b = seg->first_block; b < seg->first_block + seg->n_blocks; b++) {
		const struct state_block *block = &s->blocks.at[b];
		const char *next = block_class(p, block);
		svg_len end = x_of(p, block->address + block->size - seg->address);

		if (class && next != class && to - from >= SVG_PX / 2) {
			svg_rect(p->x, class, LEFT + from, y, to - from, height);
			from = to;
			class = next;
		}
		if (!class)
			class = next;
		to = end;
	}
	if (class)
		svg_rect(p->x, class, LEFT + from, y, to - from > SVG_PX ? to - from : SVG_PX,
			 height);
}

static void draw_pins(const struct picture *p, const struct state_segment *seg, size_t frag_row,
		      svg_len y)
{
	const struct frag_segment *f = &p->r->frag->segments.at[frag_row - 1];

	for (uint64_t k = 0; k < f->n_pinners && k < MAX_PINS; k++) {
		const struct frag_pinner *pin = &p->r->frag->pinners.at[f->first_pinner + k];
		const struct state_block *b = &p->r->state->blocks.at[pin->block];
		svg_len x = LEFT + x_of(p, b->address + b->size / 2 - seg->address);

		svg_path_begin(p->x, "pin");
		svg_path_move(p->x, x - 3 * SVG_PX, y - SVG_PX / 2);
		svg_path_line(p->x, x + 3 * SVG_PX, y - SVG_PX / 2);
		svg_path_line(p->x, x, y + 4 * SVG_PX);
		svg_path_close(p->x);
		svg_path_end(p->x);
	}
}

static void draw_row(const struct picture *p, uint32_t segment, svg_len y)
{
	const struct state_segment *seg = &p->r->state->segments.at[segment];
	size_t frag_row = p->frag_row[segment];
	char words[400], size[UNITS_BUF], idle[UNITS_BUF], count[UNITS_BUF], site[160];
	int n;

	svg_group(p->x, "segment");
	n = snprintf(words, sizeof words, "segment 0x%" PRIx64 ", %s, %s idle", seg->address,
		     units_bytes(size, seg->size), units_bytes(idle, seg->size - seg->active));
	if (frag_row && n > 0 && (size_t)n < sizeof words) {
		const struct frag_segment *f = &p->r->frag->segments.at[frag_row - 1];
		const struct frag_pinner *pin = &p->r->frag->pinners.at[f->first_pinner];

		(void)snprintf(
			words + n, sizeof words - (size_t)n, "; kept by %s, first %s",
			units_noun(count, sizeof count, f->n_pinners, "live block", "live blocks"),
			site_short(p->r->model, p->r->sites->sites.at[pin->site], site,
				   sizeof site));
	}
	svg_tooltip(p->x, words);
	if (p->row_height >= 9 * SVG_PX) {
		(void)snprintf(words, sizeof words, "%s%s%s", units_bytes(size, seg->size),
			       seg->kind == POOL_SMALL ? " small" : "",
			       seg->is_expandable ? " exp" : "");
		svg_text(p->x, "muted", SVG_END, LEFT - 8 * SVG_PX,
			 y + p->row_height / 2 + 3 * SVG_PX, words);
	}
	draw_blocks(p, seg, y + SVG_PX, p->row_height - 2 * SVG_PX);
	if (frag_row)
		draw_pins(p, seg, frag_row, y);
	xml_close(p->x);
	xml_newline(p->x);
}

static void draw_hatch(struct xml *x)
{
	xml_open(x, "defs");
	xml_open(x, "pattern");
	xml_attr(x, "id", "hatch");
	xml_attr(x, "width", "6");
	xml_attr(x, "height", "6");
	xml_attr(x, "patternUnits", "userSpaceOnUse");
	xml_attr(x, "patternTransform", "rotate(45)");
	svg_rect(x, "hatch-paper", 0, 0, 6 * SVG_PX, 6 * SVG_PX);
	svg_line(x, "hatch-line", 0, 0, 0, 6 * SVG_PX);
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}

#define LEGEND_ROW (16 * SVG_PX)

static void legend_entry(const struct picture *p, const char *class, svg_len y, const char *words)
{
	svg_rect(p->x, class, LEFT, y, 12 * SVG_PX, 12 * SVG_PX);
	svg_text(p->x, "legend", SVG_START, LEFT + 18 * SVG_PX, y + 10 * SVG_PX, words);
	xml_newline(p->x);
}

static svg_len legend_height(const struct picture *p)
{
	svg_len rows = 2;

	for (size_t i = 0; i <= HUES; i++)
		rows += p->hue_bytes[i] > 0;
	return rows * LEGEND_ROW;
}

static void draw_legend(const struct picture *p, svg_len y)
{
	char words[300], site[200], bytes[UNITS_BUF];
	svg_len at = y;

	for (size_t i = 0; i <= HUES; i++) {
		if (p->hue_bytes[i] == 0)
			continue;
		(void)snprintf(
			words, sizeof words, "%s  %s", units_bytes(bytes, p->hue_bytes[i]),
			i == HUES ? "all other sites"
				  : site_short(p->r->model, p->r->sites->sites.at[p->hue_site[i]],
					       site, sizeof site));
		legend_entry(p, hue_class[i], at, words);
		at += LEGEND_ROW;
	}
	(void)snprintf(words, sizeof words, "%s  idle", units_bytes(bytes, p->r->frag->external));
	legend_entry(p, "hole", at, words);
	at += LEGEND_ROW;
	legend_entry(p, "pin", at,
		     "live blocks whose end would join the longest free runs of their segment");
}

static void head_words(const struct picture *p, char *words, size_t size)
{
	const struct frag *f = p->r->frag;
	char idle[UNITS_BUF], all[UNITS_BUF], stuck[UNITS_BUF];

	(void)snprintf(words, size,
		       "%s of %s reserved are idle (%.1f %%), %s of it in segments in use",
		       units_bytes(idle, f->external), units_bytes(all, f->totals.reserved),
		       100.0 * fragmentation_of(&f->totals), units_bytes(stuck, f->unreturnable));
}

static void draw(struct picture *p, const char *style)
{
	char words[300], file[300], count[UNITS_BUF];
	svg_len legend_top = (style ? 62 : 16) * SVG_PX;
	svg_len rows_top = legend_top + legend_height(p) + 12 * SVG_PX;
	svg_len rows_end = rows_top + (svg_len)p->n_rows * p->row_height;
	svg_len height = rows_end + 24 * SVG_PX;

	head_words(p, words, sizeof words);
	svg_begin(p->x, WIDTH, height, "Segments and what keeps them", words, style);
	draw_hatch(p->x);
	svg_rect(p->x, "paper", 0, 0, WIDTH, height);
	if (style) {
		(void)snprintf(file, sizeof file, "%.200s",
			       model_str(p->r->model, p->r->model->file));
		svg_text(p->x, "headline", SVG_START, 20 * SVG_PX, 26 * SVG_PX, words);
		svg_text(p->x, "muted", SVG_START, 20 * SVG_PX, 44 * SVG_PX, file);
	}
	draw_legend(p, legend_top);
	for (size_t i = 0; i < p->n_rows; i++)
		draw_row(p, p->order[i], rows_top + (svg_len)i * p->row_height);
	if (p->n_rows < p->r->state->segments.n) {
		(void)snprintf(words, sizeof words, "and %s that are not drawn",
			       units_noun(count, sizeof count, p->r->state->segments.n - p->n_rows,
					  "segment", "segments"));
		svg_text(p->x, "muted", SVG_START, LEFT, rows_end + 12 * SVG_PX, words);
	}
	xml_close(p->x);
	xml_newline(p->x);
}

static void picture_release(struct picture *p)
{
	free(p->order);
	free(p->stuck);
	free(p->frag_row);
	free(p->hue);
}

static int picture_plan(struct picture *p, const struct frag_report *r, struct xml *x,
			struct error *err)
{
	int rc;

	*p = (struct picture){.r = r, .x = x, .widest = 1};
	if ((rc = choose_hues(p, err)) < 0 || (rc = order_rows(p, err)) < 0)
		picture_release(p);
	return rc;
}

static int picture_init(struct picture *p, const struct frag_report *r, enum xml_dialect dialect,
			struct out *to, struct error *err)
{
	int rc = picture_plan(p, r, NULL, err);

	if (rc == 0 && (rc = xml_new(&p->x, dialect, to, err)) < 0)
		picture_release(p);
	return rc;
}

int frag_picture(struct xml *x, const struct frag_report *r, struct error *err)
{
	struct picture p;
	int rc = picture_plan(&p, r, x, err);

	if (rc < 0)
		return rc;
	draw(&p, NULL);
	picture_release(&p);
	return 0;
}

int frag_write_svg(struct out *to, const struct frag_report *r, struct error *err)
{
	static const char style[] = FRAG_PICTURE_STYLE;
	struct picture p;
	int rc = picture_init(&p, r, XML_PLAIN, to, err);

	if (rc < 0)
		return rc;
	draw(&p, style);
	picture_release(&p);
	return xml_free(p.x, err);
}

/* ---- the page ---- */

static void page_facts(struct xml *x, const struct frag *f)
{
	char bytes[UNITS_BUF], share[UNITS_BUF];

	page_open(x, "dl", "facts");
	xml_newline(x);
	page_fact(x, "Reserved", units_bytes(bytes, f->totals.reserved), NULL);
	page_fact(x, "In use", units_bytes(bytes, f->totals.active), NULL);
	(void)snprintf(share, sizeof share, "%.1f %% of reserved",
		       100.0 * fragmentation_of(&f->totals));
	page_fact(x, "Idle", units_bytes(bytes, f->external), share);
	page_fact(x, "Cannot be returned", units_bytes(bytes, f->unreturnable), NULL);
	page_fact(x, "Rounding and slack", units_bytes(bytes, f->internal), NULL);
	xml_close(x);
	xml_newline(x);
}

static void table_cell(struct xml *x, uint64_t bytes)
{
	char words[UNITS_BUF];

	xml_element(x, "td", units_bytes(words, bytes));
}

#define PAGE_SITES 40

static void page_sites(struct xml *x, const struct frag_report *r)
{
	static const char *const titles[] = {"Site", "Releases", "Its bytes", "Blocks", "Segments"};
	char words[1000], count[UNITS_BUF];

	if (r->frag->sites.n == 0)
		return;
	xml_element(x, "h2", "Who keeps it");
	page_open(x, "div", "scroll");
	xml_open(x, "table");
	xml_open(x, "thead");
	xml_open(x, "tr");
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		xml_element(x, "th", titles[i]);
	xml_close(x);
	xml_close(x);
	xml_open(x, "tbody");
	for (size_t i = 0; i < r->frag->sites.n && i < PAGE_SITES; i++) {
		const struct frag_site *s = &r->frag->sites.at[i];

		xml_open(x, "tr");
		page_element(
			x, "td", "name",
			site_words(r->model, r->sites->sites.at[s->site], words, sizeof words));
		table_cell(x, s->releases);
		table_cell(x, s->bytes);
		xml_open(x, "td");
		xml_text(x, units_count(count, s->blocks));
		xml_close(x);
		xml_open(x, "td");
		xml_text(x, units_count(count, s->segments));
		xml_close(x);
		xml_close(x);
		xml_newline(x);
	}
	xml_close(x);
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}

int frag_write_html(struct out *to, const struct frag_report *r, struct error *err)
{
	char when[UNITS_BUF], words[300];
	struct picture p;
	int rc = picture_init(&p, r, XML_HTML, to, err);

	if (rc < 0)
		return rc;
	page_begin(p.x, page_style, model_str(r->model, r->model->file),
		   "Fragmentation of GPU memory");
	(void)snprintf(words, sizeof words, "device %d, %s%s", (int)r->frag->device,
		       r->at->is_file_end ? "at the end of the file" : "just after ",
		       r->at->is_file_end ? "" : describe_event(when, r->frag->event));
	page_open(p.x, "p", "scope");
	xml_element(p.x, "bdi", model_str(r->model, r->model->file));
	xml_text(p.x, ", ");
	xml_text(p.x, words);
	xml_close(p.x);
	xml_newline(p.x);
	head_words(&p, words, sizeof words);
	page_paragraph(p.x, "peak-words", words);
	page_facts(p.x, r->frag);
	xml_open(p.x, "figure");
	draw(&p, NULL);
	xml_close(p.x);
	page_sites(p.x, r);
	page_end(p.x, "Sizes are binary: 1 GiB = 1,073,741,824 bytes. One row is a segment; idle "
		      "bytes beside live blocks cannot go back to the driver. Releases: what would "
		      "be free if all blocks of that site alone were gone or elsewhere.");
	picture_release(&p);
	return xml_free(p.x, err);
}
