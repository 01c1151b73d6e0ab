/* SPDX-License-Identifier: MIT
 * scan.c -- walk the opcodes of a pickle and do nothing with them: the floor for any reader.
 *
 *     scan FILE            (plain, gzip or zstd)
 *
 * Prints the number of opcodes and the nanoseconds for each, reading included.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/input.h"

enum form { BARE, LINE, LINES2, SIZE1, SIZE4, SIZE8, FIXED1, FIXED2, FIXED4, FIXED8 };

/* Argument of each opcode (pickletools.py of CPython 3.12); those not named have none. */
static const uint8_t forms[256] = {
	['F'] = LINE,    ['I'] = LINE,    ['L'] = LINE,    ['S'] = LINE,    ['V'] = LINE,
	['P'] = LINE,    ['g'] = LINE,    ['p'] = LINE,    ['c'] = LINES2,  ['i'] = LINES2,
	['K'] = FIXED1,  ['h'] = FIXED1,  ['q'] = FIXED1,  [0x80] = FIXED1, [0x82] = FIXED1,
	['M'] = FIXED2,  [0x83] = FIXED2, ['J'] = FIXED4,  ['j'] = FIXED4,  ['r'] = FIXED4,
	[0x84] = FIXED4, ['G'] = FIXED8,  [0x95] = FIXED8, ['U'] = SIZE1,   ['C'] = SIZE1,
	[0x8c] = SIZE1,  [0x8a] = SIZE1,  ['T'] = SIZE4,   ['B'] = SIZE4,   ['X'] = SIZE4,
	[0x8b] = SIZE4,  [0x8d] = SIZE8,  [0x8e] = SIZE8,  [0x96] = SIZE8,
};

static int skip_line(struct input *in, struct error *err)
{
	for (;;) {
		const uint8_t *end = memchr(in->at, '\n', (size_t)(in->end - in->at));

		if (end) {
			in->at = end + 1;
			return 0;
		}
		in->at = in->end;
		if (input_need(in, 1, err) < 0)
			return err->code;
	}
}

static int skip_bytes(struct input *in, uint64_t n, struct error *err)
{
	while (n > (uint64_t)(in->end - in->at)) {
		n -= (uint64_t)(in->end - in->at);
		in->at = in->end;
		if (input_need(in, 1, err) < 0)
			return err->code;
	}
	in->at += n;
	return 0;
}

static int skip_sized(struct input *in, unsigned width, struct error *err)
{
	uint64_t n = 0;

	memcpy(&n, in->at, width); /* little endian, as pickles are */
	in->at += width;
	return skip_bytes(in, n, err);
}

static int scan(struct input *in, uint64_t *count, struct error *err)
{
	int rc = 0;

	for (*count = 0; rc == 0; ++*count) {
		uint8_t op;

		if (in->end - in->at < 16 && input_peek(in, 16, err) < 0)
			return err->code;
		if (in->at == in->end)
			return error_set(err, ERR_CUT, input_offset(in), "no STOP");
		op = *in->at++;
		if (op == '.')
			return 0;
		switch ((enum form)forms[op]) {
		case BARE:
			break;
		case LINES2:
			rc = skip_line(in, err);
			if (rc == 0)
				rc = skip_line(in, err);
			break;
		case LINE:
			rc = skip_line(in, err);
			break;
		case SIZE1:
			rc = skip_sized(in, 1, err);
			break;
		case SIZE4:
			rc = skip_sized(in, 4, err);
			break;
		case SIZE8:
			rc = skip_sized(in, 8, err);
			break;
		case FIXED1:
			in->at += 1;
			break;
		case FIXED2:
			in->at += 2;
			break;
		case FIXED4:
			in->at += 4;
			break;
		case FIXED8:
			in->at += 8;
			break;
		}
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct timespec from, to;
	struct input *in = NULL;
	struct error err;
	uint64_t count;
	double ns;

	if (argc != 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (input_open(&in, argv[1], &budget, &err) < 0 || scan(in, &count, &err) < 0) {
		fprintf(stderr, "scan: '%s': %s\n", argv[1], err.text);
		input_close(in);
		return 3;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	input_close(in);
	ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
	printf("%" PRIu64 " opcodes, %.2f ns each\n", count, ns / (double)count);
	return 0;
}
