/* SPDX-License-Identifier: MIT
 * natural.h -- the order in which people count: step_9 before step_10.
 */
#ifndef ANALYZE_BASE_NATURAL_H
#define ANALYZE_BASE_NATURAL_H

/* As strcmp, but runs of digits compare as numbers (of any length). Equal only when the strings
 * are: 01 comes before 1. */
int natural_compare(const char *a, const char *b);

#endif
