/* SPDX-License-Identifier: MIT
 * gate_names.c -- does a name of a budget mean this site, this annotation; and which come near.
 */
#include "passes/gate_names.h"

#include <string.h>

#define MOST_COMPARED 256
#define FORM_BYTES    2304

/* --- fits -------------------------------------------------------------------------------------- */

/* The last * takes one byte more whenever what follows it does not fit. */
bool gate_name_fits(const char *pattern, const char *name)
{
	const char *star = NULL, *taken = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			taken = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++taken;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* "path:12 function": where the path and the line end; false for "(no stack)" and the like. */
static bool site_parts(const char *site, size_t *path, size_t *line)
{
	for (size_t i = 0; site[i]; i++) {
		size_t digits = i && site[i] == ':' ? strspn(site + i + 1, "0123456789") : 0;
		size_t end = i + 1 + digits;

		if (digits && (site[end] == ' ' || !site[end])) {
			*path = i;
			*line = end;
			return true;
		}
	}
	return false;
}

static bool ends_folder(char c)
{
	return c == '/' || c == '\\';
}

/* `path` and what of the rest is wanted, into buf. */
static const char *site_form(const char *site, size_t from, size_t path, size_t line, bool lined,
			     bool named, char buf[FORM_BYTES])
{
	size_t end = lined ? line : path, n = end - from, rest = named ? strlen(site + line) : 0;

	if (n + rest >= FORM_BYTES)
		return NULL;
	memcpy(buf, site + from, n);
	memcpy(buf + n, site + line, rest);
	buf[n + rest] = '\0';
	return buf;
}

bool gate_site_fits(const char *pattern, const char *site)
{
	size_t path, line;
	char buf[FORM_BYTES];

	if (gate_name_fits(pattern, site))
		return true;
	if (!site_parts(site, &path, &line))
		return false;
	for (size_t from = 0; from < path; from++) {
		if (from && !ends_folder(site[from - 1]))
			continue;
		for (unsigned i = 0; i < 4; i++) {
			const char *form = site_form(site, from, path, line, i & 1, i & 2, buf);

			if (form && gate_name_fits(pattern, form))
				return true;
		}
	}
	return false;
}

const char *gate_site_unlined(const char *site, char *buf, size_t size)
{
	char form[FORM_BYTES];
	size_t path, line;
	const char *s = site;

	if (site_parts(site, &path, &line))
		s = site_form(site, 0, path, line, false, true, form);
	if (!s)
		s = site;
	buf[0] = '\0';
	strncat(buf, s, size - 1);
	return buf;
}

/* --- near -------------------------------------------------------------------------------------- */

static size_t least(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Levenshtein's distance, one row at a time. */
double gate_name_distance(const char *pattern, const char *name)
{
	size_t n = strnlen(pattern, MOST_COMPARED), m = strnlen(name, MOST_COMPARED);
	size_t row[MOST_COMPARED + 1];

	if (!n || !m)
		return n == m ? 0 : 1;
	for (size_t k = 0; k <= m; k++)
		row[k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= m; k++) {
			size_t above = row[k];

			row[k] = least(above + 1, row[k - 1] + 1,
				       diagonal + (lower(pattern[i - 1]) != lower(name[k - 1])));
			diagonal = above;
		}
	}
	return (double)row[m] / (double)(n > m ? n : m);
}

double gate_site_distance(const char *pattern, const char *site)
{
	size_t path, line, from, asked_path, asked_line, folders = 0;
	bool lined = site_parts(pattern, &asked_path, &asked_line);
	bool named = strchr(lined ? pattern + asked_line : pattern, ' ') != NULL;
	char buf[FORM_BYTES];
	const char *form;

	if (!site_parts(site, &path, &line))
		return gate_name_distance(pattern, site);
	for (const char *s = pattern; *s; s++)
		folders += ends_folder(*s);
	for (from = path; from > 0; from--) {
		if (ends_folder(site[from - 1]) && folders-- == 0)
			break;
	}
	form = site_form(site, from, path, line, lined, named, buf);
	return form ? gate_name_distance(pattern, form) : 1;
}
