/* SPDX-License-Identifier: MIT
 * site.c -- which frame of a stack is the user's own code, and the words for it.
 */
#include "passes/site.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "passes/native_frame.h"
#include "passes/short_paths.h"

/* What one frame is; bits. */
#define FRAME_PYTHON   1u
#define FRAME_USER     2u
#define FRAME_AUTOGRAD 4u
#define FRAME_NATIVE   8u /* of a recording, and no plumbing */

static bool starts_with(const struct str *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s->length >= n && memcmp(s->bytes, prefix, n) == 0;
}

static bool ends_with(const struct str *s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s->length >= n && memcmp(s->bytes + s->length - n, suffix, n) == 0;
}

static const char *find(const char *at, const char *end, const char *word)
{
	return memmem(at, (size_t)(end - at), word, strlen(word));
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/* Does the path go through a folder of this name? */
static bool path_through(const struct str *path, const char *folder)
{
	const char *begin = path->bytes, *end = begin + path->length, *at = begin;
	size_t n = strlen(folder);

	while ((at = find(at, end, folder)) != NULL) {
		bool opens = at == begin || is_slash(at[-1]);

		at += n;
		if (opens && at < end && is_slash(*at))
			return true;
	}
	return false;
}

/* lib/python3.N/: the standard library, and whatever a distribution installs beside it. */
static bool path_in_python_lib(const struct str *path)
{
	static const char word[] = "lib/python3.";
	const char *begin = path->bytes, *end = begin + path->length, *at = begin;

	while ((at = find(at, end, word)) != NULL) {
		bool opens = at == begin || is_slash(at[-1]);
		const char *digit = at += sizeof word - 1;

		while (digit < end && *digit >= '0' && *digit <= '9')
			digit++;
		if (opens && digit > at && digit < end && is_slash(*digit))
			return true;
	}
	return false;
}

/* Code that no file holds: typed at a prompt, in a notebook's cell, given with -c. Methods that
 * dataclasses and the like generate also call their file <string>; they are nobody's code. */
static unsigned classify_pseudo_file(const struct str *file, const struct str *name)
{
	if (starts_with(file, "<frozen") || starts_with(file, "<eval_with_key>") ||
	    starts_with(file, "<attrs generated"))
		return FRAME_PYTHON;
	if (starts_with(file, "<stdin>") || starts_with(file, "<ipython-input") ||
	    starts_with(file, "<doctest"))
		return FRAME_PYTHON | FRAME_USER;
	if (starts_with(file, "<string>")) {
		bool generated = starts_with(name, "__") && ends_with(name, "__");

		return generated ? FRAME_PYTHON : FRAME_PYTHON | FRAME_USER;
	}
	return 0;
}

static bool is_library(const struct str *file, const struct str *name)
{
	return starts_with(name, "<frozen") || path_through(file, "site-packages") ||
	       path_through(file, "dist-packages") || path_in_python_lib(file) ||
	       find(file->bytes, file->bytes + file->length, "torchinductor_") != NULL;
}

static unsigned classify(const struct model *m, frame_id frame)
{
	const struct frame *f = &m->stacks.frames.at[frame.i];
	enum native_code native = native_code_of(m, frame);
	const struct str *file = strtab_get(&m->strings, f->file);
	const struct str *name = strtab_get(&m->strings, f->name);

	if (native != NATIVE_NOT)
		return native == NATIVE_USER      ? FRAME_NATIVE | FRAME_USER
		       : native == NATIVE_LIBRARY ? FRAME_NATIVE
						  : 0;
	if (file->length > 0 && file->bytes[0] == '<')
		return classify_pseudo_file(file, name);
	if (ends_with(file, ".py")) {
		bool library = is_library(file, name) ||
			       (m->format == CONTAINER_TRACE && short_path_is_library(file));

		return library ? FRAME_PYTHON : FRAME_PYTHON | FRAME_USER;
	}
	/* An operator of a trace, in place of the engine's own frames. */
	if (m->format == CONTAINER_TRACE && starts_with(name, "autograd::engine::"))
		return FRAME_AUTOGRAD;
	if (find(name->bytes, name->bytes + name->length, "torch::autograd::") != NULL &&
	    find(name->bytes, name->bytes + name->length, "Engine::") != NULL)
		return FRAME_AUTOGRAD;
	return 0;
}

static unsigned classify_frame(const struct model *m, frame_id frame)
{
	unsigned kind = classify(m, frame);
	uint8_t owner = frame.i < m->frame_owners.n ? m->frame_owners.at[frame.i] : 0;

	if (owner & SITE_RULE_LIBRARY)
		return kind & ~FRAME_USER;
	return owner & SITE_RULE_USER ? kind | FRAME_PYTHON | FRAME_USER : kind;
}

bool frame_is_python(const struct model *m, frame_id frame)
{
	return classify_frame(m, frame) & FRAME_PYTHON;
}

bool frame_is_user(const struct model *m, frame_id frame)
{
	return classify_frame(m, frame) & FRAME_USER;
}

int site_use_rules(struct model *m, const struct rules *rules, struct error *err)
{
	struct stack_rules s;
	int rc;

	if ((rc = stack_rules_init(&s, rules, m, m->budget, err)) < 0)
		return rc;
	if ((rc = vec_reserve(&m->frame_owners, s.sites.n, m->budget, err)) == 0) {
		if (s.sites.n)
			memcpy(m->frame_owners.at, s.sites.at, s.sites.n);
		m->frame_owners.n = s.sites.n;
	}
	stack_rules_release(&s);
	return rc;
}

/* `kinds`: classify_frame() of every frame, or NULL to ask it here. */
static struct site find_site(const struct model *m, stack_id stack, const uint8_t *kinds)
{
	size_t depth = stacks_depth(&m->stacks, stack);
	const frame_id *frames = depth ? &m->stacks.pool.at[m->stacks.start.at[stack.i]] : NULL;
	struct site python = {SITE_NO_STACK, {0}}, native = python;
	bool backward = depth == 0 && stack.i == STACK_EMPTY.i && m->stacks_python_only;

	for (size_t k = 0; k < depth; k++) {
		frame_id f = frames[k];
		unsigned kind = kinds ? kinds[f.i] : classify_frame(m, f);

		if (kind & FRAME_USER)
			return (struct site){SITE_FRAME, f};
		if ((kind & FRAME_PYTHON) && python.kind != SITE_FRAME)
			python = (struct site){SITE_FRAME, f};
		if ((kind & FRAME_NATIVE) && native.kind != SITE_FRAME)
			native = (struct site){SITE_FRAME, f};
		backward |= kind & FRAME_AUTOGRAD;
	}
	if (python.kind == SITE_FRAME)
		return python;
	return backward ? (struct site){.kind = SITE_BACKWARD} : native;
}

struct site site_of_stack(const struct model *m, stack_id stack)
{
	return find_site(m, stack, NULL);
}

static int fill_table(struct site_table *t, const struct model *m, const uint8_t *kinds,
		      struct hashmap *rows, struct error *err)
{
	size_t n_stacks = m->stacks.start.n - 1;
	int rc;

	if ((rc = vec_reserve(&t->of_stack, n_stacks, t->budget, err)) < 0)
		return rc;
	for (uint32_t s = 0; s < n_stacks; s++) {
		struct site site = find_site(m, (stack_id){s}, kinds);
		uint64_t key = (uint64_t)site.kind << 32 | site.frame.i;
		const uint64_t *known = hashmap_get(rows, key);
		uint64_t row = known ? *known : t->sites.n;

		if (!known && ((rc = hashmap_put(rows, key, row, err)) < 0 ||
			       (rc = vec_push(&t->sites, site, t->budget, err)) < 0))
			return rc;
		t->of_stack.at[t->of_stack.n++] = (uint32_t)row;
	}
	return 0;
}

int site_table_init(struct site_table *t, const struct model *m, struct budget *budget,
		    struct error *err)
{
	struct site_table table = {.budget = budget};
	VEC(uint8_t) kinds = {0};
	struct hashmap rows;
	int rc;

	hashmap_init(&rows, budget);
	if ((rc = vec_reserve(&kinds, m->stacks.frames.n + 1, budget, err)) < 0)
		goto out;
	for (size_t f = 0; f < m->stacks.frames.n; f++)
		kinds.at[f] = (uint8_t)classify_frame(m, (frame_id){(uint32_t)f});
	if ((rc = fill_table(&table, m, kinds.at, &rows, err)) < 0)
		goto out;
	*t = table;
	table = (struct site_table){.budget = budget};
out:
	site_table_release(&table);
	hashmap_release(&rows);
	vec_release(&kinds, budget);
	return rc;
}

void site_table_release(struct site_table *t)
{
	if (!t || !t->budget)
		return;
	vec_release(&t->of_stack, t->budget);
	vec_release(&t->sites, t->budget);
}

/* Append bytes of a file's string; a NUL would end the words early, so it becomes U+FFFD. */
static size_t put(char *buf, size_t size, size_t at, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *from = bytes[i] ? &bytes[i] : "\xef\xbf\xbd";
		size_t len = bytes[i] ? 1 : 3;

		if (at + len >= size)
			break;
		memcpy(buf + at, from, len);
		at += len;
	}
	return at;
}

/* Drop a UTF-8 sequence that the end of the buffer has cut. */
static size_t trim_utf8(const char *buf, size_t n)
{
	size_t lead = n;

	for (size_t back = 1; back <= 4 && back <= n; back++) {
		unsigned char c = (unsigned char)buf[n - back];

		if ((c & 0xc0) == 0x80)
			continue;
		if (c >= 0xc0)
			lead = n - back;
		break;
	}
	if (lead == n)
		return n;

	unsigned char c = (unsigned char)buf[lead];
	size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

	return n - lead < want ? lead : n;
}

const char *frame_words(const struct model *m, frame_id frame, char *buf, size_t size)
{
	const struct frame *f = &m->stacks.frames.at[frame.i];
	const struct str *file = strtab_get(&m->strings, f->file);
	const struct str *name = strtab_get(&m->strings, f->name);
	char line[32];
	int n = snprintf(line, sizeof line, ":%lld ", (long long)f->line);
	size_t at;

	assert(size > 0);
	at = put(buf, size, 0, file->bytes, file->length);
	at = put(buf, size, at, line, (size_t)n);
	at = put(buf, size, at, name->bytes, name->length);
	if (at + 4 >= size)
		at = trim_utf8(buf, at);
	buf[at] = '\0';
	return buf;
}

const char *site_words(const struct model *m, struct site site, char *buf, size_t size)
{
	if (site.kind == SITE_FRAME)
		return frame_words(m, site.frame, buf, size);
	snprintf(buf, size, "%s", site.kind == SITE_BACKWARD ? "(backward)" : "(no stack)");
	return buf;
}
