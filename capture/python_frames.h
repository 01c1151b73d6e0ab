/* SPDX-License-Identifier: MIT
 * python_frames.h -- the calling thread's Python frames, read from CPython's memory.
 *
 * The GIL is never taken and no function of Python is called that needs it: allocators are called
 * with locks held that a thread with the GIL may be waiting for. It is not needed either: while a
 * thread is inside the driver its own frames stand still. The main thread, and one that has the GIL,
 * reads them directly, for it is these that end Python. Any other thread may be a daemon that
 * Python's end overtakes: it reads through the kernel, where memory that is gone is an error.
 *
 * The layout is CPython's private matter. What the table of versions says is put to the test on the
 * first stack that has frames, read through the kernel: types, texts, positions. If anything is
 * amiss Python frames are off for good.
 */
#ifndef CAPTURE_PYTHON_FRAMES_H
#define CAPTURE_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Frames kept of a stack: the innermost. */
#define PYTHON_FRAMES_MAX 128

/* A place in a code object. Frames that are equal have the same text: objects die, and others take
 * their addresses, but those have other contents. */
struct python_frame {
	uint64_t code, file, name, lines; /* addresses of Python objects */
	uint64_t contents;                /* of file, name and lines: a hash */
	uint32_t first_line;
	uint32_t offset; /* bytes into the code */
};

/* Look for CPython in this process. May be called again: one that was loaded later is found then.
 * Takes locks of the dynamic linker. */
void python_frames_find(void);
/* Innermost first; 0 when there are none. */
uint32_t python_frames_take(struct python_frame out[PYTHON_FRAMES_MAX]);
/* Why there is a CPython whose frames cannot be had, in a sentence that is told once; else NULL. */
const char *python_frames_trouble(void);
/* Does this return address lie in CPython's loop? What comes outwards from there is CPython. */
bool python_frames_in_loop(uint64_t pc);
/* A stack that runs through the loop had no Python frames. Before the test that fails it. */
void python_frames_missing(uint64_t pc);

/* The texts of a frame that was just taken by this thread. */
struct python_text {
	size_t file_bytes, name_bytes;
	char file[1024], name[512]; /* UTF-8, cut where it is too long; no NUL */
	uint32_t line;
};
/* `room` bytes at `table` are to work in. False when it cannot be read. */
bool python_frames_text(const struct python_frame *f, struct python_text *out, void *table,
			size_t room);

#endif
