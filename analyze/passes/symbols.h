/* SPDX-License-Identifier: MIT
 * symbols.h -- functions and lines for frames that name only a place in a library.
 *
 * The recorder of capture/ names frames "libx.so+0x1234" in a file that is the library, or by the
 * nearest exported function with the place as the line, and tells the build ids of all libraries.
 * PyTorch does the latter without addr2line (TORCH_DISABLE_ADDR2LINE=1), and tells no build ids.
 *
 * Names are taken only from files that are certainly the same: of the same build id or, where none
 * was recorded, with the recorded function at every place whose function is known, and one such
 * place at least. Everything else stays as it is.
 */
#ifndef ANALYZE_PASSES_SYMBOLS_H
#define ANALYZE_PASSES_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct symbols_options {
	/* Folders laid out like the root of the machine that recorded or like /usr/lib/debug, or
	 * holding the libraries themselves; and single files. Tried first. */
	const char *const *paths;
	size_t n_paths;
	bool recorded_paths; /* also the paths in the file, and /usr/lib/debug */
};

/* One library that frames lie in. */
struct symbols_module {
	str_id path;
	uint64_t frames, resolved;
	bool other_build; /* files were found, of other builds or that do not agree */
};

struct symbols {
	struct budget *budget; /* weak */
	uint64_t frames, resolved;
	VEC(struct symbols_module) modules; /* in the order they were met */
};

/* Replace what can be named, inlined functions as frames of their own. Stack and frame ids change.
 * Errors: ERR_LIMIT, ERR_NOMEM; the model is as before then. */
int symbols_resolve(struct symbols *out, struct model *m, const struct symbols_options *options,
		    struct error *err);
void symbols_release(struct symbols *s);

#endif
