/* SPDX-License-Identifier: MIT
 * input.c -- the moving window of decoded bytes.
 */
#include "base/input.h"

#include <assert.h>
#include <string.h>

#include "base/input_source.h"

/* First bytes, enough to tell every codec. */
#define SNIFF_BYTES 4

enum compression input_compression_of(const uint8_t *head, size_t n)
{
	return codec_for(head, n)->compression;
}

static size_t input_left(const struct input *in)
{
	return (size_t)(in->end - in->at);
}

static int window_resize(struct input *in, size_t bytes, struct error *err)
{
	size_t at = (size_t)(in->at - in->window), end = (size_t)(in->end - in->window);
	size_t old = in->window ? in->window_bytes + INPUT_PAD : 0;

	assert(end <= bytes && bytes <= SIZE_MAX - INPUT_PAD);
	uint8_t *p = budget_realloc(in->budget, in->window, old, bytes + INPUT_PAD, err);
	if (!p)
		return err->code;
	in->window = p;
	in->window_bytes = bytes;
	in->at = p + at;
	in->end = p + end;
	return 0;
}

static int input_new(struct input **out, const char *name, struct budget *budget, struct error *err)
{
	struct input *in = budget_realloc(budget, NULL, 0, sizeof *in, err);

	if (!in)
		return err->code;
	*in = (struct input){.budget = budget, .name = name};
	in->source = budget_realloc(budget, NULL, 0, sizeof *in->source, err);
	if (!in->source) {
		budget_free(budget, in, sizeof *in);
		return err->code;
	}
	*in->source = (struct input_source){
		.raw.fd = -1, .raw.eof = true, .budget = budget, .codec = &codec_plain};
	*out = in;
	return 0;
}

/* Choose the codec and make the window; `sniff` = the carrier's bytes may be compressed. */
static int input_begin(struct input *in, bool sniff, struct error *err)
{
	struct input_source *s = in->source;

	if (sniff) {
		int rc = raw_fill(&s->raw, SNIFF_BYTES, err);
		if (rc < 0)
			return rc;
		s->codec = codec_for(s->raw.at, raw_left(&s->raw));
	}
	in->compression = s->codec->compression;
	int rc = s->codec->open(s, err);
	if (rc < 0)
		return rc;
	rc = window_resize(in, INPUT_WINDOW_BYTES, err);
	if (rc == 0)
		memset(in->window, 0, INPUT_PAD);
	return rc;
}

int input_open(struct input **out, const char *name, struct budget *budget, struct error *err)
{
	struct input *in;
	int rc = input_new(&in, name, budget, err);

	if (rc < 0)
		return rc;
	rc = raw_open_file(&in->source->raw, name, budget, err);
	if (rc == 0)
		rc = input_begin(in, true, err);
	if (rc < 0) {
		input_close(in);
		return rc;
	}
	*out = in;
	return 0;
}

int input_open_bytes(struct input **out, const void *bytes, size_t length, struct budget *budget,
		     struct error *err)
{
	struct input *in;
	int rc = input_new(&in, "(memory)", budget, err);

	if (rc < 0)
		return rc;
	raw_open_bytes(&in->source->raw, bytes, length);
	rc = input_begin(in, true, err);
	if (rc < 0) {
		input_close(in);
		return rc;
	}
	*out = in;
	return 0;
}

int input_open_reader(struct input **out,
		      long (*read)(void *ctx, uint8_t *to, size_t room, struct error *err),
		      void *ctx, struct budget *budget, struct error *err)
{
	struct input *in;
	int rc = input_new(&in, "(reader)", budget, err);

	if (rc < 0)
		return rc;
	raw_open_reader(&in->source->raw, read, ctx);
	rc = input_begin(in, false, err);
	if (rc < 0) {
		input_close(in);
		return rc;
	}
	*out = in;
	return 0;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	struct budget *budget = in->budget;

	in->source->codec->close(in->source);
	raw_close(&in->source->raw, budget);
	budget_free(budget, in->source, sizeof *in->source);
	budget_free(budget, in->window, in->window_bytes + INPUT_PAD);
	budget_free(budget, in, sizeof *in);
}

/* Decode once into the room behind `end`. A failure is kept for when the reader gets there. */
static void window_pull(struct input *in)
{
	struct input_source *s = in->source;
	size_t used = (size_t)(in->end - in->window);
	long got = s->codec->pull(s, in->window + used, in->window_bytes - used, &s->failed);

	if (got > 0) {
		in->end += got;
		s->decoded += (uint64_t)got;
	} else {
		assert(got == 0 || s->failed.code != ERR_NONE);
		in->at_eof = true;
	}
}

/* Move what is unread to the front and decode until `n` bytes are there or nothing comes. The
 * window doubles only as bytes really arrive: a length that a file merely claims costs nothing. */
static int window_fill(struct input *in, size_t n, struct error *err)
{
	size_t left = input_left(in);
	size_t half = INPUT_WINDOW_BYTES / 2;
	int rc = 0;

	in->window_offset += (uint64_t)(in->at - in->window);
	memmove(in->window, in->at, left);
	in->at = in->window;
	in->end = in->window + left;
	if (in->window_bytes > INPUT_WINDOW_BYTES && left <= half && n <= half)
		rc = window_resize(in, INPUT_WINDOW_BYTES, err);
	while (rc == 0 && input_left(in) < n && !in->at_eof) {
		if (input_left(in) == in->window_bytes)
			rc = window_resize(in, in->window_bytes * 2, err);
		else
			window_pull(in);
	}
	memset(in->window + input_left(in), 0, INPUT_PAD);
	return rc;
}

int input_need(struct input *in, size_t n, struct error *err)
{
	if (input_left(in) >= n)
		return 0;
	int rc = in->at_eof ? 0 : window_fill(in, n, err);
	if (rc < 0 || input_left(in) >= n)
		return rc;
	if (in->source->failed.code) {
		if (err)
			*err = in->source->failed;
		return in->source->failed.code;
	}
	return error_set(err, ERR_CUT, in->source->decoded, "the input ends before its data does");
}

int input_peek(struct input *in, size_t n, struct error *err)
{
	if (input_left(in) >= n)
		return 0;
	int rc = in->at_eof ? 0 : window_fill(in, n, err);
	if (rc < 0 || input_left(in) > 0 || n == 0 || !in->source->failed.code)
		return rc;
	if (err)
		*err = in->source->failed;
	return in->source->failed.code;
}

uint64_t input_raw_size(const struct input *in)
{
	return in->source->raw.size;
}

uint64_t input_raw_offset(const struct input *in)
{
	const struct raw *r = &in->source->raw;
	uint64_t taken = r->taken - raw_left(r);

	return in->compression == COMPRESSION_NONE ? taken - input_left(in) : taken;
}

uint64_t input_raw_count(struct input *in)
{
	struct raw *r = &in->source->raw;
	struct error ignored = {0};

	in->at_eof = true;
	while (r->buf && !r->eof) {
		r->at = r->end;
		if (raw_fill(r, 1, &ignored) < 0)
			break;
	}
	return r->taken;
}

int input_drain(struct input *in, const char *blank, size_t n_blank, uint64_t *others,
		struct error *err)
{
	for (;;) {
		int rc = input_peek(in, 1, err);

		if (rc < 0 || in->at == in->end)
			return rc;
		for (; in->at < in->end; in->at++)
			*others += !memchr(blank, *in->at, n_blank);
	}
}
