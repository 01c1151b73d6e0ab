/* SPDX-License-Identifier: MIT
 * redact.h -- names of a snapshot replaced, so that it can be shown to strangers.
 *
 * Replaced: paths and functions of the user's own code, of private packages and of extensions, where
 * libraries are installed (redact_library.h), annotations, metadata. Kept: frames of well-known
 * libraries, everything that is a number, and equality: equal strings stay equal, different ones
 * different. Words that analyses look for (forward, backward, step ...: redact_words) stay inside
 * the replacements, so that every analysis gives the same figures.
 *
 * A replacement is x and eight hex digits of a keyed hash (SHA-256): the same key gives the same
 * names in several files, and nobody without the key can try out guesses.
 */
#ifndef REPORTS_REDACT_H
#define REPORTS_REDACT_H

#include "reports/snapshot_out.h"

struct redact;

/* The words that stay, ended by NULL. */
extern const char *const redact_words[];

struct redact_options {
	const void *key; /* any bytes; secret */
	size_t key_length;
	/* PCRE2 over `path:line function` of frames, over annotations and metadata: what matches
	 * stays as it is. */
	const char *const *keep;
	size_t n_keep;
};

/* Errors: ERR_USAGE for a bad expression; ERR_LIMIT, ERR_NOMEM. `m` must outlive it. */
int redact_new(struct redact **out, const struct model *m, const struct redact_options *o,
	       struct budget *budget, struct error *err);
void redact_free(struct redact *r);

/* For snapshot_out.text, with the redact as its ctx. */
const struct str *redact_text(void *redact, str_id id, enum snapshot_text what, frame_id frame);

/* How many different strings were replaced. */
size_t redact_count(const struct redact *r);

#endif
