/* SPDX-License-Identifier: MIT
 * gzip_out.h -- gzip in front of an out: one member without name or time.
 */
#ifndef REPORTS_GZIP_OUT_H
#define REPORTS_GZIP_OUT_H

#include "reports/out.h"

struct gzip_out;

/* NULL when there is no memory; `to` is failed then, as it is by every later failure. */
struct gzip_out *gzip_out_open(struct out *to);
/* Less small and faster: `level` 1 to 9. */
struct gzip_out *gzip_out_open_level(struct out *to, int level);
void gzip_out_bytes(struct gzip_out *g, const void *bytes, size_t n);
/* Write the end and free; `to` stays open. NULL is a no-op. */
void gzip_out_close(struct gzip_out *g);

#endif
