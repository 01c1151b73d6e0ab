/* SPDX-License-Identifier: MIT
 * gate.c -- are files within a budget: limits read from XML, held against the rows of a batch.
 */
#include "passes/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/rules_builtin.h"

static const char *const of_names[GATE_OFS] = {"peak", "end", "reserved", "fragmentation", "leak"};
static const size_t of_columns[GATE_OFS] = {FILES_PEAK, FILES_END, FILES_PEAK_RESERVED,
					    FILES_FRAGMENTATION, FILES_LEAK};

const char *gate_of_name(enum gate_of o)
{
	return of_names[o];
}

/* --- the document ------------------------------------------------------------------------------ */

/* "12.5%", "1GiB", "512": the schema has seen to the shape. */
static double parse_amount(const char *text, bool *is_share)
{
	static const char units[] = "KMGT";
	char *end;
	double v = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;

	*is_share = *end == '%';
	if (*is_share)
		return v / 100;
	return unit ? ldexp(v, 10 * (int)(unit - units + 1)) : v;
}

static int check_limit(const struct gate_limit *l, struct error *err)
{
	bool part = l->site || l->category;

	if (part && l->of != GATE_PEAK && !(l->site && l->of == GATE_LEAK))
		return error_set(err, ERR_FORMAT, ERR_NO_OFFSET,
				 "line %u: %s is told for whole files only; sites and categories "
				 "have a peak, sites a leak",
				 l->line, of_names[l->of]);
	if (l->is_share && !l->is_growth && l->of != GATE_FRAGMENTATION)
		return error_set(err, ERR_FORMAT, ERR_NO_OFFSET,
				 "line %u: a percentage of what? max takes one for fragmentation, "
				 "growth for all",
				 l->line);
	if (!l->is_share && l->of == GATE_FRAGMENTATION)
		return error_set(err, ERR_FORMAT, ERR_NO_OFFSET,
				 "line %u: fragmentation takes a percentage", l->line);
	return 0;
}

static int read_limit(struct gate_budget *g, const struct xml_node *node, struct error *err)
{
	const char *of = xml_node_attr(node, "of"), *rank = xml_node_attr(node, "rank");
	const char *max = xml_node_attr(node, "max"), *growth = xml_node_attr(node, "growth");
	struct gate_limit l = {.site = xml_node_attr(node, "site"),
			       .category = xml_node_attr(node, "category"),
			       .rank = rank ? strtoll(rank, NULL, 10) : -1,
			       .is_growth = growth != NULL,
			       .line = node->line};

	for (unsigned i = 0; i < GATE_OFS; i++) {
		if (!strcmp(of, of_names[i]))
			l.of = (enum gate_of)i;
	}
	l.amount = parse_amount(growth ? growth : max, &l.is_share);
	if (check_limit(&l, err) < 0)
		return err->code;
	return vec_push(&g->limits, l, g->budget, err);
}

int gate_budget_read(struct gate_budget *out, struct input *in, struct budget *budget,
		     struct error *err)
{
	const struct xml_options options = {.schema = budget_rng};
	struct gate_budget g = {.budget = budget};
	int rc = xml_read(&g.doc, in, &options, err);

	if (rc < 0)
		return rc;
	for (const struct xml_node *n = xml_child(g.doc->root, "limit"); n && rc == 0;
	     n = xml_next(n, "limit"))
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
	xml_doc_free(g->doc);
	g->doc = NULL;
}

/* --- figures ----------------------------------------------------------------------------------- */

/* Sum of `value` over the rows of a file whose text is `name`; 0 when none is, which is right where
 * the table is complete. */
static double part_of(const struct batch *b, enum batch_table_id t, size_t file, size_t text,
		      size_t value, const char *name)
{
	size_t first, n = batch_rows_of(b, t, file, &first);
	double sum = 0;

	for (size_t i = first; i < first + n; i++) {
		const char *s = batch_text(b, t, i, text);

		if (s && !strcmp(s, name))
			sum += batch_number(b, t, i, value);
	}
	return sum;
}

static double figure(const struct gate_limit *l, const struct batch *b, size_t file)
{
	double whole = batch_number(b, BATCH_FILES, file, of_columns[l->of]);
	size_t first;

	/* What is not known of the file is not known of its parts. */
	if (isnan(whole))
		return whole;
	if (l->site && l->of == GATE_LEAK)
		return part_of(b, BATCH_LEAKS, file, LEAKS_SITE, LEAKS_GROWTH, l->site);
	if (l->site || l->category) {
		enum batch_table_id t = l->site ? BATCH_SITES : BATCH_CATEGORIES;

		if (!batch_rows_of(b, t, file, &first))
			return whole > 0 ? (double)NAN : 0;
		return l->site ? part_of(b, t, file, SITES_SITE, SITES_BYTES, l->site)
			       : part_of(b, t, file, CATEGORIES_CATEGORY, CATEGORIES_BYTES,
					 l->category);
	}
	return whole;
}

/* Only the largest sites are kept: one that is not among them may hold as much as the least. */
static bool site_may_hide(const struct gate_limit *l, const struct batch *b, size_t file,
			  double value, double most)
{
	size_t first, n;

	if (!l->site || l->of != GATE_PEAK || value > 0)
		return false;
	n = batch_rows_of(b, BATCH_SITES, file, &first);
	return n >= 20 && batch_number(b, BATCH_SITES, first + n - 1, SITES_BYTES) > most;
}

static void find_who(struct gate_result *r, const struct gate_limit *l, const struct batch *b,
		     const struct batch *baseline)
{
	size_t first, n = batch_rows_of(b, BATCH_SITES, r->file, &first);
	double best = 0;

	if (l->site || l->of == GATE_FRAGMENTATION)
		return;
	for (size_t i = first; i < first + n; i++) {
		const char *site = batch_text(b, BATCH_SITES, i, SITES_SITE);
		double bytes = batch_number(b, BATCH_SITES, i, SITES_BYTES), before = (double)NAN;
		double grew = bytes;

		if (!site)
			continue;
		if (baseline) {
			before = part_of(baseline, BATCH_SITES, 0, SITES_SITE, SITES_BYTES, site);
			grew = bytes - before;
		}
		if (grew <= best)
			continue;
		best = grew;
		r->who = site;
		r->who_bytes = bytes;
		r->who_before = before;
	}
}

static struct gate_result judge(const struct gate_limit *l, const struct batch *b,
				const struct batch *baseline, size_t file)
{
	struct gate_result r = {.file = file,
				.answer = GATE_UNKNOWN,
				.value = figure(l, b, file),
				.most = l->amount,
				.who_bytes = (double)NAN,
				.who_before = (double)NAN};
	const char *status = batch_text(b, BATCH_FILES, file, FILES_STATUS);

	if (l->is_growth) {
		double before = baseline ? figure(l, baseline, 0) : (double)NAN;

		r.most = before + (l->is_share && l->of != GATE_FRAGMENTATION
					   ? fabs(before) * l->amount
					   : l->amount);
	}
	if (!isnan(r.value) && r.value > r.most) {
		r.answer = GATE_EXCEEDED;
		find_who(&r, l, b, baseline);
	} else if (!status || strcmp(status, "ok"))
		r.why = "the file could not be read whole";
	else if (isnan(r.value))
		r.why = l->of == GATE_LEAK ? "too few steps to tell" : "the file does not tell";
	else if (isnan(r.most))
		r.why = baseline ? "the baseline does not tell" : "no --baseline was given";
	else if (site_may_hide(l, b, file, r.value, r.most))
		r.why = "the site is not among the largest";
	else
		r.answer = GATE_KEPT;
	return r;
}

int gate_run(struct gate *out, const struct gate_budget *limits, const struct batch *b,
	     const struct batch *baseline, struct budget *budget, struct error *err)
{
	struct gate g = {.budget = budget};
	int rc = 0;

	for (size_t i = 0; i < b->n_rows[BATCH_FILES] && rc == 0; i++) {
		for (size_t k = 0; k < limits->limits.n && rc == 0; k++) {
			const struct gate_limit *l = &limits->limits.at[k];
			struct gate_result r;

			if (l->rank >= 0 && l->rank != batch_int(b, BATCH_FILES, i, FILES_RANK, -1))
				continue;
			r = judge(l, b, baseline, i);
			r.limit = k;
			g.n_exceeded += r.answer == GATE_EXCEEDED;
			g.n_unknown += r.answer == GATE_UNKNOWN;
			rc = vec_push(&g.results, r, budget, err);
		}
	}
	if (rc < 0)
		gate_release(&g);
	else
		*out = g;
	return rc;
}

void gate_release(struct gate *g)
{
	vec_release(&g->results, g->budget);
}
