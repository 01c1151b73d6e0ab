/* SPDX-License-Identifier: MIT
 * name_facts.h -- what the name of a snapshot tells: rank, step, host, time.
 *
 * Names that are understood: rank12 (local_rank3 where there is no other), step_3 (epoch, iter),
 * host_Dec_01_10_22_33 as PyTorch's examples and host_4711.1712345678901.pt.trace.json as its trace
 * handler writes them. An expression of the caller's with groups named rank, step and host comes
 * first.
 */
#ifndef ANALYZE_PASSES_NAME_FACTS_H
#define ANALYZE_PASSES_NAME_FACTS_H

#include <stdint.h>

#include "base/error.h"

struct name_patterns;

#define NAME_FACT_BYTES 1024

struct name_facts {
	int64_t rank, step; /* -1: not told */
	char host[256];     /* "": not told */
	/* Month (1 .. 12), day, hour, minute, second; month 0: not told. Names tell no year. */
	int month, day, hour, minute, second;
	/* The name with * for rank, host and time: equal for the ranks of one run at one step.
	 * "" when the name tells none of them, or is too long. */
	char group[NAME_FACT_BYTES];
};

/* `own`: the caller's expression (PCRE2) or NULL. Errors: ERR_USAGE, ERR_NOMEM. */
int name_patterns_new(struct name_patterns **out, const char *own, struct error *err);
void name_patterns_free(struct name_patterns *p);

void name_facts_of(struct name_patterns *p, const char *name, struct name_facts *out);

#endif
