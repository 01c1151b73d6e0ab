/* SPDX-License-Identifier: MIT
 * test_stacks.c -- frames and stacks have one id by value, against the simplest table there is.
 */
#include "model/stacks.h"

#include "tests/lib/tap.h"

enum { N_FRAMES = 3000, N_STACKS = 4000, MOST_DEEP = 12 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static struct frame frame_of(uint64_t k)
{
	return (struct frame){.name = {(uint32_t)(k % 50)},
			      .file = {(uint32_t)(k / 50 % 7)},
			      .line = (int64_t)(k / 350) - 1};
}

static void test_empty(void)
{
	struct budget b = {.limit = UINT64_MAX};
	struct error err;
	struct stacks s;
	stack_id id = {99};

	is_i64(stacks_init(&s, &b, &err), 0, "a table");
	is_u64(stacks_count(&s), 0, "without stacks");
	is_u64(stacks_frame_count(&s), 0, "and frames");
	is_u64(stacks_depth(&s, STACK_ABSENT), 0, "an absent stack has no frames");
	is_u64(stacks_depth(&s, STACK_EMPTY), 0, "nor has an empty one");
	is_i64(stacks_add(&s, NULL, 0, &id, &err), 0, "a stack of nothing");
	is_u64(id.i, STACK_EMPTY.i, "is the empty one");
	ok(stacks_are_unique(&s), "all is in order");
	stacks_release(&s);
	is_u64(b.used, 0, "all given back");
	stacks_release(&s);
}

static void test_frames(struct stacks *s, frame_id *ids)
{
	struct error err;
	frame_id id;
	size_t wrong = 0;

	for (uint64_t k = 0; k < N_FRAMES; k++) {
		wrong += stacks_add_frame(s, frame_of(k), &ids[k], &err) != 0;
		wrong += ids[k].i != k + 1;
	}
	for (uint64_t k = N_FRAMES; k-- > 0;) {
		wrong += stacks_add_frame(s, frame_of(k), &id, &err) != 0 || id.i != ids[k].i;
		wrong += s->frames.at[id.i].name.i != frame_of(k).name.i ||
			 s->frames.at[id.i].file.i != frame_of(k).file.i ||
			 s->frames.at[id.i].line != frame_of(k).line;
	}
	is_u64(wrong, 0, "frames have one id each, in order of appearance");
	is_u64(stacks_frame_count(s), N_FRAMES, "and are counted");
}

static void test_many(void)
{
	static frame_id frames[N_FRAMES], stacks[N_STACKS][MOST_DEEP];
	static size_t depth[N_STACKS];
	static stack_id ids[N_STACKS];
	struct budget b = {.limit = UINT64_MAX};
	struct error err;
	struct stacks s;
	uint64_t state = 4711;
	size_t wrong = 0, distinct = 0;

	stacks_init(&s, &b, &err);
	test_frames(&s, frames);
	for (size_t k = 0; k < N_STACKS; k++) {
		size_t same;

		/* Short and few, so that equal ones and prefixes of one another are common. */
		depth[k] = 1 + next_random(&state) % (k % 10 ? 3 : MOST_DEEP);
		for (size_t i = 0; i < depth[k]; i++)
			stacks[k][i] = frames[next_random(&state) % (k % 10 ? 12 : N_FRAMES)];
		wrong += stacks_add(&s, stacks[k], depth[k], &ids[k], &err) != 0;
		for (same = 0; same < k; same++)
			if (depth[same] == depth[k] &&
			    memcmp(stacks[same], stacks[k], depth[k] * sizeof(frame_id)) == 0)
				break;
		distinct += same == k;
		wrong += same < k ? ids[same].i != ids[k].i : ids[k].i != distinct + 1;
	}
	is_u64(wrong, 0, "stacks have one id by value");
	is_u64(stacks_count(&s), distinct, "%zu of %d are distinct", distinct, N_STACKS);
	for (size_t k = 0; k < N_STACKS; k++) {
		wrong += stacks_depth(&s, ids[k]) != depth[k];
		for (size_t i = 0; i < depth[k]; i++)
			wrong += stacks_frame(&s, ids[k], i) != &s.frames.at[stacks[k][i].i];
	}
	is_u64(wrong, 0, "and their frames in order");
	ok(stacks_are_unique(&s), "all is in order");
	s.frames.at[7] = s.frames.at[8];
	ok(!stacks_are_unique(&s), "a frame that is there twice is found");
	s.frames.at[7] = frame_of(6);
	s.pool.at[0].i = s.pool.at[0].i == 1 ? 2 : 1;
	ok(!stacks_are_unique(&s), "a stack that is not found by its frames too");
	stacks_release(&s);
	is_u64(b.used, 0, "all given back");
}

static void test_limit(void)
{
	size_t wrong = 0, failed = 0;

	for (uint64_t limit = 0; limit < 200000; limit += 97) {
		struct budget b = {.limit = limit};
		struct error err;
		struct stacks s;
		frame_id pair[2] = {{0}, {0}};
		stack_id id;
		int rc = stacks_init(&s, &b, &err);

		for (uint64_t k = 0; rc == 0 && k < 2000; k++) {
			pair[0] = pair[1];
			rc = stacks_add_frame(&s, frame_of(k), &pair[1], &err);
			if (rc == 0 && k > 0)
				rc = stacks_add(&s, pair, 2, &id, &err);
			if (rc < 0)
				wrong += !stacks_are_unique(&s);
		}
		failed += rc < 0;
		wrong += rc != 0 && rc != ERR_LIMIT;
		stacks_release(&s);
		wrong += b.used != 0;
	}
	is_u64(wrong, 0, "a table that meets the limit stays whole");
	ok(failed > 500, "%zu limits were too low", failed);
}

int main(void)
{
	test_empty();
	test_many();
	test_limit();
	return done_testing();
}
