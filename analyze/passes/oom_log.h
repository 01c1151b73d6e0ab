/* SPDX-License-Identifier: MIT
 * oom_log.h -- the out-of-memory messages in a log: who ran out, and every amount that was printed.
 *
 * A log is whatever a program wrote: an exception's text alone, or days of training from many ranks,
 * interleaved, with prefixes of loggers, wrapped anywhere. What messages look like is data
 * (oom_messages.xml). Lines go by; only what follows the beginning of a message is kept, apart for
 * each prefix, until it is long enough.
 *
 *     oom_log_read(&log, in, budget, err);
 *     log.messages.at[i].free.bytes ...
 */
#ifndef ANALYZE_PASSES_OOM_LOG_H
#define ANALYZE_PASSES_OOM_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/input.h"
#include "base/vec.h"

/* An amount as it was printed, "139.80 GiB": anything from low to high prints so. */
struct amount {
	bool known;
	uint64_t bytes; /* the printed number itself, to the nearest byte */
	uint64_t low, high;
};

/* Understand `n` bytes like "3.71 GiB" or "512 bytes"; not known when they are something else, and
 * for what stands in place of no limit (2^64 bytes and more). */
struct amount amount_read(const char *text, size_t n);
/* An amount that is exact. */
struct amount amount_exact(uint64_t bytes);
/* Would `bytes` be printed as this amount? False when it is not known. */
static inline bool amount_is(const struct amount *a, uint64_t bytes)
{
	return a->known && bytes >= a->low && bytes <= a->high;
}

struct oom_process {
	uint64_t pid; /* 0: the process that ran out itself, "this process" */
	struct amount used;
};

enum oom_hint { OOM_HINT_NONE, OOM_HINT_MAX_SPLIT, OOM_HINT_EXPANDABLE };

struct oom_message {
	uint64_t line;   /* where it begins, from 1 */
	char form[16];   /* id of the rule in oom_messages.xml */
	bool cut;        /* the log breaks off inside it, or it never had amounts */
	char backend[8]; /* "CUDA", "HIP" ... "" when it does not say */
	int32_t device;  /* -1: not told */
	int64_t rank;    /* of the prefix; -1: none */
	struct amount attempted, total, free, allowed;
	/* allocated: sizes of blocks in use. idle: reserved and not allocated, pending frees included;
	 * private_free: that part of it which lies in private pools, where it is told apart. */
	struct amount allocated, reserved, idle, private_free;
	struct amount self; /* all that this process holds on the device */
	enum oom_hint hint;
	size_t first_process, n_processes; /* rows of oom_log.processes, this process left out */
};

struct oom_log {
	struct budget *budget;            /* weak */
	VEC(struct oom_message) messages; /* by line */
	VEC(struct oom_process) processes;
	uint64_t n_lines;
	uint64_t n_more; /* messages behind the first OOM_LOG_MAX_MESSAGES: not kept */
};

#define OOM_LOG_MAX_MESSAGES 10000

/* Reads to the end. A damaged (cut, compressed) input gives what came before the damage when there
 * is a message in it. Errors: those of input_need; ERR_LIMIT, ERR_NOMEM. */
int oom_log_read(struct oom_log *out, struct input *in, struct budget *budget, struct error *err);
void oom_log_release(struct oom_log *log);

#endif
