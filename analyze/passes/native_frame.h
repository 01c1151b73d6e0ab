/* SPDX-License-Identifier: MIT
 * native_frame.h -- whose code a native frame of a recording is.
 *
 * The recorder of capture/ names the program or library that a frame lies in. Plumbing is what stands
 * between the driver and whoever wanted the memory: the driver, CUDA's runtime (also where it is
 * linked into a program), allocators, the C library. The user's own is the recorded program and what
 * lies in no folder of libraries, Python's interpreter aside. PyTorch's snapshots name no libraries:
 * their C++ frames are none of these.
 */
#ifndef ANALYZE_PASSES_NATIVE_FRAME_H
#define ANALYZE_PASSES_NATIVE_FRAME_H

#include "model/model.h"

enum native_code {
	NATIVE_NOT, /* a Python frame, or nobody knows where it lies */
	NATIVE_PLUMBING,
	NATIVE_LIBRARY,
	NATIVE_USER,
};

enum native_code native_code_of(const struct model *m, frame_id frame);

/* Path of the program or library that a frame of a recording lies in; STR_NONE when unknown. */
str_id native_module(const struct model *m, frame_id frame);

/* Does a path lie in a folder of libraries, or is it none from the root? */
bool native_path_is_library(const char *path);

/* The part of a path behind the last slash. */
const char *path_base(const char *path);

#endif
