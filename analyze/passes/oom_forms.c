/* SPDX-License-Identifier: MIT
 * oom_forms.c -- the expressions of oom_messages.xml: loading, compiling, and what they match.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "passes/oom_forms.h"

#include <assert.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "decode/xml_read.h"
#include "passes/rules_builtin.h"

/* Steps of one match; a window is a few KiB. */
#define MATCH_LIMIT 100000

/* Prefixes on one line. */
#define MAX_PREFIXES 8

/* Longest expression after {size} is filled in. */
#define PATTERN_BYTES 8192

enum form_kind { FORM_ANCHOR, FORM_MESSAGE, FORM_PROCESS, FORM_PREFIX };

struct form {
	enum form_kind kind;
	const char *id;
	bool cut;
	pcre2_code *code;
};

struct oom_forms {
	struct budget *budget;
	struct xml_doc *doc; /* ids point into it */
	VEC(struct form) forms;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

/* --- loading ----------------------------------------------------------------------------------- */

/* An expression being put together; a mistake in ours is an assertion. */
struct pattern {
	char text[PATTERN_BYTES];
	size_t n;
};

static void put(struct pattern *p, const char *bytes, size_t n)
{
	assert(n < sizeof p->text - p->n);
	memcpy(p->text + p->n, bytes, n);
	p->n += n;
	p->text[p->n] = '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* White space becomes \s+. */
static void put_spaced(struct pattern *p, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_blank(text[i])) {
			put(p, text + i, 1);
			continue;
		}
		while (i + 1 < n && is_blank(text[i + 1]))
			i++;
		put(p, "\\s+", 3);
	}
}

/* Fill in {size} and {size:name}. */
static void put_pattern(struct pattern *p, const char *text, const char *size)
{
	static const char mark[] = "{size";

	for (;;) {
		const char *at = strstr(text, mark);
		const char *end = at ? strchr(at, '}') : NULL;
		const char *name = at ? at + sizeof mark - 1 : NULL;

		if (!at) {
			put_spaced(p, text, strlen(text));
			return;
		}
		assert(end);
		put_spaced(p, text, (size_t)(at - text));
		if (*name == ':') {
			put(p, "(?<", 3);
			put(p, name + 1, (size_t)(end - name - 1));
			put(p, ">", 1);
		} else {
			put(p, "(?:", 3);
		}
		put_spaced(p, size, strlen(size));
		put(p, ")", 1);
		text = end + 1;
	}
}

static enum form_kind kind_of(const char *name)
{
	if (!strcmp(name, "anchor"))
		return FORM_ANCHOR;
	if (!strcmp(name, "message"))
		return FORM_MESSAGE;
	return !strcmp(name, "process") ? FORM_PROCESS : FORM_PREFIX;
}

static int add_form(struct oom_forms *f, enum form_kind kind, const char *id, bool cut,
		    const struct pattern *p, struct error *err)
{
	struct form form = {.kind = kind, .id = id, .cut = cut};
	PCRE2_SIZE at;
	int code, rc;

	if ((rc = vec_reserve(&f->forms, 1, f->budget, err)) < 0)
		return rc;
	form.code = pcre2_compile((PCRE2_SPTR)p->text, p->n,
				  PCRE2_NEVER_BACKSLASH_C | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY,
				  &code, &at, NULL);
	if (!form.code)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET,
				 "expression '%s' does not compile at character %zu (%d)", id,
				 (size_t)at, code);
	/* Every line of a log passes the anchors; the others meet a few, and compiling them costs more
	 * than that. Without JIT (not supported everywhere) the interpreter matches. */
	if (kind == FORM_ANCHOR)
		pcre2_jit_compile(form.code, PCRE2_JIT_COMPLETE);
	f->forms.at[f->forms.n++] = form;
	return 0;
}

/* Anchors are one expression, because every line of a log passes it. */
static int load_anchors(struct oom_forms *f, const char *size, struct pattern *p, struct error *err)
{
	p->n = 0;
	for (const struct xml_node *n = xml_child(f->doc->root, "anchor"); n;
	     n = xml_next(n, "anchor")) {
		put(p, p->n ? "|(?:" : "(?:", p->n ? 4 : 3);
		put_pattern(p, n->text, size);
		put(p, ")", 1);
	}
	return add_form(f, FORM_ANCHOR, "anchor", false, p, err);
}

static int load_forms(struct oom_forms *f, struct error *err)
{
	const char *size = xml_child_text(f->doc->root, "size");
	struct pattern p;
	int rc = load_anchors(f, size, &p, err);

	for (const struct xml_node *n = xml_child(f->doc->root, NULL); n && rc == 0;
	     n = xml_next(n, NULL)) {
		enum form_kind kind = kind_of(n->name);

		if (kind == FORM_ANCHOR || !strcmp(n->name, "size"))
			continue;
		p.n = 0;
		if (kind == FORM_PREFIX)
			put(&p, n->text, strlen(n->text));
		else
			put_pattern(&p, n->text, size);
		rc = add_form(f, kind, xml_node_attr(n, "id") ? xml_node_attr(n, "id") : "",
			      xml_node_attr(n, "cut") != NULL, &p, err);
	}
	return rc;
}

static int read_document(struct xml_doc **doc, struct budget *budget, struct error *err)
{
	struct input *in;
	int rc = input_open_bytes(&in, oom_messages_xml, strlen(oom_messages_xml), budget, err);

	if (rc < 0)
		return rc;
	rc = xml_read(doc, in, &(struct xml_options){0}, err);
	input_close(in);
	return rc;
}

int oom_forms_new(struct oom_forms **out, struct budget *budget, struct error *err)
{
	struct oom_forms *f;
	int rc;

	f = budget_realloc(budget, NULL, 0, sizeof *f, err);
	if (!f)
		return (int)err->code;
	*f = (struct oom_forms){.budget = budget};
	f->data = pcre2_match_data_create(32, NULL);
	f->context = pcre2_match_context_create(NULL);
	if (!f->data || !f->context) {
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		goto out;
	}
	pcre2_set_match_limit(f->context, MATCH_LIMIT);
	if ((rc = read_document(&f->doc, budget, err)) == 0)
		rc = load_forms(f, err);
out:
	if (rc < 0)
		oom_forms_free(f);
	else
		*out = f;
	return rc;
}

void oom_forms_free(struct oom_forms *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->forms.n; i++)
		pcre2_code_free(f->forms.at[i].code);
	vec_release(&f->forms, f->budget);
	pcre2_match_data_free(f->data);
	pcre2_match_context_free(f->context);
	xml_doc_free(f->doc);
	budget_free(f->budget, f, sizeof *f);
}

/* --- matching ---------------------------------------------------------------------------------- */

static bool match(struct oom_forms *f, const struct form *form, const char *text, size_t n,
		  size_t from, uint32_t options)
{
	return pcre2_match(form->code, (PCRE2_SPTR)text, n, from, options, f->data, f->context) > 0;
}

/* A group of the last match; NULL when it has no part in it. */
static const char *group(const struct oom_forms *f, const struct form *form, const char *text,
			 const char *name, size_t *n)
{
	int row = pcre2_substring_number_from_name(form->code, (PCRE2_SPTR)name);
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(f->data);

	if (row <= 0 || at[2 * row] == PCRE2_UNSET || at[2 * row + 1] < at[2 * row])
		return NULL;
	*n = at[2 * row + 1] - at[2 * row];
	return text + at[2 * row];
}

static struct amount amount_of(const struct oom_forms *f, const struct form *form, const char *text,
			       const char *name)
{
	size_t n;
	const char *at = group(f, form, text, name, &n);

	return at ? amount_read(at, n) : (struct amount){0};
}

/* Digits as a number, -1 when they are none or too many. */
static int64_t number(const char *digits, size_t n)
{
	int64_t v = 0;

	if (n == 0 || n > 18)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return -1;
		v = 10 * v + (digits[i] - '0');
	}
	return v;
}

static int64_t number_of(const struct oom_forms *f, const struct form *form, const char *text,
			 const char *name)
{
	size_t n;
	const char *at = group(f, form, text, name, &n);

	return at ? number(at, n) : -1;
}

size_t oom_forms_anchor(struct oom_forms *f, const char *text, size_t n, size_t from, size_t *end)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(f->data);

	if (!match(f, &f->forms.at[0], text, n, from, 0))
		return n;
	*end = at[1];
	return at[0];
}

/* One prefix at `line`; 0: none. */
static size_t take_prefix(struct oom_forms *f, const char *line, size_t n, struct line_prefix *out)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(f->data);

	for (size_t i = 0; i < f->forms.n; i++) {
		const struct form *form = &f->forms.at[i];
		const char *words[2];
		size_t lengths[2];
		int64_t rank;

		if (form->kind != FORM_PREFIX || !match(f, form, line, n, 0, PCRE2_ANCHORED) ||
		    at[1] == 0)
			continue;
		rank = number_of(f, form, line, "rank");
		if (rank >= 0)
			out->rank = rank;
		words[0] = group(f, form, line, "rank", &lengths[0]);
		words[1] = group(f, form, line, "key", &lengths[1]);
		for (size_t k = 0; k < 2; k++)
			if (words[k])
				out->key = hash_combine(out->key,
							hash_bytes(words[k], lengths[k]) | 1);
		return at[1];
	}
	return 0;
}

struct line_prefix oom_forms_prefix(struct oom_forms *f, const char *line, size_t n)
{
	struct line_prefix p = {.rank = -1};

	for (size_t i = 0; i < MAX_PREFIXES && p.length < n; i++) {
		size_t taken = take_prefix(f, line + p.length, n - p.length, &p);

		if (!taken)
			break;
		p.length += taken;
	}
	return p;
}

static int read_processes(struct oom_forms *f, const char *text, size_t n, struct oom_message *out,
			  struct oom_log *log, struct error *err)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(f->data);
	size_t from = 0;
	bool again = true;
	int rc;

	while (again && from < n) {
		again = false;
		for (size_t i = 0; i < f->forms.n && !again; i++) {
			const struct form *form = &f->forms.at[i];
			struct oom_process p = {0};
			int64_t pid;

			while (from < n && is_blank(text[from]))
				from++;
			if (form->kind != FORM_PROCESS ||
			    !match(f, form, text, n, from, PCRE2_ANCHORED))
				continue;
			again = true;
			pid = number_of(f, form, text, "pid");
			p.used = amount_of(f, form, text, "used");
			from = at[1];
			if (pid <= 0) {
				out->self = p.used;
				continue;
			}
			p.pid = (uint64_t)pid;
			if ((rc = vec_push(&log->processes, p, log->budget, err)) < 0)
				return rc;
			out->n_processes++;
		}
	}
	return 0;
}

/* In form J of some builds the index is a raw byte. */
static int32_t device_of(const struct oom_forms *f, const struct form *form, const char *text)
{
	size_t n;
	const char *at = group(f, form, text, "device", &n);
	int64_t device = at ? number(at, n) : -1;

	if (at && n == 1 && (unsigned char)*at < ' ')
		device = (unsigned char)*at;
	return device >= 0 && device < INT32_MAX ? (int32_t)device : -1;
}

static void read_words(const struct oom_forms *f, const struct form *form, const char *text,
		       struct oom_message *out)
{
	size_t n;
	const char *at = group(f, form, text, "backend", &n);

	if (at && n < sizeof out->backend)
		memcpy(out->backend, at, n);
	at = group(f, form, text, "hint", &n);
	if (at)
		out->hint = *at == 'm' ? OOM_HINT_MAX_SPLIT : OOM_HINT_EXPANDABLE;
	out->device = device_of(f, form, text);
}

/* What was not printed but follows from what was. */
static void derive(struct oom_message *m)
{
	if (!m->reserved.known && m->allocated.known && m->idle.known) {
		m->reserved.known = true;
		m->reserved.bytes = m->allocated.bytes + m->idle.bytes + m->private_free.bytes;
		m->reserved.low = m->allocated.low + m->idle.low + m->private_free.low;
		m->reserved.high = m->allocated.high + m->idle.high + m->private_free.high;
	} else if (m->reserved.known && m->allocated.known && !m->idle.known) {
		m->idle.known = true;
		m->idle.bytes = m->reserved.bytes > m->allocated.bytes
					? m->reserved.bytes - m->allocated.bytes
					: 0;
		m->idle.low = m->reserved.low > m->allocated.high
				      ? m->reserved.low - m->allocated.high
				      : 0;
		m->idle.high = m->reserved.high > m->allocated.low
				       ? m->reserved.high - m->allocated.low
				       : 0;
	}
}

static int read_message(struct oom_forms *f, const struct form *form, const char *text,
			struct oom_message *out, struct oom_log *log, struct error *err)
{
	const char *processes;
	size_t n = 0;

	assert(strlen(form->id) < sizeof out->form);
	memcpy(out->form, form->id, strlen(form->id));
	out->cut = form->cut;
	read_words(f, form, text, out);
	out->attempted = amount_of(f, form, text, "attempted");
	out->total = amount_of(f, form, text, "total");
	out->free = amount_of(f, form, text, "free");
	out->allowed = amount_of(f, form, text, "allowed");
	out->allocated = amount_of(f, form, text, "allocated");
	out->reserved = amount_of(f, form, text, "reserved");
	out->idle = amount_of(f, form, text, "idle");
	out->private_free = amount_of(f, form, text, "private");
	derive(out);
	processes = group(f, form, text, "processes", &n);
	out->first_process = log->processes.n;
	return processes ? read_processes(f, processes, n, out, log, err) : 0;
}

int oom_forms_match(struct oom_forms *f, const char *text, size_t n, struct oom_message *out,
		    struct oom_log *log, struct error *err)
{
	for (size_t i = 0; i < f->forms.n; i++) {
		const struct form *form = &f->forms.at[i];
		int rc;

		if (form->kind != FORM_MESSAGE || !match(f, form, text, n, 0, PCRE2_ANCHORED))
			continue;
		rc = read_message(f, form, text, out, log, err);
		return rc < 0 ? rc : 1;
	}
	return 0;
}
