/* SPDX-License-Identifier: MIT
 * mk_snapshot.h -- descriptions (mk_pickle.h) of snapshots, and models of them.
 */
#ifndef TESTS_LIB_MK_SNAPSHOT_H
#define TESTS_LIB_MK_SNAPSHOT_H

#include "model/model.h"
#include "tests/lib/mk_pickle.h"

struct loaded {
	struct budget budget;
	struct model *m; /* NULL after a failure */
	int rc;
	struct error err;
};

/* Load bytes, or a description in a dialect; model_check has passed on what comes out. */
void load_bytes(struct loaded *l, const void *bytes, size_t n, uint64_t limit);
void load_text(struct loaded *l, enum mk_dialect dialect, const char *description);
/* False when something of the budget was not given back. */
bool loaded_release(struct loaded *l);

/* One snapshot with everything the newest PyTorch writes, two devices and a host. */
extern const char snapshot_newest[];

#endif
