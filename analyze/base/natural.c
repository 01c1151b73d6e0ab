/* SPDX-License-Identifier: MIT
 * natural.c -- the order in which people count: step_9 before step_10.
 */
#include "base/natural.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(const char *s)
{
	size_t n = 0;

	while (is_digit(s[n]))
		n++;
	return n;
}

/* Both begin with a digit; moves both behind their numbers. */
static int compare_numbers(const char **a, const char **b)
{
	size_t n, k;
	int order;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	n = digits(*a);
	k = digits(*b);
	order = n == k ? memcmp(*a, *b, n) : n < k ? -1 : 1;
	*a += n;
	*b += k;
	return order;
}

int natural_compare(const char *a, const char *b)
{
	const char *x = a, *y = b;

	while (*x && *y) {
		if (is_digit(*x) && is_digit(*y)) {
			int order = compare_numbers(&x, &y);

			if (order)
				return order;
			continue;
		}
		if (*x != *y)
			break;
		x++;
		y++;
	}
	if (*x != *y)
		return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
	return strcmp(a, b);
}
