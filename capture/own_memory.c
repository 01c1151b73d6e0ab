/* SPDX-License-Identifier: MIT
 * own_memory.c -- reads of this process's memory at addresses that may be gone.
 */
#include "capture/own_memory.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u

static bool ask_kernel(const struct iovec *to, const struct iovec *from, unsigned n, size_t bytes)
{
	return process_vm_readv(getpid(), to, n, from, n, 0) == (ssize_t)bytes;
}

bool own_memory_read(bool direct, uint64_t at, void *out, size_t n)
{
	struct iovec from = {(void *)(uintptr_t)at, n}, to = {out, n};

	if (!direct)
		return ask_kernel(&to, &from, 1, n);
	memcpy(out, (const void *)(uintptr_t)at, n);
	return true;
}

bool own_memory_works(void)
{
	const uint32_t there = 0x1234567;
	uint32_t copy = 0;

	return own_memory_read(false, (uintptr_t)&there, &copy, sizeof copy) && copy == there;
}

bool own_memory_gather(bool direct, const uint64_t *at, unsigned n, void *out, size_t each)
{
	struct iovec from[OWN_MEMORY_PIECES], to[OWN_MEMORY_PIECES];
	char *next = out;

	for (unsigned i = 0; i < n; i++, next += each) {
		from[i] = (struct iovec){(void *)(uintptr_t)at[i], each};
		to[i] = (struct iovec){next, each};
		if (direct)
			memcpy(next, from[i].iov_base, each);
	}
	return direct || ask_kernel(to, from, n, n * each);
}

bool own_memory_near(struct own_memory_window *w, bool direct, uint64_t at, void *out, size_t n)
{
	uint64_t page = at & ~(uint64_t)(PAGE - 1);

	if (direct || at - page + n > PAGE)
		return own_memory_read(direct, at, out, n);
	if (w->n == 0 || w->at != page) {
		w->n = 0;
		if (!own_memory_read(false, page, w->bytes, PAGE))
			return false;
		w->at = page;
		w->n = PAGE;
	}
	memcpy(out, w->bytes + (at - page), n);
	return true;
}
