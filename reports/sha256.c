/* SPDX-License-Identifier: MIT
 * sha256.c -- SHA-256 as in FIPS 180-4, by the processor's own instructions where it has them.
 */
#include "reports/sha256.h"

#include <stdbool.h>
#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#define BLOCK 64

static const uint32_t round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Round `i` with the variables in their places: instead of all eight moving down one, the next round
 * takes them one place further. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                               \
	do {                                                                           \
		uint32_t t1 = (h) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +   \
			      (((e) & (f)) ^ (~(e) & (g))) + round_constant[i] + w[i]; \
		(d) += t1;                                                             \
		(h) = t1 + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +            \
		      (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)));                       \
	} while (0)

static void sha256_block(uint32_t state[8], const uint8_t *p)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t w[64];

	for (int i = 0; i < 16; i++)
		w[i] = load_be32(p + 4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
		       (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
	}
	for (int i = 0; i < 64; i += 8) {
		ROUND(a, b, c, d, e, f, g, h, i);
		ROUND(h, a, b, c, d, e, f, g, i + 1);
		ROUND(g, h, a, b, c, d, e, f, i + 2);
		ROUND(f, g, h, a, b, c, d, e, i + 3);
		ROUND(e, f, g, h, a, b, c, d, i + 4);
		ROUND(d, e, f, g, h, a, b, c, i + 5);
		ROUND(c, d, e, f, g, h, a, b, i + 6);
		ROUND(b, c, d, e, f, g, h, a, i + 7);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

static void sha256_blocks(uint32_t state[8], const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sha256_block(state, p + i * BLOCK);
}

#if defined __x86_64__
/* Asking the processor takes a while inside of virtual machines. */
#define WORTH_ASKING 8192

/* SHA extensions, SSSE3 and SSE4.1. */
static bool has_instructions(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_SHA))
		return false;
	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1);
}

/* The instructions want the state as two halves, a b e f and c d g h, first in the high word. */
__attribute__((target("sha,ssse3,sse4.1"))) static void sha256_blocks_fast(uint32_t state[8],
									   const uint8_t *p,
									   size_t n)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const void *)state), 0xb1);
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(state + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);

	for (; n > 0; n--, p += BLOCK) {
		__m128i w[4], abef_before = abef, cdgh_before = cdgh;

		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(p + 16 * i)), swap);
		for (int i = 0; i < 64; i += 4) {
			__m128i k = _mm_loadu_si128((const void *)(round_constant + i));
			__m128i t = _mm_add_epi32(w[0], k), next;

			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, t);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(t, 0x0e));
			next = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]),
					     _mm_alignr_epi8(w[3], w[2], 4));
			next = _mm_sha256msg2_epu32(next, w[3]);
			w[0] = w[1];
			w[1] = w[2];
			w[2] = w[3];
			w[3] = next;
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	low = _mm_shuffle_epi32(abef, 0x1b);
	high = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((void *)state, _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128((void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#endif

void sha256(const void *bytes, size_t n, uint8_t digest[SHA256_BYTES])
{
	uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	uint8_t last[2 * BLOCK] = {0};
	const uint8_t *p = bytes;
	size_t rest = n % BLOCK, tail = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
	uint64_t bits = (uint64_t)n * 8;

#if defined __x86_64__
	if (n >= WORTH_ASKING && has_instructions())
		sha256_blocks_fast(state, p, n / BLOCK);
	else
#endif
		sha256_blocks(state, p, n / BLOCK);
	if (rest > 0)
		memcpy(last, p + n - rest, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		last[tail - 1 - (size_t)i] = (uint8_t)(bits >> (8 * i));
	sha256_blocks(state, last, tail / BLOCK);
	for (int i = 0; i < SHA256_BYTES; i++)
		digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

const char *sha256_base64(const void *bytes, size_t n, char out[SHA256_BASE64])
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t digest[SHA256_BYTES + 1] = {0};
	char *to = out;

	sha256(bytes, n, digest);
	for (size_t i = 0; i < SHA256_BYTES + 1; i += 3) {
		uint32_t v =
			(uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | digest[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			*to++ = alphabet[v >> shift & 63];
	}
	/* 32 bytes fill 43 characters; the last one of the 44 only carries padding. */
	out[SHA256_BASE64 - 2] = '=';
	out[SHA256_BASE64 - 1] = '\0';
	return out;
}
