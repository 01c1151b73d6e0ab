/* SPDX-License-Identifier: MIT
 * suppressions.c -- a file that says which findings are known and wanted, as LeakSanitizer reads it.
 */
#include "cli/suppressions.h"

#include <string.h>

#include "base/input.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)

/* All of the file, NUL behind it. */
static int read_all(struct suppressions *s, const char *file, struct error *err)
{
	struct input *in;
	size_t n;
	int rc = input_open(&in, file, s->budget, err);

	if (rc < 0)
		return rc;
	if ((rc = input_peek(in, MAX_FILE_BYTES, err)) < 0)
		goto out;
	n = (size_t)(in->end - in->at);
	if (n >= MAX_FILE_BYTES) {
		rc = error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "it is larger than 1 MiB");
		goto out;
	}
	s->text = budget_realloc(s->budget, NULL, 0, n + 1, err);
	if (!s->text) {
		rc = (int)err->code;
		goto out;
	}
	s->text_bytes = n + 1;
	memcpy(s->text, in->at, n);
	s->text[n] = '\0';
out:
	input_close(in);
	return rc;
}

static int add_pattern(struct suppressions *s, char *pattern, const struct model *m,
		       struct error *err)
{
	const char *keep[] = {pattern};
	struct filter_options o = {.keep = keep, .n_keep = 1};
	int rc;

	if (s->n == SUPPRESSIONS_MAX)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "more than %d suppressions",
				 SUPPRESSIONS_MAX);
	if ((rc = filter_new(&s->filters[s->n], &o, m, s->budget, err)) < 0)
		return rc;
	s->patterns[s->n++] = pattern;
	return 0;
}

static int read_lines(struct suppressions *s, const char *file, const struct model *m)
{
	unsigned number = 0;
	char *next = s->text;

	while (next) {
		char *line = next, *end = strchr(line, '\n');
		struct error err;

		number++;
		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		line[strcspn(line, "\r")] = '\0';
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		if (strncmp(line, "leak:", 5) || !line[5]) {
			complain("%s, line %u: a suppression is 'leak:RE', not '%.80s'", file,
				 number, line);
			return STATUS_USAGE;
		}
		if (add_pattern(s, line + 5, m, &err) < 0) {
			if (err.code != ERR_USAGE)
				return complain_error("use", file, &err);
			complain("%s, line %u: %s", file, number, err.text);
			return STATUS_USAGE;
		}
	}
	return STATUS_DONE;
}

int suppressions_open(struct invocation *inv, const char *file, const struct model *m,
		      struct suppressions *out)
{
	struct suppressions s = {.budget = &inv->budget};
	struct error err;
	int status;

	*out = s;
	if (!file)
		return STATUS_DONE;
	s.patterns = budget_realloc(s.budget, NULL, 0, SUPPRESSIONS_MAX * sizeof *s.patterns, &err);
	if (s.patterns)
		s.filters = budget_realloc(s.budget, NULL, 0, SUPPRESSIONS_MAX * sizeof *s.filters,
					   &err);
	if (!s.filters || read_all(&s, file, &err) < 0)
		status = complain_error("read", file, &err);
	else
		status = read_lines(&s, file, m);
	if (status == STATUS_DONE)
		*out = s;
	else
		suppressions_release(&s);
	return status;
}

void suppressions_release(struct suppressions *s)
{
	if (!s->budget)
		return;
	for (size_t i = 0; i < s->n; i++)
		filter_free(s->filters[i]);
	budget_free(s->budget, s->text, s->text_bytes);
	budget_free(s->budget, s->patterns,
		    s->patterns ? SUPPRESSIONS_MAX * sizeof *s->patterns : 0);
	budget_free(s->budget, s->filters, s->filters ? SUPPRESSIONS_MAX * sizeof *s->filters : 0);
	*s = (struct suppressions){0};
}
