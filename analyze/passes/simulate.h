/* SPDX-License-Identifier: MIT
 * simulate.h -- a trace's own requests under other allocator settings.
 *
 *     struct simulation s;
 *     simulation_open(&s, model, replay, device, budget, err);   // also checks itself
 *     simulation_run(&s, "expandable_segments:True", &options, &run, err);
 *     run.peak_reserved.plain ...
 *
 * The self-check puts the requests to the model under the file's own settings: every address and
 * every block has to come out as in the file. Where it does not, runs are estimates.
 *
 * What a run depends on beside the settings: where the driver puts segments decides between free
 * blocks of equal size. Under the file's own settings the trace tells; else several placements are
 * tried and low and high say what they gave. Frees that waited for a stream end where they ended
 * in the trace. What lived before the trace is requested first, in the order of addresses.
 */
#ifndef ANALYZE_PASSES_SIMULATE_H
#define ANALYZE_PASSES_SIMULATE_H

#include "model/alloc_conf.h"
#include "passes/requests.h"

enum simulate_difference {
	DIFFERENCE_NONE,
	DIFFERENCE_ADDRESS,   /* an alloc's address: found is the model's */
	DIFFERENCE_OOM,       /* the model ran out of memory, the trace did not */
	DIFFERENCE_NO_OOM,    /* the trace ran out of memory, the model did not */
	DIFFERENCE_BLOCK,     /* a block at the end: size expected and found; 0: none there */
	DIFFERENCE_ALLOCS,    /* calls that got device memory, over the trace */
	DIFFERENCE_FREES,     /* calls that gave some back */
	DIFFERENCE_NOT_WHOLE, /* the state at the start is not known */
};

const char *simulate_difference_name(enum simulate_difference d);

struct simulate_check {
	bool ok;
	uint64_t events;   /* of the trace that were reproduced before the first difference */
	uint64_t n_allocs; /* addresses compared */
	enum simulate_difference kind;
	int64_t event;            /* of the first difference; the last one for those at the end */
	uint64_t address;         /* of the block concerned, or 0 */
	uint64_t expected, found; /* an address, bytes, or calls */
};

/* A figure by placement: the rising one, and the range of all. */
struct simulate_range {
	uint64_t plain, low, high;
};

struct simulate_oom {
	int64_t event;
	uint64_t requested;   /* bytes: of the alloc; of an oom event of the trace, rounded */
	uint64_t short_bytes; /* missing, all cached memory given back */
	bool in_trace;        /* the trace ran out here too */
	bool handled;         /* ... and went on with another request */
};

enum simulate_survival { SURVIVES_NO, SURVIVES_YES, SURVIVES_UNKNOWN };

#define SIMULATE_MAX_OOMS 64

struct simulate_run {
	struct budget *budget;         /* weak */
	char settings[ALLOC_CONF_BUF]; /* as asked for */
	struct alloc_settings conf;
	bool own;   /* the file's settings, with the trace's own addresses */
	bool exact; /* nothing is assumed: a checked model, a whole trace, no placement matters */
	unsigned placements;
	bool placement_matters;
	struct simulate_range peak_reserved, peak_allocated, device_allocs;
	uint64_t peak_active, peak_requested, end_reserved;
	uint64_t device_frees, retries;
	int64_t peak_event; /* when the peak of reserved bytes was reached first */
	int64_t reached;    /* the last event that the program came to */
	enum simulate_survival survives;
	struct simulate_oom ooms[SIMULATE_MAX_OOMS];
	size_t n_ooms; /* stored */
	uint64_t n_ooms_all;
	uint64_t passed;      /* oom events of the trace that did not happen */
	struct sim_loss loss; /* at peak_event */
	VEC(uint64_t) curve;  /* most reserved bytes in each stretch of the events */
};

/* What the driver itself takes changes with the number of segments: one of its reservations. A run
 * that comes closer to the end of the device's memory is not sure to fit. */
#define SIMULATE_MARGIN (UINT64_C(32) << 20)

#define SIMULATE_PLACEMENTS 18

struct simulate_options {
	uint64_t capacity;    /* device bytes for this process; BYTES_NONE: as the trace tells */
	double fraction;      /* of capacity that the process may take; 0: no limit */
	unsigned placements;  /* 0: SIMULATE_PLACEMENTS */
	unsigned columns;     /* of curves; 0: none */
	unsigned scale;       /* percent; 0 and 100: as they are */
	const uint8_t *fixed; /* weak; of each request: not scaled. NULL: none is */
	uint64_t margin; /* bytes of the device's room, where the trace tells it, left unused */
	bool no_loss;    /* leave `loss` out, which costs one more run */
};

struct simulation {
	struct budget *budget;     /* weak */
	const struct model *model; /* weak */
	struct requests requests;
	struct simulate_check check;
	uint64_t peak_live; /* the ideal: most requested bytes at once */
	uint64_t trace_peak_reserved;
};

/* `r` is the device's replay; its position changes. Errors: those of requests_run. */
int simulation_open(struct simulation *out, const struct model *m, struct replay *r,
		    const struct device *d, struct budget *budget, struct error *err);
void simulation_close(struct simulation *s);

/* Errors: ERR_USAGE for settings that PyTorch would refuse, and for a fraction without capacity;
 * ERR_LIMIT, ERR_NOMEM. */
int simulation_run(const struct simulation *s, const char *settings,
		   const struct simulate_options *o, struct simulate_run *out, struct error *err);
void simulate_run_release(struct simulate_run *r);

/* A sensible set of settings, ended by NULL; the first is the defaults. */
extern const char *const simulate_matrix[];

/* One setting that is better than the trace's own for certain: also in its worst placement. */
struct simulate_advice {
	char settings[ALLOC_CONF_BUF];
	uint64_t peak_reserved, peak_high; /* plain, and in the worst placement */
	uint64_t saves;                    /* at least, against the trace's own peak */
	int64_t extra_rounding;            /* more allocated bytes at the peak of allocated bytes */
	int64_t extra_device_allocs, extra_device_frees;
	bool rescues; /* the trace ran out of memory, this does not */
};

#define SIMULATE_MAX_ADVICE 4

/* Search the matrix. Best first; none when nothing is better beyond doubt, or when the self-check
 * fails. */
int simulation_advise(const struct simulation *s, const struct simulate_options *o,
		      struct simulate_advice advice[SIMULATE_MAX_ADVICE], size_t *n,
		      struct error *err);

/* What explain and frag use in place of a rule of thumb: false when the self-check fails. */
struct simulate_estimate {
	struct simulate_range peak_reserved;
	enum simulate_survival survives;
};

bool simulate_estimate(const struct simulation *s, const char *settings,
		       struct simulate_estimate *out);

#endif
