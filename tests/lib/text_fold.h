/* SPDX-License-Identifier: MIT
 * text_fold.h -- a fold that writes down what it is given, so that results compare as text.
 *
 * Containers as in Python: ['a', 1, (2, 3)], {'k': None}; bytes objects b''. `<{'k': 1}>` is a dict
 * that damage left unfinished. Batches are joined. Texts are cut at TEXT_FOLD_BYTES.
 */
#ifndef TESTS_LIB_TEXT_FOLD_H
#define TESTS_LIB_TEXT_FOLD_H

#include <stdbool.h>

#include "decode/pickle.h"

#define TEXT_FOLD_BYTES 16000

struct text_fold {
	struct budget budget;
	struct strtab strings;
	struct cells cells;
	struct fold fold;
	size_t n_calls, longest; /* of dict, list, tuple; most items (dict: pairs) in one call */
	uint64_t last_offset;    /* that a call was given */
	/* Dicts are rows, as a loader's: they do not grow, and one that begins with the key 'r'
	 * becomes None when it is cut. n_rows: such dicts that were whole. */
	bool rows;
	size_t n_rows;
	int fail_at; /* the call of this number fails, 0: none */
};

void text_fold_init(struct text_fold *t, uint64_t limit);
/* False when memory was not given back. */
bool text_fold_release(struct text_fold *t);

/* Read bytes, `step` at a time when it is not 0. */
int text_fold_read(struct text_fold *t, struct pickle_result *out, const void *bytes, size_t n,
		   size_t step, struct error *err);

/* What a cell is as text, valid until the next call. */
const char *text_fold_words(struct text_fold *t, cell c);

#endif
