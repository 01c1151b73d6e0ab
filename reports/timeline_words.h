/* SPDX-License-Identifier: MIT
 * timeline_words.h -- a timeline in sentences, the same for the picture, the page and the text.
 *
 * Strings from the file are still as the file has them, cut where long: writers clean and escape.
 */
#ifndef REPORTS_TIMELINE_WORDS_H
#define REPORTS_TIMELINE_WORDS_H

#include <stddef.h>

#include "passes/timeline.h"
#include "passes/timeline_verdicts.h"

#define TIMELINE_SENTENCE  480
#define TIMELINE_MAX_NOTES 12

struct timeline_words {
	char file[430];                /* its name without folders, clean */
	char device[40];               /* "device 0" */
	char scope[TIMELINE_SENTENCE]; /* what is shown: events, length, when it began */
	char peak[TIMELINE_SENTENCE];  /* highest allocated, when, what was reserved */
	char oom[TIMELINE_SENTENCE];   /* "" without any */
	/* What a reader must know to trust the picture: missing times, lost events, ... */
	char notes[TIMELINE_MAX_NOTES][TIMELINE_SENTENCE];
	size_t n_notes;
};

void timeline_words(struct timeline_words *w, const struct timeline *t);

/* A verdict over the timeline; `size` of TIMELINE_SENTENCE is enough. */
void timeline_verdict_words(char *out, size_t size, const struct timeline *t,
			    const struct timeline_verdict *v);
/* How many steps were found and by what; "" when nobody looked. */
const char *timeline_steps_words(char *out, size_t size, const struct timeline *t);

/* Where a point is: "event 1,234, 5.67 s in", "before event 0"; into buf, returned. */
#define TIMELINE_PLACE 96
const char *timeline_place(char buf[TIMELINE_PLACE], const struct timeline *t,
			   const struct timeline_point *p);

#endif
