/* SPDX-License-Identifier: MIT
 * name_facts.c -- what the name of a snapshot tells: rank, step, host, time.
 */
#include "passes/name_facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "passes/regex.h"

#define MATCH_LIMIT 100000

enum pattern {
	PATTERN_OWN,
	PATTERN_RANK,
	PATTERN_LOCAL,
	PATTERN_STEP,
	PATTERN_HOST,
	PATTERN_TRACE,
	PATTERNS
};

/* The last rank or step of a path counts: folders come before. */
static const char *const built_in[PATTERNS] = {
	[PATTERN_RANK] = "(?i)^.*(?<![a-z])(?<!local[-_.])rank[-_.=]?(?<rank>\\d{1,9})",
	[PATTERN_LOCAL] = "(?i)^.*(?<![a-z])local[-_.]?rank[-_.=]?(?<local>\\d{1,9})",
	[PATTERN_STEP] = "(?i)^.*(?<![a-z])(?:epoch|step|iter|iteration)[-_.=]?(?<step>\\d{1,15})",
	[PATTERN_HOST] =
		"(?:^|/)(?<host>[^/]+)_"
		"(?<time>(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)_"
		"(?<day>\\d\\d)_(?<hour>\\d\\d)_(?<minute>\\d\\d)_(?<second>\\d\\d))[^/]*$",
	/* tensorboard_trace_handler's */
	[PATTERN_TRACE] =
		"(?:^|/)(?<host>[^/]+)_(?<pid>\\d+)\\.(?<stamp>\\d{10,19})\\.pt\\.trace\\.json",
};

struct name_patterns {
	pcre2_code *code[PATTERNS];
	pcre2_match_data *data[PATTERNS];
	pcre2_match_context *context;
};

/* A stretch of the name that differs from rank to rank. */
struct stretch {
	size_t from, to;
};

static int compile(struct name_patterns *p, enum pattern k, const char *re, struct error *err)
{
	int rc = regex_compile(&p->code[k], re, PCRE2_DUPNAMES, 0, err);

	if (rc < 0)
		return rc;
	p->data[k] = pcre2_match_data_create_from_pattern(p->code[k], NULL);
	if (!p->data[k])
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	return 0;
}

static bool has_group(const pcre2_code *code, const char *group)
{
	return pcre2_substring_number_from_name(code, (PCRE2_SPTR)group) != PCRE2_ERROR_NOSUBSTRING;
}

int name_patterns_new(struct name_patterns **out, const char *own, struct error *err)
{
	struct name_patterns *p = calloc(1, sizeof *p);
	int rc = 0;

	if (p)
		p->context = pcre2_match_context_create(NULL);
	if (!p || !p->context) {
		free(p);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	pcre2_set_match_limit(p->context, MATCH_LIMIT);
	if (own)
		rc = compile(p, PATTERN_OWN, own, err);
	if (rc == 0 && own && !has_group(p->code[PATTERN_OWN], "rank") &&
	    !has_group(p->code[PATTERN_OWN], "step") && !has_group(p->code[PATTERN_OWN], "host"))
		rc = error_set(err, ERR_USAGE, ERR_NO_OFFSET,
			       "'%.120s' has no group named rank, step or host, as in "
			       "(?<rank>\\d+)",
			       own);
	for (int k = PATTERN_RANK; k < PATTERNS && rc == 0; k++)
		rc = compile(p, (enum pattern)k, built_in[k], err);
	if (rc < 0)
		name_patterns_free(p);
	else
		*out = p;
	return rc;
}

void name_patterns_free(struct name_patterns *p)
{
	if (!p)
		return;
	for (int k = 0; k < PATTERNS; k++) {
		pcre2_code_free(p->code[k]);
		pcre2_match_data_free(p->data[k]);
	}
	pcre2_match_context_free(p->context);
	free(p);
}

/* Where a named group matched; false: nowhere. */
static bool group_at(const struct name_patterns *p, enum pattern k, const char *group,
		     struct stretch *out)
{
	int number = pcre2_substring_number_from_name(p->code[k], (PCRE2_SPTR)group);
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p->data[k]);

	/* Of a name that is given twice, the first that took part. */
	if (number == PCRE2_ERROR_NOUNIQUESUBSTRING) {
		PCRE2_SPTR first, last;
		int size = pcre2_substring_nametable_scan(p->code[k], (PCRE2_SPTR)group, &first,
							  &last);

		for (number = -1; size > 0 && first <= last; first += size) {
			int n = first[0] << 8 | first[1];

			if (at[2 * n] != PCRE2_UNSET) {
				number = n;
				break;
			}
		}
	}
	if (number < 0 || at[2 * number] == PCRE2_UNSET || at[2 * number + 1] < at[2 * number])
		return false;
	*out = (struct stretch){at[2 * number], at[2 * number + 1]};
	return true;
}

static int64_t number_of(const char *name, struct stretch s)
{
	int64_t n = 0;

	if (s.to == s.from || s.to - s.from > 18)
		return -1;
	for (size_t i = s.from; i < s.to; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		n = n * 10 + (name[i] - '0');
	}
	return n;
}

static int month_of(const char *name)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++) {
		if (!strncmp(name, months + 3 * i, 3))
			return i + 1;
	}
	return 0;
}

static void take_time(const struct name_patterns *p, const char *name, struct name_facts *f)
{
	static const char *const groups[] = {"day", "hour", "minute", "second"};
	int *const fields[] = {&f->day, &f->hour, &f->minute, &f->second};
	static const int most[] = {31, 23, 59, 60};
	struct stretch s;

	if (!group_at(p, PATTERN_HOST, "month", &s))
		return;
	f->month = month_of(name + s.from);
	for (int i = 0; i < 4; i++) {
		if (group_at(p, PATTERN_HOST, groups[i], &s))
			*fields[i] = (int)number_of(name, s);
		if (*fields[i] > most[i])
			f->month = 0;
	}
	if (f->day < 1)
		f->month = 0;
}

/* The name without its stretches. */
static void make_group(const char *name, struct stretch *s, size_t n, char *out)
{
	size_t at = 0, to = 0;

	out[0] = '\0';
	if (!n || strlen(name) + 2 > NAME_FACT_BYTES)
		return;
	for (size_t i = 1; i < n; i++) {
		for (size_t k = i; k > 0 && s[k].from < s[k - 1].from; k--) {
			struct stretch swap = s[k];

			s[k] = s[k - 1];
			s[k - 1] = swap;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (s[i].from < at || s[i].to == s[i].from)
			continue;
		memcpy(out + to, name + at, s[i].from - at);
		to += s[i].from - at;
		out[to++] = '*';
		at = s[i].to;
	}
	memcpy(out + to, name + at, strlen(name + at) + 1);
}

static bool overlaps(const struct stretch *at, size_t n, struct stretch s)
{
	for (size_t i = 0; i < n; i++) {
		if (s.from < at[i].to && at[i].from < s.to)
			return true;
	}
	return false;
}

void name_facts_of(struct name_patterns *p, const char *name, struct name_facts *out)
{
	struct name_facts f = {.rank = -1, .step = -1};
	static const char *const others[] = {"pid", "stamp"};
	struct stretch s, differing[8];
	size_t n = 0;

	for (int k = 0; k < PATTERNS; k++) {
		if (!p->code[k] || pcre2_match(p->code[k], (PCRE2_SPTR)name, strlen(name), 0, 0,
					       p->data[k], p->context) < 0)
			continue;
		if (f.rank < 0 && group_at(p, (enum pattern)k, "rank", &s) &&
		    (f.rank = number_of(name, s)) >= 0)
			differing[n++] = s;
		/* A rank of its host; the rank of all counts where a name has both. */
		if (k == PATTERN_LOCAL && group_at(p, PATTERN_LOCAL, "local", &s)) {
			f.rank = f.rank < 0 ? number_of(name, s) : f.rank;
			differing[n++] = s;
		}
		if (f.step < 0 && group_at(p, (enum pattern)k, "step", &s))
			f.step = number_of(name, s);
		/* rank0_Dec_01_10_22_33 names no host. */
		if (!*f.host && group_at(p, (enum pattern)k, "host", &s) &&
		    s.to - s.from < sizeof f.host && !overlaps(differing, n, s)) {
			memcpy(f.host, name + s.from, s.to - s.from);
			f.host[s.to - s.from] = '\0';
			differing[n++] = s;
		}
		for (size_t i = 0; k == PATTERN_TRACE && i < 2; i++) {
			if (group_at(p, PATTERN_TRACE, others[i], &s))
				differing[n++] = s;
		}
		if (k == PATTERN_HOST) {
			take_time(p, name, &f);
			if (group_at(p, PATTERN_HOST, "time", &s))
				differing[n++] = s;
		}
	}
	make_group(name, differing, n, f.group);
	*out = f;
}
