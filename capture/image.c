/* SPDX-License-Identifier: MIT
 * image.c -- a ring file as bytes: checked before anything is taken from it.
 */
#include "capture/image_private.h"

#include <string.h>

/* Does n * each lie inside the file from `offset` on? */
static bool inside(uint64_t file, uint64_t offset, uint64_t n, uint64_t each)
{
	return offset <= file && n <= (file - offset) / each;
}

static const char *check_header(struct ring_header *h, uint64_t n)
{
	if (memcmp(h->magic, RING_MAGIC, sizeof h->magic) != 0)
		return "not a ring file";
	if (h->endian != RING_ENDIAN)
		return "a ring file of a machine of the other byte order";
	if (h->version != RING_VERSION || h->slot_bytes != sizeof(struct ring_slot) ||
	    h->header_bytes != RING_HEADER_BYTES)
		return "a ring file of another version of the recorder";
	if (h->ring_records == 0 || h->ring_offset % 8 || h->table_offset % 8 ||
	    h->arena_offset % 8 ||
	    !inside(n, h->ring_offset, h->ring_records, sizeof(struct ring_slot)))
		return "a ring file that is cut or damaged";
	return NULL;
}

static void terminate(char *text, size_t n)
{
	text[n - 1] = '\0';
}

/* The newest unbroken run of whole events. */
static void find_events(struct ring_image *image)
{
	const struct ring_header *h = &image->header;
	struct ring_record r;
	uint64_t newest = 0, k;

	for (k = 0; k < h->ring_records; k++) {
		if (image_slot(image, h->ring_offset, k, &r) && r.seq % h->ring_records == k &&
		    r.seq > newest && r.seq < UINT64_MAX)
			newest = r.seq;
	}
	for (k = newest; k > 0 && newest - k < h->ring_records; k--) {
		if (!image_slot(image, h->ring_offset, k % h->ring_records, &r) || r.seq != k)
			break;
	}
	image->first_seq = k + 1;
	image->end_seq = newest + 1;
	image->wrapped = k > 0;
}

bool ring_image_open(struct ring_image *image, const void *bytes, size_t n, const char **why)
{
	struct ring_header *h = &image->header;

	memset(image, 0, sizeof *image);
	if (n < RING_HEADER_BYTES) {
		*why = "a ring file that is cut in its header";
		return false;
	}
	image->bytes = bytes;
	memcpy(h, bytes, sizeof *h);
	*why = check_header(h, n);
	if (*why)
		return false;
	/* What lies behind the ring may be missing: then less is told. */
	if (!inside(n, h->table_offset, h->table_slots, sizeof(struct ring_slot)))
		h->table_slots = 0;
	if (!inside(n, h->arena_offset, h->arena_bytes, 1))
		h->arena_bytes = h->arena_used = 0;
	if (h->arena_used > h->arena_bytes)
		h->arena_used = h->arena_bytes;
	if (h->arena_used / 8 > UINT32_MAX)
		h->arena_used = 0;
	h->arena_used &= ~UINT64_C(7);
	terminate(h->program, sizeof h->program);
	terminate(h->host, sizeof h->host);
	terminate(h->front_end, sizeof h->front_end);
	find_events(image);
	return true;
}

bool image_slot(const struct ring_image *image, uint64_t offset, uint64_t k,
		struct ring_record *out)
{
	struct ring_slot s;

	memcpy(&s, image->bytes + offset + k * sizeof s, sizeof s);
	if (s.r.seq == 0 || s.check != ring_check(&s.r, s.r.seq))
		return false;
	if (s.r.act < ACT_ALLOC || s.r.act > ACT_OOM || s.r.kind == 0 || s.r.kind >= KIND_COUNT ||
	    s.r.device < -1 || s.r.device >= RING_DEVICES)
		return false;
	*out = s.r;
	return true;
}

const unsigned char *image_arena(const struct ring_image *image, uint32_t id, enum arena_tag tag,
				 uint32_t *n)
{
	uint64_t at = (uint64_t)id * 8, left, each, used = image->header.arena_used;
	struct arena_head head;

	if (id == 0 || at > used || used - at < sizeof head)
		return NULL;
	memcpy(&head, image->bytes + image->header.arena_offset + at, sizeof head);
	left = used - at - sizeof head;
	each = tag == ARENA_STRING   ? 1
	       : tag == ARENA_STACK  ? 8
	       : tag == ARENA_PYTHON ? sizeof(struct arena_python)
				     : sizeof(struct arena_module);
	if (head.tag != (uint32_t)tag || head.n > left / each)
		return NULL;
	*n = head.n;
	return image->bytes + image->header.arena_offset + at + sizeof head;
}

/* ---- sorting, without memory ---- */

static void swap(unsigned char *a, unsigned char *b, size_t each)
{
	for (size_t i = 0; i < each; i++) {
		unsigned char t = a[i];

		a[i] = b[i];
		b[i] = t;
	}
}

static void sift(unsigned char *at, size_t i, size_t n, size_t each,
		 int (*compare)(const void *a, const void *b))
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			return;
		if (child + 1 < n && compare(at + child * each, at + (child + 1) * each) < 0)
			child++;
		if (compare(at + i * each, at + child * each) >= 0)
			return;
		swap(at + i * each, at + child * each, each);
		i = child;
	}
}

void image_sort(void *array, size_t n, size_t each, int (*compare)(const void *a, const void *b))
{
	unsigned char *at = array;

	for (size_t i = n / 2; i-- > 0;)
		sift(at, i, n, each, compare);
	for (size_t last = n; last-- > 1;) {
		swap(at, at + last * each, each);
		sift(at, 0, last, each, compare);
	}
}
