/* SPDX-License-Identifier: MIT
 * card_facts.h -- what is known of the card at one oom beside the snapshot, and from where.
 *
 * A snapshot knows this process only. The exception's text, an observer's note, nvidia-smi and the
 * user know the rest: how large the card is, who else is on it, which limit the process has. Each is
 * used for the failure that it belongs to: amounts must agree with those of the event.
 */
#ifndef ANALYZE_PASSES_CARD_FACTS_H
#define ANALYZE_PASSES_CARD_FACTS_H

#include "model/model.h"
#include "passes/nvidia_smi.h"
#include "passes/observer.h"
#include "passes/oom_log.h"

/* All that was given beside a snapshot; parts that were not are NULL. */
struct explain_side {
	const struct oom_log *log; /* weak; so are the others */
	const struct observer_note *observer;
	const struct nvidia_smi *smi;
	uint64_t device_memory;     /* bytes of the card as the user says; 0: does not */
	const struct model *driver; /* a recording of the same process; weak */
};

enum fact_source {
	FACT_NONE,
	FACT_OPTION,
	FACT_OBSERVER,
	FACT_MESSAGE,
	FACT_SMI,
	FACT_TRACE,
	FACT_DRIVER
};

const char *fact_source_name(enum fact_source s); /* "message" ... */

/* Of one failure, what the event itself tells. */
struct oom_key {
	int32_t device; /* -1: not known */
	bool is_host;   /* pinned memory of the host: nothing of the card matters */
	uint64_t attempted, rounded, device_free, allocated, reserved; /* or BYTES_NONE */
	uint64_t capacity; /* of the card as the file itself tells; 0: it does not */
};

struct card_facts {
	struct amount total, allowed; /* allowed: a limit of this process, less than the card */
	struct amount others;         /* all other processes together */
	struct amount self;           /* all of this process: PyTorch, context, libraries */
	enum fact_source total_from, allowed_from, others_from;
	uint64_t n_others, largest_pid;
	struct amount largest;             /* the largest of the others */
	const struct oom_message *message; /* of this failure, or NULL; weak: of the log */
	bool observer_fits;
	/* Something was given, and it belongs to another failure. */
	bool message_differs, observer_differs;
	bool no_limit; /* the message would have told a limit */
};

/* `side` may be NULL: nothing but the capacity is known then. */
void card_facts_find(struct card_facts *out, const struct explain_side *side,
		     const struct oom_key *key);

/* Bytes of this process that no segment covers; not known without `self`. */
struct amount card_outside(const struct card_facts *f, uint64_t reserved);

#endif
