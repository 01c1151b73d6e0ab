/* SPDX-License-Identifier: MIT
 * input_gzip.c -- the codec for gzip data of any number of members.
 */
#include "base/input_source.h"

#include <limits.h>
#include <zlib.h>

/* What inflate allocates: its state and a 32 KiB window, with room to spare. */
#define INFLATE_BYTES (64 * 1024)

/* 15 bits of window, +16 = gzip wrapper, CRC and length checked by zlib. */
#define GZIP_WINDOW_BITS (15 + 16)

struct gzip {
	z_stream z;
	bool ready;     /* inflateInit2 succeeded */
	bool in_member; /* between the first byte of a member and the end of its trailer */
	uint64_t members;
};

static int gzip_open(struct input_source *s, struct error *err)
{
	struct gzip *g = budget_realloc(s->budget, NULL, 0, sizeof *g, err);

	if (!g)
		return err->code;
	*g = (struct gzip){0};
	s->state = g;
	int rc = budget_take(s->budget, INFLATE_BYTES, err);
	if (rc < 0)
		return rc;
	if (inflateInit2(&g->z, GZIP_WINDOW_BITS) != Z_OK) {
		budget_give(s->budget, INFLATE_BYTES);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for zlib");
	}
	g->ready = true;
	return 0;
}

static void gzip_close(struct input_source *s)
{
	struct gzip *g = s->state;

	if (!g)
		return;
	if (g->ready) {
		inflateEnd(&g->z);
		budget_give(s->budget, INFLATE_BYTES);
	}
	budget_free(s->budget, g, sizeof *g);
	s->state = NULL;
}

static int gzip_cut(const struct input_source *s, struct error *err)
{
	return error_set(err, ERR_CUT, s->decoded, "the gzip data ends early");
}

/* Step to the next member. Returns 1 when there is one, 0 at the clean end. */
static int member_begin(struct input_source *s, struct gzip *g, struct error *err)
{
	struct raw *r = &s->raw;
	int rc = g->members ? raw_skip_zeros(r, err) : 0;

	if (rc == 0)
		rc = raw_fill(r, 2, err);
	if (rc < 0)
		return rc;
	if (raw_left(r) == 0)
		return 0;
	if (raw_left(r) == 1 && r->at[0] == 0x1f)
		return gzip_cut(s, err);
	if (codec_for(r->at, raw_left(r)) != &codec_gzip)
		return error_set(err, ERR_FORMAT, s->decoded,
				 "bytes after the gzip data that are neither padding nor gzip");
	inflateReset(&g->z);
	g->in_member = true;
	return 1;
}

static int gzip_damage(const struct input_source *s, int zrc, struct error *err)
{
	const struct gzip *g = s->state;

	if (zrc == Z_MEM_ERROR)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for zlib");
	return error_set(err, ERR_FORMAT, s->decoded, "the gzip data does not decode (%s)",
			 g->z.msg ? g->z.msg : "zlib gives no reason");
}

/* zlib keeps an error until the stream is reset: what came before it is returned first and the
 * next call meets it again. */
static long gzip_pull(struct input_source *s, uint8_t *to, size_t room, struct error *err)
{
	struct gzip *g = s->state;
	struct raw *r = &s->raw;
	size_t out = room < UINT_MAX ? room : UINT_MAX;

	for (;;) {
		int rc = g->in_member ? raw_fill(r, 1, err) : member_begin(s, g, err);
		if (rc < 0)
			return rc;
		if (!g->in_member)
			return 0;
		size_t left = raw_left(r) < UINT_MAX ? raw_left(r) : UINT_MAX;
		/* zlib does not write to its input; its type lacks the const. */
		g->z.next_in = (Bytef *)(uintptr_t)r->at;
		g->z.avail_in = (uInt)left;
		g->z.next_out = to;
		g->z.avail_out = (uInt)out;
		int zrc = inflate(&g->z, Z_NO_FLUSH);
		r->at += left - g->z.avail_in;
		size_t got = out - g->z.avail_out;
		if (zrc == Z_STREAM_END) {
			g->in_member = false;
			g->members++;
		}
		if (got > 0)
			return (long)got;
		if (zrc != Z_OK && zrc != Z_STREAM_END && zrc != Z_BUF_ERROR)
			return gzip_damage(s, zrc, err);
		if (g->in_member && raw_left(r) == 0 && r->eof)
			return gzip_cut(s, err);
	}
}

const struct codec codec_gzip = {COMPRESSION_GZIP, gzip_open, gzip_pull, gzip_close};
