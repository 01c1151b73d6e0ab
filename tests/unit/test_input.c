/* SPDX-License-Identifier: MIT
 * test_input.c -- the window over plain, gzip and zstd data: whole, joined, cut, damaged, limited.
 */
#include "base/input.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/lib/tap.h"

/* Longer than several windows, and not divisible by anything. */
#define DATA_BYTES ((size_t)1200007)

/* The words of an end that is no fault of the file. */
#define CLEAN "the input ends before its data does"

struct buffer {
	uint8_t *at;
	size_t n;
};

static struct budget budget = {.limit = UINT64_MAX};
static uint8_t data[DATA_BYTES];

/* Compressible, but not so well that a frame has few blocks. */
static void fill_data(void)
{
	uint32_t x = 1;

	for (size_t i = 0; i < DATA_BYTES; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (uint8_t)(x >> 24 & (x >> 20 & 64 ? 0xff : 0x0f));
	}
}

static void buffer_add(struct buffer *b, const void *bytes, size_t n)
{
	b->at = realloc(b->at, b->n + n + 1);
	if (!b->at)
		exit(1);
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

static void add_gzip(struct buffer *b, const uint8_t *bytes, size_t n)
{
	z_stream z = {0};
	size_t room = n + n / 100 + 1000;
	uint8_t *out = malloc(room);

	if (!out || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		exit(1);
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		exit(1);
	buffer_add(b, out, room - z.avail_out);
	deflateEnd(&z);
	free(out);
}

/* One frame; `pledged` = the head tells the content's size. */
static void add_zstd(struct buffer *b, const uint8_t *bytes, size_t n, int window_log, bool pledged)
{
	size_t room = ZSTD_compressBound(n);
	uint8_t *out = malloc(room);
	ZSTD_CCtx *c = ZSTD_createCCtx();

	if (!out || !c)
		exit(1);
	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, pledged);
	if (window_log)
		ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
	ZSTD_outBuffer o = {out, room, 0};
	ZSTD_inBuffer i = {bytes, n, 0};
	if (pledged)
		ZSTD_CCtx_setPledgedSrcSize(c, n);
	/* Ending at once would tell the library the size: it would choose a smaller window. */
	while (!pledged && i.pos < i.size)
		ZSTD_compressStream2(c, &o, &i, ZSTD_e_continue);
	while (ZSTD_compressStream2(c, &o, &i, ZSTD_e_end) != 0)
		;
	buffer_add(b, out, o.pos);
	ZSTD_freeCCtx(c);
	free(out);
}

/* Reads in steps of `step` bytes and compares with data; *end = how it ended, *got = how far it was
 * right. */
static void read_all(struct input *in, size_t step, uint64_t *got, struct error *end)
{
	*got = 0;
	*end = (struct error){0};
	for (;;) {
		int rc = input_need(in, step, end);
		size_t n = rc == 0 ? step : (size_t)(in->end - in->at);

		if (input_offset(in) != *got || *got + n > DATA_BYTES ||
		    memcmp(in->at, data + *got, n) != 0)
			return;
		in->at += n;
		*got += n;
		if (rc < 0)
			return;
	}
}

static void check_bytes(const struct buffer *b, enum compression compression, uint64_t want,
			enum err_code code, const char *words, const char *name)
{
	static const size_t steps[] = {1, 4096, 65537, 300000};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct input *in;
		struct error err = {0};
		uint64_t got;

		if (!is_i64(input_open_bytes(&in, b->at, b->n, &budget, &err), 0, "%s opens", name))
			return;
		is_u64(in->compression, compression, "%s: compression", name);
		is_u64(input_raw_size(in), b->n, "%s: size as it lies", name);
		read_all(in, steps[i], &got, &err);
		is_u64(got, want, "%s: right bytes in steps of %zu", name, steps[i]);
		is_i64(err.code, code, "%s: the end's code", name);
		is_str(err.text, words, "%s: the end's words", name);
		is_u64(err.offset, want, "%s: the end's offset", name);
		is_i64(input_need(in, 1, &err), code, "%s: the end stays", name);
		is_i64(input_peek(in, 1, &err), strcmp(words, CLEAN) ? (int)code : 0,
		       "%s: peeking at the end", name);
		if (strcmp(words, CLEAN) == 0)
			is_u64(input_raw_offset(in), b->n, "%s: all was consumed", name);
		is_u64(input_raw_count(in), b->n, "%s: as many bytes as there are", name);
		input_close(in);
		is_u64(budget.used, 0, "%s: all is given back", name);
	}
}

static void test_plain(void)
{
	struct buffer b = {0};

	buffer_add(&b, data, DATA_BYTES);
	check_bytes(&b, COMPRESSION_NONE, DATA_BYTES, ERR_CUT, CLEAN, "plain");
	b.n = 0;
	check_bytes(&b, COMPRESSION_NONE, 0, ERR_CUT, CLEAN, "empty");
	free(b.at);
}

static void test_gzip(void)
{
	struct buffer b = {0}, two = {0};
	static const uint8_t zeros[700];

	add_gzip(&b, data, DATA_BYTES);
	check_bytes(&b, COMPRESSION_GZIP, DATA_BYTES, ERR_CUT, CLEAN, "gzip");
	add_gzip(&two, data, 500000);
	size_t first = two.n;
	add_gzip(&two, data + 500000, 0);
	add_gzip(&two, data + 500000, DATA_BYTES - 500000);
	check_bytes(&two, COMPRESSION_GZIP, DATA_BYTES, ERR_CUT, CLEAN, "three gzip members");
	buffer_add(&two, zeros, sizeof zeros);
	check_bytes(&two, COMPRESSION_GZIP, DATA_BYTES, ERR_CUT, CLEAN, "zero padding");
	buffer_add(&two, "tail", 4);
	check_bytes(&two, COMPRESSION_GZIP, DATA_BYTES, ERR_FORMAT,
		    "bytes after the gzip data that are neither padding nor gzip", "a tail");
	two.n = first + 1;
	two.at[first] = 0x1f;
	check_bytes(&two, COMPRESSION_GZIP, 500000, ERR_CUT, "the gzip data ends early",
		    "cut in the second magic");
	two.n = first - 1;
	check_bytes(&two, COMPRESSION_GZIP, 500000, ERR_CUT, "the gzip data ends early",
		    "cut in the trailer");
	two.n = first;
	two.at[first - 8] ^= 1;
	check_bytes(&two, COMPRESSION_GZIP, 500000, ERR_FORMAT,
		    "the gzip data does not decode (incorrect data check)", "a wrong CRC");
	two.at[first - 8] ^= 1;
	two.at[2] = 7;
	check_bytes(&two, COMPRESSION_GZIP, 0, ERR_FORMAT,
		    "the gzip data does not decode (unknown compression method)",
		    "an unknown method");
	free(b.at);
	free(two.at);
}

/* Whatever the place of the cut: what comes is right, never less for more bytes, and the end is a
 * cut. */
static void test_cut_anywhere(const struct buffer *b, const char *name)
{
	uint64_t before = 0;
	bool right = true, rising = true, cut = true;

	for (size_t n = 40; n < b->n; n += 997) {
		struct input *in;
		struct error err;
		uint64_t got;

		if (input_open_bytes(&in, b->at, n, &budget, &err) < 0) {
			right = false;
			break;
		}
		read_all(in, 1000, &got, &err);
		cut &= err.code == ERR_CUT && strcmp(err.text, CLEAN) != 0;
		right &= in->at == in->end;
		rising &= got >= before;
		before = got;
		input_close(in);
	}
	ok(right && cut && rising, "%s: cut anywhere", name);
	ok(before > DATA_BYTES * 8 / 10, "%s: the last cut leaves most of it", name);
}

static void test_zstd(void)
{
	struct buffer b = {0}, two = {0}, cut = {0};
	static const uint8_t zeros[700];
	static const uint8_t note[] = {0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};

	add_zstd(&b, data, DATA_BYTES, 0, true);
	check_bytes(&b, COMPRESSION_ZSTD, DATA_BYTES, ERR_CUT, CLEAN, "zstd");
	test_cut_anywhere(&b, "zstd");
	b.at[b.n - 1] ^= 1;
	check_bytes(&b, COMPRESSION_ZSTD, DATA_BYTES, ERR_FORMAT,
		    "the zstd data does not decode (Restored data doesn't match checksum)",
		    "a wrong checksum");
	buffer_add(&two, note, sizeof note);
	add_zstd(&two, data, 500000, 0, false);
	size_t first = two.n;
	buffer_add(&two, note, sizeof note);
	add_zstd(&two, data, 0, 0, true);
	add_zstd(&two, data + 500000, DATA_BYTES - 500000, 17, false);
	buffer_add(&two, note, sizeof note);
	check_bytes(&two, COMPRESSION_ZSTD, DATA_BYTES, ERR_CUT, CLEAN, "three frames and notes");
	buffer_add(&two, zeros, sizeof zeros);
	check_bytes(&two, COMPRESSION_ZSTD, DATA_BYTES, ERR_CUT, CLEAN, "zero padding");
	buffer_add(&two, "tail", 4);
	check_bytes(&two, COMPRESSION_ZSTD, DATA_BYTES, ERR_FORMAT,
		    "bytes after the zstd data that are neither padding nor zstd", "a tail");
	for (size_t extra = 1; extra < sizeof note; extra++) {
		cut.n = 0;
		buffer_add(&cut, two.at, first + extra);
		if (extra < 4)
			continue;
		check_bytes(&cut, COMPRESSION_ZSTD, 500000, ERR_CUT, "the zstd data ends early",
			    "cut in a note");
	}
	cut.n = 0;
	buffer_add(&cut, two.at, first);
	buffer_add(&cut, "\x28\xb5\x2f", 3);
	check_bytes(&cut, COMPRESSION_ZSTD, 500000, ERR_CUT, "the zstd data ends early",
		    "cut in a magic");
	free(b.at);
	free(two.at);
	free(cut.at);
}

/* Damage in a later block: the blocks before it come, to the last byte. */
static void test_zstd_damage(void)
{
	enum { BLOCK = 128 * 1024 };
	struct buffer b = {0};
	size_t at, block = 0;
	struct input *in;
	struct error err;
	uint64_t got;

	add_zstd(&b, data, DATA_BYTES, 0, false);
	/* Head of 6 bytes (magic, descriptor, window), then blocks: 3 bytes of head, 21 bits of it
	 * the size. */
	for (at = 6; block < 5; block++)
		at += 3 +
		      ((size_t)b.at[at] | (size_t)b.at[at + 1] << 8 | (size_t)b.at[at + 2] << 16) /
			      8;
	b.at[at] |= 6; /* a reserved block type */
	if (input_open_bytes(&in, b.at, b.n, &budget, &err) < 0)
		exit(1);
	read_all(in, 10, &got, &err);
	is_u64(got, 5 * BLOCK, "the blocks before a bad one come");
	is_i64(err.code, ERR_FORMAT, "then the damage");
	is_u64(err.offset, 5 * BLOCK, "with its place");
	input_close(in);
	free(b.at);
}

static void test_zstd_limits(void)
{
	struct buffer b = {0};
	struct budget small = {.limit = 4 << 20};
	struct input *in;
	struct error err = {0};
	uint64_t got;

	/* 128 MiB, as `zstd --long=27` writes for long files. */
	add_zstd(&b, data, DATA_BYTES, 27, false);
	if (!is_i64(input_open_bytes(&in, b.at, b.n, &small, &err), 0, "it opens"))
		exit(1);
	is_i64(input_need(in, 1, &err), ERR_LIMIT, "a window beyond the limit");
	is_str(err.text,
	       "the window of the zstd data, 134217728 bytes, does not fit into the memory limit "
	       "of 4194304 bytes",
	       "its words");
	input_close(in);
	is_u64(small.used, 0, "all is given back");
	small.limit = 140 << 20;
	if (!is_i64(input_open_bytes(&in, b.at, b.n, &small, &err), 0, "it opens"))
		exit(1);
	read_all(in, 1000, &got, &err);
	is_u64(got, DATA_BYTES, "with enough of it, it is read");
	ok(small.used > 128 << 20, "the window is accounted for");
	input_close(in);
	/* The window's byte: exponent 31, 2^41 bytes. */
	b.at[5] = 31 << 3;
	if (!is_i64(input_open_bytes(&in, b.at, b.n, &budget, &err), 0, "it opens"))
		exit(1);
	is_i64(input_need(in, 1, &err), ERR_LIMIT, "a window of 2 TiB");
	is_str(err.text, "zstd data with a window of 2199023255552 bytes; at most 2 GiB is read",
	       "its words");
	input_close(in);
	/* Descriptor: a dictionary id of one byte in the window's place; 9 = its number. */
	memcpy(b.at + 4, "\x01\x50\x09", 3);
	if (!is_i64(input_open_bytes(&in, b.at, b.n, &budget, &err), 0, "it opens"))
		exit(1);
	is_i64(input_need(in, 1, &err), ERR_UNSUPPORTED, "a dictionary");
	is_str(err.text, "zstd data that needs dictionary 9", "its words");
	input_close(in);
	is_u64(budget.used, 0, "all is given back");
	free(b.at);
}

/* A carrier that gives a few bytes at a time, and then fails or ends. */
struct dripping {
	size_t at, end, step;
	bool fails;
};

static long drip(void *ctx, uint8_t *to, size_t room, struct error *err)
{
	struct dripping *d = ctx;
	size_t n = d->end - d->at < d->step ? d->end - d->at : d->step;

	if (n == 0 && d->fails)
		return error_set(err, ERR_FORMAT, 77, "it broke");
	n = n < room ? n : room;
	memcpy(to, data + d->at, n);
	d->at += n;
	return (long)n;
}

static void test_reader(void)
{
	struct dripping d = {.end = DATA_BYTES, .step = 777};
	struct input *in;
	struct error err = {0};
	uint64_t got;

	if (!is_i64(input_open_reader(&in, drip, &d, &budget, &err), 0, "a reader opens"))
		exit(1);
	read_all(in, 1013, &got, &err);
	is_u64(got, DATA_BYTES, "all its bytes come");
	is_i64(err.code, ERR_CUT, "and end");
	is_u64(input_raw_size(in), UINT64_MAX, "its size is not known");
	input_close(in);

	d = (struct dripping){.end = 5000, .step = 3, .fails = true};
	if (!is_i64(input_open_reader(&in, drip, &d, &budget, &err), 0, "a reader opens"))
		exit(1);
	is_i64(input_peek(in, 6000, &err), 0, "peeking farther than a failure");
	is_u64((uint64_t)(in->end - in->at), 5000, "gives what came before it");
	ok(in->at_eof, "and says that no more comes");
	is_i64(input_need(in, 5000, &err), 0, "which can be used");
	is_i64(input_need(in, 5001, &err), ERR_FORMAT, "needing more fails");
	is_str(err.text, "it broke", "with the reader's words");
	is_u64(err.offset, 77, "and place");
	in->at = in->end;
	is_i64(input_peek(in, 1, &err), ERR_FORMAT, "as does peeking behind them");
	input_close(in);
	is_u64(budget.used, 0, "all is given back");
}

/* The window grows for what is really there, and shrinks again; a mere claim costs nothing. */
static void test_window(void)
{
	struct budget small = {.limit = 1 << 20};
	struct input *in;
	struct error err = {0};
	static const uint8_t pad[INPUT_PAD];
	int rc = ERR_LIMIT;

	if (!is_i64(input_open_bytes(&in, data, 1000, &small, &err), 0, "it opens"))
		exit(1);
	is_i64(input_need(in, SIZE_MAX, &err), ERR_CUT, "needing all there is of 1000 bytes");
	is_u64(err.offset, 1000, "says where they end");
	ok(small.used < 300000, "and costs nothing");
	ok(memcmp(in->end, pad, INPUT_PAD) == 0, "zeros stand behind the end");
	input_close(in);

	if (!is_i64(input_open_bytes(&in, data, DATA_BYTES, &small, &err), 0, "it opens"))
		exit(1);
	is_i64(input_need(in, 400000, &err), 0, "more than a window");
	ok(memcmp(in->at, data, 400000) == 0, "is there in one piece");
	is_i64(input_need(in, 1000000, &err), ERR_LIMIT, "more than the budget is not");
	ok(memcmp(in->at, data, 400000) == 0, "and nothing is lost");
	in->at += 200000;
	while (in->end - in->at > 10)
		in->at = in->end - 10;
	is_i64(input_need(in, 20, &err), 0, "reading goes on");
	is_u64(in->window_bytes, INPUT_WINDOW_BYTES, "in a window of the usual size");
	ok(memcmp(in->at, data + input_offset(in), 20) == 0, "at the right place");
	is_u64(input_raw_offset(in), input_offset(in), "of plain bytes");
	input_close(in);
	is_u64(small.used, 0, "all is given back");
	for (small.limit = 0; small.limit < 2 * INPUT_WINDOW_BYTES; small.limit += 1300) {
		rc = input_open_bytes(&in, "\x1f\x8b", 2, &small, &err);
		if (rc == 0 || err.code != ERR_LIMIT || small.used != 0)
			break;
	}
	is_i64(rc, 0, "a budget of two windows is enough");
	ok(small.limit > INPUT_WINDOW_BYTES, "opening within any smaller budget fails");
	input_close(rc == 0 ? in : NULL);
	is_u64(small.used, 0, "and leaves nothing behind");
	input_close(NULL);
}

static void test_file(void)
{
	char path[] = "/tmp/vramscope-test-XXXXXX";
	struct buffer b = {0};
	struct input *in;
	struct error err = {0};
	uint64_t got;
	int fd = mkstemp(path);

	add_zstd(&b, data, DATA_BYTES, 0, true);
	if (fd < 0 || write(fd, b.at, b.n) != (ssize_t)b.n)
		exit(1);
	close(fd);
	if (!is_i64(input_open(&in, path, &budget, &err), 0, "a file opens"))
		exit(1);
	is_u64(input_raw_size(in), b.n, "with its size");
	read_all(in, 100, &got, &err);
	is_u64(got, DATA_BYTES, "and all its bytes");
	is_u64(input_raw_offset(in), b.n, "all of it consumed");
	input_close(in);
	unlink(path);
	is_i64(input_open(&in, path, &budget, &err), ERR_SYSTEM, "a file that is gone");
	is_u64(budget.used, 0, "all is given back");
	free(b.at);
}

int main(void)
{
	fill_data();
	test_plain();
	test_gzip();
	test_zstd();
	test_zstd_damage();
	test_zstd_limits();
	test_reader();
	test_window();
	test_file();
	return done_testing();
}
