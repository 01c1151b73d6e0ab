/* SPDX-License-Identifier: MIT
 * snapshot_sink.c -- snapshot data as a pickle or as JSON.
 */
#include "reports/snapshot_sink.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/utf8.h"

static int write_out(void *ctx, const void *bytes, size_t n)
{
	out_bytes(ctx, bytes, n);
	return 0;
}

void sink_start(struct sink *k, enum snapshot_form form, struct out *out)
{
	memset(k, 0, sizeof *k);
	k->form = form;
	k->out = out;
	if (form == SNAPSHOT_PICKLE)
		sw_start(&k->sw, write_out, out);
}

void sink_finish(struct sink *k)
{
	if (k->form == SNAPSHOT_PICKLE)
		(void)sw_finish(&k->sw);
	else
		out_text(k->out, "\n");
}

/* ---- JSON ---- */

static void json_string(struct out *o, const char *text, size_t n)
{
	out_text(o, "\"");
	for (size_t i = 0; i < n;) {
		uint32_t code;
		size_t used = utf8_decode(text + i, n - i, &code);

		if (used == 0) {
			out_text(o, "\\ufffd");
			used = 1;
		} else if (code == '"' || code == '\\') {
			out_printf(o, "\\%c", (int)code);
		} else if (code < 0x20 || code == 0x7f) {
			out_printf(o, "\\u%04x", (unsigned)code);
		} else {
			out_bytes(o, text + i, used);
		}
		i += used;
	}
	out_text(o, "\"");
}

static void json_before_value(struct sink *k)
{
	if (k->after_key || k->depth == 0) {
		k->after_key = false;
		return;
	}
	if (k->level[k->depth - 1].has_items)
		out_text(k->out, k->depth <= 2 ? ",\n" : ", ");
	k->level[k->depth - 1].has_items = true;
}

static void json_open(struct sink *k, bool is_list)
{
	assert(k->depth < SW_MAX_DEPTH);
	json_before_value(k);
	out_text(k->out, is_list ? "[" : "{");
	k->level[k->depth].is_list = is_list;
	k->level[k->depth].has_items = false;
	k->depth++;
}

/* ---- both ---- */

void sink_dict(struct sink *k)
{
	if (k->form == SNAPSHOT_PICKLE)
		sw_dict(&k->sw);
	else
		json_open(k, false);
}

void sink_list(struct sink *k)
{
	if (k->form == SNAPSHOT_PICKLE)
		sw_list(&k->sw);
	else
		json_open(k, true);
}

void sink_end(struct sink *k)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_end(&k->sw);
		return;
	}
	k->depth--;
	out_text(k->out, k->level[k->depth].is_list ? "]" : "}");
}

void sink_key(struct sink *k, enum sw_key key)
{
	if (k->form == SNAPSHOT_PICKLE)
		sw_key(&k->sw, key);
	else
		sink_key_text(k, sw_key_name(key), strlen(sw_key_name(key)));
}

void sink_key_text(struct sink *k, const char *text, size_t n)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_key_text(&k->sw, text, n);
		return;
	}
	json_before_value(k);
	json_string(k->out, text, n);
	out_text(k->out, ": ");
	k->after_key = true;
}

void sink_none(struct sink *k)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_none(&k->sw);
		return;
	}
	json_before_value(k);
	out_text(k->out, "null");
}

void sink_bool(struct sink *k, bool v)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_bool(&k->sw, v);
		return;
	}
	json_before_value(k);
	out_text(k->out, v ? "true" : "false");
}

void sink_u64(struct sink *k, uint64_t v)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_u64(&k->sw, v);
		return;
	}
	json_before_value(k);
	out_printf(k->out, "%" PRIu64, v);
}

void sink_i64(struct sink *k, int64_t v)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_i64(&k->sw, v);
		return;
	}
	json_before_value(k);
	out_printf(k->out, "%" PRId64, v);
}

void sink_f64(struct sink *k, double v)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_f64(&k->sw, v);
		return;
	}
	json_before_value(k);
	/* As Python's json writes them: 0.0 stays a float. */
	if (!isfinite(v))
		out_text(k->out, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
	else if (v == floor(v) && fabs(v) < 1e15)
		out_printf(k->out, "%.1f", v);
	else
		out_printf(k->out, "%.17g", v);
}

/* Bytes that are no UTF-8 would make CPython refuse the whole file. */
static void pickle_text(struct sink *k, const char *text, size_t n)
{
	char clean[4096];
	size_t length = 0;

	for (size_t i = 0; i < n;) {
		uint32_t code;
		size_t used = utf8_decode(text + i, n - i, &code);

		if (length + 4 > sizeof clean)
			break;
		if (used == 0) {
			clean[length++] = '?';
			i++;
			continue;
		}
		memcpy(clean + length, text + i, used);
		length += used;
		i += used;
	}
	sw_text(&k->sw, clean, length);
}

static bool is_utf8(const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t code;
		size_t used = utf8_decode(text + i, n - i, &code);

		if (used == 0)
			return false;
		i += used;
	}
	return true;
}

void sink_text(struct sink *k, const char *text, size_t n)
{
	if (k->form == SNAPSHOT_JSON) {
		json_before_value(k);
		json_string(k->out, text, n);
	} else if (is_utf8(text, n)) {
		sw_text(&k->sw, text, n);
	} else {
		pickle_text(k, text, n);
	}
}

void sink_pair(struct sink *k, int64_t a, int64_t b)
{
	if (k->form == SNAPSHOT_PICKLE) {
		sw_pair(&k->sw, a, b);
		return;
	}
	json_before_value(k);
	out_printf(k->out, "[%" PRId64 ", %" PRId64 "]", a, b);
}

bool sink_shared(struct sink *k, const uint32_t *slot)
{
	return k->form == SNAPSHOT_PICKLE && sw_shared(&k->sw, slot);
}

void sink_share(struct sink *k, uint32_t *slot)
{
	if (k->form == SNAPSHOT_PICKLE)
		sw_share(&k->sw, slot);
}
