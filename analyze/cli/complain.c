/* SPDX-License-Identifier: MIT
 * complain.c -- what the program says on stderr when something failed: always one line.
 */
#include "cli/command.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/utf8.h"

/* The one thing here that outlives a call: several files' failures go into one document. */
static char words[1200];

const char *complain_last(void)
{
	return words;
}

void complain(const char *fmt, ...)
{
	char line[sizeof words * 4 + 32];
	size_t n, used, to = 0;
	unsigned columns;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof words, fmt, ap);
	va_end(ap);
	to = (size_t)snprintf(line, sizeof line, "vramscope: ");
	n = strlen(words);
	/* An escape is at most seven columns, and only for two bytes or more. */
	for (size_t i = 0; i < n && to + 16 < sizeof line; i += used)
		to += utf8_escape(line + to, words + i, n - i, &used, &columns);
	line[to++] = '\n';
	fwrite(line, 1, to, stderr);
}

static int error_status(const struct error *err)
{
	switch (err->code) {
	case ERR_USAGE:
	case ERR_NO_MOMENT:
		return STATUS_USAGE;
	case ERR_NOMEM:
		return STATUS_SYSTEM;
	default:
		return STATUS_INPUT;
	}
}

const char *file_words(char buf[FILE_WORDS_BUF], const char *file)
{
	if (strcmp(file, "-"))
		snprintf(buf, FILE_WORDS_BUF, "'%s'", file);
	else
		snprintf(buf, FILE_WORDS_BUF, "standard input");
	return buf;
}

int complain_error(const char *verb, const char *file, const struct error *err)
{
	char name[FILE_WORDS_BUF];

	file_words(name, file);
	if (err->offset == ERR_NO_OFFSET)
		complain("cannot %s %s: %s", verb, name, err->text);
	else
		complain("cannot %s %s: %s at byte %" PRIu64, verb, name, err->text, err->offset);
	return error_status(err);
}
