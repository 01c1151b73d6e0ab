/* SPDX-License-Identifier: MIT
 * sniff.h -- tells what a file is from its first bytes, and says so when it is not a snapshot.
 */
#ifndef ANALYZE_DECODE_SNIFF_H
#define ANALYZE_DECODE_SNIFF_H

#include "decode/container.h"

/* As many first bytes as recognition looks at: a chrome trace tells itself by a key that may stand
 * behind a list of devices. */
#define SNIFF_BYTES ((size_t)16 * 1024)

/* The format of decoded data that begins with `head` (all of it when n < SNIFF_BYTES).
 * ERR_UNSUPPORTED with the file's kind and what to do instead in words. */
int sniff_format(enum container_format *out, const uint8_t *head, size_t n,
		 enum compression compression, struct error *err);

/* The refusal for a page that embeds no pickle. */
int sniff_refuse_page(const uint8_t *head, size_t n, struct error *err);

/* JSON told by its keys (sniff_json.c). `n` bytes from the first { or [ on. */
enum json_shape {
	JSON_SHAPE_OPEN, /* may be a snapshot: its reader will tell */
	JSON_SHAPE_TRACE,
	JSON_SHAPE_TIMELINE_JSON,
	JSON_SHAPE_TIMELINE_RAW,
	JSON_SHAPE_EXECUTION, /* an execution trace: nodes, no traceEvents */
	JSON_SHAPE_STATS,
	JSON_SHAPE_PYTHON, /* Python's repr of a dict: ' where JSON has " */
};

enum json_shape sniff_json_shape(const uint8_t *text, size_t n);

#endif
