/* SPDX-License-Identifier: MIT
 * fake_spaces.h -- how the fake driver lays memory out: mappings with blocks in them.
 *
 * A space keeps blocks first-fit in chunks of one size, as the driver does: small cuMemAllocs share
 * chunks of 2 MiB that go when they are empty, a pool has chunks of 32 MiB that stay until a
 * synchronisation trims it. The caller has the lock.
 */
#ifndef TESTS_CAPTURE_FAKE_SPACES_H
#define TESTS_CAPTURE_FAKE_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPACE_BLOCKS 4096
#define SPACE_CHUNKS 1024

struct space {
	uint64_t base, chunk_bytes;
	bool spans; /* a block may lie in several chunks */
	unsigned n;
	struct space_block {
		uint64_t addr, size; /* size: a multiple of 512 */
		void *context;
	} blocks[SPACE_BLOCKS];
	bool mapped[SPACE_CHUNKS];
	uint64_t mapped_bytes;
};

/* Where, or 0 when there is no room. At most `room` bytes may be mapped for it. */
uint64_t space_take(struct space *s, uint64_t size, uint64_t room, void *context);
bool space_give(struct space *s, uint64_t addr);
/* Unmap empty chunks while more than `keep` bytes are mapped. */
void space_trim(struct space *s, uint64_t keep);
/* Does a block begin there? */
bool space_has(const struct space *s, uint64_t addr);
/* Every block of a context goes. */
void space_drop(struct space *s, const void *context);

#endif
