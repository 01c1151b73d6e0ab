/* SPDX-License-Identifier: MIT
 * input_raw.c -- raw bytes from a file, a pipe, memory or a callback, and the codec of plain ones.
 */
#include "base/input_source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Standard input may be a pipe that another program made non-blocking: wait for it. */
static void wait_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	(void)poll(&p, 1, -1);
}

static long read_fd(void *ctx, uint8_t *to, size_t room, struct error *err)
{
	const struct raw *r = ctx;

	for (;;) {
		ssize_t n = read(r->fd, to, room < INT_MAX ? room : INT_MAX);

		if (n >= 0)
			return (long)n;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			wait_readable(r->fd);
		else if (errno != EINTR)
			return error_set_errno(err, errno, "reading failed");
	}
}

int raw_open_file(struct raw *r, const char *name, struct budget *budget, struct error *err)
{
	bool is_stdin = strcmp(name, "-") == 0;
	struct stat st;
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return error_set(err, ERR_SYSTEM, ERR_NO_OFFSET, "%s", strerror(errno));
	*r = (struct raw){.read = read_fd, .fd = fd, .close_fd = !is_stdin, .size = UINT64_MAX};
	r->ctx = r;
	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot look at it");
	if (S_ISDIR(st.st_mode))
		return error_set_errno(err, EISDIR, "cannot read it");
	if (S_ISREG(st.st_mode)) {
		r->size = (uint64_t)st.st_size;
		/* Advice only: a refusal changes nothing. */
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	r->buf = budget_realloc(budget, NULL, 0, RAW_BUF_BYTES, err);
	if (!r->buf)
		return err->code;
	r->at = r->end = r->buf;
	return 0;
}

void raw_open_bytes(struct raw *r, const void *bytes, size_t length)
{
	*r = (struct raw){
		.fd = -1,
		.eof = true,
		.size = length,
		.taken = length,
		.at = bytes,
		.end = length ? (const uint8_t *)bytes + length : bytes,
	};
}

void raw_open_reader(struct raw *r, raw_read_fn *read, void *ctx)
{
	*r = (struct raw){.read = read, .ctx = ctx, .fd = -1, .size = UINT64_MAX};
}

void raw_close(struct raw *r, struct budget *budget)
{
	if (r->close_fd)
		close(r->fd);
	budget_free(budget, r->buf, RAW_BUF_BYTES);
	*r = (struct raw){.fd = -1, .eof = true};
}

/* One read from the carrier; returns its answer, with `eof` and `taken` kept. */
static long raw_take(struct raw *r, uint8_t *to, size_t room, struct error *err)
{
	if (r->eof)
		return 0;
	long n = r->read(r->ctx, to, room, err);
	if (n == 0)
		r->eof = true;
	if (n > 0) {
		assert((size_t)n <= room);
		r->taken += (uint64_t)n;
	}
	return n;
}

int raw_fill(struct raw *r, size_t n, struct error *err)
{
	size_t left = raw_left(r);

	assert(n <= RAW_BUF_BYTES);
	if (left >= n || r->eof)
		return 0;
	memmove(r->buf, r->at, left);
	r->at = r->buf;
	r->end = r->buf + left;
	while (left < n && !r->eof) {
		long got = raw_take(r, r->buf + left, RAW_BUF_BYTES - left, err);
		if (got < 0)
			return (int)got;
		left += (size_t)got;
		r->end = r->buf + left;
	}
	return 0;
}

int raw_skip_zeros(struct raw *r, struct error *err)
{
	for (;;) {
		while (r->at < r->end && *r->at == 0)
			r->at++;
		if (r->at < r->end || r->eof)
			return 0;
		int rc = raw_fill(r, 1, err);
		if (rc < 0)
			return rc;
	}
}

static int plain_open(struct input_source *s, struct error *err)
{
	(void)s;
	(void)err;
	return 0;
}

/* What recognition read first, then straight from the carrier into the window. */
static long plain_pull(struct input_source *s, uint8_t *to, size_t room, struct error *err)
{
	struct raw *r = &s->raw;
	size_t n = raw_left(r);

	if (n == 0)
		return raw_take(r, to, room, err);
	if (n > room)
		n = room;
	memcpy(to, r->at, n);
	r->at += n;
	return (long)n;
}

static void plain_close(struct input_source *s)
{
	(void)s;
}

const struct codec codec_plain = {COMPRESSION_NONE, plain_open, plain_pull, plain_close};

/* Neither 1f nor a byte above 7f starts a pickle, JSON or a page; 50..5f 2a 4d 18 is the head of
 * a skippable zstd frame, whose second byte is no pickle opcode. */
const struct codec *codec_for(const uint8_t *head, size_t n)
{
	if (n >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return &codec_gzip;
	if (n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)
		return &codec_zstd;
	if (n >= 4 && (head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0)
		return &codec_zstd;
	return &codec_plain;
}
