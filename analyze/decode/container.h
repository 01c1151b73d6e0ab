/* SPDX-License-Identifier: MIT
 * container.h -- what kind of file this is, told by its content, and the bytes of its payload.
 */
#ifndef ANALYZE_DECODE_CONTAINER_H
#define ANALYZE_DECODE_CONTAINER_H

#include "base/input.h"

enum container_format {
	CONTAINER_PICKLE,
	CONTAINER_JSON,
	CONTAINER_HTML,  /* a page with an embedded base64 pickle; `payload` delivers the pickle */
	CONTAINER_RING,  /* what the recorder of capture/ leaves behind when it is killed */
	CONTAINER_TRACE, /* a chrome trace of torch.profiler */
	CONTAINER_TIMELINE_JSON, /* a memory timeline: [times, sizes] */
	CONTAINER_TIMELINE_RAW,  /* a memory timeline: [[time, action, bytes, category], ...] */
};

struct html_payload;

struct container {
	enum container_format format;
	enum compression compression;
	struct input *payload;     /* weak: `outer`, or the decoded pickle of a page */
	struct input *outer;       /* owned: the file without its compression */
	struct html_payload *html; /* owned; NULL but for CONTAINER_HTML */
	uint64_t raw_bytes;        /* of the file as it lies; known at the end for pipes */
	uint64_t further_pickles;  /* embedded in the page behind the one that is read */
};

/* Open and recognise `name` ("-" = standard input).
 *
 * Pickle: 0x80 0x00..0x05, or two opcodes that start protocol 0 and 1 data: ( ] } and what follows.
 * JSON: { or [ behind white space or a byte order mark. HTML: < with a `"base64": "..."` member
 * in a script, as torch.cuda._memory_viz writes it.
 * Refused by name with ERR_UNSUPPORTED: an empty file, a Git LFS pointer, a zip (torch.save .pt),
 * SQLite, an execution trace, HTML without a pickle, and anything else. Chrome traces and memory
 * timelines are JSON told by its first bytes: "traceEvents", "schemaVersion", "deviceProperties", a
 * list of events; a list of lists.
 * Other errors as input_open. */
int container_open(struct container *out, const char *name, struct budget *budget,
		   struct error *err);
/* The same over bytes in memory. */
int container_open_bytes(struct container *out, const void *bytes, size_t length,
			 struct budget *budget, struct error *err);
void container_close(struct container *c);

/* Count the raw bytes of a pipe to its end and the further pickles of a page: call after reading
 * the payload. */
void container_finish(struct container *c);

#endif
