/* SPDX-License-Identifier: MIT
 * zstd_out.c -- bytes on their way to a file, compressed by the libzstd that is installed, if one is.
 */
#include "capture/zstd_out.h"

#include <dlfcn.h>

enum { END_CONTINUE = 0, END_FRAME = 2, PARAMETER_CHECKSUM = 201 };

static void *open_library(void)
{
	return dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
}

bool zstd_out_works(void)
{
	void *library = open_library();

	return library && dlsym(library, "ZSTD_compressStream2");
}

bool zstd_out_start(struct zstd_out *z, int (*write)(void *ctx, const void *bytes, size_t n),
		    void *ctx)
{
	void *library = open_library();

	z->write = write;
	z->ctx = ctx;
	if (!library)
		return false;
	*(void **)&z->create = dlsym(library, "ZSTD_createCCtx");
	*(void **)&z->destroy = dlsym(library, "ZSTD_freeCCtx");
	*(void **)&z->set = dlsym(library, "ZSTD_CCtx_setParameter");
	*(void **)&z->compress = dlsym(library, "ZSTD_compressStream2");
	*(void **)&z->is_error = dlsym(library, "ZSTD_isError");
	if (!z->create || !z->destroy || !z->set || !z->compress || !z->is_error)
		return false;
	z->stream = z->create();
	if (z->stream)
		z->set(z->stream, PARAMETER_CHECKSUM, 1);
	return z->stream != NULL;
}

static int push(struct zstd_out *z, struct zstd_piece *in, int end)
{
	size_t left;

	do {
		struct zstd_piece out = {z->buffer, sizeof z->buffer, 0};

		left = z->compress(z->stream, &out, in, end);
		if (z->is_error(left) || (out.at && z->write(z->ctx, z->buffer, out.at) < 0))
			return -1;
	} while (end == END_FRAME ? left > 0 : in->at < in->size);
	return 0;
}

int zstd_out_write(void *z, const void *bytes, size_t n)
{
	struct zstd_piece in = {bytes, n, 0};

	return push(z, &in, END_CONTINUE);
}

bool zstd_out_end(struct zstd_out *z, bool good)
{
	struct zstd_piece in = {"", 0, 0};

	good = good && push(z, &in, END_FRAME) == 0;
	z->destroy(z->stream);
	return good;
}
