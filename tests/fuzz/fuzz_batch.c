/* SPDX-License-Identifier: MIT
 * fuzz_batch.c -- any bytes as a batch's summary or database: refused, or read, compared, written
 * and read again to the same rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/batch_report.h"
#include "reports/batch_sql.h"
#include "tests/fuzz/fuzz.h"

static int read_json(struct batch *b, const void *data, size_t size, struct budget *budget)
{
	struct error err = {0};
	struct input *in;
	int rc = input_open_bytes(&in, data, size, budget, &err);

	if (rc == 0) {
		rc = batch_read(b, in, NULL, &err);
		input_close(in);
	}
	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	return rc;
}

static char path[64];

static void forget(void)
{
	unlink(path);
}

static int read_sql(struct batch *b, const void *data, size_t size)
{
	struct error err = {0};
	FILE *f;
	int rc;

	if (!path[0]) {
		snprintf(path, sizeof path, "/tmp/vramscope-fuzz-%ld.sqlite", (long)getpid());
		atexit(forget);
	}
	f = fopen(path, "w");
	CHECK(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
	rc = batch_read_sql(b, path, UINT64_MAX, &err);
	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	return rc;
}

static void write_json(struct out *out, const struct batch *b, const struct batch_groups *g)
{
	const struct emit_options options = {.format = EMIT_JSON};
	struct error err;
	struct emit *e;

	CHECK(emit_new(&e, out, &options, &err) == 0);
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.batch/1");
	describe_batch(e, b, g, "0");
	emit_object_end(e);
	emit_free(e);
}

static void check_again(const struct batch *b, const struct batch_groups *g, struct budget *budget)
{
	struct batch again;
	struct error err;
	struct out *out;
	const char *text;
	size_t n;

	CHECK(out_open_memory(&out, &err) == 0);
	write_json(out, b, NULL);
	text = out_memory(out, &n);
	CHECK(batch_init(&again, budget, &err) == 0);
	CHECK(read_json(&again, text, n, budget) == 0);
	for (unsigned t = 0; t < BATCH_TABLES; t++)
		CHECK(again.n_rows[t] == b->n_rows[t]);
	batch_release(&again);
	write_json(out, b, g);
	batch_write_csv(out, b);
	out_abandon(out);
}

static void check_rows(const struct batch *b)
{
	for (unsigned t = BATCH_FILES + 1; t < BATCH_TABLES; t++) {
		for (size_t i = 0; i < b->n_rows[t]; i++) {
			int64_t file = batch_int(b, (enum batch_table_id)t, i, 0, -1);

			CHECK(file >= 0 && (uint64_t)file < b->n_rows[BATCH_FILES]);
			CHECK(i == 0 || file >= batch_int(b, (enum batch_table_id)t, i - 1, 0, -1));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct batch b;
	struct batch_groups g;
	struct error err;
	int rc;

	CHECK(batch_init(&b, &budget, &err) == 0);
	if (batch_sql_is_database(data, size))
		rc = read_sql(&b, data, size);
	else
		rc = read_json(&b, data, size, &budget);
	if (rc == 0) {
		check_rows(&b);
		CHECK(batch_sort(&b, &err) == 0 || err.code == ERR_LIMIT);
		check_rows(&b);
		if (batch_groups_run(&g, &b, &budget, &err) == 0) {
			check_again(&b, &g, &budget);
			batch_groups_release(&g);
		}
	}
	batch_release(&b);
	CHECK(budget.used == 0);
	return 0;
}
