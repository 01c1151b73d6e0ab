/* SPDX-License-Identifier: MIT
 * fuzz_container.c -- opening anything: decoded bytes are the same however they are read, every
 * refusal has words, memory stays in bounds.
 */
#include "decode/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tests/fuzz/fuzz.h"

/* A few bytes can stand for gigabytes of zeros: enough is enough. */
#define MAX_DECODED (UINT64_C(8) << 20)

struct reading {
	int rc;
	enum container_format format;
	enum compression compression;
	uint64_t bytes, hash;
	struct error end; /* code 0 when it stopped at MAX_DECODED */
};

static void read_payload(struct reading *r, struct input *in, size_t step)
{
	while (r->bytes < MAX_DECODED) {
		int rc = input_need(in, step, &r->end);
		size_t n = rc == 0 ? step : (size_t)(in->end - in->at);

		CHECK(in->at <= in->end && in->end <= in->window + in->window_bytes);
		CHECK(input_offset(in) == r->bytes);
		for (size_t i = 0; i < n; i++)
			r->hash = hash_combine(r->hash, in->at[i]);
		in->at += n;
		r->bytes += n;
		if (rc < 0) {
			CHECK(r->end.text[0] && r->end.code == (enum err_code)rc);
			CHECK(r->end.offset == ERR_NO_OFFSET || r->end.offset == r->bytes);
			CHECK(rc == ERR_CUT || rc == ERR_FORMAT || rc == ERR_LIMIT ||
			      rc == ERR_UNSUPPORTED);
			return;
		}
	}
	r->end = (struct error){0};
}

static struct reading read_container(const uint8_t *data, size_t size, size_t step)
{
	struct budget budget = {.limit = LIMIT};
	struct container c = {0};
	struct reading r = {0};

	r.rc = container_open_bytes(&c, data, size, &budget, &r.end);
	if (r.rc < 0) {
		CHECK(r.end.code == (enum err_code)r.rc && r.end.text[0]);
	} else {
		r.format = c.format;
		r.compression = c.compression;
		CHECK((c.html != NULL) == (c.format == CONTAINER_HTML));
		CHECK(c.html || c.payload == c.outer);
		CHECK(c.raw_bytes == size);
		r.end = (struct error){0};
		read_payload(&r, c.payload, step);
		/* The rest of a page may be a bomb. */
		if (c.compression == COMPRESSION_NONE) {
			container_finish(&c);
			CHECK(c.raw_bytes == size);
		}
		container_close(&c);
	}
	CHECK(budget.used == 0);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading a = read_container(data, size, 1 + size % 5000);

	/* Large steps may stop elsewhere behind MAX_DECODED. */
	if (a.bytes >= MAX_DECODED)
		return 0;
	struct reading b = read_container(data, size, 300000);
	CHECK(a.rc == b.rc && a.format == b.format && a.compression == b.compression);
	CHECK(a.bytes == b.bytes && a.hash == b.hash && a.end.code == b.end.code);
	return 0;
}
