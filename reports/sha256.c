/* SPDX-License-Identifier: MIT
 * sha256.c -- SHA-256, by nettle.
 */
#include "reports/sha256.h"

#include <assert.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>

static_assert(SHA256_BYTES == SHA256_DIGEST_SIZE, "the same digest");
static_assert(SHA256_BASE64 == BASE64_ENCODE_RAW_LENGTH(SHA256_BYTES) + 1, "and its base64");

void sha256(const void *bytes, size_t n, uint8_t digest[SHA256_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, n, bytes);
	sha256_digest(&context, SHA256_BYTES, digest);
}

const char *sha256_base64(const void *bytes, size_t n, char out[SHA256_BASE64])
{
	uint8_t digest[SHA256_BYTES];

	sha256(bytes, n, digest);
	base64_encode_raw(out, SHA256_BYTES, digest);
	out[SHA256_BASE64 - 1] = '\0';
	return out;
}
