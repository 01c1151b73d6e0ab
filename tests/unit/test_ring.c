/* SPDX-License-Identifier: MIT
 * test_ring.c -- ring files of the recorder as input: whole, cut anywhere, damaged anywhere.
 */
#include "capture/format.h"
#include "model/model.h"
#include "tests/lib/tap.h"

/* The bytes of testdata's ring. */
static uint8_t *ring_bytes(size_t *n)
{
	struct budget budget = {.limit = UINT64_MAX};
	const char *folder = getenv("TESTDATA");
	char path[1000];
	struct error err;
	struct input *in;
	uint8_t *bytes = NULL;

	*n = 0;
	snprintf(path, sizeof path, "%s/recorded.ring.zst", folder ? folder : "testdata");
	if (input_open(&in, path, &budget, &err) < 0)
		return NULL;
	while (input_peek(in, 1, &err) == 0 && in->at < in->end) {
		size_t k = (size_t)(in->end - in->at);

		bytes = realloc(bytes, *n + k);
		memcpy(bytes + *n, in->at, k);
		*n += k;
		in->at += k;
	}
	input_close(in);
	return bytes;
}

/* Load; true when that went by the rules: a model that passes its check, or an error with words. */
static bool loads(const uint8_t *bytes, size_t n, uint64_t limit, bool *loaded)
{
	struct budget budget = {.limit = limit};
	struct model_options options = {.budget = &budget};
	struct error err = {0};
	struct model *m;
	int rc = model_load_bytes(&m, bytes, n, "x.ring", &options, &err);
	bool good;

	*loaded = rc == 0;
	if (rc == 0) {
		good = model_check(m, &err) == 0;
		model_free(m);
	} else {
		good = rc == (int)err.code && *err.text;
	}
	if (!good || budget.used)
		diag("%d %s, %llu bytes kept", rc, err.text, (unsigned long long)budget.used);
	return good && budget.used == 0;
}

static void test_whole(const uint8_t *bytes, size_t n)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	struct error err = {0};
	struct model *m;

	if (!ok(model_load_bytes(&m, bytes, n, "x.ring", &options, &err) == 0, "a ring is read"))
		return;
	is_u64(m->format, CONTAINER_RING, "as what it is");
	is_i64(m->pickle_protocol, -1, "and no pickle");
	is_str(m->writer, "vramscope record", "its writer");
	is_u64(m->devices.n, 3, "two devices and the host");
	is_u64(m->segments.n, 7, "segments");
	is_u64(m->blocks.n, 12, "blocks: two maps share a segment, and mappings have gaps");
	ok(m->capture_value != NULL, "what the recorder adds");
	model_free(m);
	is_u64(budget.used, 0, "all memory is given back");
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* One byte of the header, of a used slot, or of the arena. */
static size_t place(unsigned *state, const struct ring_header *h)
{
	switch (next_random(state) % 4) {
	case 0:
		return next_random(state) % 160;
	case 1:
		return h->ring_offset + next_random(state) % (20 * sizeof(struct ring_slot));
	default:
		return h->arena_offset + next_random(state) % h->arena_used;
	}
}

static void test_damaged(const uint8_t *whole, size_t n)
{
	struct ring_header h;
	uint8_t *bytes = malloc(n);
	unsigned state = 5, bad = 0, whole_ones = 0, tried = 0;
	bool loaded;

	memcpy(&h, whole, sizeof h);
	memcpy(bytes, whole, n);
	for (int i = 0; i < 400; i++) {
		size_t at[3];

		for (int k = 0; k < 3; k++) {
			at[k] = place(&state, &h);
			bytes[at[k]] = (uint8_t)next_random(&state);
		}
		if (tests_wanted((size_t)i, 4)) {
			tried++;
			bad += !loads(bytes, n, UINT64_C(1) << 28, &loaded);
			whole_ones += loaded;
		}
		for (int k = 0; k < 3; k++)
			bytes[at[k]] = whole[at[k]];
	}
	is_u64(bad, 0, "%u damaged rings: a model or words", tried);
	ok(whole_ones > tried / 8, "%u of them are still read", whole_ones);
	free(bytes);
}

int main(void)
{
	static const size_t cuts[] = {8, 9, 4095, 4096, 4200, 9000, 20000, 80000, 90000};
	size_t n;
	uint8_t *bytes = ring_bytes(&n);
	unsigned bad = 0;
	bool loaded;

	if (!ok(bytes && n > 100000, "the ring of testdata"))
		return done_testing();
	test_whole(bytes, n);
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		/* A copy of its own size: reading behind it shows. */
		uint8_t *cut = malloc(cuts[i]);

		memcpy(cut, bytes, cuts[i]);
		bad += !loads(cut, cuts[i], UINT64_C(1) << 28, &loaded);
		free(cut);
	}
	is_u64(bad, 0, "cut rings: a model or words");
	ok(loads(bytes, n, 100000, &loaded) && !loaded, "the limit on memory holds");
	test_damaged(bytes, n);
	free(bytes);
	return done_testing();
}
