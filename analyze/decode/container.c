/* SPDX-License-Identifier: MIT
 * container.c -- opens a file, whatever carries its snapshot.
 */
#include "decode/container.h"

#include "decode/html.h"
#include "decode/sniff.h"

/* The page's pickle becomes the payload. What is in it must be one: it is told once more. */
static int open_page(struct container *c, struct budget *budget, struct error *err)
{
	enum container_format inner = CONTAINER_PICKLE;
	struct input *page = c->outer;
	struct error page_refusal;

	/* The head of the page is gone when the search has ended. */
	(void)sniff_refuse_page(page->at, (size_t)(page->end - page->at), &page_refusal);
	int rc = html_open(&c->html, page, budget, err);
	if (rc == ERR_UNSUPPORTED)
		*err = page_refusal;
	if (rc < 0)
		return rc;
	c->payload = c->html->payload;
	rc = input_peek(c->payload, SNIFF_BYTES, err);
	if (rc < 0)
		return rc;
	size_t n = (size_t)(c->payload->end - c->payload->at);
	struct error inner_refusal;
	rc = sniff_format(&inner, c->payload->at, n, COMPRESSION_NONE, &inner_refusal);
	if (rc < 0 || inner != CONTAINER_PICKLE)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
				 "a web page whose embedded data is no pickle");
	return 0;
}

static int container_begin(struct container *c, struct budget *budget, struct error *err)
{
	struct input *in = c->outer;
	int rc = input_peek(in, SNIFF_BYTES, err);

	if (rc < 0)
		return rc;
	c->compression = in->compression;
	c->raw_bytes = input_raw_size(in);
	c->payload = in;
	rc = sniff_format(&c->format, in->at, (size_t)(in->end - in->at), in->compression, err);
	if (rc == 0 && c->format == CONTAINER_HTML)
		rc = open_page(c, budget, err);
	return rc;
}

/* Takes over `outer`. */
static int container_make(struct container *out, struct input *outer, struct budget *budget,
			  struct error *err)
{
	struct container c = {.outer = outer};
	struct error ignored;
	int rc = container_begin(&c, budget, err ? err : &ignored);

	if (rc < 0)
		container_close(&c);
	else
		*out = c;
	return rc;
}

int container_open(struct container *out, const char *name, struct budget *budget,
		   struct error *err)
{
	struct input *in;
	int rc = input_open(&in, name, budget, err);

	return rc < 0 ? rc : container_make(out, in, budget, err);
}

int container_open_bytes(struct container *out, const void *bytes, size_t length,
			 struct budget *budget, struct error *err)
{
	struct input *in;
	int rc = input_open_bytes(&in, bytes, length, budget, err);

	return rc < 0 ? rc : container_make(out, in, budget, err);
}

void container_close(struct container *c)
{
	if (!c)
		return;
	html_close(c->html);
	input_close(c->outer);
	*c = (struct container){0};
}

void container_finish(struct container *c)
{
	if (c->html)
		c->further_pickles = html_count_further(c->html);
	if (c->raw_bytes == UINT64_MAX)
		c->raw_bytes = input_raw_count(c->outer);
}
