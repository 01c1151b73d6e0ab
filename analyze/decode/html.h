/* SPDX-License-Identifier: MIT
 * html.h -- the pickle inside a page that torch.cuda._memory_viz wrote.
 *
 * The page holds `const local_files = [{"name": "snapshot.pickle", "base64": "gASV..."}]`: a pickle,
 * one to three NUL bytes, base64. It is decoded as it is read; no part of the page is kept.
 */
#ifndef ANALYZE_DECODE_HTML_H
#define ANALYZE_DECODE_HTML_H

#include "base/input.h"

struct html_payload {
	struct input *page;    /* weak; stands behind the decoded part of the base64 text */
	struct input *payload; /* owned: the decoded bytes */
	struct budget *budget; /* weak */
	uint64_t decoded;      /* bytes delivered so far */
	uint32_t bits;         /* the low n_bits are decoded, but not a whole byte yet */
	unsigned n_bits;
	bool ended;          /* the closing quote was read */
	struct error failed; /* why it cannot go on; code 0 while it can */
	uint8_t value[256];  /* of each base64 character, or a BASE64 class of html.c */
};

/* Find the first embedded pickle behind `page`'s cursor. Errors: ERR_UNSUPPORTED when the page has
 * none; as input_peek. The page must outlive the payload and is moved by reading it. */
int html_open(struct html_payload **out, struct input *page, struct budget *budget,
	      struct error *err);
void html_close(struct html_payload *h);

/* Read the page to its end; returns how many more pickles it embeds. */
uint64_t html_count_further(struct html_payload *h);

#endif
