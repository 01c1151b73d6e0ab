/* SPDX-License-Identifier: MIT
 * emit_private.h -- what emit.c and the formats behind it share.
 */
#ifndef REPORTS_EMIT_PRIVATE_H
#define REPORTS_EMIT_PRIVATE_H

#include "reports/emit.h"

/* Containers inside one another in any document; deeper is a mistake of ours. */
#define EMIT_MAX_DEPTH 64

enum item_kind {
	ITEM_NULL,
	ITEM_BOOL,
	ITEM_BYTES,
	ITEM_U64,
	ITEM_I64,
	ITEM_EVENT,
	ITEM_ADDR,
	ITEM_TIME,
	ITEM_F64,
	ITEM_SHARE,
	ITEM_STR,
	ITEM_POOL,
};

/* One value, before it takes a format. Absent ones are ITEM_NULL with `numeric` set when the column
 * they stand in holds numbers. */
struct item {
	const char *key, *label; /* weak */
	enum item_kind kind;
	bool numeric;
	union {
		bool boolean;
		uint64_t u64;
		int64_t i64;
		double f64;
		struct pool_id pool;
		struct {
			const char *bytes; /* weak */
			size_t n;
		} str;
	};
};

enum people_kind { PEOPLE_PROSE, PEOPLE_LINE, PEOPLE_HEADING, PEOPLE_BLANK };

struct emit;

struct emit_ops {
	void (*begin)(struct emit *e, const char *key, const char *heading, bool array);
	void (*end)(struct emit *e, bool array);
	void (*item)(struct emit *e, const struct item *item);
	void (*people)(struct emit *e, enum people_kind kind, const char *text);
	void (*table_begin)(struct emit *e, const char *key, const char *heading);
	void (*row_begin)(struct emit *e);
	void (*row_end)(struct emit *e);
	void (*table_end)(struct emit *e);
	void (*finish)(struct emit *e);
	void (*release)(struct emit *e);
};

struct emit_text; /* emit_text.h */
int emit_text_init(struct emit *e, struct error *err);
struct emit_html; /* emit_html.c */
int emit_html_init(struct emit *e, struct error *err);

struct emit {
	const struct emit_ops *ops;
	struct out *out; /* weak */
	struct emit_options options;

	/* JSON: bit set = the container of that depth has a member. */
	uint64_t has_member, is_array;
	unsigned depth;
	bool muted;            /* inside a table for people only */
	unsigned inline_depth; /* containers from here on stand on one line; 0 = none do */

	struct emit_text *text; /* owned; NULL in JSON */
	struct emit_html *html; /* owned; NULL but in HTML */
};

extern const struct emit_ops emit_json_ops;
extern const struct emit_ops emit_text_ops;
extern const struct emit_ops emit_html_ops;

/* The shortest decimal that reads back as v (finite), valid JSON; into buf, returned. */
const char *emit_f64_words(char buf[UNITS_BUF], double v);

#endif
