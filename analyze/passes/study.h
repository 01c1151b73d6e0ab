/* SPDX-License-Identifier: MIT
 * study.h -- one device's replay and what its lives are for, made once for all that ask.
 *
 * Several questions about one file (what is in it, why it ran out of memory, what it held over time)
 * need the same walks over its trace. A study keeps them for one device at a time: memory stays that
 * of one device, and a file of one device, the usual case, is walked once.
 */
#ifndef ANALYZE_PASSES_STUDY_H
#define ANALYZE_PASSES_STUDY_H

#include "passes/purpose.h"
#include "replay/replay.h"

struct study {
	const struct model *m;              /* weak */
	const struct rules *rules;          /* weak; NULL: the built-in ones, made when needed */
	const struct phases_options *steps; /* weak, or NULL */
	struct budget *budget;              /* weak */
	struct rules *builtin;
	const struct device *device; /* of the two below; NULL: none yet */
	struct replay *replay;
	struct purpose *purpose; /* or NULL: not asked for yet */
};

/* All that is given must outlive the study; `rules` and `steps` may be NULL. */
void study_init(struct study *s, const struct model *m, const struct rules *rules,
		const struct phases_options *steps, struct budget *budget);
/* An initialized study, also after errors. */
void study_release(struct study *s);

/* The device's replay, wherever the last question left it. Valid until another device is asked for.
 * NULL: an error (those of replay_new). */
struct replay *study_replay(struct study *s, const struct device *d, struct error *err);
/* Its lives, phases and categories; leaves the replay at the end of the trace when they are made now.
 * Valid as long as the replay. NULL: an error (those of purpose_new). */
const struct purpose *study_purpose(struct study *s, const struct device *d, struct error *err);
/* Let go of the device that was asked for last: its replay and purpose (NULL where that was not asked
 * for) become the caller's, to be freed before rules and model. */
void study_take(struct study *s, struct replay **replay, struct purpose **purpose);

#endif
