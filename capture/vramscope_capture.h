/* SPDX-License-Identifier: MIT
 * vramscope_capture.h -- record the GPU memory of this process, from inside it.
 *
 * libvramscope-capture.so records by itself under `vramscope record`. A program that links it, or
 * opens it with dlopen, can do the same at a moment of its own:
 *
 *     vramscope_capture_start(NULL);              // settings from VRAMSCOPE_CAPTURE_*
 *     ...
 *     vramscope_capture_dump("now.pickle");
 *     vramscope_capture_stop();
 *
 * Nothing here can fail the program: trouble is one line on stderr, and recording is off.
 */
#ifndef CAPTURE_VRAMSCOPE_CAPTURE_H
#define CAPTURE_VRAMSCOPE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vramscope_stacks {
	VRAMSCOPE_STACKS_DEFAULT, /* all */
	VRAMSCOPE_STACKS_NONE,
	VRAMSCOPE_STACKS_NATIVE,
	VRAMSCOPE_STACKS_PYTHON, /* frames of CPython alone */
	VRAMSCOPE_STACKS_ALL,    /* native ones, down to CPython's loop, and its frames */
};

enum vramscope_choice { VRAMSCOPE_DEFAULT, VRAMSCOPE_YES, VRAMSCOPE_NO };

/* What is zero is taken from VRAMSCOPE_CAPTURE_*, else its default. In names, %h is the host, %p the
 * process, %r the rank, %t the time of start, %% a percent sign. */
struct vramscope_capture_options {
	size_t struct_bytes;             /* sizeof(struct vramscope_capture_options) */
	const char *output;              /* OUTPUT: snapshots, .pickle or .pickle.zst;
	                                  * "%h_%t_rank%r_%p.pickle" */
	const char *ring;                /* RING: the ring file; OUTPUT with .ring for .pickle */
	uint64_t max_entries;            /* MAX_ENTRIES: events kept; 65,536 */
	enum vramscope_stacks stacks;    /* STACKS: none, native, python, all */
	enum vramscope_choice on_oom;    /* OOM: dump when memory runs out; yes */
	enum vramscope_choice at_exit;   /* EXIT: dump when the process ends; yes */
	enum vramscope_choice keep_ring; /* KEEP_RING: also when a dump at exit succeeded; no */
	int signal_number;               /* SIGNAL: dump on this signal; none */
};

struct vramscope_capture_status {
	bool recording;
	uint64_t events;           /* since start */
	uint64_t live, live_bytes; /* allocations on devices, and their sum */
	uint64_t dropped;          /* things left out because a table was full */
	uint64_t dumps;
};

/* True when recording. `options` may be NULL. */
bool vramscope_capture_start(const struct vramscope_capture_options *options);
/* Write a snapshot; NULL: to the usual name. */
bool vramscope_capture_dump(const char *path);
/* Stop; no dump is written, and the ring file is removed unless it is to be kept. */
void vramscope_capture_stop(void);
void vramscope_capture_status(struct vramscope_capture_status *out);
/* A block of the program's own pool inside memory that is recorded: listed, not counted. */
void vramscope_capture_note_alloc(const void *address, size_t bytes, int device);
void vramscope_capture_note_free(const void *address);

#ifdef __cplusplus
}
#endif

#endif
