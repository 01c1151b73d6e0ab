/* SPDX-License-Identifier: MIT
 * load_ring.c -- a ring file of the recorder as the snapshot it stands for.
 */
#include "model/load_ring.h"

#include <string.h>

#include "base/vec.h"
#include "capture/image.h"

typedef VEC(uint8_t) bytes_vec;

static int read_all(bytes_vec *out, struct input *in, struct budget *budget, struct error *err)
{
	for (;;) {
		int rc = input_peek(in, 1, err);
		size_t n = (size_t)(in->end - in->at);

		/* Cut inside its compression: what came is looked at. */
		if (rc < 0 && rc != ERR_CUT && rc != ERR_FORMAT)
			return rc;
		if (rc < 0 || n == 0)
			return 0;
		rc = vec_reserve(out, n, budget, err);
		if (rc < 0)
			return rc;
		memcpy(out->at + out->n, in->at, n);
		out->n += n;
		in->at += n;
	}
}

static int write_image(const struct ring_image *image,
		       int (*write)(void *ctx, const void *bytes, size_t n), void *ctx,
		       struct budget *budget, struct error *err)
{
	size_t scratch_bytes = ring_image_scratch(image);
	struct sw *w = budget_realloc(budget, NULL, 0, sizeof *w, err);
	void *scratch = w ? budget_realloc(budget, NULL, 0, scratch_bytes, err) : NULL;
	int rc = 0;

	if (scratch) {
		memset(scratch, 0, scratch_bytes);
		sw_start(w, write, ctx);
		if (!ring_image_write(image, w, scratch, NULL))
			rc = error_set(err, ERR_SYSTEM, ERR_NO_OFFSET,
				       "the snapshot cannot be written");
	} else {
		rc = err->code;
	}
	budget_free(budget, scratch, scratch ? scratch_bytes : 0);
	budget_free(budget, w, w ? sizeof *w : 0);
	return rc;
}

int ring_to_pickle(const struct container *c, int (*write)(void *ctx, const void *bytes, size_t n),
		   void *ctx, struct budget *budget, struct error *err)
{
	struct ring_image image;
	bytes_vec bytes = {0};
	const char *why;
	int rc = read_all(&bytes, c->payload, budget, err);

	if (rc == 0) {
		if (ring_image_open(&image, bytes.at, bytes.n, &why))
			rc = write_image(&image, write, ctx, budget, err);
		else
			rc = error_set(err, ERR_FORMAT, ERR_NO_OFFSET, "%s", why);
	}
	vec_release(&bytes, budget);
	return rc;
}
