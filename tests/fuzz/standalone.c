/* SPDX-License-Identifier: MIT
 * standalone.c -- runs a fuzz target over files without libFuzzer, as an ordinary TAP test.
 *
 *     fuzz_pickle [FILE | FOLDER] ...     (none: $TESTDATA, and tests/fuzz/corpus/pickle if there)
 *
 * Each file is given to the target as it lies, decoded when it is gzip or zstd, and then in damaged
 * forms: cut short, bytes changed, pieces repeated. The damage follows from the file's bytes, so
 * that a failure comes again. A target that returns has passed; it aborts when a property fails.
 * The last input of a run that died is what stands behind "# input" in its log.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/tap.h"

/* Decoded data behind this many bytes is left out: these are tests, not bombs. */
#define MAX_BYTES (8u << 20)

enum { DAMAGED_FORMS = 60, DAMAGED_FORMS_QUICK = 12 };

struct bytes {
	uint8_t *at;
	size_t n;
};

/* xorshift64*: any generator would do, as long as it is the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static void run_on(const uint8_t *at, size_t n)
{
	/* An allocation of exactly n bytes: reading one byte too far shows under ASan. */
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		exit(1);
	memcpy(copy, at, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void run_damaged(const struct bytes *b, int forms)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15) ^ b->n;
	uint8_t *copy = malloc(2 * b->n + 1);

	if (!copy)
		exit(1);
	for (int form = 0; form < forms; form++) {
		size_t n = b->n;

		memcpy(copy, b->at, n);
		switch (form % 3) {
		case 0:
			n = next_random(&state) % n;
			break;
		case 1:
			for (uint64_t k = 1 + next_random(&state) % 8; k; k--)
				copy[next_random(&state) % n] = (uint8_t)next_random(&state);
			break;
		case 2: {
			size_t from = next_random(&state) % n;
			size_t length = next_random(&state) % (n - from) + 1;
			size_t to = next_random(&state) % n;

			memmove(copy + to + length, copy + to, n - to);
			memcpy(copy + to, b->at + from, length);
			n += length;
			break;
		}
		}
		/* libFuzzer has sanitizers and goes on from the same files. */
		if (tests_wanted((size_t)form, 4))
			run_on(copy, n);
	}
	free(copy);
}

static bool read_file(const char *path, struct bytes *out)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	bool good = false;

	if (f && fstat(fileno(f), &st) == 0 && st.st_size <= MAX_BYTES) {
		out->n = (size_t)st.st_size;
		out->at = malloc(out->n + 1);
		good = out->at && fread(out->at, 1, out->n, f) == out->n;
	}
	if (f)
		fclose(f);
	return good;
}

/* What `raw` decodes to, as far as it does. */
static bool decode(const struct bytes *raw, struct bytes *out)
{
	struct budget budget = {.limit = 64u << 20};
	struct input *in = NULL;
	struct error err;

	if (input_open_bytes(&in, raw->at, raw->n, &budget, &err) < 0)
		return false;
	out->at = malloc(MAX_BYTES);
	out->n = 0;
	while (out->at && out->n < MAX_BYTES && input_peek(in, 1, &err) == 0 && in->at < in->end) {
		size_t n = (size_t)(in->end - in->at);

		n = n < MAX_BYTES - out->n ? n : MAX_BYTES - out->n;
		memcpy(out->at + out->n, in->at, n);
		out->n += n;
		in->at += n;
	}
	input_close(in);
	return out->at != NULL;
}

static void run_file(const char *path)
{
	int forms = tests_quick() ? DAMAGED_FORMS_QUICK : DAMAGED_FORMS;
	struct bytes raw = {0}, plain = {0};

	printf("# input %s\n", path);
	fflush(stdout);
	if (!read_file(path, &raw)) {
		skip("%s is too large or unreadable", path);
		goto out;
	}
	run_on(raw.at, raw.n);
	if (raw.n)
		run_damaged(&raw, forms);
	if (decode(&raw, &plain) && (plain.n != raw.n || memcmp(plain.at, raw.at, raw.n) != 0)) {
		run_on(plain.at, plain.n);
		if (plain.n)
			run_damaged(&plain, forms);
	}
	ok(true, "%s", path);
out:
	free(raw.at);
	free(plain.at);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_path(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, by_name);

	if (n < 0 && errno == ENOTDIR) {
		run_file(path);
		return;
	}
	if (n < 0)
		ok(false, "cannot read %s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *inner;

		if (names[i]->d_name[0] != '.' &&
		    asprintf(&inner, "%s/%s", path, names[i]->d_name) > 0) {
			run_path(inner);
			free(inner);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* tests/fuzz/corpus/NAME of a target called fuzz_NAME. */
static void run_own_corpus(const char *program)
{
	const char *top = getenv("TOP_SRCDIR");
	const char *name = strstr(program, "fuzz_");
	char *path;

	while (name && strstr(name + 1, "fuzz_"))
		name = strstr(name + 1, "fuzz_");
	if (!name ||
	    asprintf(&path, "%s/tests/fuzz/corpus/%s", top ? top : ".", name + strlen("fuzz_")) < 0)
		return;
	if (access(path, R_OK) == 0)
		run_path(path);
	free(path);
}

int main(int argc, char **argv)
{
	const char *dir = getenv("TESTDATA");

	run_on((const uint8_t *)"", 0);
	if (argc < 2) {
		run_own_corpus(argv[0]);
		run_path(dir ? dir : "testdata");
	}
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	return done_testing();
}
