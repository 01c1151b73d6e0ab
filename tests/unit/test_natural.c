/* SPDX-License-Identifier: MIT
 * test_natural.c -- the order in which people count.
 */
#include "tests/lib/tap.h"

#include "base/natural.h"

int main(void)
{
	static const char *const in_order[] = {
		"",
		"0",
		"a",
		"a0",
		"a00",
		"a1",
		"a01b",
		"a1b",
		"a2",
		"a9",
		"a10",
		"a10b",
		"a010c",
		"a99999999999999999999998",
		"a99999999999999999999999",
		"b1",
		"step_2.pickle",
		"step_10.pickle",
		"step_10.pickle.zst",
	};
	size_t n = sizeof in_order / sizeof *in_order;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			int order = natural_compare(in_order[i], in_order[k]);

			ok((order > 0) - (order < 0) == (i > k) - (i < k), "'%s' and '%s'",
			   in_order[i], in_order[k]);
		}
	}
	return done_testing();
}
