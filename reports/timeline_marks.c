/* SPDX-License-Identifier: MIT
 * timeline_marks.c -- what a timeline's picture points out: the peak, the ooms, the annotations.
 */
#include "reports/timeline_frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "model/rounding.h"
#include "reports/clean.h"
#include "reports/emit.h"
#include "reports/ticks.h"
#include "reports/timeline_words.h"

uint64_t timeline_ceiling(const struct timeline_oom *oom)
{
	if (oom->device_free == BYTES_NONE || oom->at.totals.reserved == BYTES_NONE)
		return BYTES_NONE;
	return num_add_saturated(oom->at.totals.reserved, oom->device_free);
}

/* Refused although the device had more than twice as much, segment rounding included. */
#define LIMIT_SLACK (UINT64_C(20) << 20)

static bool refused_by_limit(const struct timeline_oom *oom)
{
	return oom->device_free != BYTES_NONE && oom->at.totals.reserved != BYTES_NONE &&
	       oom->device_free / 2 > num_add_saturated(oom->requested, LIMIT_SLACK);
}

struct timeline_lines timeline_lines(const struct timeline *t)
{
	struct timeline_lines lines = {BYTES_NONE, BYTES_NONE, BYTES_NONE};
	const struct timeline_oom *last = t->ooms.n ? &t->ooms.at[t->ooms.n - 1] : NULL;

	if (last && refused_by_limit(last))
		lines.limit =
			num_add_saturated(last->at.totals.reserved,
					  round_to_segment(&t->model->settings, last->requested));
	else if (last)
		lines.ceiling = timeline_ceiling(last);
	if (t->device->capacity > 0)
		lines.capacity = t->device->capacity;
	return lines;
}

/* --- peak ------------------------------------------------------------------------------------- */

static void draw_peak(const struct timeline_frame *f)
{
	const struct timeline_point *p = &f->t->peak;
	char words[64], bytes[UNITS_BUF], place[TIMELINE_PLACE];
	svg_len px, py;
	bool left_half;

	if (!f->t->known[TIMELINE_ALLOCATED] || p->totals.allocated == 0 ||
	    f->t->device->n_events == 0)
		return;
	px = frame_x(f, p->position);
	py = frame_y(f, p->totals.allocated);
	left_half = px < (f->left + f->right) / 2;
	(void)snprintf(words, sizeof words, "peak %s", units_bytes(bytes, p->totals.allocated));
	svg_group(f->x, "marks");
	svg_tooltip(f->x, timeline_place(place, f->t, p));
	svg_circle(f->x, "peak", px, py, 4 * SVG_PX);
	svg_text(f->x, "on-plot", left_half ? SVG_START : SVG_END,
		 left_half ? px + 7 * SVG_PX : px - 7 * SVG_PX, py - 6 * SVG_PX, words);
	xml_close(f->x);
	xml_newline(f->x);
}

/* --- ooms ------------------------------------------------------------------------------------- */

static void oom_words(const struct timeline_oom *oom, size_t count, char *out, size_t size)
{
	char asked[UNITS_BUF], space[UNITS_BUF];
	int n = snprintf(out, size, "out of memory");

	if (count > 1)
		n += snprintf(out + n, size - (size_t)n, " \xc3\x97%zu", count);
	n += snprintf(out + n, size - (size_t)n, ": asked for %s",
		      units_bytes(asked, oom->requested));
	if (oom->device_free != BYTES_NONE)
		(void)snprintf(out + n, size - (size_t)n, ", %s free on the device",
			       units_bytes(space, oom->device_free));
}

/* Ooms of one pixel share a line; the last one of all is told in words. */
static void draw_oom_group(const struct timeline_frame *f, size_t from, size_t to)
{
	const struct timeline_oom *last = &f->t->ooms.at[to - 1];
	svg_len px = frame_x(f, last->at.position), half = 5 * SVG_PX;
	char words[160], place[TIMELINE_PLACE], tip[280];
	bool left_half = px < (f->left + f->right) / 2;

	oom_words(last, to - from, words, sizeof words);
	(void)snprintf(tip, sizeof tip, "%s (%s)", words, timeline_place(place, f->t, &last->at));
	svg_group(f->x, "marks");
	svg_tooltip(f->x, tip);
	svg_line(f->x, to == f->t->ooms.n ? "oom" : "oom earlier", px, f->flags - 2 * SVG_PX, px,
		 f->axis);
	svg_path_begin(f->x, "flag");
	svg_path_move(f->x, px - half, f->flags - 9 * SVG_PX);
	svg_path_h(f->x, px + half);
	svg_path_line(f->x, px, f->flags);
	svg_path_close(f->x);
	svg_path_end(f->x);
	if (to == f->t->ooms.n)
		svg_text(f->x, "alarm", left_half ? SVG_START : SVG_END,
			 left_half ? px - half : px + half, f->flags - 13 * SVG_PX, words);
	xml_close(f->x);
	xml_newline(f->x);
}

/* The last request, standing on what was allocated: it ends above the ceiling when there was not
 * enough memory, and inside reserved memory when there was but not in one piece. */
static void draw_asked(const struct timeline_frame *f, const struct timeline_oom *oom)
{
	svg_len px = frame_x(f, oom->at.position), base = frame_y(f, oom->at.totals.active);
	svg_len top = frame_y(f, num_add_saturated(oom->at.totals.active, oom->requested));
	svg_len width = 6 * SVG_PX, left = px + width > f->right ? px - width : px;

	if (oom->at.totals.active == BYTES_NONE || base - top < SVG_PX)
		return;
	svg_group(f->x, "marks");
	svg_tooltip(f->x, "the last request that failed, on top of what was active");
	svg_rect(f->x, "asked", left, top, width, base - top);
	xml_close(f->x);
	xml_newline(f->x);
}

static void draw_line(const struct timeline_frame *f, uint64_t at, const char *what)
{
	char words[96], bytes[UNITS_BUF];
	svg_len y;

	if (at == BYTES_NONE || at > f->top_bytes)
		return;
	y = frame_y(f, at);
	(void)snprintf(words, sizeof words, "%s %s", what, units_bytes(bytes, at));
	svg_line(f->x, "ceiling", f->left, y, f->right, y);
	svg_text(f->x, "small on-plot", SVG_START, f->left + 6 * SVG_PX, y - 4 * SVG_PX, words);
	xml_newline(f->x);
}

static void draw_lines(const struct timeline_frame *f)
{
	struct timeline_lines lines = timeline_lines(f->t);

	draw_line(f, lines.ceiling, "reserved + free at the OOM");
	draw_line(f, lines.limit, "limit of the process: below");
	draw_line(f, lines.capacity, "device");
}

void timeline_draw_marks(const struct timeline_frame *f)
{
	const struct timeline *t = f->t;
	size_t n = t->ooms.n, to;

	draw_lines(f);
	if (n > 0)
		draw_asked(f, &t->ooms.at[n - 1]);
	for (size_t from = 0; from < n; from = to) {
		svg_len px = frame_x(f, t->ooms.at[from].at.position);

		for (to = from + 1; to < n; to++) {
			if (frame_x(f, t->ooms.at[to].at.position) - px >= SVG_PX)
				break;
		}
		draw_oom_group(f, from, to);
	}
	draw_peak(f);
}

/* --- annotations ------------------------------------------------------------------------------ */

#define HUES 6

/* Names that differ in their numbers only ("step 3", "step 4") look alike. */
struct hues {
	uint64_t seen[64];
	size_t n;
};

static unsigned hue_of(struct hues *h, const struct str *name)
{
	char letters[256];
	size_t n = 0;
	uint64_t hash;

	for (uint32_t i = 0; i < name->length && n < sizeof letters; i++) {
		if (name->bytes[i] < '0' || name->bytes[i] > '9')
			letters[n++] = name->bytes[i];
	}
	hash = hash_bytes(letters, n);
	for (size_t i = 0; i < h->n; i++) {
		if (h->seen[i] == hash)
			return (unsigned)(i % HUES);
	}
	if (h->n == sizeof h->seen / sizeof *h->seen)
		return (unsigned)(hash % HUES);
	h->seen[h->n] = hash;
	return (unsigned)(h->n++ % HUES);
}

static void band_tip(const struct timeline_frame *f, const struct band *b, const char *name,
		     char *out, size_t size)
{
	char count[64], length[TICKS_LABEL];
	int n = snprintf(out, size, "%s", name);

	if (b->count > 1)
		n += snprintf(
			out + n, size - (size_t)n, " \xc2\xb7 %s joined",
			units_noun(count, sizeof count, b->count, "annotation", "annotations"));
	if (!f->t->by_event)
		n += snprintf(out + n, size - (size_t)n, " \xc2\xb7 %s",
			      ticks_duration(length, b->to - b->from));
	if (b->begun_before)
		n += snprintf(out + n, size - (size_t)n, " \xc2\xb7 its start is not in the file");
	if (b->never_ended)
		(void)snprintf(out + n, size - (size_t)n, " \xc2\xb7 its end is not in the file");
}

/* Characters of a name in a tooltip: fewer when there are many bands, for the page's size. */
#define TIP_CHARS 120

/* The name inside its band, where there is room for enough of it. */
static void draw_band_name(const struct timeline_frame *f, const struct band *b, svg_len left,
			   svg_len right, svg_len top)
{
	const struct str *s = strtab_get(&f->t->model->strings, b->name);
	svg_len room = right - left - 8 * SVG_PX;
	size_t fits = room > 0 ? (size_t)(room / svg_label_width(1)) : 0;
	char name[(TIP_CHARS + 1) * CLEAN_MAX], count[UNITS_BUF];

	if (fits > TIP_CHARS)
		fits = TIP_CHARS;
	if (b->count > 1)
		(void)snprintf(name, sizeof name, "%s \xc3\x97", units_count(count, b->count));
	else if (fits >= 3)
		clean_elide(name, sizeof name, s->bytes, s->length, fits);
	if (b->count > 1 ? strlen(name) > fits + 1 : fits < 8 && s->length > fits)
		return;
	svg_text(f->x, "band-name", SVG_START, left + 4 * SVG_PX, top + 12 * SVG_PX + 5, name);
}

static void draw_band(const struct timeline_frame *f, const struct band *b, struct hues *hues,
		      size_t tip_chars)
{
	const struct str *s = strtab_get(&f->t->model->strings, b->name);
	svg_len left = frame_x(f, b->from), right = frame_x(f, b->to), width = right - left;
	svg_len top = f->bands + (svg_len)b->row * BAND_HEIGHT;
	const char *shape = width < 3 * SVG_PX ? "thin" : "band";
	char class[32], name[(TIP_CHARS + 1) * CLEAN_MAX] = "several names";
	char tip[sizeof name + 200];

	if (b->name.i) {
		(void)snprintf(class, sizeof class, "%s hue-%u", shape, hue_of(hues, s));
		clean_elide(name, sizeof name, s->bytes, s->length, tip_chars);
	} else {
		(void)snprintf(class, sizeof class, "%s hue-mixed", shape);
	}
	band_tip(f, b, name, tip, sizeof tip);
	svg_group(f->x, "annotation");
	svg_tooltip(f->x, tip);
	svg_rect(f->x, class, left, top, width < 15 ? 15 : width, BAND_HEIGHT - SVG_PX);
	draw_band_name(f, b, left, right, top);
	xml_close(f->x);
	xml_newline(f->x);
}

void timeline_draw_bands(const struct timeline_frame *f)
{
	const struct bands *b = &f->t->bands;
	struct hues hues = {0};
	size_t tip_chars = b->drawn.n > 400 ? 40 : TIP_CHARS;

	for (size_t i = 0; i < b->drawn.n; i++)
		draw_band(f, &b->drawn.at[i], &hues, tip_chars);
}
