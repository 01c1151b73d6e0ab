/* SPDX-License-Identifier: MIT
 * gate_budget.c -- a budget's XML: its limits, and what is wrong with it in words.
 *
 * budget.rng says what a budget is; libxml2 tells only where one does not fit. What people get wrong
 * is therefore looked for first, and the schema has the last word.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/gate.h"
#include "passes/gate_names.h"
#include "passes/rules.h"
#include "passes/rules_builtin.h"

#define MOST_BYTES ((uint64_t)1 << 20)
#define NEAR       0.5

static const char *const of_names[GATE_OFS] = {"peak", "end", "reserved", "fragmentation", "leak"};
static const char *const part_names[GATE_PARTS] = {NULL, "site", "category", "annotation"};
static const char *const attributes[] = {"of",   "site", "category", "annotation",
					 "rank", "max",  "growth",   "absent"};
#define N_ATTRIBUTES (sizeof attributes / sizeof *attributes)

const char *gate_of_name(enum gate_of o)
{
	return of_names[o];
}

const char *gate_part_name(enum gate_part p)
{
	return part_names[p];
}

__attribute__((format(printf, 3, 4))) static int bad(struct error *err, uint32_t line,
						     const char *fmt, ...)
{
	char words[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof words, fmt, ap);
	va_end(ap);
	return error_set(err, ERR_FORMAT, ERR_NO_OFFSET, "line %u: %s", line, words);
}

/* --- words ------------------------------------------------------------------------------------- */

/* The row of `words` that is `word`, or n. */
static size_t row_of(const char *word, const char *const *words, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(word, words[i]) != 0)
		i++;
	return i;
}

/* "; did you mean 'site'?" or what is known; into buf, returned. */
static const char *instead(const char *word, const char *const *words, size_t n, char *buf,
			   size_t size)
{
	double best = NEAR;
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		double d = gate_name_distance(word, words[i]);

		if (d <= best) {
			best = d;
			snprintf(buf, size, "; did you mean '%s'?", words[i]);
		}
	}
	if (*buf)
		return buf;
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%s",
				       !i          ? "; known are "
				       : i + 1 < n ? ", "
						   : " and ",
				       words[i]);
	return buf;
}

/* --- shape ------------------------------------------------------------------------------------- */

/* "12.5%", "1GiB", "512", "64KiB/step"; false when it is none. */
static bool parse_amount(const char *text, struct gate_limit *l)
{
	static const char units[] = "KMGT";
	size_t digits = strspn(text, "0123456789"), more = 0;
	const char *rest = text + digits, *unit;
	double v;

	if (*rest == '.')
		more = 1 + strspn(rest + 1, "0123456789");
	if (!digits || digits > 18 || more == 1 || more > 19)
		return false;
	rest += more;
	v = strtod(text, NULL);
	l->is_share = !strcmp(rest, "%");
	if (l->is_share) {
		l->amount = v / 100;
		return true;
	}
	unit = *rest ? strchr(units, *rest) : NULL;
	if (unit) {
		v = ldexp(v, 10 * (int)(unit - units + 1));
		rest++;
		rest += *rest == 'i';
	}
	rest += *rest == 'B';
	l->per_step = !strcmp(rest, "/step");
	l->amount = v;
	return l->per_step || !*rest;
}

/* One rank or range at a time; NULL at the end and where it is none. */
static const char *next_range(const char *s, int64_t *low, int64_t *high)
{
	char *end;

	if (*s < '0' || *s > '9' || strspn(s, "0123456789") > 9)
		return NULL;
	*low = *high = strtol(s, &end, 10);
	if (*end == '-') {
		s = end + 1;
		if (*s < '0' || *s > '9' || strspn(s, "0123456789") > 9)
			return NULL;
		*high = strtol(s, &end, 10);
	}
	if (*end == ',' && end[1])
		return end + 1;
	return *end ? NULL : end;
}

static bool are_ranks(const char *s)
{
	int64_t low, high;

	do {
		s = next_range(s, &low, &high);
		if (!s || low > high)
			return false;
	} while (*s);
	return true;
}

bool gate_rank_is_meant(const char *ranks, int64_t rank)
{
	int64_t low, high;

	while (*ranks && (ranks = next_range(ranks, &low, &high))) {
		if (rank >= low && rank <= high)
			return true;
	}
	return false;
}

static bool has_rank(const struct batch *b, int64_t rank)
{
	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		if (batch_int(b, BATCH_FILES, i, FILES_RANK, -1) == rank)
			return true;
	}
	return false;
}

int64_t gate_missing_rank(const char *ranks, const struct batch *b)
{
	int64_t low, high;

	while (*ranks && (ranks = next_range(ranks, &low, &high))) {
		for (int64_t rank = low; rank <= high; rank++) {
			if (!has_rank(b, rank))
				return rank;
		}
	}
	return -1;
}

static int check_attributes(const struct xml_node *n, struct error *err)
{
	char words[200];

	for (const struct xml_attribute *a = n->attributes; a; a = a->next) {
		if (row_of(a->name, attributes, N_ATTRIBUTES) == N_ATTRIBUTES)
			return bad(err, n->line, "<limit> has no attribute '%.40s'%s", a->name,
				   instead(a->name, attributes, N_ATTRIBUTES, words, sizeof words));
		if (!*a->value)
			return bad(err, n->line, "%s is empty", a->name);
	}
	return 0;
}

static int check_values(const struct xml_node *n, struct error *err)
{
	const char *of = xml_node_attr(n, "of"), *rank = xml_node_attr(n, "rank");
	const char *max = xml_node_attr(n, "max"), *growth = xml_node_attr(n, "growth");
	const char *absent = xml_node_attr(n, "absent"), *amount = max ? max : growth;
	struct gate_limit l;
	unsigned parts = 0;
	char words[200];

	if (!of)
		return bad(err, n->line, "<limit> does not say of what: of=\"peak\", for example");
	if (row_of(of, of_names, GATE_OFS) == GATE_OFS)
		return bad(err, n->line, "'%.40s' is nothing that has limits%s", of,
			   instead(of, of_names, GATE_OFS, words, sizeof words));
	for (unsigned p = GATE_SITE; p < GATE_PARTS; p++)
		parts += xml_node_attr(n, part_names[p]) != NULL;
	if (parts > 1)
		return bad(err, n->line,
			   "one of site, category and annotation at a time: write two limits");
	if (!amount || (max && growth))
		return bad(err, n->line, "<limit> takes either max or growth, and has %s",
			   amount ? "both" : "neither");
	if (!parse_amount(amount, &l))
		return bad(err, n->line,
			   "'%.40s' is no amount: write bytes, 512MiB, 1.5GiB, 64KiB/step or 5%%",
			   amount);
	if (rank && !are_ranks(rank))
		return bad(err, n->line, "'%.40s' are no ranks: write 0, or 0,4, or 1-7", rank);
	if (absent && strcmp(absent, "allowed") != 0)
		return bad(err, n->line, "absent can only be \"allowed\", not '%.40s'", absent);
	return 0;
}

static int check_shape(const struct xml_node *root, struct error *err)
{
	int rc = 0;

	if (strcmp(root->name, "budget") != 0)
		return bad(err, root->line,
			   "<%.40s> is no budget: that is <budget> with limits "
			   "inside, <limit of=\"peak\" max=\"10GiB\"/>",
			   root->name);
	if (root->attributes)
		return bad(err, root->line, "<budget> has no attributes, and no '%.40s'",
			   root->attributes->name);
	if (*root->text)
		return bad(err, root->line, "text between the limits: '%.40s'", root->text);
	if (!root->first)
		return bad(err, root->line,
			   "no limits: write <limit of=\"peak\" max=\"10GiB\"/>, or let --update "
			   "do it");
	for (const struct xml_node *n = root->first; n && rc == 0; n = n->next) {
		if (strcmp(n->name, "limit") != 0)
			return bad(err, n->line, "<%.40s> is not known here: limits are <limit>",
				   n->name);
		if (n->first || *n->text)
			return bad(err, n->line, "<limit> has nothing inside: all is attributes");
		rc = check_attributes(n, err);
		if (rc == 0)
			rc = check_values(n, err);
	}
	return rc;
}

/* --- sense ------------------------------------------------------------------------------------- */

static int check_part(const struct gate_limit *l, struct error *err)
{
	const char *names[CATEGORY_COUNT];
	char words[400];

	if (l->part == GATE_WHOLE)
		return 0;
	if (l->of != GATE_PEAK && l->of != GATE_END &&
	    !(l->of == GATE_LEAK && l->part == GATE_SITE))
		return bad(err, l->line,
			   "%s is not told for a %s: sites, categories and annotations have a peak "
			   "and an end, sites a leak",
			   of_names[l->of], part_names[l->part]);
	if (l->part != GATE_CATEGORY)
		return 0;
	for (unsigned i = 0; i < CATEGORY_COUNT; i++)
		names[i] = category_name((enum category)i);
	if (row_of(l->name, names, CATEGORY_COUNT) == CATEGORY_COUNT)
		return bad(err, l->line, "no category is called '%.40s'%s", l->name,
			   instead(l->name, names, CATEGORY_COUNT, words, sizeof words));
	return 0;
}

static int check_amount(const struct gate_limit *l, struct error *err)
{
	bool part = l->part != GATE_WHOLE;

	if (l->of == GATE_FRAGMENTATION && !l->is_share)
		return bad(err, l->line, "fragmentation is a share: write max=\"20%%\"");
	if (l->is_share && !l->is_growth && l->of != GATE_FRAGMENTATION &&
	    (!part || l->of == GATE_LEAK))
		return bad(
			err, l->line,
			"a percentage of what? max takes one for fragmentation and for a site's, "
			"category's or annotation's share of a peak or an end, growth for all");
	if (!l->per_step || l->of == GATE_LEAK)
		return 0;
	if (part || l->is_growth || (l->of != GATE_PEAK && l->of != GATE_END))
		return bad(err, l->line,
			   "/step is told of a leak, and as max of the peak and the end of a file");
	return 0;
}

static int read_limit(struct gate_budget *g, const struct xml_node *node, struct error *err)
{
	const char *of = xml_node_attr(node, "of");
	const char *max = xml_node_attr(node, "max"), *growth = xml_node_attr(node, "growth");
	struct gate_limit l = {.of = (enum gate_of)row_of(of, of_names, GATE_OFS),
			       .ranks = xml_node_attr(node, "rank"),
			       .is_growth = growth != NULL,
			       .may_be_absent = xml_node_attr(node, "absent") != NULL,
			       .line = node->line};

	for (unsigned p = GATE_SITE; p < GATE_PARTS; p++) {
		const char *name = xml_node_attr(node, part_names[p]);

		if (name) {
			l.part = (enum gate_part)p;
			l.name = name;
		}
	}
	parse_amount(growth ? growth : max, &l);
	if (check_part(&l, err) < 0 || check_amount(&l, err) < 0)
		return err->code;
	return vec_push(&g->limits, l, g->budget, err);
}

/* --- reading ----------------------------------------------------------------------------------- */

static int take_text(struct gate_budget *g, struct input *in, struct error *err)
{
	int rc;

	while ((rc = input_peek(in, 1, err)) == 0 && in->at < in->end) {
		size_t n = (size_t)(in->end - in->at);

		if (g->text.n + n > MOST_BYTES)
			return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
					 "larger than any budget: more than 1 MiB");
		if (vec_reserve(&g->text, n + 1, g->budget, err) < 0)
			return err->code;
		memcpy(g->text.at + g->text.n, in->at, n);
		g->text.n += n;
		in->at += n;
	}
	if (rc == 0 && !g->text.n)
		return bad(err, 1, "the file is empty");
	if (rc == 0)
		g->text.at[g->text.n] = '\0';
	return rc;
}

static int parse(struct xml_doc **out, const struct gate_budget *g, const char *schema,
		 struct error *err)
{
	struct input *in;
	int rc = input_open_bytes(&in, g->text.at, g->text.n, g->budget, err);

	if (rc < 0)
		return rc;
	rc = xml_read(out, in, &(struct xml_options){.schema = schema}, err);
	input_close(in);
	return rc;
}

int gate_budget_read(struct gate_budget *out, struct input *in, struct budget *budget,
		     struct error *err)
{
	struct gate_budget g = {.budget = budget};
	struct xml_doc *loose = NULL;
	int rc = take_text(&g, in, err);

	if (rc == 0)
		rc = parse(&loose, &g, NULL, err);
	if (rc == 0)
		rc = check_shape(loose->root, err);
	xml_doc_free(loose);
	if (rc == 0)
		rc = parse(&g.doc, &g, budget_rng, err);
	for (const struct xml_node *n = rc == 0 ? xml_child(g.doc->root, "limit") : NULL;
	     n && rc == 0; n = xml_next(n, "limit"))
		rc = read_limit(&g, n, err);
	if (rc < 0)
		gate_budget_release(&g);
	else
		*out = g;
	return rc;
}

void gate_budget_release(struct gate_budget *g)
{
	vec_release(&g->limits, g->budget);
	vec_release(&g->text, g->budget);
	xml_doc_free(g->doc);
	g->doc = NULL;
}
