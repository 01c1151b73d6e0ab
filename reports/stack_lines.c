/* SPDX-License-Identifier: MIT
 * stack_lines.c -- a stack as lines: whole for programs, folded for people.
 */
#include "reports/stack_lines.h"

#include <inttypes.h>
#include <stdio.h>

#define FRAME_BYTES 16384

/* The first bytes of a name, for prose; 5,000-character names exist. */
#define NAME_BYTES 100

static int name_length(const struct str *name)
{
	size_t n = name->length;

	if (n <= NAME_BYTES)
		return (int)n;
	n = NAME_BYTES;
	while (n > 0 && ((unsigned char)name->bytes[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

const char *site_short(const struct model *m, struct site site, char *buf, size_t size)
{
	const struct frame *f = &m->stacks.frames.at[site.frame.i];
	const struct str *file = strtab_get(&m->strings, f->file);
	const struct str *name = strtab_get(&m->strings, f->name);
	size_t at = file->length;

	if (site.kind == SITE_BACKWARD) {
		snprintf(buf, size, "the backward pass");
	} else if (site.kind == SITE_NO_STACK) {
		snprintf(buf, size, "code without a stack");
	} else {
		while (at > 0 && file->bytes[at - 1] != '/' && file->bytes[at - 1] != '\\')
			at--;
		snprintf(buf, size, "%s:%" PRId64 " %.*s%s", file->bytes + at, f->line,
			 name_length(name), name->bytes, name->length > NAME_BYTES ? "..." : "");
	}
	return buf;
}

static frame_id frame_at(const struct model *m, stack_id stack, size_t k)
{
	return m->stacks.pool.at[m->stacks.start.at[stack.i] + k];
}

void describe_stack(struct emit *e, const struct model *m, stack_id stack)
{
	char words[FRAME_BYTES];

	for (size_t k = 0; k < stacks_depth(&m->stacks, stack); k++)
		emit_str(e, NULL, NULL, frame_words(m, frame_at(m, stack, k), words, sizeof words));
}

/* Frames that are not shown. */
struct fold {
	size_t n;
	frame_id python; /* the innermost Python one; 0: none */
};

static void text_fold(struct emit *e, const struct model *m, struct fold *f)
{
	char buf[UNITS_BUF], words[512] = "";

	if (f->python.i)
		site_short(m, (struct site){SITE_FRAME, f->python}, words, sizeof words);
	if (f->n)
		emit_line(e, "    ... %s%s%s",
			  units_noun(buf, sizeof buf, f->n, "library frame", "library frames"),
			  *words ? ", from " : "", words);
	*f = (struct fold){0};
}

void text_stack(struct emit *e, const struct model *m, stack_id stack)
{
	size_t depth = stacks_depth(&m->stacks, stack), own = 0;
	char words[FRAME_BYTES];
	struct fold fold = {0};

	for (size_t k = 0; k < depth; k++)
		own += frame_is_user(m, frame_at(m, stack, k));
	for (size_t k = 0; k < depth; k++) {
		frame_id f = frame_at(m, stack, k);

		if (own && !frame_is_user(m, f)) {
			fold.n++;
			if (!fold.python.i && frame_is_python(m, f))
				fold.python = f;
			continue;
		}
		text_fold(e, m, &fold);
		emit_line(e, "    %s", frame_words(m, f, words, sizeof words));
	}
	text_fold(e, m, &fold);
	if (depth == 0)
		emit_line(e, "    %s", site_words(m, site_of_stack(m, stack), words, sizeof words));
}
