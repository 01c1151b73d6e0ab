/* SPDX-License-Identifier: MIT
 * short_paths.h -- library code in the paths of a profiler, which leaves their first part out.
 */
#ifndef ANALYZE_PASSES_SHORT_PATHS_H
#define ANALYZE_PASSES_SHORT_PATHS_H

#include <stdbool.h>

#include "base/strtab.h"

/* Python's profiler writes `torch/nn/modules/linear.py` for .../site-packages/torch/nn/... and
 * `typing.py` for a module of the standard library. True when the path is one of a well-known
 * package or of the standard library; a path from the root is none. */
bool short_path_is_library(const struct str *path);

#endif
