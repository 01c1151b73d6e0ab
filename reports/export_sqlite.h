/* SPDX-License-Identifier: MIT
 * export_sqlite.h -- what export_sqlite*.c share.
 */
#ifndef REPORTS_EXPORT_SQLITE_H
#define REPORTS_EXPORT_SQLITE_H

#include "passes/holders.h"
#include "reports/export.h"
#include "reports/sqlite_file.h"

/* export_schema.sql and export_indices.sql. */
extern const char export_schema_sql[], export_indices_sql[];

struct database {
	struct sqlite_file file;
	const struct export *x;
	/* How blocks from before the trace without frames are to be read: as `top` does. */
	struct block_stacks stacks;
};

/* Each fills tables of its name; 0, or negative. */
int export_sqlite_stacks(struct database *d, struct error *err);
int export_sqlite_events(struct database *d, struct error *err);
int export_sqlite_allocations(struct database *d, struct error *err);
int export_sqlite_states(struct database *d, struct error *err);

/* Amounts: BYTES_NONE is NULL. */
static inline void row_bytes(struct sqlite_row *r, uint64_t bytes)
{
	sqlite_row_known(r, bytes != BYTES_NONE, (int64_t)bytes);
}

static inline void row_time(struct sqlite_row *r, int64_t time_us)
{
	sqlite_row_known(r, time_us != TIME_NONE, time_us);
}

/* STR_NONE is NULL. */
static inline void row_name(struct sqlite_row *r, const struct model *m, str_id id)
{
	const struct str *s = strtab_get(&m->strings, id);

	if (id.i == STR_NONE.i)
		sqlite_row_null(r);
	else
		sqlite_row_str(r, s->bytes, s->length);
}

static inline void row_totals(struct sqlite_row *r, const struct totals *t)
{
	row_bytes(r, t->reserved);
	row_bytes(r, t->allocated);
	row_bytes(r, t->active);
	row_bytes(r, t->requested);
}

#endif
