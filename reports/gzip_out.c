/* SPDX-License-Identifier: MIT
 * gzip_out.c -- gzip in front of an out.
 */
#include "reports/gzip_out.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

struct gzip_out {
	struct out *to;
	z_stream z;
	unsigned char buf[32768];
};

/* Window of 32 KiB, with a gzip head: zlib leaves its name and time empty. */
#define GZIP_WINDOW (15 + 16)

struct gzip_out *gzip_out_open(struct out *to)
{
	return gzip_out_open_level(to, 9);
}

struct gzip_out *gzip_out_open_level(struct out *to, int level)
{
	struct gzip_out *g = calloc(1, sizeof *g);

	if (!g ||
	    deflateInit2(&g->z, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		out_fail(to, ENOMEM);
		return NULL;
	}
	g->to = to;
	return g;
}

static void pump(struct gzip_out *g, int flush)
{
	int rc;

	do {
		g->z.next_out = g->buf;
		g->z.avail_out = sizeof g->buf;
		rc = deflate(&g->z, flush);
		out_bytes(g->to, g->buf, sizeof g->buf - g->z.avail_out);
	} while (rc == Z_OK && !g->z.avail_out);
	if (rc == Z_STREAM_ERROR)
		out_fail(g->to, EIO);
}

void gzip_out_bytes(struct gzip_out *g, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n > 0) {
		uInt part = n > 1u << 30 ? 1u << 30 : (uInt)n;

		g->z.next_in = (unsigned char *)(uintptr_t)at;
		g->z.avail_in = part;
		pump(g, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

void gzip_out_close(struct gzip_out *g)
{
	if (!g)
		return;
	pump(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
}
