/* SPDX-License-Identifier: MIT
 * top_key.c -- what a row of passes/top.h stands for, in words.
 */
#include "reports/top_key.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"

static const char *special_key(enum top_key key)
{
	switch (key) {
	case TOP_KEY_BACKWARD:
		return "(backward)";
	case TOP_KEY_NONE:
		return "(none)";
	case TOP_KEY_BEFORE_RECORDING:
		return "(before recording)";
	case TOP_KEY_NO_TIME:
		return "(no time)";
	case TOP_KEY_NO_STACK:
	case TOP_KEY_NAME:
		break;
	}
	return "(no stack)";
}

/* The same stack has the same number in every file. */
static uint32_t stack_number(const struct model *m, stack_id stack)
{
	uint64_t h = stacks_depth(&m->stacks, stack);

	for (size_t k = 0; k < stacks_depth(&m->stacks, stack); k++) {
		const struct frame *f = stacks_frame(&m->stacks, stack, k);
		const struct str *file = strtab_get(&m->strings, f->file);
		const struct str *name = strtab_get(&m->strings, f->name);

		h = hash_combine(h, hash_bytes(file->bytes, file->length));
		h = hash_combine(h, hash_bytes(name->bytes, name->length));
		h = hash_combine(h, (uint64_t)f->line);
	}
	return (uint32_t)h;
}

static const char *pool_words(char *buf, size_t size, struct pool_id pool)
{
	if (pool.a == 0 && pool.b == 0)
		(void)snprintf(buf, size, "default");
	else
		(void)snprintf(buf, size, "[%" PRId64 ", %" PRId64 "]", pool.a, pool.b);
	return buf;
}

const char *top_key_words(char *buf, size_t size, const struct model *m, enum top_by by,
			  const struct top_row *row)
{
	const struct str *file = strtab_get(&m->strings, row->file);
	const struct str *name = strtab_get(&m->strings, row->name);
	char words[TOP_KEY_BYTES - 16];

	if (by == TOP_POOL)
		return pool_words(buf, size, row->pool);
	if (by == TOP_CATEGORY)
		(void)snprintf(buf, size, "%s", category_name(row->category));
	else if (by == TOP_STREAM)
		(void)snprintf(buf, size, "0x%" PRIx64, row->stream);
	else if (by == TOP_STACK)
		(void)snprintf(buf, size, "%s [%08" PRIx32 "]",
			       site_words(m, row->site, words, sizeof words),
			       stack_number(m, row->stack));
	else if (row->key != TOP_KEY_NAME)
		(void)snprintf(buf, size, "%s", special_key(row->key));
	else if (by == TOP_SITE)
		return site_words(m, row->site, buf, size);
	else if (by == TOP_FUNCTION)
		(void)snprintf(buf, size, "%s %s", file->bytes, name->bytes);
	else
		(void)snprintf(buf, size, "%s", by == TOP_FILE ? file->bytes : name->bytes);
	return buf;
}

void describe_top_key(struct emit *e, const char *key, const char *label, const struct model *m,
		      enum top_by by, const struct top_row *row)
{
	char buf[TOP_KEY_BYTES];
	bool whole = row->key == TOP_KEY_NAME && (by == TOP_FILE || by == TOP_ANNOTATION);
	const struct str *s = strtab_get(&m->strings, by == TOP_FILE ? row->file : row->name);

	if (by == TOP_STREAM)
		emit_addr(e, key, label, row->stream);
	else if (by == TOP_POOL)
		emit_pool(e, key, label, row->pool, true);
	else if (whole)
		emit_strn(e, key, label, s->bytes, s->length);
	else
		emit_str(e, key, label, top_key_words(buf, sizeof buf, m, by, row));
}
