/* SPDX-License-Identifier: MIT
 * test_rounding.c -- the allocator's arithmetic, by cases worked out by hand and by its properties.
 */
#include "tests/lib/tap.h"

#include "model/model.h"
#include "model/rounding.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static struct alloc_settings plain_settings(void)
{
	return (struct alloc_settings){
		.max_split_bytes = UINT64_MAX,
		.max_non_split_rounding_bytes = 20 * MIB,
		.large_segment_bytes = 20 * MIB,
	};
}

static void test_plain(void)
{
	struct alloc_settings s = plain_settings();

	is_u64(round_size(&s, 0), 512, "nothing takes the smallest block");
	is_u64(round_size(&s, 1), 512, "one byte too");
	is_u64(round_size(&s, 512), 512, "512 bytes are a block");
	is_u64(round_size(&s, 513), 1024, "513 take two units");
	is_u64(round_size(&s, 3 * MIB + 1), 3 * MIB + 512, "large requests are rounded alike");
	is_u64(round_size(&s, UINT64_MAX - 5), UINT64_MAX, "no size above 2^64");
	is_u64(round_size(&s, UINT64_MAX - 1023), UINT64_MAX - 1023, "the largest multiple stays");
}

static void test_divisions(void)
{
	struct alloc_settings s = plain_settings();

	for (int i = 0; i < 16; i++)
		s.roundup_divisions[i] = 4;
	is_u64(round_size(&s, 1200 * 1024), 1280 * 1024, "1200 KiB by 4: steps of 256 KiB");
	is_u64(round_size(&s, 4 * MIB), 4 * MIB, "a power of two stays");
	is_u64(round_size(&s, 4 * MIB + 1), 5 * MIB, "and one byte more takes a step");
	is_u64(round_size(&s, 2048), 2048, "up to 512 times the divisions: plain");
	is_u64(round_size(&s, 2049), 2560, "above: steps of 512 bytes");
	is_u64(round_size(&s, 7 * MIB + 1), 8 * MIB, "the last step ends at the next power");
	s.roundup_divisions[3] = 0;
	is_u64(round_size(&s, 9 * MIB + 1), 9 * MIB + 512, "an interval can be off");
	is_u64(round_size(&s, 17 * MIB), 20 * MIB, "while the next one is on");
	s.roundup_divisions[15] = 1;
	is_u64(round_size(&s, 40 * GIB + 1), 40 * GIB + 512, "one division is off");
	is_u64(round_size(&s, 700 * GIB + 1), 700 * GIB + 512, "the last interval is open");
	s.roundup_divisions[15] = 2;
	is_u64(round_size(&s, UINT64_MAX - 600), UINT64_MAX, "nor is there a step above 2^64");
}

/* Whatever the divisions: never less than asked, a multiple of 512, monotonic, idempotent. */
static void test_properties(void)
{
	static const uint16_t divisions[] = {0, 1, 2, 4, 8, 16};
	bool enough = true, multiple = true, monotonic = true, settled = true;

	for (size_t d = 0; d < sizeof divisions / sizeof divisions[0]; d++) {
		struct alloc_settings s = plain_settings();
		uint64_t last = 0;

		for (int i = 0; i < 16; i++)
			s.roundup_divisions[i] = divisions[d];
		for (uint64_t n = 1; n < 64 * GIB; n += n / 97 + 1) {
			uint64_t r = round_size(&s, n);

			enough = enough && r >= n;
			multiple = multiple && r % 512 == 0;
			monotonic = monotonic && r >= last;
			settled = settled && round_size(&s, r) == r;
			last = r;
		}
	}
	ok(enough, "a block is never smaller than its request");
	ok(multiple, "it is a multiple of 512");
	ok(monotonic, "a larger request never takes less");
	ok(settled, "a rounded size stays");
}

static void test_extra(void)
{
	struct alloc_settings s = plain_settings();

	s.rounding_extra = 32;
	is_u64(round_size(&s, 480), 512, "torch_npu: 32 bytes more still fit");
	is_u64(round_size(&s, 481), 1024, "torch_npu: or take another unit");
	is_u64(round_size(&s, 1), 512, "torch_npu: the smallest block is the same");
}

static void test_segments(void)
{
	struct alloc_settings s = plain_settings();

	is_u64(round_to_segment(&s, MIB), 2 * MIB, "the small pool takes 2 MiB");
	is_u64(round_to_segment(&s, MIB + 512), 20 * MIB, "up to 10 MiB: 20 MiB");
	is_u64(round_to_segment(&s, 10 * MIB), 10 * MIB, "from 10 MiB: multiples of 2 MiB");
	is_u64(round_to_segment(&s, 11 * MIB + 512), 12 * MIB, "rounded up");
	is_u64(round_to_segment(&s, UINT64_MAX - 511), UINT64_MAX, "no segment above 2^64");
	s.large_segment_bytes = 40 * MIB;
	is_u64(round_to_segment(&s, 3 * MIB), 40 * MIB, "large_segment_size_mb");
}

static void test_splits(void)
{
	struct alloc_settings s = plain_settings();

	ok(round_splits(&s, 1024, 512, true, false), "small pool: a rest of 512 is split off");
	ok(!round_splits(&s, 1024, 1024, true, false), "nothing is left to split");
	ok(!round_splits(&s, 512, 1024, true, false), "nor of a block that is too small");
	ok(!round_splits(&s, 4 * MIB, 3 * MIB, false, false), "large: a rest of 1 MiB stays");
	ok(round_splits(&s, 4 * MIB + 512, 3 * MIB, false, false), "large: more than that splits");
	ok(round_splits(&s, 3 * MIB + 512, 3 * MIB, false, true), "expandable: as the small pool");
	s.max_split_bytes = 64 * MIB;
	ok(!round_splits(&s, 100 * MIB, 64 * MIB, false, false), "max_split_size: kept whole");
	ok(round_splits(&s, 100 * MIB, 63 * MIB, false, false),
	   "max_split_size: below it is split");
}

int main(void)
{
	test_plain();
	test_divisions();
	test_properties();
	test_extra();
	test_segments();
	test_splits();
	return done_testing();
}
