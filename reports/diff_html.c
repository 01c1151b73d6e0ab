/* SPDX-License-Identifier: MIT
 * diff_html.c -- the page of a diff: how much, the picture, the rows, what else is different.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "passes/fragmentation.h"
#include "reports/clean.h"
#include "reports/describe.h"
#include "reports/diff_draw.h"
#include "reports/diff_style.h"
#include "reports/page.h"
#include "reports/page_table.h"
#include "reports/top_key.h"

static const char page_style[] =
	PAGE_STYLE "td.name{text-align:left}\n"
		   ".more-bytes{color:#b3260b;font-weight:600}.less-bytes{color:#1f5f8b;"
		   "font-weight:600}\n"
		   "@media screen and (prefers-color-scheme:dark){.more-bytes{color:#ff8a70}"
		   ".less-bytes{color:#8fd0f7}}\n" DIFF_PICTURE_STYLE;

#define MAX_ROWS   200
#define NAME_CHARS 120

static const struct diff_side *side_of(const struct diff *d, int side)
{
	return side ? &d->new : &d->base;
}

static void page_scope(struct xml *x, const struct diff *d)
{
	page_open(x, "p", "scope");
	for (int i = 0; i < 2; i++) {
		const struct diff_side *s = side_of(d, i);
		const struct str *file = strtab_get(&s->model->strings, s->model->file);
		char name[(NAME_CHARS + 1) * CLEAN_MAX], words[UNITS_BUF];

		xml_text(x, i ? "; new: " : "base: ");
		xml_element(x, "bdi",
			    clean_elide(name, sizeof name, file->bytes, file->length, NAME_CHARS));
		xml_printf(x, ", device %" PRId32 ", %s%s", s->device->index,
			   s->at.is_file_end ? "at the end of the file" : "after ",
			   s->at.is_file_end ? "" : describe_event(words, s->at.event));
	}
	xml_close(x);
	xml_newline(x);
}

static void page_facts(struct xml *x, const struct diff *d)
{
	char bytes[UNITS_BUF], more[UNITS_BUF + 32], blocks[UNITS_BUF], delta[UNITS_BUF + 1];
	uint64_t grew = 0, shrank = 0;

	for (size_t i = 0; i < d->rows.n; i++) {
		const struct diff_row *r = &d->rows.at[i];

		if (r->new_bytes > r->base_bytes)
			grew += r->new_bytes - r->base_bytes;
		else
			shrank += r->base_bytes - r->new_bytes;
	}
	page_open(x, "dl", "facts");
	xml_newline(x);
	page_fact(x, "Base", units_bytes(bytes, d->sides[0].total_bytes),
		  units_noun(blocks, sizeof blocks, d->sides[0].blocks, "block", "blocks"));
	page_fact(x, "New", units_bytes(bytes, d->sides[1].total_bytes),
		  units_noun(blocks, sizeof blocks, d->sides[1].blocks, "block", "blocks"));
	page_fact(x, "Change",
		  diff_words_delta(NULL, delta, d->sides[0].total_bytes, d->sides[1].total_bytes),
		  NULL);
	(void)snprintf(more, sizeof more, "-%s of what shrank", units_bytes(bytes, shrank));
	page_fact(x, "Grew", diff_words_delta(NULL, delta, 0, grew), shrank ? more : NULL);
	xml_close(x);
	xml_newline(x);
}

static bool is_moved(const struct diff_row *r)
{
	return r->base != DIFF_NONE && r->new != DIFF_NONE &&
	       (r->pairing == FRAME_MOVED || r->pairing == FRAME_RENAMED);
}

static void page_row(struct xml *x, const struct diff *d, const struct diff_row *r, bool moved)
{
	char key[TOP_KEY_BYTES], delta[UNITS_BUF + 1];
	int side = r->new != DIFF_NONE;
	const char *class = r->new_bytes > r->base_bytes   ? "more-bytes"
			    : r->new_bytes < r->base_bytes ? "less-bytes"
							   : NULL;

	page_row_begin(x, top_key_words(key, sizeof key, side_of(d, side)->model, d->by,
					&d->sides[side].rows.at[side ? r->new : r->base]));
	page_cell(x, class, diff_words_delta(NULL, delta, r->base_bytes, r->new_bytes));
	page_cell_bytes(x, r->base_bytes);
	page_cell_bytes(x, r->new_bytes);
	page_cell_count(x, r->base_blocks);
	page_cell_count(x, r->new_blocks);
	page_cell(x, NULL, diff_status_name(r->status));
	if (moved && is_moved(r))
		page_cell_name(x, top_key_words(key, sizeof key, d->base.model, d->by,
						&d->sides[0].rows.at[r->base]));
	else if (moved)
		page_cell(x, NULL, "");
	page_row_end(x);
}

static void page_rows(struct xml *x, const struct diff *d)
{
	bool moved = false;
	const char *columns[] = {top_by_words[d->by], "Change", "Base", "New", "Blocks",
				 "New blocks",        "Status", NULL,   NULL};
	size_t n = d->rows.n < MAX_ROWS ? d->rows.n : MAX_ROWS;
	char words[UNITS_BUF + 32], count[UNITS_BUF];

	for (size_t i = 0; i < n; i++)
		moved |= is_moved(&d->rows.at[i]);
	if (moved)
		columns[7] = "In base";
	page_table_begin(x, "Changes", columns);
	for (size_t i = 0; i < n; i++)
		page_row(x, d, &d->rows.at[i], moved);
	page_table_end(x);
	if (n == d->rows.n)
		return;
	(void)snprintf(words, sizeof words, "and %s with smaller changes",
		       units_noun(count, sizeof count, d->rows.n - n, "row", "rows"));
	page_paragraph(x, "scope", words);
}

static void page_compared(struct xml *x, const struct diff_report *r)
{
	static const char *const columns[] = {"",
					      "Peak allocated",
					      "Peak reserved",
					      "Reserved",
					      "Fragmentation",
					      "Steps",
					      "Writer",
					      NULL};
	char share[32];

	page_table_begin(x, "Also compared", columns);
	for (int i = 0; i < 2; i++) {
		const struct diff_side *s = side_of(r->diff, i);

		page_row_begin(x, i ? "new" : "base");
		page_cell_bytes(x, s->summary->allocated.bytes);
		page_cell_bytes(x, s->summary->reserved.bytes);
		page_cell_bytes(x, s->state->totals.reserved);
		(void)snprintf(share, sizeof share, "%.1f %%",
			       100 * fragmentation_of(&s->state->totals));
		page_cell(x, NULL, share);
		page_cell_count(x, r->phases[i]->steps.n);
		page_cell_name(x, s->model->writer ? s->model->writer : "");
		page_row_end(x);
	}
	page_table_end(x);
}

int diff_write_html(struct out *to, const struct diff_report *r, struct error *err)
{
	const struct model *m = r->diff->new.model;
	const struct str *file = strtab_get(&m->strings, m->file);
	char name[(NAME_CHARS + 1) * CLEAN_MAX];
	struct diff_picture p;
	struct xml *x;
	int rc = diff_picture_init(&p, r, err);

	if (rc < 0)
		return rc;
	if ((rc = xml_new(&x, XML_HTML, to, err)) < 0)
		goto out;
	page_begin(x, page_style,
		   clean_elide(name, sizeof name, file->bytes, file->length, NAME_CHARS),
		   "What changed in GPU memory");
	page_scope(x, r->diff);
	page_facts(x, r->diff);
	xml_open(x, "figure");
	xml_newline(x);
	diff_picture_draw(x, &p, false);
	xml_close(x);
	xml_newline(x);
	page_rows(x, r->diff);
	page_compared(x, r);
	page_end(x, "Sizes are binary: 1 GiB = 1,073,741,824 bytes, and those of blocks, rounding "
		    "included. The rows add up to the change, to the byte. In the flame graph a "
		    "box is as wide as the larger of both sides; it shows the program's own frames "
		    "and the innermost library frame. Rest the pointer on a box for its numbers.");
	rc = xml_free(x, err);
out:
	diff_picture_release(&p);
	return rc;
}
