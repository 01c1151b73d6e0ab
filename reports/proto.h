/* SPDX-License-Identifier: MIT
 * proto.h -- protocol buffers' wire format, written field by field.
 *
 * Source: protobuf.dev/programming-guides/encoding. A message inside a message is built in a buffer
 * of its own first, since its length comes before it.
 */
#ifndef REPORTS_PROTO_H
#define REPORTS_PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "reports/utf8.h"

struct proto {
	struct budget *budget; /* weak */
	VEC(uint8_t) bytes;
	struct error *err; /* weak; the first failure stays, and nothing is added after it */
	int failed;
};

static inline void proto_byte(struct proto *p, uint8_t byte)
{
	if (!p->failed)
		p->failed = vec_push(&p->bytes, byte, p->budget, p->err);
}

static inline void proto_varint(struct proto *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		proto_byte(p, (uint8_t)(v | 0x80));
	proto_byte(p, (uint8_t)v);
}

static inline void proto_u64(struct proto *p, unsigned field, uint64_t v)
{
	proto_varint(p, (uint64_t)field << 3);
	proto_varint(p, v);
}

static inline void proto_bytes(struct proto *p, unsigned field, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;

	proto_varint(p, (uint64_t)field << 3 | 2);
	proto_varint(p, n);
	for (size_t i = 0; i < n; i++)
		proto_byte(p, from[i]);
}

/* A string must be UTF-8: bytes that are none become the four characters \xNN. */
static inline void proto_text(struct proto *p, unsigned field, const char *text, size_t n)
{
	char escape[16];
	uint64_t length = 0;
	size_t used;
	unsigned columns;
	uint32_t code;

	for (size_t i = 0; i < n; i += used) {
		used = utf8_decode(text + i, n - i, &code);
		length += used ? used : utf8_escape(escape, text + i, n - i, &used, &columns);
	}
	proto_varint(p, (uint64_t)field << 3 | 2);
	proto_varint(p, length);
	for (size_t i = 0; i < n; i += used) {
		size_t k = used = utf8_decode(text + i, n - i, &code);

		if (!used)
			k = utf8_escape(escape, text + i, n - i, &used, &columns);
		for (size_t b = 0; b < k; b++)
			proto_byte(p, (uint8_t)(k == used ? text[i + b] : escape[b]));
	}
}

static inline void proto_message(struct proto *p, unsigned field, const struct proto *inner)
{
	proto_bytes(p, field, inner->bytes.at, inner->bytes.n);
	if (inner->failed && !p->failed)
		p->failed = inner->failed;
}

static inline void proto_clear(struct proto *p)
{
	p->bytes.n = 0;
}

static inline void proto_release(struct proto *p)
{
	vec_release(&p->bytes, p->budget);
}

#endif
