/* SPDX-License-Identifier: MIT
 * fake_spaces.c -- how the fake driver lays memory out: mappings with blocks in them.
 */
#include "tests/capture/fake_spaces.h"

#include <string.h>

#define ALIGN 512

static uint64_t chunk_of(const struct space *s, uint64_t addr)
{
	return (addr - s->base) / s->chunk_bytes;
}

/* The first place from `at` on where `size` bytes may lie. */
static uint64_t place_from(const struct space *s, uint64_t at, uint64_t size)
{
	if (s->spans || chunk_of(s, at) == chunk_of(s, at + size - 1))
		return at;
	return s->base + (chunk_of(s, at) + 1) * s->chunk_bytes;
}

static uint64_t unmapped(const struct space *s, uint64_t at, uint64_t size)
{
	uint64_t bytes = 0;

	for (uint64_t c = chunk_of(s, at); c <= chunk_of(s, at + size - 1); c++)
		bytes += s->mapped[c] ? 0 : s->chunk_bytes;
	return bytes;
}

uint64_t space_take(struct space *s, uint64_t size, uint64_t room, void *context)
{
	uint64_t at = s->base;
	unsigned i;

	size = size ? (size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
	for (i = 0; i < s->n; i++) {
		at = place_from(s, at, size);
		if (at + size <= s->blocks[i].addr)
			break;
		at = s->blocks[i].addr + s->blocks[i].size;
	}
	at = place_from(s, at, size);
	if (s->n == SPACE_BLOCKS || chunk_of(s, at + size - 1) >= SPACE_CHUNKS ||
	    unmapped(s, at, size) > room)
		return 0;
	memmove(&s->blocks[i + 1], &s->blocks[i], (s->n - i) * sizeof s->blocks[0]);
	s->blocks[i] = (struct space_block){.addr = at, .size = size, .context = context};
	s->n++;
	s->mapped_bytes += unmapped(s, at, size);
	for (uint64_t c = chunk_of(s, at); c <= chunk_of(s, at + size - 1); c++)
		s->mapped[c] = true;
	return at;
}

static unsigned find(const struct space *s, uint64_t addr)
{
	unsigned i = 0;

	while (i < s->n && s->blocks[i].addr != addr)
		i++;
	return i;
}

bool space_has(const struct space *s, uint64_t addr)
{
	return find(s, addr) < s->n;
}

bool space_give(struct space *s, uint64_t addr)
{
	unsigned i = find(s, addr);

	if (i == s->n)
		return false;
	memmove(&s->blocks[i], &s->blocks[i + 1], (s->n - i - 1) * sizeof s->blocks[0]);
	s->n--;
	return true;
}

void space_trim(struct space *s, uint64_t keep)
{
	bool used[SPACE_CHUNKS] = {false};

	for (unsigned i = 0; i < s->n; i++) {
		uint64_t last = s->blocks[i].addr + s->blocks[i].size - 1;

		for (uint64_t c = chunk_of(s, s->blocks[i].addr); c <= chunk_of(s, last); c++)
			used[c] = true;
	}
	for (unsigned c = SPACE_CHUNKS; c-- > 0 && s->mapped_bytes > keep;) {
		if (!s->mapped[c] || used[c])
			continue;
		s->mapped[c] = false;
		s->mapped_bytes -= s->chunk_bytes;
	}
}

void space_drop(struct space *s, const void *context)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < s->n; i++) {
		if (s->blocks[i].context != context)
			s->blocks[kept++] = s->blocks[i];
	}
	s->n = kept;
}
