/* SPDX-License-Identifier: MIT
 * moment.h -- the words of --at: start, end, peak, oom, oom:K, time:US, or an event number.
 */
#ifndef ANALYZE_REPLAY_MOMENT_H
#define ANALYZE_REPLAY_MOMENT_H

#include "replay/replay.h"

struct moment {
	int64_t event;    /* just after this event; EVENT_START = before event 0 */
	bool is_file_end; /* `end`: the file's own segments; event is the last one's number */
};

/* Understand `text` for the replay's device. `peak` = first moment of highest allocated bytes,
 * start included; `oom` = just before the last oom event, oom:K the K-th from 0; time:US = after
 * the last event not later (start when there is none).
 * Errors: ERR_USAGE when the words mean nothing, ERR_NO_MOMENT when the file has no such moment. */
int moment_parse(struct moment *out, const char *text, const struct model *m,
		 const struct device *d, const struct replay *r, struct error *err);

/* The state at a moment: replay_seek + replay_state, or state_from_segments. */
int moment_state(struct state *out, const struct moment *at, const struct model *m,
		 struct replay *r, struct budget *budget, struct error *err);

#endif
