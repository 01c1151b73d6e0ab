/* SPDX-License-Identifier: MIT
 * capture_settings.h -- what a recording was asked to do: options, VRAMSCOPE_CAPTURE_*, defaults.
 */
#ifndef CAPTURE_CAPTURE_SETTINGS_H
#define CAPTURE_CAPTURE_SETTINGS_H

#include "capture/vramscope_capture.h"

#define SETTINGS_PATH_BYTES 400

struct capture_settings {
	char output[SETTINGS_PATH_BYTES]; /* of the first dump; names are filled in */
	char ring[SETTINGS_PATH_BYTES];
	uint64_t max_entries;
	bool native_stacks, python_stacks, on_oom, at_exit, keep_ring;
	int signal_number; /* 0: none */
};

/* False, with one sentence in `why`, when a setting makes no sense. */
bool settings_read(struct capture_settings *out, const struct vramscope_capture_options *options,
		   char *why, size_t why_bytes);

/* `output` for dump number n (from 1 on): "x.pickle", "x_2.pickle" ...; .zst stays */
void settings_output(const struct capture_settings *s, unsigned n, char *path, size_t path_bytes);

#endif
