/* SPDX-License-Identifier: MIT
 * probe_fold.h -- a fold for any data, however large: checks what a decoder hands it, keeps a hash.
 *
 * A container is one hash of its items in order, whatever the batches. Lists grow in place, as a
 * loader's do; so do dicts whose first key is no string. A decoder that hands over a cell of its
 * own, an id out of range or a container that changes after it was used ends the program: that is
 * a bug wherever the bytes came from.
 */
#ifndef TESTS_LIB_PROBE_FOLD_H
#define TESTS_LIB_PROBE_FOLD_H

#include "decode/pickle.h"

struct probe_row {
	uint64_t hash;
	bool used; /* is part of another container */
	uint8_t kind;
};

struct probe {
	struct budget budget;
	struct strtab strings;
	struct cells cells;
	struct fold fold;
	VEC(struct probe_row) rows;
	uint64_t last_offset;
	uint64_t n_calls;
};

int probe_init(struct probe *p, uint64_t limit, struct error *err);
void probe_release(struct probe *p);

/* Equal for equal data; also checks the cell. */
uint64_t probe_hash(const struct probe *p, cell c);

/* All that a reading tells, in one number: answer, root, damage and where it is, protocol, ends.
 * Reads `step` bytes at a time when it is not 0. Budget of `limit` bytes; all of it must come
 * back. */
uint64_t probe_pickle(const void *bytes, size_t n, size_t step, uint64_t limit);

#endif
