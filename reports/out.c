/* SPDX-License-Identifier: MIT
 * out.c -- a buffered byte sink that remembers its first failure.
 */
#include "reports/out.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define OUT_BUFFER_BYTES (64u << 10)

struct out {
	int fd; /* -1: memory */
	bool owns_fd;
	int failed;  /* errno of the first failure, or 0; ENOMEM is ours */
	mode_t mode; /* of the file behind `temporary` */
	uint64_t size;
	char *buffer; /* owned */
	size_t n, cap;
	char *path, *temporary; /* owned; NULL but for out_open_path */
	ZSTD_CCtx *zstd;        /* owned; NULL: bytes go out as they are */
	char *packed;           /* owned; room for what zstd gives, OUT_BUFFER_BYTES */
};

static int out_new(struct out **out, struct error *err)
{
	struct out *o = calloc(1, sizeof *o);
	char *buffer = malloc(OUT_BUFFER_BYTES);

	if (!o || !buffer) {
		free(o);
		free(buffer);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	o->fd = -1;
	o->buffer = buffer;
	o->cap = OUT_BUFFER_BYTES;
	*out = o;
	return 0;
}

static void out_free(struct out *o)
{
	if (o->owns_fd && o->fd >= 0)
		close(o->fd);
	ZSTD_freeCCtx(o->zstd);
	free(o->packed);
	free(o->buffer);
	free(o->path);
	free(o->temporary);
	free(o);
}

int out_open_fd(struct out **out, int fd, struct error *err)
{
	int rc = out_new(out, err);

	if (rc == 0)
		(*out)->fd = fd;
	return rc;
}

int out_open_memory(struct out **out, struct error *err)
{
	return out_new(out, err);
}

static int out_error(struct error *err, int errnum)
{
	return error_set(err, ERR_SYSTEM, ERR_NO_OFFSET, "%s", strerror(errnum));
}

/* The permissions that open(2) would have given a new file. mkstemp's are for the owner only. */
static mode_t out_new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* What stands at `path` decides: a device or pipe is written to directly, a file (or nothing) is
 * replaced, a link is followed. */
static int out_open_target(struct out *o, const char *path, struct error *err)
{
	struct stat st;
	size_t n;

	o->mode = out_new_mode();
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		o->mode = st.st_mode & 0777;
	} else if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return out_error(err, EISDIR);
		o->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		o->owns_fd = true;
		return o->fd < 0 ? out_error(err, errno) : 0;
	}
	o->path = realpath(path, NULL);
	if (!o->path)
		o->path = strdup(path);
	n = o->path ? strlen(o->path) + sizeof ".XXXXXX" : 0;
	o->temporary = n ? malloc(n) : NULL;
	if (!o->temporary)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	snprintf(o->temporary, n, "%s.XXXXXX", o->path);
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd < 0) {
		out_error(err, errno);
		free(o->temporary);
		o->temporary = NULL;
		return ERR_SYSTEM;
	}
	o->owns_fd = true;
	return 0;
}

int out_open_path(struct out **out, const char *path, struct error *err)
{
	struct out *o;
	int rc = out_new(&o, err);

	if (rc < 0)
		return rc;
	rc = out_open_target(o, path, err);
	if (rc < 0)
		out_free(o);
	else
		*out = o;
	return rc;
}

void out_fail(struct out *o, int errnum)
{
	if (!o->failed)
		o->failed = errnum;
}

static void out_write(struct out *o, const char *bytes, size_t n)
{
	size_t done = 0;

	while (done < n && !o->failed) {
		ssize_t part = write(o->fd, bytes + done, n - done);

		if (part >= 0)
			done += (size_t)part;
		else if (errno != EINTR)
			o->failed = errno;
	}
}

static void out_pack(struct out *o, const char *bytes, size_t n, ZSTD_EndDirective mode)
{
	ZSTD_inBuffer in = {bytes, n, 0};
	size_t left;

	do {
		ZSTD_outBuffer to = {o->packed, OUT_BUFFER_BYTES, 0};

		left = ZSTD_compressStream2(o->zstd, &to, &in, mode);
		if (ZSTD_isError(left)) {
			out_fail(o, ENOMEM);
			return;
		}
		out_write(o, o->packed, to.pos);
	} while (!o->failed && (in.pos < in.size || (mode == ZSTD_e_end && left > 0)));
}

static void out_flush(struct out *o)
{
	if (o->zstd)
		out_pack(o, o->buffer, o->n, ZSTD_e_continue);
	else
		out_write(o, o->buffer, o->n);
	o->n = 0;
}

#define ZSTD_LEVEL 6

int out_compress(struct out *o, struct error *err)
{
	assert(o->fd >= 0 && o->size == 0);
	o->zstd = ZSTD_createCCtx();
	o->packed = malloc(OUT_BUFFER_BYTES);
	if (!o->zstd || !o->packed)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static void out_grow(struct out *o, size_t n)
{
	size_t cap = o->cap;
	char *larger;

	while (cap - o->n <= n) {
		if (cap > SIZE_MAX / 2) {
			out_fail(o, ENOMEM);
			return;
		}
		cap *= 2;
	}
	larger = realloc(o->buffer, cap);
	if (!larger) {
		out_fail(o, ENOMEM);
		return;
	}
	o->buffer = larger;
	o->cap = cap;
}

void out_bytes(struct out *o, const void *bytes, size_t n)
{
	const char *from = bytes;

	if (o->failed)
		return;
	o->size += n;
	if (o->fd < 0 && o->cap - o->n <= n)
		out_grow(o, n);
	while (n && !o->failed) {
		size_t part = o->cap - o->n;

		if (part > n)
			part = n;
		memcpy(o->buffer + o->n, from, part);
		o->n += part;
		from += part;
		n -= part;
		if (o->fd >= 0 && o->n == o->cap)
			out_flush(o);
	}
}

void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char small[512], *large;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	if ((size_t)n < sizeof small) {
		out_bytes(o, small, (size_t)n);
		return;
	}
	large = malloc((size_t)n + 1);
	if (!large) {
		out_fail(o, ENOMEM);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(large, (size_t)n + 1, fmt, ap);
	va_end(ap);
	out_bytes(o, large, (size_t)n);
	free(large);
}

uint64_t out_size(const struct out *o)
{
	return o->size;
}

const char *out_memory(const struct out *o, size_t *n)
{
	assert(o->fd < 0);
	o->buffer[o->n] = '\0';
	if (n)
		*n = o->n;
	return o->buffer;
}

/* Put the finished file in its place. */
static void out_publish(struct out *o)
{
	if (fchmod(o->fd, o->mode) < 0 && !o->failed)
		o->failed = errno;
	if (close(o->fd) < 0 && !o->failed)
		o->failed = errno;
	o->fd = -1;
	if (!o->failed && rename(o->temporary, o->path) < 0)
		o->failed = errno;
	if (o->failed)
		unlink(o->temporary);
}

int out_close(struct out *o, struct error *err)
{
	int rc = 0;

	if (!o)
		return 0;
	if (o->fd >= 0)
		out_flush(o);
	if (o->zstd && !o->failed)
		out_pack(o, "", 0, ZSTD_e_end);
	if (o->temporary)
		out_publish(o);
	else if (o->owns_fd && close(o->fd) < 0 && !o->failed)
		o->failed = errno;
	if (!o->temporary)
		o->owns_fd = false;
	if (o->failed == ENOMEM)
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	else if (o->failed)
		rc = out_error(err, o->failed);
	out_free(o);
	return rc;
}

void out_abandon(struct out *o)
{
	if (!o)
		return;
	if (o->temporary)
		unlink(o->temporary);
	out_free(o);
}
