/* SPDX-License-Identifier: MIT
 * describe_capture.c -- what the recorder says of itself, and of memory that is in no trace.
 */
#include "reports/describe.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t number_in(const struct model *m, const struct value *v, const char *key)
{
	const struct value *n = value_member(v, &m->strings, key);

	return n && n->kind == VALUE_I64 && n->i64 > 0 ? (uint64_t)n->i64 : 0;
}

static const char *capture_text(const struct model *m, const char *key)
{
	const struct value *v = value_member(m->capture_value, &m->strings, key);

	return v && v->kind == VALUE_STR ? model_str(m, v->str) : "?";
}

static const struct value *capture_list(const struct model *m, const char *key, size_t *n)
{
	const struct value *v = value_member(m->capture_value, &m->strings, key);

	*n = v && v->kind == VALUE_LIST ? v->items.n : 0;
	return *n ? v->items.at : NULL;
}

/* Memory that is in no trace, or in none as such. */
static void text_apart(struct emit *e, const struct model *m)
{
	static const struct {
		const char *key, *label;
	} apart[] = {{"handles", "handles"},         {"array", "arrays"},
		     {"imported", "imported"},       {"imported_handles", "imported handles"},
		     {"graph_nodes", "graph nodes"}, {"noted", "noted"}};
	const struct value *live = value_member(m->capture_value, &m->strings, "live");
	char line[200], bytes[UNITS_BUF], count[UNITS_BUF];

	for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
		const struct value *v = value_member(live, &m->strings, apart[k].key);

		if (!number_in(m, v, "count"))
			continue;
		snprintf(line, sizeof line, "%s in %s, not in the totals",
			 emit_words_bytes(e, bytes, number_in(m, v, "bytes")),
			 units_count(count, number_in(m, v, "count")));
		emit_str(e, NULL, apart[k].label, line);
	}
}

static void text_recorded_devices(struct emit *e, const struct model *m)
{
	char line[400], a[UNITS_BUF], b[UNITS_BUF], c[UNITS_BUF], d[UNITS_BUF];
	size_t n;
	const struct value *v = capture_list(m, "devices", &n);

	for (size_t i = 0; i < n; i++) {
		uint64_t total = number_in(m, &v[i], "total_bytes");
		uint64_t unseen = number_in(m, &v[i], "unaccounted_bytes");
		int used = snprintf(line, sizeof line, "device %" PRIu64 " has %s, %s free",
				    number_in(m, &v[i], "index"), emit_words_bytes(e, a, total),
				    emit_words_bytes(e, b, number_in(m, &v[i], "free_bytes")));

		if (!total)
			continue;
		if (unseen)
			snprintf(line + used, sizeof line - (size_t)used,
				 "; allocated %s, used beside it %s (contexts, code, others)",
				 emit_words_bytes(e, c, number_in(m, &v[i], "counted_bytes")),
				 emit_words_bytes(e, d, unseen));
		emit_str(e, NULL, "card", line);
	}
	v = capture_list(m, "pools", &n);
	for (size_t i = 0; i < n; i++) {
		snprintf(line, sizeof line, "of device %" PRIu64 ", %s held, %s in use",
			 number_in(m, &v[i], "device"),
			 emit_words_bytes(e, a, number_in(m, &v[i], "reserved_bytes")),
			 emit_words_bytes(e, b, number_in(m, &v[i], "used_bytes")));
		emit_str(e, NULL, "driver's pool", line);
	}
}

static void text_modules(struct emit *e, const struct model *m)
{
	size_t n, with_id = 0;
	const struct value *v = capture_list(m, "modules", &n);
	char line[200], words[UNITS_BUF];

	for (size_t i = 0; i < n; i++) {
		const struct value *id = value_member(&v[i], &m->strings, "build_id");

		with_id += id && id->kind == VALUE_STR;
	}
	if (!n)
		return;
	snprintf(line, sizeof line, "%s, %zu with a build id",
		 units_noun(words, sizeof words, n, "library", "libraries"), with_id);
	emit_str(e, NULL, "modules", line);
}

/* What a reader would otherwise take for the whole. */
static void text_lost(struct emit *e, const struct model *m)
{
	static const struct {
		const char *key, *one, *many;
	} lost[] = {
		{"lost_events", "event was overwritten", "events were overwritten"},
		{"table_full", "allocation found no room in the table",
		 "allocations found no room in the table"},
		{"arena_full", "stack found no room", "stacks found no room"},
		{"unknown_frees", "free was of something not recorded",
		 "frees were of something not recorded"},
	};
	char words[200];

	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
		uint64_t n = number_in(m, m->capture_value, lost[i].key);

		if (n)
			emit_str(e, NULL, "left out",
				 units_noun(words, sizeof words, n, lost[i].one, lost[i].many));
	}
}

/* What the recorder says of itself, and of memory that is in no trace. */
void describe_capture(struct emit *e, const struct model *m)
{
	char line[600];

	if (!m->capture_value || m->capture_value->kind != VALUE_DICT)
		return;
	emit_value(e, "capture", m, m->capture_value);
	snprintf(line, sizeof line, "%s, process %" PRIu64 " on %s", capture_text(m, "program"),
		 number_in(m, m->capture_value, "pid"), capture_text(m, "host"));
	emit_str(e, NULL, "recorded", line);
	text_modules(e, m);
	text_recorded_devices(e, m);
	text_apart(e, m);
	text_lost(e, m);
}
