/* SPDX-License-Identifier: MIT
 * mk_tree.h -- the tree that a description (mk_pickle.h) stands for.
 */
#ifndef TESTS_LIB_MK_TREE_H
#define TESTS_LIB_MK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_MEMO UINT32_MAX

enum kind { K_NONE, K_BOOL, K_INT, K_FLOAT, K_STR, K_LIST, K_TUPLE, K_DICT };

struct tree {
	enum kind kind;
	bool negative; /* of K_INT: the magnitude's sign */
	uint64_t u;    /* magnitude, truth value, or length of bytes */
	double f;
	char *bytes;
	struct tree **items; /* dict: key, value, ... */
	size_t n_items;
	unsigned references;
	uint32_t memo; /* index it has in the pickle being written, or NO_MEMO */
};

/* All nodes of one description. */
struct forest {
	struct tree *root;
	struct tree **all;
	size_t n_all;
};

/* A description that cannot be read ends the program. */
void forest_parse(struct forest *f, const char *description);
void forest_release(struct forest *f);

/* `p`, or the end of the program when it is NULL. */
void *must(void *p);

#endif
