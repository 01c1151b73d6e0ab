/* SPDX-License-Identifier: MIT
 * batch_sql.c -- a batch as a database (SQLite): the tables as declared, what was compared, views.
 */
#include "reports/batch_report.h"

#include "reports/sqlite_file.h"

/* Questions people ask, each a view. */
static const char views[] =
	"CREATE VIEW by_peak AS SELECT file, rank, device, peak_allocated_bytes,"
	" peak_reserved_bytes, fragmentation, verdict FROM files ORDER BY 4 DESC;\n"
	"CREATE VIEW failed_files AS SELECT file, status, reason FROM files WHERE status <> 'ok';\n"
	"CREATE VIEW same_failure AS SELECT count(*) AS files, x.of_files, f.verdict, f.cause,"
	" f.oom_site, min(f.oom_requested_bytes) AS least_requested_bytes,"
	" max(f.oom_requested_bytes) AS most_requested_bytes, min(f.oom_time_us) AS first_time_us"
	" FROM failures x JOIN files f USING (file_id) GROUP BY x.failure_id"
	" ORDER BY files DESC, x.failure_id;\n"
	"CREATE VIEW first_to_fail AS SELECT file, rank, host, oom_time_us, verdict, oom_site"
	" FROM files WHERE oom_time_us IS NOT NULL ORDER BY oom_time_us;\n"
	"CREATE VIEW unlike_their_group AS SELECT f.file, f.rank, f.host, o.measure, o.reason"
	" FROM outliers o JOIN files f USING (file_id) WHERE o.rowid IN"
	" (SELECT min(rowid) FROM outliers GROUP BY file_id) ORDER BY o.rowid;\n"
	"CREATE VIEW unlike_settings AS SELECT f.file, f.rank, d.name, d.value, d.usual"
	" FROM setting_differences d JOIN files f USING (file_id);\n"
	"CREATE VIEW sites AS SELECT site, count(DISTINCT file_id) AS files, sum(bytes) AS bytes,"
	" max(bytes) AS most_bytes FROM sites_at_peak GROUP BY site ORDER BY bytes DESC;\n"
	"CREATE VIEW leaking AS SELECT f.file, l.device, l.kind, l.site, l.bytes_per_step, l.bytes"
	" FROM leaks l JOIN files f USING (file_id) ORDER BY l.bytes_per_step DESC;\n"
	"CREATE VIEW settings_used AS SELECT name, value, count(*) AS files FROM settings"
	" GROUP BY name, value ORDER BY name, files DESC;\n";

static const char *type_of(enum batch_kind k)
{
	return k == BATCH_TEXT ? "TEXT" : k == BATCH_INT ? "INTEGER" : "REAL";
}

/* The statement to create a table and the one to fill it; `files` gets its key in front. */
static void table_statements(enum batch_table_id t, struct out *create, struct out *insert)
{
	const struct batch_schema *s = &batch_schemas[t];

	out_printf(create, "CREATE TABLE %s (%s", s->name,
		   t == BATCH_FILES ? "file_id INTEGER PRIMARY KEY" : "");
	out_printf(insert, "INSERT INTO %s VALUES (%s", s->name, t == BATCH_FILES ? "?" : "");
	for (size_t c = 0; c < s->n; c++) {
		const char *comma = c || t == BATCH_FILES ? ", " : "";

		out_printf(create, "%s%s %s%s", comma, s->columns[c].name,
			   type_of(s->columns[c].kind),
			   c == 0 && t != BATCH_FILES ? " NOT NULL REFERENCES files" : "");
		out_printf(insert, "%s?", comma);
	}
	out_text(create, ");");
	out_text(insert, ")");
	if (t != BATCH_FILES)
		out_printf(create, " CREATE INDEX %s_file ON %s (file_id);", s->name, s->name);
}

static int bind(sqlite3_stmt *q, int at, const struct batch *b, const struct batch_cell *c)
{
	const struct str *s;

	switch (c->kind) {
	case BATCH_TEXT:
		s = strtab_get(&b->strings, c->s);
		return sqlite3_bind_text(q, at, s->bytes, (int)s->length, SQLITE_STATIC);
	case BATCH_INT:
		return sqlite3_bind_int64(q, at, c->i);
	case BATCH_REAL:
		return sqlite3_bind_double(q, at, c->f);
	default:
		return sqlite3_bind_null(q, at);
	}
}

static int fill_table(struct sqlite_file *f, const struct batch *b, enum batch_table_id t,
		      const char *insert, struct error *err)
{
	int shift = t == BATCH_FILES;
	sqlite3_stmt *q = NULL;
	int rc = sqlite_file_prepare(f, &q, insert, err);

	for (size_t i = 0; i < b->n_rows[t] && rc == 0; i++) {
		int code = shift ? sqlite3_bind_int64(q, 1, (sqlite3_int64)i) : SQLITE_OK;

		for (size_t c = 0; c < batch_schemas[t].n && code == SQLITE_OK; c++)
			code = bind(q, (int)c + 1 + shift, b, batch_cell(b, t, i, c));
		rc = code == SQLITE_OK ? sqlite_file_insert(f, q, err)
				       : sqlite_file_error(f, code, err);
	}
	sqlite3_finalize(q);
	return rc;
}

static int write_table(struct sqlite_file *f, const struct batch *b, enum batch_table_id t,
		       struct error *err)
{
	struct out *create = NULL, *insert = NULL;
	size_t n;
	int rc = out_open_memory(&create, err);

	if (rc == 0)
		rc = out_open_memory(&insert, err);
	if (rc == 0) {
		table_statements(t, create, insert);
		rc = sqlite_file_run(f, out_memory(create, &n), err);
	}
	if (rc == 0)
		rc = fill_table(f, b, t, out_memory(insert, &n), err);
	if (create)
		out_abandon(create);
	if (insert)
		out_abandon(insert);
	return rc;
}

static int write_outliers(struct sqlite_file *f, const struct batch_groups *g, struct error *err)
{
	sqlite3_stmt *q = NULL;
	char words[2400];
	int rc =
		sqlite_file_run(f,
				"CREATE TABLE outliers (file_id INTEGER NOT NULL REFERENCES files, "
				"measure TEXT, what TEXT, step INTEGER, value REAL, median REAL, "
				"score REAL, reason TEXT);",
				err);

	if (rc == 0)
		rc = sqlite_file_prepare(f, &q, "INSERT INTO outliers VALUES (?,?,?,?,?,?,?,?)",
					 err);
	for (size_t i = 0; i < g->outliers.n && rc == 0; i++) {
		const struct batch_outlier *o = &g->outliers.at[i];

		sqlite3_bind_int64(q, 1, (sqlite3_int64)o->file);
		sqlite3_bind_text(q, 2, batch_measure_name(o->measure), -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 3, o->what, -1, SQLITE_STATIC);
		if (o->measure == MEASURE_STEP)
			sqlite3_bind_int64(q, 4, o->step);
		if (batch_measure_is_amount(o->measure)) {
			sqlite3_bind_double(q, 5, o->value);
			sqlite3_bind_double(q, 6, o->median);
			sqlite3_bind_double(q, 7, o->score);
		}
		sqlite3_bind_text(q, 8, batch_outlier_words(o, words, sizeof words), -1,
				  SQLITE_TRANSIENT);
		rc = sqlite_file_insert(f, q, err);
	}
	sqlite3_finalize(q);
	return rc;
}

/* A row a file that failed. */
static int write_failures(struct sqlite_file *f, const struct batch_groups *g, struct error *err)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite_file_run(f,
				 "CREATE TABLE failures (failure_id INTEGER NOT NULL, of_files "
				 "INTEGER, file_id INTEGER NOT NULL REFERENCES files);",
				 err);

	if (rc == 0)
		rc = sqlite_file_prepare(f, &q, "INSERT INTO failures VALUES (?,?,?)", err);
	for (size_t i = 0; i < g->failures.n && rc == 0; i++) {
		const struct batch_failure *x = &g->failures.at[i];

		for (size_t k = 0; k < x->n && rc == 0; k++) {
			sqlite3_bind_int64(q, 1, (sqlite3_int64)i);
			sqlite3_bind_int64(q, 2, (sqlite3_int64)x->of);
			sqlite3_bind_int64(q, 3, (sqlite3_int64)g->failed.at[x->from + k]);
			rc = sqlite_file_insert(f, q, err);
		}
	}
	sqlite3_finalize(q);
	return rc;
}

static int write_differences(struct sqlite_file *f, const struct batch_groups *g, struct error *err)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite_file_run(f,
				 "CREATE TABLE setting_differences (file_id INTEGER NOT NULL "
				 "REFERENCES files, name TEXT, value TEXT, usual TEXT);",
				 err);

	if (rc == 0)
		rc = sqlite_file_prepare(f, &q, "INSERT INTO setting_differences VALUES (?,?,?,?)",
					 err);
	for (size_t i = 0; i < g->differences.n && rc == 0; i++) {
		const struct batch_difference *d = &g->differences.at[i];

		sqlite3_bind_int64(q, 1, (sqlite3_int64)d->file);
		sqlite3_bind_text(q, 2, d->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 3, d->value, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 4, d->usual, -1, SQLITE_STATIC);
		rc = sqlite_file_insert(f, q, err);
	}
	sqlite3_finalize(q);
	return rc;
}

int batch_write_sql(const char *path, const struct batch *b, const struct batch_groups *g,
		    struct error *err)
{
	struct sqlite_file f;
	int rc = sqlite_file_open(&f, path, SQLITE_FILE_BATCH, BATCH_SCHEMA, err);

	for (unsigned t = 0; t < BATCH_TABLES && rc == 0; t++)
		rc = write_table(&f, b, (enum batch_table_id)t, err);
	if (rc == 0)
		rc = write_outliers(&f, g, err);
	if (rc == 0)
		rc = write_failures(&f, g, err);
	if (rc == 0)
		rc = write_differences(&f, g, err);
	if (rc == 0)
		rc = sqlite_file_run(&f, views, err);
	return sqlite_file_close(&f, rc, err);
}
