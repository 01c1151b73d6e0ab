/* SPDX-License-Identifier: MIT
 * own_memory.h -- reads of this process's memory at addresses that may be gone.
 *
 * A direct read costs nothing and faults like any other; it is for what cannot go away meanwhile.
 * Any other read goes through the kernel, which answers EFAULT where nothing is mapped.
 */
#ifndef CAPTURE_OWN_MEMORY_H
#define CAPTURE_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can the kernel be asked at all? Some sandboxes forbid it. */
bool own_memory_works(void);

/* False when a part of it is not mapped; `out` is then undefined. */
bool own_memory_read(bool direct, uint64_t at, void *out, size_t n);

/* `n` pieces of `each` bytes at `at[i]` to `out + i * each`, asked for at once. All or nothing. */
#define OWN_MEMORY_PIECES 16
bool own_memory_gather(bool direct, const uint64_t *at, unsigned n, void *out, size_t each);

/* The pages last read, so that neighbours cost one call of the kernel together. */
struct own_memory_window {
	uint64_t at;
	size_t n;
	unsigned char bytes[4096];
};
bool own_memory_near(struct own_memory_window *w, bool direct, uint64_t at, void *out, size_t n);

#endif
