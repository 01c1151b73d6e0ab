/* SPDX-License-Identifier: MIT
 * load_batch.c -- what a batch left behind, read again: its folder, summary.json or summary.sqlite.
 */
#include "cli/load_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/batch_sql.h"

/* The name of the schema stands among the first members. */
#define HEAD_BYTES 256

enum batch_form { NO_BATCH, BATCH_JSON, BATCH_SQL };

static int form_of(struct invocation *inv, const char *path, enum batch_form *form)
{
	struct input *in;
	struct error err;
	int rc = input_open(&in, path, &inv->budget, &err);

	*form = NO_BATCH;
	if (rc == 0) {
		char head[HEAD_BYTES + 1];
		size_t n;

		rc = input_peek(in, HEAD_BYTES, &err);
		n = (size_t)(in->end - in->at);
		n = n < HEAD_BYTES ? n : HEAD_BYTES;
		memcpy(head, in->at, n);
		head[n] = '\0';
		if (batch_sql_is_database(head, n))
			*form = BATCH_SQL;
		else if (strstr(head, "\"vramscope.batch/"))
			*form = BATCH_JSON;
		input_close(in);
	}
	/* Whoever reads it next will say what is wrong with it. */
	return rc == ERR_NOMEM ? complain_error("read", path, &err) : STATUS_DONE;
}

static int read_json(struct invocation *inv, struct batch *b, const char *path)
{
	struct input *in;
	struct error err;
	int rc = input_open(&in, path, &inv->budget, &err);

	if (rc == 0) {
		rc = batch_read(b, in, NULL, &err);
		input_close(in);
	}
	return rc < 0 ? complain_error("read", path, &err) : STATUS_DONE;
}

static int read_file(struct invocation *inv, struct batch *b, const char *path, bool *found)
{
	enum batch_form form;
	struct error err;
	int status = form_of(inv, path, &form);

	*found = form != NO_BATCH;
	if (status != STATUS_DONE || form == NO_BATCH)
		return status;
	if (form == BATCH_JSON)
		return read_json(inv, b, path);
	return batch_read_sql(b, path, inv->budget.limit, &err) < 0
		       ? complain_error("read", path, &err)
		       : STATUS_DONE;
}

int load_batch(struct invocation *inv, struct batch *b, const char *path, bool *found)
{
	static const char *const names[] = {"summary.json", "summary.sqlite"};
	struct stat st;
	int status = STATUS_DONE;

	*found = false;
	if (!strcmp(path, "-") || stat(path, &st) < 0)
		return STATUS_DONE;
	if (S_ISREG(st.st_mode))
		return read_file(inv, b, path, found);
	if (!S_ISDIR(st.st_mode))
		return STATUS_DONE;
	for (size_t i = 0; i < sizeof names / sizeof *names && !*found && status == STATUS_DONE;
	     i++) {
		char *inside;

		if (asprintf(&inside, "%s/%s", path, names[i]) < 0) {
			complain("out of memory");
			return STATUS_SYSTEM;
		}
		if (stat(inside, &st) == 0 && S_ISREG(st.st_mode))
			status = read_file(inv, b, inside, found);
		free(inside);
	}
	if (!*found && status == STATUS_DONE) {
		complain("'%s' is a folder without a batch's summary: name its files, or read it "
			 "with "
			 "'vramscope batch -o OUT %s' and give OUT here",
			 path, path);
		status = STATUS_INPUT;
	}
	return status;
}
