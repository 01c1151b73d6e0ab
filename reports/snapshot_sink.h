/* SPDX-License-Identifier: MIT
 * snapshot_sink.h -- one set of calls for snapshot data in either form. Private to snapshot_*.c.
 *
 * The calls are those of capture/snapshot_writer.h; the JSON form has no sharing.
 */
#ifndef REPORTS_SNAPSHOT_SINK_H
#define REPORTS_SNAPSHOT_SINK_H

#include "capture/snapshot_writer.h"
#include "reports/out.h"
#include "reports/snapshot_out.h"

struct sink {
	enum snapshot_form form;
	struct out *out;
	struct sw sw;
	struct {
		bool is_list, has_items;
	} level[SW_MAX_DEPTH];
	unsigned depth;
	bool after_key;
};

void sink_start(struct sink *k, enum snapshot_form form, struct out *out);
void sink_finish(struct sink *k);
void sink_dict(struct sink *k);
void sink_list(struct sink *k);
void sink_end(struct sink *k);
void sink_key(struct sink *k, enum sw_key key);
void sink_key_text(struct sink *k, const char *text, size_t n);
void sink_none(struct sink *k);
void sink_bool(struct sink *k, bool v);
void sink_u64(struct sink *k, uint64_t v);
void sink_i64(struct sink *k, int64_t v);
void sink_f64(struct sink *k, double v);
void sink_text(struct sink *k, const char *text, size_t n);
void sink_pair(struct sink *k, int64_t a, int64_t b);
bool sink_shared(struct sink *k, const uint32_t *slot);
void sink_share(struct sink *k, uint32_t *slot);

#endif
