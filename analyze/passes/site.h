/* SPDX-License-Identifier: MIT
 * site.h -- which frame of a stack is the user's own code.
 *
 * The innermost frame that is the user's: a Python file that is no library (a path through
 * site-packages, dist-packages or lib/python3.N/, a name or file starting with <frozen,
 * torchinductor's generated files; in traces of the profiler, whose paths are shortened, a path
 * that begins with a well-known package: short_paths.h), unless a site rule says otherwise. No user
 * frame: the innermost Python frame. None either: "(backward)" when the stack shows the autograd
 * engine, or is empty in a file of Python-only stacks; in recordings of any CUDA program, where
 * native code of the user's counts as the user's, too, the innermost native frame that is no plumbing
 * (native_frame.h); else "(no stack)".
 */
#ifndef ANALYZE_PASSES_SITE_H
#define ANALYZE_PASSES_SITE_H

#include "model/model.h"
#include "passes/rules.h"

enum site_kind { SITE_FRAME, SITE_BACKWARD, SITE_NO_STACK };

struct site {
	enum site_kind kind;
	frame_id frame; /* of SITE_FRAME */
};

/* From now on site rules decide, where one matches a frame, everywhere that asks whose code it is.
 * Errors: ERR_LIMIT, ERR_NOMEM; nothing has changed then. */
int site_use_rules(struct model *m, const struct rules *rules, struct error *err);

/* The site of a stack of `m`. */
struct site site_of_stack(const struct model *m, stack_id stack);

/* Sites of all stacks, computed once: table[stack.i] is a dense site number. */
struct site_table {
	struct budget *budget;
	VEC(uint32_t) of_stack; /* row of sites for each stack id */
	VEC(struct site) sites; /* distinct */
};

int site_table_init(struct site_table *t, const struct model *m, struct budget *budget,
		    struct error *err);
void site_table_release(struct site_table *t);

/* "path:line function" of a frame, "(backward)", "(no stack)": the words used as keys everywhere.
 * Written into buf, cut at its end, NUL-terminated; returns buf. */
const char *site_words(const struct model *m, struct site site, char *buf, size_t size);
const char *frame_words(const struct model *m, frame_id frame, char *buf, size_t size);

/* Does the frame come from a Python file? From the user's own? */
bool frame_is_python(const struct model *m, frame_id frame);
bool frame_is_user(const struct model *m, frame_id frame);

#endif
