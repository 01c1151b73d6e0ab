/* SPDX-License-Identifier: MIT
 * ledger.h -- the books of a recording: each event appended, and what lives kept in step with it.
 *
 * A block that lies in a mapping of the driver comes after the mapping and goes before it, so that a
 * reader finds it inside a segment at any moment. Nothing here locks: the recorder's one lock is held by
 * whoever calls.
 */
#ifndef CAPTURE_LEDGER_H
#define CAPTURE_LEDGER_H

#include "capture/holdings.h"
#include "capture/ring.h"

struct ledger {
	struct ring ring;
	struct holdings holdings;
	uint64_t live_bytes; /* of allocations on devices, as they were asked for */
};

/* The mapping in which a block begins; further ones of the same size follow it. bytes 0: unknown. */
struct driver_mapping {
	uint64_t base, bytes;
	uint64_t pool; /* that keeps it when it is empty, or 0 */
};

#define LEDGER_GONE_MAX 64

/* What one call freed, in this order: to be taken back when the call fails. What is more than that
 * stays gone. */
struct ledger_gone {
	unsigned n;
	uint64_t pool; /* of the last block, or 0 */
	struct ring_record r[LEDGER_GONE_MAX];
};

/* False, with the reason in `why`. */
bool ledger_open(struct ledger *l, const char *path, uint64_t events, char *why, size_t why_bytes);
/* The ring file stays, and says that recording ended. */
void ledger_close(struct ledger *l);
/* Forget all without touching the file: it is another process's. */
void ledger_abandon(struct ledger *l);

/* `r` has all but seq and check. `m` may be NULL. */
void ledger_alloc(struct ledger *l, struct ring_record *r, const struct driver_mapping *m);
/* `alive`, a copy of what lives, goes. `gone` may be NULL. */
void ledger_free(struct ledger *l, const struct ring_record *alive, uint32_t stack, int64_t time_us,
		 struct ledger_gone *gone);
void ledger_unfree(struct ledger *l, const struct ledger_gone *gone, int64_t time_us);
/* A handle that lives has one owner more. */
void ledger_retain(struct ledger *l, uint64_t handle, int64_t time_us);
void ledger_oom(struct ledger *l, struct ring_record *r);

/* A pool holds so many bytes: of what is empty, it has given back what is too much. */
void ledger_pool(struct ledger *l, uint64_t pool, uint64_t reserved_bytes, int64_t time_us);
/* A pool gives back what is empty now, and the rest when it gets empty. */
void ledger_pool_destroyed(struct ledger *l, uint64_t pool, int64_t time_us);

#endif
