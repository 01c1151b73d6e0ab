/* SPDX-License-Identifier: MIT
 * redact_library.h -- which parts of a library's frame say nothing about who ran it.
 *
 * Public are well-known packages, the standard library, and the C++ of PyTorch, CUDA, Python and the
 * C++ library. Not public: where they are installed (/home/alice/venv), packages that nobody has
 * heard of, code of extensions.
 */
#ifndef REPORTS_REDACT_LIBRARY_H
#define REPORTS_REDACT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strtab.h"

/* What stays of a path: bytes from .. to - 1 of each stretch, in order. */
#define REDACT_STRETCHES 2

struct redact_path {
	struct {
		size_t from, to;
	} stays[REDACT_STRETCHES];
	size_t n;
	bool is_public; /* its functions are */
};

/* Of a frame of Python that is not the user's own. */
struct redact_path redact_library_path(const struct str *path);

/* Of a native frame: may its name and file be shown? */
bool redact_symbol_is_public(const struct str *name);

#endif
