#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tap_test.sh -- the harness itself: failed checks are told, whatever else a program does.

. "${TOP_SRCDIR:-$(dirname -- "$0")/../..}/tests/lib/lint.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/t.c" <<'C'
#include "tests/lib/tap.h"
int main(void)
{
	ok(1 == 1, "one is one");
	ok(1 == 2, "one is two");
	is_u64(UINT64_MAX, 5, "a large number");
	is_i64(-3, -3, "a negative number");
	is_str("abcdef", "abcxef", "nearly # the same\nwords");
	is_str(NULL, "x", "no string");
	is_str(NULL, NULL, "both absent");
	skip("no %s here", "device");
	return done_testing();
}
C
cat >"$work/want" <<'W'
ok 1 - one is one
not ok 2 - one is two
not ok 3 - a large number
#   got 18446744073709551615 (0xffffffffffffffff), want 5 (0x5)
ok 4 - a negative number
not ok 5 - nearly   the same words
#   they differ from byte 3 on
#   got  "abcdef"
#   want "abcxef"
not ok 6 - no string
#   got  NULL
#   want "x"
ok 7 - both absent
ok 8 # SKIP no device here
1..8
#   4 of 8 failed
W
# shellcheck disable=SC2086 # CC may carry options
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I. -o "$work/t" "$work/t.c" 2>&1 | grep error |
	finding "the harness compiles"
"$work/t" >"$work/got"
echo $? | grep -vx 0 | finding "a program with failed checks still exits 0"
grep -v '^#   at ' "$work/got" | diff "$work/want" - | finding "its lines are these"
grep -c '^#   at .*t.c:[0-9]*$' "$work/got" | grep -vx 4 | finding "each failure tells its place"
lint_done
