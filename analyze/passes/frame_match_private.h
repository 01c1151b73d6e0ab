/* SPDX-License-Identifier: MIT
 * frame_match_private.h -- parts of the matching of frame_match.h; for frame_match*.c only.
 */
#ifndef ANALYZE_PASSES_FRAME_MATCH_PRIVATE_H
#define ANALYZE_PASSES_FRAME_MATCH_PRIVATE_H

#include "base/hash.h"
#include "passes/frame_match.h"

/* Fill files and file_how. */
int frame_match_files(struct frame_match *m, const struct frame_list *base,
		      const struct frame_list *new, bool exact, struct error *err);

#endif
