/* SPDX-License-Identifier: MIT
 * model_equal.h -- do two models say the same, whatever their ids are?
 */
#ifndef TESTS_LIB_MODEL_EQUAL_H
#define TESTS_LIB_MODEL_EQUAL_H

#include "model/model.h"

/* The first difference in words, in `buf`, or "" when there is none. Everything about the snapshot
 * is compared by value (strings, frames, stacks, settings), nothing about the file it lay in. */
const char *model_difference(const struct model *a, const struct model *b, char *buf, size_t size);

/* The same for the first `n` events of each device of `part`, which must be there in `whole`. */
const char *model_prefix_difference(const struct model *part, const struct model *whole, char *buf,
				    size_t size);

#endif
