/* SPDX-License-Identifier: MIT
 * explain.h -- why each out-of-memory happened: verdict, cause, evidence, holders, what helps.
 *
 * The state is taken just before each oom event, on the device that had it: what the file's
 * segments show is later, when Python has unwound and freed most of it. One forward walk a device
 * serves all of its ooms; attempts between which nothing changed share one look.
 *
 * Words. live = sizes of allocated blocks, idle = reserved - live (cached and pending), attempted =
 * what the allocator asked of the driver, limit = what this process may have, where that is known,
 * room = the smaller of reserved + device free and the limit. The verdict is the first that holds:
 *
 *     request_too_large  attempted > limit or card; where neither is known, > reserved + device free
 *     (full)             live + attempted > room, or idle < 5 % of reserved:
 *       process_limit      when limit < reserved + attempted, or device free >= attempted + 128 MiB
 *       other_processes    when they hold what is missing, and more than live
 *       outside_allocator  the same of this process's own memory outside the allocator
 *       capacity           otherwise
 *     pending_free       a block that would serve waits for another stream
 *     stranded_cache     a free block that is large enough lies in another pool, stream or class
 *     fragmentation      what is idle is in pieces, or kept from the request by a setting
 *     unknown            the facts are lacking
 *
 * Rules behind the verdict that hold too are its factors; process_limit is one whenever a limit is
 * known to have refused the request.
 */
#ifndef ANALYZE_PASSES_EXPLAIN_H
#define ANALYZE_PASSES_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"
#include "passes/card_facts.h"
#include "passes/holders.h"
#include "passes/no_stack.h"
#include "passes/outside.h"
#include "passes/phases.h"
#include "passes/study.h"
#include "passes/survey.h"

enum verdict {
	VERDICT_UNKNOWN,
	VERDICT_REQUEST_TOO_LARGE,
	VERDICT_PROCESS_LIMIT,
	VERDICT_OTHER_PROCESSES,
	VERDICT_OUTSIDE_ALLOCATOR,
	VERDICT_CAPACITY,
	VERDICT_PENDING_FREE,
	VERDICT_STRANDED_CACHE,
	VERDICT_FRAGMENTATION,
	VERDICT_COUNT,
};

const char *verdict_name(enum verdict v); /* "process_limit" ... */

/* A rule behind the verdict that holds too. */
struct factor {
	enum verdict rule;
	uint64_t bytes;
};
#define EXPLAIN_MAX_FACTORS 4

/* One fact that speaks for the verdict. Which of the numbers a kind uses is said beside it, in the
 * order bytes, of_bytes, count, count2; the rest is 0. */
enum evidence_kind {
	EVIDENCE_SHORT,       /* missing bytes; device free */
	EVIDENCE_NEARLY,      /* device free; attempted: refused although a little more was free */
	EVIDENCE_LIMIT,       /* the limit is at least; and below */
	EVIDENCE_LIMIT_KNOWN, /* the limit; reserved + attempted */
	EVIDENCE_OTHERS,      /* other processes; the largest of them; how many; its number */
	EVIDENCE_OUTSIDE,     /* this process outside the allocator; all of it */
	EVIDENCE_ALL_GIVEN_BACK, /* reserved + device free; attempted */
	EVIDENCE_LIVE,           /* live; reserved; blocks */
	EVIDENCE_IDLE,           /* idle; reserved */
	EVIDENCE_LARGEST_FREE,   /* largest piece the request may use; all such pieces; how many */
	EVIDENCE_ELSEWHERE, /* largest fitting block; all such blocks; how many. why: unusable */
	EVIDENCE_REFUSED_BLOCK,  /* the same, for a block in the right place kept by a setting */
	EVIDENCE_PENDING,        /* pending; largest run that would serve (0: none); blocks */
	EVIDENCE_PINNED,         /* idle; segment bytes; segments; live blocks that keep them */
	EVIDENCE_PINNING_SITE,   /* idle; live bytes; segments; blocks. site, alone */
	EVIDENCE_GIVEN_BACK,     /* bytes; -; segments; event of the last one */
	EVIDENCE_GROWTH,         /* live bytes born in the later half of the events; live */
	EVIDENCE_SLACK,          /* slack; allocated */
	EVIDENCE_BEFORE,         /* bytes from before the trace; of them without a stack; blocks */
	EVIDENCE_LOST,           /* events were lost at the front: -; -; events left */
	EVIDENCE_DUMPED_LATER,   /* allocated in the file's segments; at the oom; events since */
	EVIDENCE_POOL_ASSUMED,   /* the event has no pool, and there are private pools */
	EVIDENCE_NOT_EXACT,      /* what lived before the trace is unknown */
	EVIDENCE_NO_DEVICE_FREE, /* the event does not say what was free */
	EVIDENCE_HINT_WRONG,     /* PyTorch's hint, which does not help: idle; attempted */
	EVIDENCE_IDLE_UNSORTED,  /* a message alone: idle, in what form nobody knows; attempted */
	EVIDENCE_COUNT,
};

struct evidence {
	enum evidence_kind kind;
	uint64_t bytes, of_bytes, count, count2;
	enum unusable why;
	uint64_t stream;     /* of EVIDENCE_ELSEWHERE */
	struct pool_id pool; /* of EVIDENCE_ELSEWHERE */
	struct site site;    /* of EVIDENCE_PINNING_SITE */
	bool alone;          /* no other site's blocks are in those segments */
};
#define EXPLAIN_MAX_EVIDENCE 16

/* One next step. `bytes`: an estimate of what it gains, BYTES_NONE when none can be computed. */
enum advice_kind {
	ADVICE_LOOK_OUTSIDE,   /* other processes, libraries; param: reserved + device free */
	ADVICE_STOP_OTHERS,    /* bytes: what they hold; count: processes; param: bytes missing */
	ADVICE_TRIM_OUTSIDE,   /* bytes: outside the allocator; param: bytes missing */
	ADVICE_FREE_HOLDERS,   /* count: how many of the largest sites; count2: of their blocks the
				* fewest that do; param: bytes needed */
	ADVICE_RAISE_LIMIT,    /* bytes: device free; param: at least this much more */
	ADVICE_SMALLER_PIECES, /* param: the most that could be had at once */
	ADVICE_EXPANDABLE,     /* expandable_segments:True */
	ADVICE_MAX_SPLIT,      /* max_split_size_mb; param: bytes */
	ADVICE_LIFT_GUARD,     /* unset max_split_size_mb */
	ADVICE_ONE_MODE,       /* keep expandable_segments as it was when the cache was filled */
	ADVICE_MOVE_PINNERS, /* count: blocks, param: segments; site: whose, or the one with most */
	ADVICE_MOVE_FEW, /* count: neighbouring blocks that would leave a hole of `bytes`; param:
			  * their own bytes; site: of the largest */
	ADVICE_OTHER_STREAM,  /* fewer side streams, or empty_cache between phases */
	ADVICE_SHARE_POOL,    /* share or release graph pools */
	ADVICE_RECORD_STREAM, /* no record_stream, or synchronise earlier */
	ADVICE_RECORD_MORE,   /* larger max_entries; param: events in the file */
	ADVICE_COUNT,
};

struct advice {
	enum advice_kind kind;
	uint64_t bytes, count, count2, param;
	uint64_t low, high; /* bounds of `bytes`, BYTES_NONE with it */
	struct site site;
	bool alone; /* of ADVICE_MOVE_PINNERS: all those blocks are the site's */
	/* Of a setting: what the trace's own requests came to under it (passes/simulate.h). */
	struct {
		bool known;              /* the model reproduces the trace */
		bool passes, fails;      /* this oom; neither: it depends on what no file tells */
		uint64_t reserved;       /* the most, in the worst placement */
		uint64_t trace_reserved; /* the most in the trace */
	} simulated;
};
#define EXPLAIN_MAX_ADVICE 7

/* Where the live bytes come from, when the history shows it. The numbers are the rule's evidence;
 * which they are is said beside each kind, in the order bytes, of_bytes, count, count2. */
enum cause {
	CAUSE_NONE,
	CAUSE_SINGLE_REQUEST,  /* attempted; the most there could be */
	CAUSE_STATE_DICT_COPY, /* bytes of loaded blocks whose size exists twice; live; blocks */
	CAUSE_MODEL_LOAD,      /* live bytes from loading; live; blocks */
	CAUSE_OPTIMIZER_STATE_INIT, /* live bytes born in the first optimizer step; live; blocks */
	CAUSE_GROWING_CACHE, /* live bytes of the site; size of its last block; blocks; how often it
			      * grew */
	CAUSE_RETAINED_GRAPH, /* live bytes of earlier forwards; live; forwards */
	CAUSE_LEAK, /* live bytes born in earlier steps; per step; steps; of them with some */
	CAUSE_OUTLIER_STEP, /* what this step took; the most of any other; steps */
	CAUSE_ACTIVATIONS,  /* live bytes born in forward; live; steps finished before */
	CAUSE_COUNT,
};

const char *cause_name(enum cause c); /* "leak" ...; NULL for CAUSE_NONE */

struct explain_cause {
	enum cause cause;
	uint64_t bytes, of_bytes, count, count2;
	bool has_site;
	struct site site; /* with most of these bytes */
};

/* A live block beside free memory: what its end would join. */
struct pinner {
	uint64_t address, size;
	uint64_t segment_address, segment_size;
	uint64_t joins;    /* bytes of the hole that its end would leave */
	uint64_t releases; /* bytes of the segment when it is the only live block in it, else 0 */
	int64_t born;      /* number of its alloc event, or EVENT_START */
	struct site site;
	stack_id stack;
};

/* The least that would have to move within one segment for the request to fit there. */
struct fit_plan {
	uint64_t blocks, live_bytes; /* neighbours; 0: there is no such place */
	uint64_t hole;               /* what they would leave together with the free ones */
	uint64_t segment_address;
	struct site site; /* of the largest */
	bool one_site;
};

/* What a person would have to add for the verdict to be sure; bits. */
enum missing {
	MISSING_CARD = 1 << 0,     /* how large the card is */
	MISSING_OTHERS = 1 << 1,   /* who else is on it */
	MISSING_LIMIT = 1 << 2,    /* the limit of the process: it is only bounded */
	MISSING_HISTORY = 1 << 3,  /* events were lost: the cause may lie before */
	MISSING_POOL = 1 << 4,     /* which pool the request was for */
	MISSING_SNAPSHOT = 1 << 5, /* a message alone */
	MISSING_FREE = 1 << 6,     /* what the device had free */
	MISSING_SEGMENTS = 1 << 7, /* what lived before the trace */
};
#define MISSING_BITS 8

/* Where the card's bytes were; they sum to the total:
 * total = others + outside + live + slack + pending + usable + unusable + free + unattributed. */
struct balance {
	struct amount total; /* not known: there is no sum */
	struct amount others, outside;
	int64_t unattributed; /* what is left, rounding included: may be negative */
	int64_t unattributed_low, unattributed_high;
};

#define EXPLAIN_MAX_HOLDERS 20
#define EXPLAIN_MAX_PINNERS 40
#define EXPLAIN_MAX_PHASES  8

/* What one look at a state found; several ooms may share one. */
struct explain_look {
	struct totals totals;
	bool exact; /* false: what lived before the trace is unknown; totals are partial */
	size_t first_holder, n_holders; /* rows of explain.holders */
	uint64_t all_holders;           /* how many sites there are */
	struct no_stack no_stack;       /* of the active blocks */
};

struct explain_oom {
	int32_t device;
	int64_t event, time_us;
	struct request request; /* rounded = the event's size */
	uint64_t device_free;   /* or BYTES_NONE */
	struct site site;       /* who asked */
	stack_id stack;
	bool retried;      /* oom_events.h */
	bool message_only; /* no snapshot: amounts are those of a message, `event` means nothing */
	int64_t rank;      /* of the message; -1: not known */
	struct card_facts card;
	struct outside outside; /* known only with side->driver */
	struct balance balance;
	enum verdict verdict;
	enum confidence confidence;
	unsigned missing; /* enum missing bits */
	struct explain_cause cause;
	/* Sizes of allocated blocks by what they are for, adding up to survey.allocated. Not known of
	 * attempts that were retried, where the look is not exact, and of long traces unless the
	 * cause needs their lives or options.categories asks for it. */
	bool categories_known;
	uint64_t by_category[CATEGORY_COUNT];
	size_t first_pinner, n_pinners; /* rows of explain.pinners, longest hole first */
	uint64_t all_pinners;
	struct fit_plan plan;
	size_t n_factors, n_evidence, n_advice, n_phases;
	struct factor factors[EXPLAIN_MAX_FACTORS];
	struct explain_look look;
	struct survey survey;
	struct evidence evidence[EXPLAIN_MAX_EVIDENCE];
	struct advice advice[EXPLAIN_MAX_ADVICE];
	str_id phases[EXPLAIN_MAX_PHASES]; /* annotations open then, outermost first */
};

/* Of a file without oom events. */
struct explain_peak {
	bool known; /* false: the file has no device with memory */
	int32_t device;
	int64_t event, time_us; /* EVENT_START, TIME_NONE */
	struct explain_look look;
	struct outside outside;
	uint64_t n_devices;
};

struct explain {
	struct budget *budget;        /* weak */
	VEC(struct explain_oom) ooms; /* device by device, in the order of events */
	VEC(struct holder) holders;
	VEC(struct pinner) pinners;
	uint64_t n_messages;      /* in the log */
	size_t main_oom;          /* the one to tell first: the last that was not retried */
	struct explain_peak peak; /* when there are no ooms */
};

struct explain_options {
	bool one_device; /* look at `device` only */
	int32_t device;
	const struct explain_side *side; /* or NULL */
	bool categories;                 /* of long traces, too, where nothing else needs them */
};

/* Of the study's model. Errors: ERR_NO_MOMENT when there is no such device, ERR_LIMIT, ERR_NOMEM,
 * those of phases_run. */
int explain_run(struct explain *out, struct study *study, const struct explain_options *options,
		struct error *err);
/* From the messages of a log alone: one oom a message that has amounts. */
int explain_run_log(struct explain *out, const struct explain_side *side,
		    const struct explain_options *options, struct budget *budget,
		    struct error *err);
void explain_release(struct explain *e);

/* A limit on the process refused the request: it is known to, or the device had too much free for
 * anything else. */
bool explain_limited(const struct explain_oom *o);

/* Fill the balance from look, survey and card. */
void explain_balance(struct explain_oom *oom);

/* The parts, for tests. explain_judge fills verdict and factors of an oom whose request, look and
 * survey are there; explain_argue then adds evidence and advice. */
void explain_judge(struct explain_oom *oom);

struct explain_context {
	const struct model *m;
	const struct device *d;
	const struct replay_summary *summary;
	const struct holder *holders; /* of the oom's look */
};
void explain_argue(struct explain_oom *oom, const struct explain_context *c);

#endif
