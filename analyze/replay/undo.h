/* SPDX-License-Identifier: MIT
 * undo.h -- the segments before event 0, by undoing the trace's segment events from the last one.
 *
 * Walking back from the file's segments also tells what each segment_alloc and segment_map made:
 * the range it is undone from has a stream, a pool and a kind, which older events do not carry.
 */
#ifndef ANALYZE_REPLAY_UNDO_H
#define ANALYZE_REPLAY_UNDO_H

#include "replay/replay_impl.h"

/* Fill heap.mappings: MAPPING_UNKNOWN, then the runs before event 0, then one for every
 * segment_alloc and segment_map in order of events; r->next_mapping is the first of these.
 * *before gets the runs before event 0, run.row a row of heap.mappings (nothing for a cut trace).
 * The caller releases it, also on failure. Errors: ERR_LIMIT, ERR_NOMEM. */
int undo_segments(struct replay *r, uint64_t n_segment_events, struct runs *before,
		  struct error *err);

#endif
