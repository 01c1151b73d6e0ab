/* SPDX-License-Identifier: MIT
 * python_names.c -- Python frames as entries of a ring's arena, each text read once.
 */
#include "capture/python_names.h"

#include <sys/mman.h>

struct python_names *python_names_new(void)
{
	void *at = mmap(NULL, sizeof(struct python_names), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void python_names_free(struct python_names *names)
{
	if (names)
		munmap(names, sizeof *names);
}

static bool same(const struct python_frame *a, const struct python_frame *b)
{
	return a->code == b->code && a->offset == b->offset && a->file == b->file &&
	       a->name == b->name && a->contents == b->contents && a->lines == b->lines &&
	       a->first_line == b->first_line;
}

static uint32_t read_frame(struct python_names *names, struct ring *ring,
			   const struct python_frame *frame)
{
	struct python_text text;
	uint32_t file, name;

	if (!python_frames_text(frame, &text, names->table, sizeof names->table))
		return 0;
	file = ring_string(ring, text.file, text.file_bytes);
	name = ring_string(ring, text.name, text.name_bytes);
	return file && name ? ring_python(ring, file, name, text.line) : 0;
}

uint32_t python_names_id(struct python_names *names, struct ring *ring,
			 const struct python_frame *frame)
{
	uint64_t place = ring_mix(ring_mix(frame->code, frame->offset), 1) % PYTHON_NAMES;

	if (names->seen[place].id && same(&names->seen[place].frame, frame))
		return names->seen[place].id;
	uint32_t id = read_frame(names, ring, frame);
	if (id) {
		names->seen[place].frame = *frame;
		names->seen[place].id = id;
	}
	return id;
}
