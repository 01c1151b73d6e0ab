/* SPDX-License-Identifier: MIT
 * test_base.c -- budget, columns, arena, hashing, interning, checked arithmetic, errors.
 */
#include <errno.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "tests/lib/tap.h"

#define MIB (UINT64_C(1) << 20)

/* One test asks for more than there is: the sanitizer shall say so as malloc does. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void test_error(void)
{
	struct error err;
	char text[600];

	is_i64(error_set(&err, ERR_FORMAT, 17, "%s at %d", "odd", 5), ERR_FORMAT,
	       "the code is given back");
	is_i64(err.code, ERR_FORMAT, "and kept");
	is_u64(err.offset, 17, "with the offset");
	is_str(err.text, "odd at 5", "and the words");
	is_i64(error_set(NULL, ERR_CUT, 0, "x"), ERR_CUT,
	       "without a place for it, the code at least");
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	error_set(&err, ERR_CUT, 0, "%s", text);
	is_u64(strlen(err.text), sizeof err.text - 1, "long words are cut");
	is_i64(error_set_errno(&err, ENOENT, "cannot open %s", "it"), ERR_SYSTEM, "errno's code");
	is_str(err.text, "cannot open it: No such file or directory", "errno's words");
	is_u64(err.offset, ERR_NO_OFFSET, "no offset");
	error_set_errno(&err, ENOENT, "%s", text);
	is_u64(strlen(err.text), sizeof err.text - 1, "long words before them too");
	is_i64(error_set_errno(NULL, ENOENT, "x"), ERR_SYSTEM, "without a place for it");
}

static void test_num(void)
{
	uint64_t u = 5;
	size_t n = 5;

	ok(num_add_u64(UINT64_MAX - 1, 1, &u) && u == UINT64_MAX, "the largest sum");
	ok(!num_add_u64(UINT64_MAX, 1, &u) && u == UINT64_MAX, "one more does not fit");
	ok(num_mul_size(SIZE_MAX / 3, 3, &n) && n == SIZE_MAX / 3 * 3, "a product");
	ok(!num_mul_size(SIZE_MAX / 2, 3, &n) && n == SIZE_MAX / 3 * 3, "that does not fit");
	is_u64(num_add_saturated(UINT64_MAX, 7), UINT64_MAX, "a saturated sum");
	is_u64(num_add_saturated(3, 7), 10, "an ordinary one");
	is_u64(num_round_up(0, 512), 0, "rounding 0");
	is_u64(num_round_up(1, 512), 512, "1");
	is_u64(num_round_up(512, 512), 512, "512");
	is_u64(num_round_up(513, 512), 1024, "513");
	is_u64(num_round_up(UINT64_MAX - 511, 512), UINT64_MAX - 511, "the last multiple");
	is_u64(num_round_up(UINT64_MAX - 510, 512), UINT64_MAX, "beyond it");
	is_u64(num_round_up(10, 7), 14, "by any unit");
}

static void test_budget(void)
{
	struct budget b = {.limit = 1000};
	struct error err = {0};

	is_i64(budget_take(&b, 600, &err), 0, "600 of 1,000 bytes");
	is_i64(budget_take(&b, 401, &err), ERR_LIMIT, "401 more are too many");
	ok(strstr(err.text, "limit of 1000 bytes"), "which is said: %s", err.text);
	is_u64(b.used, 600, "and not counted");
	is_i64(budget_take(&b, 400, &err), 0, "400 more fit");
	is_i64(budget_take(&b, UINT64_MAX, &err), ERR_LIMIT, "2^64 - 1 never do");
	budget_give(&b, 1000);
	char *p = budget_realloc(&b, NULL, 0, 100, &err);
	ok(p != NULL, "100 bytes");
	memset(p, 7, 100);
	ok(budget_realloc(&b, p, 100, 1001, &err) == NULL, "not 1,001");
	is_i64(err.code, ERR_LIMIT, "the limit");
	is_u64(b.used, 100, "the old ones are still there");
	p = budget_realloc(&b, p, 100, 1000, &err);
	ok(p && p[0] == 7 && p[99] == 7, "1,000, the first ones kept");
	p = budget_realloc(&b, p, 1000, 10, &err);
	ok(p && p[9] == 7, "10 of them");
	is_u64(b.used, 10, "are counted");
	budget_free(&b, p, 10);
	budget_free(&b, NULL, 0);
	is_u64(b.used, 0, "nothing is left");
	b.limit = UINT64_MAX;
	ok(budget_realloc(&b, NULL, 0, SIZE_MAX / 2, &err) == NULL, "half the address space");
	is_i64(err.code, ERR_NOMEM, "is more than malloc has");
	is_u64(b.used, 0, "and is not counted");
	ok(budget_default_limit() > MIB, "the default limit is %" PRIu64 " MiB",
	   budget_default_limit() / MIB);
}

static void test_vec(void)
{
	struct budget b = {.limit = UINT64_MAX};
	struct error err = {0};
	VEC(uint64_t) v = {0};
	size_t wrong = 0, moves = 0, cap = 0;

	size_t nothing = 0;
	is_i64(vec_reserve(&v, nothing, &b, &err), 0, "room for nothing");
	ok(v.at == NULL, "costs nothing");
	for (uint64_t i = 0; i < 1000000; i++) {
		if (vec_push(&v, i * 3, &b, &err) < 0)
			break;
		moves += v.cap != cap;
		cap = v.cap;
	}
	is_u64(v.n, 1000000, "a million elements");
	for (uint64_t i = 0; i < v.n; i++)
		wrong += v.at[i] != i * 3;
	is_u64(wrong, 0, "as they were put");
	ok(moves < 60, "grown %zu times", moves);
	is_u64(b.used, v.cap * sizeof *v.at, "the budget knows");
	is_i64(vec_reserve(&v, SIZE_MAX, &b, &err), ERR_LIMIT, "2^64 more do not fit");
	is_i64(vec_reserve(&v, SIZE_MAX / 8, &b, &err), ERR_LIMIT, "nor 2^64 bytes");
	b.limit = b.used;
	is_i64(vec_reserve(&v, v.cap, &b, &err), ERR_LIMIT, "nor what the budget forbids");
	is_u64(v.n, 1000000, "the elements are still there");
	is_u64(v.at[999999], 2999997, "all of them");
	vec_release(&v, &b);
	is_u64(b.used, 0, "all given back");
	ok(!v.at && !v.n && !v.cap, "and empty");
	b.limit = 0;
	is_i64(vec_grow_raw((void **)&v.at, &v.cap, 0, 1, sizeof *v.at, &b, NULL) < 0, true,
	       "without a place for the error");
}

static void test_arena(void)
{
	struct budget b = {.limit = 64 * MIB};
	struct error err = {0};
	struct arena a;
	uint64_t state = 42;
	size_t wrong = 0;
	struct {
		unsigned char *at;
		size_t n;
	} parts[3000];

	arena_init(&a, &b);
	for (size_t i = 0; i < 3000; i++) {
		size_t n = next_random(&state) % (i % 100 ? 200 : 20000);
		bool aligned = next_random(&state) % 2;

		parts[i].at = aligned ? arena_alloc(&a, n, &err)
				      : (unsigned char *)arena_bytes(&a, n, &err);
		parts[i].n = n;
		if (!parts[i].at)
			break;
		if (aligned) {
			wrong += (uintptr_t)parts[i].at % _Alignof(max_align_t) != 0;
			for (size_t k = 0; k < n; k++)
				wrong += parts[i].at[k] != 0;
		}
		memset(parts[i].at, (int)(i % 251), n);
	}
	is_u64(wrong, 0, "aligned parts are aligned and zeroed");
	for (size_t i = 0; i < 3000; i++)
		for (size_t k = 0; k < parts[i].n; k++)
			wrong += parts[i].at[k] != i % 251;
	is_u64(wrong, 0, "no part overlaps another");
	ok(arena_bytes(&a, SIZE_MAX, &err) == NULL, "2^64 bytes");
	is_i64(err.code, ERR_LIMIT, "are refused");
	ok(arena_bytes(&a, 65 * MIB, &err) == NULL, "more than the budget");
	is_i64(err.code, ERR_LIMIT, "too");
	arena_release(&a);
	is_u64(b.used, 0, "all given back");
	arena_release(&a);
	ok(arena_bytes(&a, 1, &err) != NULL, "an arena can be used again");
	arena_release(&a);
}

/* Against the simplest map there is, keys few enough to meet often. */
static void test_hashmap(uint64_t keys, uint64_t spread, const char *what)
{
	enum { MOST = 5000 };
	struct budget b = {.limit = UINT64_MAX};
	struct error err = {0};
	struct hashmap m;
	static uint64_t naive[MOST];
	static bool there[MOST];
	uint64_t state = 88172645463325252u;
	size_t wrong = 0, n = 0;

	memset(there, 0, sizeof there);
	hashmap_init(&m, &b);
	ok(hashmap_get(&m, 5) == NULL && !hashmap_remove(&m, 5), "%s: an empty map", what);
	for (int round = 0; round < 300000; round++) {
		uint64_t k = next_random(&state) % keys, value = next_random(&state);
		uint64_t *got;

		switch (next_random(&state) % 4) {
		case 0:
		case 1:
			wrong += hashmap_put(&m, k * spread, value, &err) != 0;
			n += !there[k];
			naive[k] = value;
			there[k] = true;
			break;
		case 2:
			wrong += hashmap_remove(&m, k * spread) != there[k];
			n -= there[k];
			there[k] = false;
			break;
		default:
			got = hashmap_get(&m, k * spread);
			wrong += (got != NULL) != there[k] || (got && *got != naive[k]);
			break;
		}
		wrong += m.n != n;
		if (round == 150000) {
			hashmap_clear(&m);
			memset(there, 0, sizeof there);
			n = 0;
		}
	}
	for (uint64_t k = 0; k < keys; k++) {
		uint64_t *got = hashmap_get(&m, k * spread);

		wrong += (got != NULL) != there[k] || (got && *got != naive[k]);
	}
	is_u64(wrong, 0, "%s: as the naive map", what);
	b.limit = b.used;
	int rc = 0;
	for (uint64_t k = 0; k < 10 * MOST && rc == 0; k++)
		rc = hashmap_put(&m, UINT64_MAX - k, k, k % 2 ? &err : NULL);
	is_i64(rc, ERR_LIMIT, "%s: the limit is met", what);
	hashmap_release(&m);
	is_u64(b.used, 0, "%s: all given back", what);
	hashmap_release(&m);
}

static void test_hash_bytes(void)
{
	char text[80];
	size_t equal = 0;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)i;
	for (size_t n = 0; n < 64; n++) {
		uint64_t h = hash_bytes(text, n);

		equal += h == hash_bytes(text, n + 1);
		for (size_t i = 0; i < n; i++) {
			text[i] ^= 1;
			equal += h == hash_bytes(text, n);
			text[i] ^= 1;
		}
		if (h != hash_bytes(text, n))
			ok(false, "the hash of %zu bytes changes", n);
	}
	is_u64(equal, 0, "each byte and the length matter");
}

static void test_strtab(void)
{
	struct budget b = {.limit = UINT64_MAX};
	struct error err = {0};
	struct strtab t;
	str_id id, again;
	size_t wrong = 0;
	char text[40];

	is_i64(strtab_init(&t, &b, &err), 0, "a table");
	is_u64(strtab_find(&t, "a", 1).i, 0, "without a");
	is_u64(strtab_get(&t, STR_NONE)->length, 0, "absent has no bytes");
	is_str(strtab_get(&t, STR_NONE)->bytes, "", "but a NUL");
	strtab_add(&t, "", 0, &id, &err);
	is_u64(id.i, 1, "the empty string is a string");
	strtab_add(&t, "a\0b", 3, &id, &err);
	strtab_add(&t, "a\0c", 3, &again, &err);
	ok(id.i != again.i, "bytes behind a NUL count");
	is_u64(strtab_get(&t, id)->length, 3, "all of them");
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 100000; i++) {
			int n = snprintf(text, sizeof text, "string %u%s", i,
					 i % 3 ? "" : " and some more");

			wrong += strtab_add(&t, text, (size_t)n, &id, &err) != 0 || id.i != i + 4 ||
				 strtab_find(&t, text, (size_t)n).i != id.i ||
				 strcmp(strtab_get(&t, id)->bytes, text) != 0 ||
				 strtab_get(&t, id)->length != (uint32_t)n;
		}
	is_u64(wrong, 0, "100,000 strings have one id each, in order");
	strtab_release(&t);
	is_u64(b.used, 0, "all given back");
}

/* Each allocation of a table fails once: its error comes out, nothing is left behind. */
static void test_strtab_limit(void)
{
	size_t wrong = 0, failed = 0;

	for (uint64_t limit = 0; limit < 120000; limit += 61) {
		struct budget b = {.limit = limit};
		struct error err = {0};
		struct strtab t;
		str_id id;
		char text[40];
		int rc = strtab_init(&t, &b, &err);

		for (int i = 0; rc == 0 && i < 2000; i++) {
			int n = snprintf(text, sizeof text, "string number %d", i);

			rc = strtab_add(&t, text, (size_t)n, &id, &err);
			if (rc < 0)
				wrong += strtab_find(&t, text, (size_t)n).i != 0 ||
					 (i > 0 && strtab_find(&t, "string number 0", 15).i != 1);
		}
		failed += rc < 0;
		wrong += rc != 0 && rc != ERR_LIMIT;
		strtab_release(&t);
		wrong += b.used != 0;
	}
	is_u64(wrong, 0, "a table that meets the limit stays whole");
	ok(failed > 500, "%zu limits were too low", failed);
}

int main(void)
{
	test_error();
	test_num();
	test_budget();
	test_vec();
	test_arena();
	test_hashmap(10, 1, "ten keys");
	test_hashmap(1000, 1, "a thousand keys");
	test_hashmap(5000, 512, "addresses");
	test_hashmap(200, UINT64_C(1) << 56, "high bits only");
	test_hash_bytes();
	test_strtab();
	test_strtab_limit();
	return done_testing();
}
