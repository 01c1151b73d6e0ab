/* SPDX-License-Identifier: MIT
 * rules.c -- loading rules from XML and compiling their expressions.
 */
#include "passes/rules.h"

#include <assert.h>
#include <string.h>

#include "decode/xml_read.h"
#include "passes/rules_builtin.h"
#include "passes/rules_private.h"

/* An annotation's name is cut behind this by rules_annotation. */
#define ANNOTATION_BYTES 512
/* Steps of one match: PCRE2's own default of 10 million lets one frame take a second. */
#define RULE_MATCH_LIMIT 200000
#define RULES_MAX_BYTES  ((uint64_t)1 << 20)

static const char *const category_names[CATEGORY_COUNT] = {
	[CATEGORY_PARAMETER] = "PARAMETER",
	[CATEGORY_OPTIMIZER_STATE] = "OPTIMIZER_STATE",
	[CATEGORY_INPUT] = "INPUT",
	[CATEGORY_TEMPORARY] = "TEMPORARY",
	[CATEGORY_ACTIVATION] = "ACTIVATION",
	[CATEGORY_GRADIENT] = "GRADIENT",
	[CATEGORY_AUTOGRAD_DETAIL] = "AUTOGRAD_DETAIL",
	[CATEGORY_UNKNOWN] = "UNKNOWN",
};

static const char *const phase_names[PHASE_COUNT] = {
	[PHASE_NONE] = "none",           [PHASE_OPTIMIZER] = "optimizer",
	[PHASE_ZERO_GRAD] = "zero_grad", [PHASE_RECOMPUTE] = "recompute",
	[PHASE_BACKWARD] = "backward",   [PHASE_CLIP] = "clip",
	[PHASE_SCALER] = "scaler",       [PHASE_GRAPH] = "graph",
	[PHASE_COMPILED] = "compiled",   [PHASE_FORWARD] = "forward",
	[PHASE_LOAD] = "load",           [PHASE_INIT] = "init",
	[PHASE_DATA] = "data",           [PHASE_COMMUNICATION] = "communication",
};

const char *category_name(enum category c)
{
	assert(c < CATEGORY_COUNT);
	return category_names[c];
}

const char *phase_name(enum phase p)
{
	assert(p < PHASE_COUNT);
	return phase_names[p];
}

/* The schema lets known words through only. */
static unsigned word_row(const char *word, const char *const *names, unsigned n)
{
	for (unsigned i = 0; word && i < n; i++)
		if (!strcmp(word, names[i]))
			return i;
	return 0;
}

static enum phase phase_of(const char *word)
{
	return (enum phase)word_row(word, phase_names, PHASE_COUNT);
}

static enum category category_of(const char *word)
{
	return (enum category)word_row(word, category_names, CATEGORY_COUNT);
}

/* NULL stays NULL. */
static int keep(struct arena *a, const char *words, const char **out, struct error *err)
{
	size_t n = words ? strlen(words) + 1 : 0;
	char *copy;

	if (!words) {
		*out = NULL;
		return 0;
	}
	if (!(copy = arena_bytes(a, n, err)))
		return (int)err->code;
	memcpy(copy, words, n);
	*out = copy;
	return 0;
}

static int compile(const char *re, uint32_t line, pcre2_code **out, struct error *err)
{
	*out = NULL;
	return re ? regex_compile(out, re, 0, line, err) : 0;
}

static void free_compiled(struct compiled_rule *c)
{
	pcre2_code_free(c->path);
	pcre2_code_free(c->function);
	pcre2_code_free(c->with);
}

static void read_words(struct rule *r, const struct xml_node *n)
{
	r->line = n->line;
	r->id = xml_node_attr(n, "id") ? xml_node_attr(n, "id") : "";
	r->note = n->text;
	r->path = xml_node_attr(n, "path");
	r->function = xml_node_attr(n, "function");
	r->with = xml_node_attr(n, "with");
	r->native = xml_node_attr(n, "native") != NULL;
	if (r->native)
		r->function = xml_node_attr(n, "native");
}

static struct rule read_rule(const struct xml_node *n)
{
	struct rule r = {.kind = RULE_PHASE};
	const char *is = xml_node_attr(n, "is");

	read_words(&r, n);
	if (!strcmp(n->name, "phase")) {
		r.phase = phase_of(is);
	} else if (!strcmp(n->name, "not")) {
		r.kind = RULE_NOT;
		r.phase = phase_of(xml_node_attr(n, "phase"));
		r.outer = xml_node_attr(n, "outer") != NULL;
	} else if (!strcmp(n->name, "owner")) {
		r.kind = RULE_OWNER;
		r.category = category_of(xml_node_attr(n, "category"));
		r.has_first = xml_node_attr(n, "first") != NULL;
		r.first = category_of(xml_node_attr(n, "first"));
		r.needs = phase_of(xml_node_attr(n, "needs"));
		r.detail = xml_node_attr(n, "detail");
	} else if (!strcmp(n->name, "annotation")) {
		r.kind = RULE_ANNOTATION;
		r.is_step = !strcmp(is, "step");
		r.phase = r.is_step ? PHASE_NONE : phase_of(is);
		r.function = xml_node_attr(n, "name");
	} else if (!strcmp(n->name, "site")) {
		r.kind = RULE_SITE;
		r.is_library = !strcmp(is, "library");
	} else {
		r.kind = RULE_CATEGORY;
		r.name = xml_node_attr(n, "name");
	}
	return r;
}

static int keep_all(struct arena *a, struct rule *r, struct error *err)
{
	const char **words[] = {&r->id,   &r->note,     &r->detail, &r->name,
				&r->path, &r->function, &r->with};
	int rc = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words && rc == 0; i++)
		rc = keep(a, *words[i], words[i], err);
	return rc;
}

static int add_rule(struct rules *r, const struct xml_node *n, bool from_user, struct error *err)
{
	struct compiled_rule c = {.rule = read_rule(n)};
	int rc;

	c.rule.from_user = from_user;
	if ((rc = keep_all(&r->arena, &c.rule, err)) < 0 ||
	    (rc = compile(c.rule.path, n->line, &c.path, err)) < 0 ||
	    (rc = compile(c.rule.function, n->line, &c.function, err)) < 0 ||
	    (rc = compile(c.rule.with, n->line, &c.with, err)) < 0)
		goto out;
	if (r->rows.n >= RULES_MAX)
		rc = error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "line %u: more than %d rules",
			       n->line, RULES_MAX);
	else
		rc = vec_push(&r->rows, c, r->budget, err);
out:
	if (rc < 0)
		free_compiled(&c);
	return rc;
}

/* Does a rule of rows [0, n) have this id? */
static bool has_id(const struct rules *r, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (*id && !strcmp(r->rows.at[i].rule.id, id))
			return true;
	return false;
}

static void drop_rows(struct rules *r, size_t from)
{
	for (size_t i = from; i < r->rows.n; i++)
		free_compiled(&r->rows.at[i]);
	r->rows.n = from;
}

/* Rows from `n_old` on are new: put them first, and old ones behind unless replaced. */
static int put_first(struct rules *r, size_t n_old, bool replace, struct error *err)
{
	size_t n_new = r->rows.n - n_old, at = 0;
	VEC(struct compiled_rule) old = {0};
	int rc = vec_reserve(&old, n_old + 1, r->budget, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n_old; i++)
		old.at[i] = r->rows.at[i];
	for (size_t i = 0; i < n_new; i++)
		r->rows.at[i] = r->rows.at[n_old + i];
	at = n_new;
	for (size_t i = 0; i < n_old; i++) {
		if ((replace && !old.at[i].rule.from_user) || has_id(r, n_new, old.at[i].rule.id))
			free_compiled(&old.at[i]);
		else
			r->rows.at[at++] = old.at[i];
	}
	r->rows.n = at;
	vec_release(&old, r->budget);
	return 0;
}

static int load(struct rules *r, struct input *in, bool from_user, struct error *err)
{
	const struct xml_options options = {.schema = rules_rng, .max_bytes = RULES_MAX_BYTES};
	size_t n_old = r->rows.n;
	struct xml_doc *doc;
	const char *builtin;
	int rc = xml_read(&doc, in, &options, err);

	if (rc < 0)
		return rc;
	for (const struct xml_node *n = doc->root->first; n && rc == 0; n = n->next)
		rc = add_rule(r, n, from_user, err);
	builtin = xml_node_attr(doc->root, "builtin");
	if (rc == 0 && from_user)
		rc = put_first(r, n_old, builtin && !strcmp(builtin, "replace"), err);
	if (rc < 0)
		drop_rows(r, n_old);
	xml_doc_free(doc);
	return rc;
}

int rules_add(struct rules *r, struct input *in, struct error *err)
{
	struct error own;

	return load(r, in, true, err ? err : &own);
}

int rules_new(struct rules **out, struct budget *budget, struct error *err)
{
	struct error own;
	struct rules *r;
	struct input *in = NULL;
	int rc;

	if (!err)
		err = &own; /* vec_push reads it */
	r = budget_realloc(budget, NULL, 0, sizeof *r, err);
	if (!r)
		return (int)err->code;
	*r = (struct rules){.budget = budget};
	arena_init(&r->arena, budget);
	r->data = pcre2_match_data_create(1, NULL);
	r->context = pcre2_match_context_create(NULL);
	if (!r->data || !r->context) {
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		goto out;
	}
	pcre2_set_match_limit(r->context, RULE_MATCH_LIMIT);
	if ((rc = input_open_bytes(&in, rules_xml, strlen(rules_xml), budget, err)) == 0)
		rc = load(r, in, false, err);
out:
	if (in)
		input_close(in);
	if (rc < 0)
		rules_free(r);
	else
		*out = r;
	return rc;
}

void rules_free(struct rules *r)
{
	if (!r)
		return;
	drop_rows(r, 0);
	vec_release(&r->rows, r->budget);
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->context);
	arena_release(&r->arena);
	budget_free(r->budget, r, sizeof *r);
}

size_t rules_count(const struct rules *r)
{
	return r->rows.n;
}

const struct rule *rules_at(const struct rules *r, uint16_t row)
{
	assert(row < r->rows.n);
	return &r->rows.at[row].rule;
}

uint16_t rules_annotation(const struct rules *r, const char *name, size_t length)
{
	/* Zeroed, and longer than the words: compiled expressions read whole vectors. */
	char words[ANNOTATION_BYTES + 64] = {0};

	if (length > ANNOTATION_BYTES)
		length = ANNOTATION_BYTES;
	memcpy(words, name, length);
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct compiled_rule *c = &r->rows.at[i];

		if (c->rule.kind == RULE_ANNOTATION &&
		    rules_match(r, c->function, words, length) > 0)
			return (uint16_t)i;
	}
	return RULE_NONE;
}
