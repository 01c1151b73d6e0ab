/* SPDX-License-Identifier: MIT
 * dump.c -- a copy of a ring, written to a file as a snapshot.
 */
#include "capture/dump.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/image.h"
#include "capture/zstd_out.h"

struct target {
	int fd, code;
};

static int write_all(void *ctx, const void *bytes, size_t n)
{
	struct target *t = ctx;
	const char *p = bytes;

	while (n > 0) {
		ssize_t done = write(t->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			t->code = done < 0 ? errno : ENOSPC;
			return -1;
		}
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Names that the dynamic linker knows, readable where the program has a C++ runtime. */
static bool symbol(void *ctx, uint64_t pc, char *buf, size_t buf_bytes)
{
	char *(*demangle)(const char *name, char *out, size_t *out_bytes, int *status);
	char *words = NULL;
	Dl_info info;
	int status;

	(void)ctx;
	if (!dladdr((void *)(uintptr_t)pc, &info) || !info.dli_sname)
		return false;
	*(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	if (demangle && !strncmp(info.dli_sname, "_Z", 2))
		words = demangle(info.dli_sname, NULL, NULL, &status);
	snprintf(buf, buf_bytes, "%s", words ? words : info.dli_sname);
	free(words);
	return true;
}

/* What a dump works with, in memory of its own. */
struct desk {
	struct sw w;
	struct zstd_out zstd;
	_Alignas(64) char scratch[];
};

static bool write_image(const struct ring_image *image, struct target *to, bool compressed)
{
	const struct ring_symbols symbols = {.name = symbol};
	size_t bytes = sizeof(struct desk) + ring_image_scratch(image);
	struct desk *d =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool good;

	if (d == MAP_FAILED) {
		to->code = errno;
		return false;
	}
	to->code = ENOMEM; /* that, when no write failed */
	if (!compressed) {
		sw_start(&d->w, write_all, to);
		good = ring_image_write(image, &d->w, d->scratch, &symbols);
	} else if (zstd_out_start(&d->zstd, write_all, to)) {
		sw_start(&d->w, zstd_out_write, &d->zstd);
		good = ring_image_write(image, &d->w, d->scratch, &symbols);
		good = zstd_out_end(&d->zstd, good);
	} else {
		good = false;
	}
	munmap(d, bytes);
	return good;
}

/* SIGXFSZ that our write brought about must not reach the program. */
static void swallow(int signum, const sigset_t *before)
{
	const struct timespec none = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signum);
	if (!sigismember(before, signum))
		sigtimedwait(&set, NULL, &none);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool dump_is_compressed(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".zst");
}

bool dump_write(const void *bytes, size_t n, const char *path, char *why, size_t why_bytes)
{
	struct target to = {.fd = -1};
	struct ring_image image;
	const char *reason = NULL;
	char partial[600];
	sigset_t block, before;
	bool good = false;

	if (!ring_image_open(&image, bytes, n, &reason)) {
		snprintf(why, why_bytes, "cannot write '%s': %s", path, reason);
		return false;
	}
	sigemptyset(&block);
	sigaddset(&block, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &block, &before);
	if ((size_t)snprintf(partial, sizeof partial, "%s.part", path) < sizeof partial)
		to.fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	else
		errno = ENAMETOOLONG;
	to.code = to.fd < 0 ? errno : 0;
	if (to.fd >= 0) {
		good = write_image(&image, &to, dump_is_compressed(path));
		if (close(to.fd) < 0 || (good && rename(partial, path) < 0)) {
			to.code = errno;
			good = false;
		}
		if (!good)
			unlink(partial);
	}
	swallow(SIGXFSZ, &before);
	if (!good)
		snprintf(why, why_bytes, "cannot write '%s': %s", path, strerror(to.code));
	return good;
}
