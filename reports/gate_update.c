/* SPDX-License-Identifier: MIT
 * gate_update.c -- a budget from today's figures: a new one, or the amounts of one that is there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/gate_report.h"
#include "reports/xml.h"

#define AMOUNT_BYTES 64

/* --- amounts ----------------------------------------------------------------------------------- */

/* `v`, bytes or a share, in the unit that `suffix` begins with ("%", "MiB", "K/step", ""), rounded
 * up, with the suffix behind it. */
static void amount_words(char buf[AMOUNT_BYTES], double v, const char *suffix)
{
	static const char units[] = "KMGT";
	const char *unit = *suffix ? strchr(units, *suffix) : NULL;
	double scale = *suffix == '%' ? 0.01 : unit ? ldexp(1, 10 * (int)(unit - units + 1)) : 1;
	int digits = unit || *suffix == '%' ? 2 : 0;
	double fine = digits ? 100 : 1, up = ceil(v / scale * fine) / fine;

	if (!(up > 0))
		up = 0;
	/* What is read back may have been rounded down. */
	if (up * scale < v)
		up += 1 / fine;
	snprintf(buf, AMOUNT_BYTES, "%.*f%.20s", digits, up, suffix);
}

static const char *fitting_unit(double v)
{
	return v >= 0x1p30 ? "GiB" : v >= 0x1p20 ? "MiB" : v >= 0x1p10 ? "KiB" : "";
}

/* --- a new one --------------------------------------------------------------------------------- */

static double highest_of(const struct batch *b, size_t column)
{
	double most = (double)NAN;

	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		double v = batch_number(b, BATCH_FILES, i, column);

		if (!isnan(v) && (isnan(most) || v > most))
			most = v;
	}
	return most;
}

/* The highest of what the gate holds a limit to: of all devices. */
static double highest(const struct batch *b, enum gate_of of)
{
	static const size_t columns[GATE_OFS] = {FILES_PEAK, FILES_END, FILES_PEAK_RESERVED,
						 FILES_FRAGMENTATION, FILES_LEAK};
	const struct gate_limit l = {.of = of};
	double most = highest_of(b, columns[of]);

	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		struct gate_figure f;

		gate_figure_of(&f, &l, b, i);
		if (f.value > most)
			most = f.value;
	}
	return most;
}

static void write_limit(struct xml *x, enum gate_of of, double v)
{
	char words[AMOUNT_BYTES], suffix[24];

	snprintf(suffix, sizeof suffix, "%s%s",
		 of == GATE_FRAGMENTATION ? "%" : fitting_unit(v > 0 ? v : 0),
		 of == GATE_LEAK ? "/step" : "");
	if (of == GATE_FRAGMENTATION && v > 1)
		v = 1;
	amount_words(words, v, suffix);
	xml_text(x, "  ");
	xml_open(x, "limit");
	xml_attr(x, "of", gate_of_name(of));
	xml_attr(x, "max", words);
	xml_close(x);
	xml_newline(x);
}

int gate_write_budget(struct out *o, const struct batch *b, double margin, struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, o, err);

	if (rc < 0)
		return rc;
	xml_open(x, "budget");
	xml_newline(x);
	for (unsigned i = 0; i < GATE_OFS; i++) {
		double v = highest(b, (enum gate_of)i);

		if (!isnan(v))
			write_limit(x, (enum gate_of)i, v > 0 ? v * (1 + margin) : 0);
	}
	xml_close(x);
	return xml_free(x, err);
}

/* --- one that is there ------------------------------------------------------------------------- */

/* Behind the < of the next <limit, or NULL: comments and instructions are skipped. */
static const char *next_limit(const char *s)
{
	while ((s = strchr(s, '<'))) {
		const char *end = !strncmp(s, "<!--", 4) ? "-->" : !strncmp(s, "<?", 2) ? "?>" : "";

		if (*end) {
			s = strstr(s + 2, end);
			if (!s)
				return NULL;
		} else if (!strncmp(s, "<limit", 6) && strchr(" \t\r\n", s[6]) && s[6]) {
			return s + 1;
		}
		s++;
	}
	return NULL;
}

/* The value of max="..." in a start tag, and its length. */
static const char *max_value(const char *s, size_t *n)
{
	s += strcspn(s, " \t\r\n");
	while (*s && *s != '>' && *s != '/') {
		const char *name = s + strspn(s, " \t\r\n"), *quote = name + strcspn(name, "\"'>/");
		const char *end =
			*quote == '"' || *quote == '\'' ? strchr(quote + 1, *quote) : NULL;

		if (!end)
			return NULL;
		if (!strncmp(name, "max", 3) && strchr("= \t\r\n", name[3])) {
			*n = (size_t)(end - quote - 1);
			return quote + 1;
		}
		s = end + 1;
		s += strspn(s, " \t\r\n");
	}
	return NULL;
}

static double highest_result(const struct gate_report *r, size_t limit)
{
	double most = (double)NAN;

	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *x = &r->gate->results.at[i];

		if (x->limit == limit && !isnan(x->value) && (isnan(most) || x->value > most))
			most = x->value;
	}
	return most;
}

int gate_update_budget(struct out *o, const struct gate_report *r, double margin, struct error *err)
{
	const char *from = r->limits->text.at, *s = from;

	for (size_t i = 0; i < r->limits->limits.n; i++) {
		const struct gate_limit *l = &r->limits->limits.at[i];
		double v = highest_result(r, i) * (1 + margin);
		char words[AMOUNT_BYTES], suffix[24] = "";
		const char *value = NULL;
		size_t n = 0, digits;

		s = next_limit(s);
		if (s && !l->is_growth)
			value = max_value(s, &n);
		if (!s || (!l->is_growth && !value))
			return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
					 "written in a way that cannot be changed in place");
		if (l->is_growth || isnan(v))
			continue;
		digits = strspn(value, "0123456789.");
		if (digits < n && n - digits < sizeof suffix)
			snprintf(suffix, sizeof suffix, "%.*s", (int)(n - digits), value + digits);
		if (l->of == GATE_FRAGMENTATION && v > 1)
			v = 1;
		amount_words(words, v, suffix);
		out_bytes(o, from, (size_t)(value - from));
		out_text(o, words);
		from = s = value + n;
	}
	out_text(o, from);
	return 0;
}
