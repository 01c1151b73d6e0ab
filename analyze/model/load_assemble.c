/* SPDX-License-Identifier: MIT
 * load_assemble.c -- from the decoded root to the model's tables: the shape of a whole snapshot.
 *
 * Three shapes exist: a dict with segments and device_traces (torch 2.0 on), a bare list of
 * segments (torch.cuda.memory_snapshot()), and what torch.profiler's _profile_to_snapshot makes.
 */
#include <stdio.h>
#include <string.h>

#include "model/load_private.h"

bool loader_as_list(struct loader *l, cell c, struct load_list *out)
{
	*out = (struct load_list){.there = true};
	if (cell_tag(c) == CELL_EMPTY && cell_id(c) != CELL_EMPTY_DICT)
		return true;
	if (cell_tag(c) == (enum cell_tag)LOAD_NODE && loader_node(l, c)->kind != NODE_DICT) {
		out->node = *loader_node(l, c);
		return true;
	}
	return false;
}

bool loader_dict_value(struct loader *l, cell root, enum load_word key, cell *out)
{
	const struct node *n = loader_node(l, root);

	for (uint64_t k = n->n; k >= 2; k -= 2) {
		cell c = l->pool.at[n->start + k - 2];

		if (cell_tag(c) == CELL_STR && cell_id(c) == (uint32_t)key) {
			*out = l->pool.at[n->start + k - 1];
			return !cell_is_const(*out, CELL_NONE);
		}
	}
	return false;
}

/* The last key of an unfinished root: the value that the damage interrupted. */
static enum load_word last_root_key(struct loader *l, cell root)
{
	const struct node *n = loader_node(l, root);

	if (n->n < 2 || cell_tag(l->pool.at[n->start + n->n - 2]) != CELL_STR)
		return WORD_NONE;
	return (enum load_word)cell_id(l->pool.at[n->start + n->n - 2]);
}

/* The list under a root key; absent is fine, anything else an error with its path. */
static int root_list(struct loader *l, cell root, enum load_word key, bool partial,
		     struct load_list *out, struct error *err)
{
	cell c;

	*out = (struct load_list){0};
	if (!loader_dict_value(l, root, key, &c) || loader_as_list(l, c, out))
		return 0;
	*out = (struct load_list){0};
	if (partial && last_root_key(l, root) == key)
		return 0; /* a piece of something */
	return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s is %s, not a list",
			 model_str(l->model, (str_id){key}), loader_words(l, c));
}

/* ---- rows that lie where the schema wants them ---- */

/* Every item of the list must be a row of `tag`; `what` names the list in errors. The last one of a
 * damaged file is left out when it is none: it may be a piece of something. */
static int check_rows(struct loader *l, struct load_list *list, enum load_tag tag, bool partial,
		      const char *what, const char *wanted, struct error *err)
{
	if (list->node.kind == NODE_RANGE && list->node.tag == tag)
		return 0;
	for (uint64_t k = 0; k < list->node.n; k++) {
		cell c = loader_item(l, &list->node, k);

		if (cell_tag(c) == (enum cell_tag)tag)
			continue;
		if (!partial || k + 1 < list->node.n)
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s[%llu] is %s, not %s",
					 what, (unsigned long long)k, loader_words(l, c), wanted);
		list->node.n--;
	}
	return 0;
}

/* Position of a row in a list, or UINT64_MAX. */
static uint64_t list_position(struct loader *l, const struct load_list *list, enum load_tag tag,
			      uint32_t row)
{
	if (list->node.kind == NODE_RANGE) {
		bool inside = list->node.tag == tag && row >= list->node.start &&
			      row - list->node.start < list->node.n;

		return inside ? row - list->node.start : UINT64_MAX;
	}
	for (uint64_t k = 0; k < list->node.n; k++) {
		cell c = loader_item(l, &list->node, k);

		if (cell_tag(c) == (enum cell_tag)tag && cell_id(c) == row)
			return k;
	}
	return UINT64_MAX;
}

/* The places of a snapshot that hold rows. */
struct places {
	struct load_list segments, host_segments, traces, host_traces, annotations;
	bool partial; /* the input was damaged */
};

/* "device_traces[0][123]" of a fault's row; false when the row is in none of the places. */
static bool fault_place(struct loader *l, const struct places *p, const struct fault *f, char *to,
			size_t size)
{
	const struct {
		const struct load_list *list;
		const char *name;
	} flat[] = {{&p->segments, "segments"},
		    {&p->host_segments, "host_segments"},
		    {&p->host_traces, "host_traces"},
		    {&p->annotations, "external_annotations"}};
	struct load_list inner;
	uint64_t at;

	for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
		at = list_position(l, flat[i].list, f->kind, f->row);
		if (at != UINT64_MAX) {
			snprintf(to, size, "%s[%llu]", flat[i].name, (unsigned long long)at);
			return true;
		}
	}
	for (uint64_t k = 0; f->kind == LOAD_EVENT && k < p->traces.node.n; k++) {
		if (!loader_as_list(l, loader_item(l, &p->traces.node, k), &inner))
			continue;
		at = list_position(l, &inner, LOAD_EVENT, f->row);
		if (at != UINT64_MAX) {
			snprintf(to, size, "device_traces[%llu][%llu]", (unsigned long long)k,
				 (unsigned long long)at);
			return true;
		}
	}
	for (size_t i = 0; f->kind == LOAD_BLOCK && i < 2; i++) {
		const struct node *n = &flat[i].list->node;

		for (uint64_t k = 0; k < n->n; k++) {
			uint32_t row = cell_id(loader_item(l, n, k));
			const struct segment *s = &l->model->segments.at[row];

			if (f->row < s->first_block || f->row - s->first_block >= s->n_blocks)
				continue;
			snprintf(to, size, "%s[%llu].blocks[%llu]", flat[i].name,
				 (unsigned long long)k,
				 (unsigned long long)(f->row - s->first_block));
			return true;
		}
	}
	if (f->kind == LOAD_FRAME)
		snprintf(to, size, "a frame");
	return f->kind == LOAD_FRAME;
}

static int report_faults(struct loader *l, const struct places *p, struct error *err)
{
	char place[100];

	for (size_t i = 0; i < l->n_faults; i++) {
		const struct fault *f = &l->faults[i];

		if (fault_place(l, p, f, place, sizeof place))
			return error_set(err, ERR_SCHEMA, f->offset, "%s%s%s is %s, not %s", place,
					 f->kind == LOAD_FRAME ? "'s " : ".",
					 model_str(l->model, f->key), f->found, f->wanted);
	}
	return 0;
}

/* ---- tables ---- */

/* A segment that is listed again gets blocks of its own. */
static int copy_blocks(struct loader *l, struct segment *s, struct error *err)
{
	struct model *m = l->model;
	uint64_t from = s->first_block;

	s->first_block = m->blocks.n;
	for (uint64_t k = 0; k < s->n_blocks; k++) {
		struct block copy = m->blocks.at[from + k];
		int rc = vec_push(&m->blocks, copy, l->budget, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Keep just the segments of the two lists, in order; host ones get the host's index. */
static int take_segments(struct loader *l, const struct places *p, struct error *err)
{
	struct model *m = l->model;
	VEC(struct segment) kept = {0};
	int rc = vec_reserve(&kept, p->segments.node.n + p->host_segments.node.n + 1, l->budget,
			     err);

	for (int host = 0; host < 2; host++) {
		const struct node *n = host ? &p->host_segments.node : &p->segments.node;

		for (uint64_t k = 0; rc == 0 && k < n->n; k++) {
			struct segment *row = &m->segments.at[cell_id(loader_item(l, n, k))];
			struct segment s = *row;

			/* Not in use before model_finish: marks what was listed. */
			row->file_order = 1;
			if (host)
				s.device = DEVICE_HOST;
			if (s.file_order)
				rc = copy_blocks(l, &s, err);
			if (rc == 0)
				kept.at[kept.n++] = s;
		}
	}
	if (rc < 0) {
		vec_release(&kept, l->budget);
		return rc;
	}
	vec_release(&m->segments, l->budget);
	m->segments.at = kept.at;
	m->segments.n = kept.n;
	m->segments.cap = kept.cap;
	return 0;
}

static int take_annotations(struct loader *l, const struct load_list *list, struct error *err)
{
	struct model *m = l->model;
	VEC(struct annotation) kept = {0};

	if (list->node.kind == NODE_RANGE && list->node.start == 0) {
		m->annotations.n = list->node.n;
		return 0;
	}
	for (uint64_t k = 0; k < list->node.n; k++) {
		uint32_t row = cell_id(loader_item(l, &list->node, k));
		int rc = vec_push(&kept, m->annotations.at[row], l->budget, err);

		if (rc < 0) {
			vec_release(&kept, l->budget);
			return rc;
		}
	}
	vec_release(&m->annotations, l->budget);
	m->annotations.at = kept.at;
	m->annotations.n = kept.n;
	m->annotations.cap = kept.cap;
	return 0;
}

/* A trace's events as consecutive rows. */
static int trace_rows(struct loader *l, const struct load_list *list, uint64_t *first,
		      struct error *err)
{
	if (list->node.kind == NODE_RANGE && list->node.start >= l->events_owned) {
		*first = list->node.start;
		l->events_owned = list->node.start + list->node.n;
		return 0;
	}
	*first = l->model->events.action.n;
	for (uint64_t k = 0; k < list->node.n; k++) {
		int rc = loader_copy_event(l, cell_id(loader_item(l, &list->node, k)), err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int add_trace(struct loader *l, int32_t index, const struct load_list *list, bool meets,
		     struct error *err)
{
	struct device d = {
		.index = index,
		.n_events = list->node.n,
		.max_entries = BYTES_NONE,
		.trace_meets_segments = meets,
	};
	int rc = trace_rows(l, list, &d.first_event, err);

	return rc < 0 ? rc : vec_push(&l->model->devices, d, l->budget, err);
}

static int take_traces(struct loader *l, cell root, struct places *p, struct error *err)
{
	enum load_word last = p->partial ? last_root_key(l, root) : WORD_NONE;
	bool whole_segments = l->model->has_segments && last != KEY_SEGMENTS;
	char what[64];
	struct load_list inner;
	int rc;

	for (uint64_t k = 0; k < p->traces.node.n; k++) {
		cell c = loader_item(l, &p->traces.node, k);
		bool cut = last == KEY_DEVICE_TRACES && k + 1 == p->traces.node.n;

		snprintf(what, sizeof what, "device_traces[%llu]", (unsigned long long)k);
		if (!loader_as_list(l, c, &inner)) {
			if (cut)
				break;
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s is %s, not a list",
					 what, loader_words(l, c));
		}
		if (k > INT16_MAX)
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET,
					 "device_traces has more than 32,768 devices");
		if ((rc = check_rows(l, &inner, LOAD_EVENT, p->partial, what, "an event", err)) <
			    0 ||
		    (rc = add_trace(l, (int32_t)k, &inner, whole_segments && !cut, err)) < 0)
			return rc;
	}
	l->model->n_trace_lists = p->partial ? 0 : p->traces.node.n;
	if (!p->host_traces.there)
		return 0;
	if ((rc = check_rows(l, &p->host_traces, LOAD_EVENT, p->partial, "host_traces", "an event",
			     err)) < 0)
		return rc;
	bool whole_host = p->host_segments.there && last != KEY_HOST_SEGMENTS;
	return add_trace(l, DEVICE_HOST, &p->host_traces, whole_host && last != KEY_HOST_TRACES,
			 err);
}

/* ---- the whole ---- */

static int not_a_snapshot(const struct loader *l, cell root, struct error *err)
{
	bool dict =
		cell_tag(root) == (enum cell_tag)LOAD_NODE || cell_is_empty(root, CELL_EMPTY_DICT);

	return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
			 "not a memory snapshot: it holds %s%s", loader_words(l, root),
			 dict ? " without 'segments' and 'device_traces'" : "");
}

static int find_places(struct loader *l, cell root, struct places *p, struct error *err)
{
	const bool partial = p->partial;
	cell c;
	int rc;

	if (loader_as_list(l, root, &p->segments)) {
		cell first = p->segments.node.n ? loader_item(l, &p->segments.node, 0) : 0;

		if (p->segments.node.n && cell_tag(first) != (enum cell_tag)LOAD_SEGMENT)
			return not_a_snapshot(l, root, err);
		return 0;
	}
	if (cell_tag(root) != (enum cell_tag)LOAD_NODE ||
	    (!loader_dict_value(l, root, KEY_SEGMENTS, &c) &&
	     !loader_dict_value(l, root, KEY_DEVICE_TRACES, &c)))
		return not_a_snapshot(l, root, err);
	if ((rc = root_list(l, root, KEY_SEGMENTS, partial, &p->segments, err)) < 0 ||
	    (rc = root_list(l, root, KEY_HOST_SEGMENTS, partial, &p->host_segments, err)) < 0 ||
	    (rc = root_list(l, root, KEY_DEVICE_TRACES, partial, &p->traces, err)) < 0 ||
	    (rc = root_list(l, root, KEY_HOST_TRACES, partial, &p->host_traces, err)) < 0)
		return rc;
	return root_list(l, root, KEY_EXTERNAL_ANNOTATIONS, partial, &p->annotations, err);
}

static int check_places(struct loader *l, struct places *p, struct error *err)
{
	int rc;

	if ((rc = check_rows(l, &p->segments, LOAD_SEGMENT, p->partial, "segments", "a segment",
			     err)) < 0 ||
	    (rc = check_rows(l, &p->host_segments, LOAD_SEGMENT, p->partial, "host_segments",
			     "a segment", err)) < 0)
		return rc;
	return check_rows(l, &p->annotations, LOAD_ANNOTATION, p->partial, "external_annotations",
			  "an annotation", err);
}

int loader_assemble(struct loader *l, cell root, bool partial, struct error *err)
{
	struct places p = {.partial = partial};
	struct model *m = l->model;
	bool is_dict;
	int rc;

	if ((rc = find_places(l, root, &p, err)) < 0 || (rc = check_places(l, &p, err)) < 0)
		return rc;
	is_dict = cell_tag(root) == (enum cell_tag)LOAD_NODE &&
		  loader_node(l, root)->kind == NODE_DICT;
	m->has_segments = p.segments.there;
	m->has_traces = p.traces.there;
	if ((is_dict && (rc = take_traces(l, root, &p, err)) < 0) ||
	    (rc = report_faults(l, &p, err)) < 0 || (rc = take_segments(l, &p, err)) < 0 ||
	    (rc = take_annotations(l, &p.annotations, err)) < 0)
		return rc;
	if (is_dict) {
		loader_take_ring_facts(l, root);
		rc = loader_take_settings(l, root, err);
		if (rc == 0)
			rc = loader_take_stretch(l, root, err);
	}
	if (rc < 0 || (rc = loader_tally_unknown(l, root, err)) < 0 ||
	    (rc = model_finish(m, err)) < 0)
		return rc;
	if ((rc = loader_unrotate(l, err)) < 0 || (rc = loader_take_user_defined(l, err)) < 0)
		return rc;
	m->writer = loader_guess_writer(l);
	return 0;
}
