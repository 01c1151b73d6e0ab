/* SPDX-License-Identifier: MIT
 * opt.c -- tables of options: the parser, the text of --help and the words of completion.
 */
#include "cli/opt.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "model/model.h"

struct found {
	const struct opt *opt;
	void *values;
};

/* Digits only: strtoull alone takes signs and spaces. */
static bool parse_u64(const char *text, uint64_t *out)
{
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*out = n;
	return true;
}

/* The power of 1024 that a unit's name stands for, or -1. */
static int unit_power(const char *unit)
{
	static const char letters[] = "KMGT";
	const char *letter;

	if (!*unit || !strcmp(unit, "B"))
		return 0;
	letter = strchr(letters, *unit);
	if (!letter || (unit[1] && strcmp(unit + 1, "iB")))
		return -1;
	return (int)(letter - letters) + 1;
}

bool opt_parse_bytes(const char *text, uint64_t *out)
{
	size_t digits = strspn(text, "0123456789");
	size_t decimals = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
	const char *unit = text + digits + (decimals ? decimals + 1 : 0);
	uint64_t whole = 0, size, fraction = 0;
	int power;

	unit += *unit == ' ';
	power = unit_power(unit);
	/* Six decimals of a TiB are exact enough, and 10^6 * 2^40 fits. */
	if (!digits || digits > 20 || decimals > 6 || power < 0 || (decimals && !power))
		return false;
	size = UINT64_C(1) << (10 * power);
	for (size_t i = 0; i < digits; i++) {
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    !num_add_u64(whole, (uint64_t)(text[i] - '0'), &whole))
			return false;
	}
	for (size_t i = decimals; i > 0; i--)
		fraction = (fraction + (uint64_t)(text[digits + i] - '0') * size) / 10;
	if (__builtin_mul_overflow(whole, size, &whole))
		return false;
	return num_add_u64(whole, fraction, out);
}

static int usage(struct error *err, const char *what, const char *name, int length)
{
	return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "%s '--%.*s'", what, length, name);
}

/* Which row does --name mean: itself, or the only one that begins so. */
static int find_long(const struct opt_target *targets, size_t n_targets, const char *name,
		     size_t length, struct found *out, struct error *err)
{
	const struct opt *near = NULL;

	for (size_t t = 0; t < n_targets; t++) {
		for (const struct opt *o = targets[t].opts; o && o->name; o++) {
			if (strncmp(o->name, name, length))
				continue;
			if (near && o->name[length])
				return error_set(err, ERR_USAGE, ERR_NO_OFFSET,
						 "option '--%.*s' may be '--%s' or '--%s'",
						 (int)length, name, near->name, o->name);
			*out = (struct found){o, targets[t].values};
			if (!o->name[length])
				return 0;
			near = o;
		}
	}
	return near ? 0 : usage(err, "unknown option", name, (int)length);
}

static int find_letter(const struct opt_target *targets, size_t n_targets, char letter,
		       struct found *out, struct error *err)
{
	for (size_t t = 0; t < n_targets; t++) {
		for (const struct opt *o = targets[t].opts; o && o->name; o++) {
			if (o->letter == letter) {
				*out = (struct found){o, targets[t].values};
				return 0;
			}
		}
	}
	return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "unknown option '-%c'", letter);
}

static int bad_value(const struct opt *o, const char *value, const char *want, struct error *err)
{
	return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "--%s takes %s, not '%s'", o->name, want,
			 value);
}

static int store_choice(const struct opt *o, const char *value, unsigned *to, struct error *err)
{
	char words[200] = "";
	size_t n = 0;

	for (unsigned i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], value)) {
			*to = i;
			return 0;
		}
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%s",
				      !i                  ? ""
				      : o->choices[i + 1] ? ", "
							  : " or ",
				      o->choices[i]);
		assert(n < sizeof words);
	}
	return bad_value(o, value, words, err);
}

static int store_strings(const struct opt *o, const char *value, struct opt_strings *to,
			 struct error *err)
{
	if (to->n == OPT_STRINGS_MAX)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "--%s can be given %d times",
				 o->name, OPT_STRINGS_MAX);
	to->at[to->n++] = value;
	return 0;
}

static int store_device(const struct opt *o, const char *value, int32_t *to, struct error *err)
{
	uint64_t n;

	if (!strcmp(value, "host")) {
		n = (uint64_t)DEVICE_HOST;
	} else if (o->choices && !strcmp(value, "all")) {
		*to = OPT_DEVICE_ALL;
		return 0;
	} else if (!parse_u64(value, &n) || n > INT32_MAX) {
		return bad_value(o, value,
				 o->choices ? "a device number, 'host' or 'all'"
					    : "a device number or 'host'",
				 err);
	}
	*to = (int32_t)n;
	return 0;
}

static int store(const struct found *f, const char *value, struct error *err)
{
	const struct opt *o = f->opt;
	void *to = (char *)f->values + o->offset;
	char *end;
	double d;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)to = true;
		return 0;
	case OPT_STRING:
		*(const char **)to = value;
		return 0;
	case OPT_STRINGS:
		return store_strings(o, value, to, err);
	case OPT_U64:
		return parse_u64(value, to) ? 0 : bad_value(o, value, "a number", err);
	case OPT_F64:
		d = strtod(value, &end);
		if (end == value || *end || !isfinite(d))
			return bad_value(o, value, "a number", err);
		*(double *)to = d;
		return 0;
	case OPT_BYTES:
		return opt_parse_bytes(value, to)
			       ? 0
			       : bad_value(o, value, "bytes, as in 4096 or 1.5GiB", err);
	case OPT_CHOICE:
		return store_choice(o, value, to, err);
	case OPT_DEVICE:
		return store_device(o, value, to, err);
	}
	return 0;
}

/* --name, --name=value, --name value. Returns words used, or a negative error. */
static int take_long(const struct opt_target *targets, size_t n_targets, char **argv, int argc,
		     struct error *err)
{
	const char *name = argv[0] + 2;
	size_t length = strcspn(name, "=");
	bool has_value = name[length] == '=';
	struct found f = {NULL, NULL};
	int rc = find_long(targets, n_targets, name, length, &f, err);

	if (rc < 0)
		return rc;
	if (f.opt->kind == OPT_FLAG) {
		if (has_value)
			return usage(err, "no value belongs to", f.opt->name,
				     (int)strlen(f.opt->name));
		rc = store(&f, NULL, err);
		return rc < 0 ? rc : 1;
	}
	if (has_value) {
		rc = store(&f, name + length + 1, err);
		return rc < 0 ? rc : 1;
	}
	if (argc < 2)
		return usage(err, "a value is missing after", f.opt->name,
			     (int)strlen(f.opt->name));
	rc = store(&f, argv[1], err);
	return rc < 0 ? rc : 2;
}

/* -n, -nvalue, -n value, -abc. Returns words used, or a negative error. */
static int take_letters(const struct opt_target *targets, size_t n_targets, char **argv, int argc,
			struct error *err)
{
	for (const char *p = argv[0] + 1; *p; p++) {
		struct found f = {NULL, NULL};
		int rc = find_letter(targets, n_targets, *p, &f, err);

		if (rc < 0)
			return rc;
		if (f.opt->kind == OPT_FLAG) {
			rc = store(&f, NULL, err);
			if (rc < 0)
				return rc;
			continue;
		}
		if (p[1]) {
			rc = store(&f, p + 1, err);
			return rc < 0 ? rc : 1;
		}
		if (argc < 2)
			return error_set(err, ERR_USAGE, ERR_NO_OFFSET,
					 "a value is missing after '-%c'", *p);
		rc = store(&f, argv[1], err);
		return rc < 0 ? rc : 2;
	}
	return 1;
}

int opt_parse(const struct opt_target *targets, size_t n_targets, char **argv, int argc,
	      int *n_operands, struct error *err)
{
	int n = 0, i = 0;

	while (i < argc) {
		char *word = argv[i];
		int used;

		if (word[0] != '-' || !word[1]) {
			argv[n++] = word; /* "-" alone is standard input */
			i++;
			continue;
		}
		if (!strcmp(word, "--")) {
			for (i++; i < argc; i++)
				argv[n++] = argv[i];
			break;
		}
		used = word[1] == '-' ? take_long(targets, n_targets, argv + i, argc - i, err)
				      : take_letters(targets, n_targets, argv + i, argc - i, err);
		if (used < 0)
			return used;
		i += used;
	}
	*n_operands = n;
	return 0;
}

#define HELP_COLUMN 26
#define HELP_WIDTH  100

/* Words from HELP_COLUMN on, broken at spaces. */
static void print_wrapped(struct out *o, const char *text)
{
	size_t room = HELP_WIDTH - HELP_COLUMN;

	while (strlen(text) > room) {
		size_t n = room;

		while (n > 1 && text[n] != ' ')
			n--;
		out_bytes(o, text, n);
		out_printf(o, "\n%*s", HELP_COLUMN, "");
		text += n;
		text += strspn(text, " ");
	}
	out_printf(o, "%s\n", text);
}

void opt_print_help(struct out *o, const struct opt *opts)
{
	for (; opts && opts->name; opts++) {
		char left[80];
		int n;

		if (opts->letter)
			n = snprintf(left, sizeof left, "  -%c, --%s", opts->letter, opts->name);
		else
			n = snprintf(left, sizeof left, "      --%s", opts->name);
		assert(n > 0 && (size_t)n < sizeof left / 2);
		if (opts->argument)
			n += snprintf(left + n, sizeof left - (size_t)n, "=%s", opts->argument);
		out_text(o, left);
		if (n + 2 > HELP_COLUMN)
			out_printf(o, "\n%*s", HELP_COLUMN, "");
		else
			out_printf(o, "%*s", HELP_COLUMN - n, "");
		print_wrapped(o, opts->help);
	}
}
