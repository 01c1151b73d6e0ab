/* SPDX-License-Identifier: MIT
 * load_assemble.c -- from the decoded root to the model's tables: the shape of a whole snapshot.
 *
 * Three shapes exist: a dict with segments and device_traces (torch 2.0 on), a bare list of
 * segments (torch.cuda.memory_snapshot()), and what torch.profiler's _profile_to_snapshot makes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/load_private.h"

/* A list in the root, seen alike whether it is empty, a range of rows, or cells. */
struct list {
	struct node node; /* n = 0 for an empty list */
	bool there;
};

static bool as_list(struct loader *l, cell c, struct list *out)
{
	*out = (struct list){.there = true};
	if (cell_tag(c) == CELL_EMPTY && cell_id(c) != CELL_EMPTY_DICT)
		return true;
	if (cell_tag(c) == (enum cell_tag)LOAD_NODE && loader_node(l, c)->kind != NODE_DICT) {
		out->node = *loader_node(l, c);
		return true;
	}
	return false;
}

/* The value of a root key, the last of equal ones. */
static bool root_value(struct loader *l, cell root, enum load_word key, cell *out)
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

/* The list under a root key; absent is fine, anything else an error with its path. */
static int root_list(struct loader *l, cell root, enum load_word key, struct list *out,
		     struct error *err)
{
	cell c;

	*out = (struct list){0};
	if (!root_value(l, root, key, &c) || as_list(l, c, out))
		return 0;
	return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s is %s, not a list",
			 model_str(l->model, (str_id){key}), loader_words(l, c));
}

static int add_problem(struct loader *l, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int add_problem(struct loader *l, struct error *err, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	str_id id;
	int rc;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	rc = strtab_add(&l->model->strings, text, strlen(text), &id, err);
	return rc < 0 ? rc : vec_push(&l->model->problems, id, l->budget, err);
}

/* ---- rows that lie where the schema wants them ---- */

/* Every item of the list must be a row of `tag`; `what` names the list in errors. */
static int check_rows(struct loader *l, const struct list *list, enum load_tag tag,
		      const char *what, const char *wanted, struct error *err)
{
	if (list->node.kind == NODE_RANGE && list->node.tag == tag)
		return 0;
	for (uint64_t k = 0; k < list->node.n; k++) {
		cell c = loader_item(l, &list->node, k);

		if (cell_tag(c) != (enum cell_tag)tag)
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s[%llu] is %s, not %s",
					 what, (unsigned long long)k, loader_words(l, c), wanted);
	}
	return 0;
}

/* Position of a row in a list, or UINT64_MAX. */
static uint64_t list_position(struct loader *l, const struct list *list, enum load_tag tag,
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
	struct list segments, host_segments, traces, host_traces, annotations;
};

/* "device_traces[0][123]" of a fault's row; false when the row is in none of the places. */
static bool fault_place(struct loader *l, const struct places *p, const struct fault *f, char *to,
			size_t size)
{
	const struct {
		const struct list *list;
		const char *name;
	} flat[] = {{&p->segments, "segments"},
		    {&p->host_segments, "host_segments"},
		    {&p->host_traces, "host_traces"},
		    {&p->annotations, "external_annotations"}};
	struct list inner;
	uint64_t at;

	for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++) {
		at = list_position(l, flat[i].list, f->kind, f->row);
		if (at != UINT64_MAX) {
			snprintf(to, size, "%s[%llu]", flat[i].name, (unsigned long long)at);
			return true;
		}
	}
	for (uint64_t k = 0; f->kind == LOAD_EVENT && k < p->traces.node.n; k++) {
		if (!as_list(l, loader_item(l, &p->traces.node, k), &inner))
			continue;
		at = list_position(l, &inner, LOAD_EVENT, f->row);
		if (at != UINT64_MAX) {
			snprintf(to, size, "device_traces[%llu][%llu]", (unsigned long long)k,
				 (unsigned long long)at);
			return true;
		}
	}
	for (uint64_t k = 0; f->kind == LOAD_BLOCK && k < l->model->segments.n; k++) {
		const struct segment *s = &l->model->segments.at[k];

		if (f->row >= s->first_block && f->row - s->first_block < s->n_blocks) {
			snprintf(to, size, "segments[%llu].blocks[%llu]", (unsigned long long)k,
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

/* Keep just the segments of the two lists, in order; host ones get the host's index. */
static int take_segments(struct loader *l, const struct places *p, struct error *err)
{
	struct model *m = l->model;
	VEC(struct segment) kept = {0};
	int rc = 0;

	for (int host = 0; host < 2; host++) {
		const struct node *n = host ? &p->host_segments.node : &p->segments.node;

		for (uint64_t k = 0; k < n->n; k++) {
			struct segment s = m->segments.at[cell_id(loader_item(l, n, k))];

			if (host)
				s.device = DEVICE_HOST;
			rc = vec_push(&kept, s, l->budget, err);
			if (rc < 0) {
				vec_release(&kept, l->budget);
				return rc;
			}
		}
	}
	vec_release(&m->segments, l->budget);
	m->segments.at = kept.at;
	m->segments.n = kept.n;
	m->segments.cap = kept.cap;
	return 0;
}

static int take_annotations(struct loader *l, const struct list *list, struct error *err)
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
static int trace_rows(struct loader *l, const struct list *list, uint64_t *first, struct error *err)
{
	if (list->node.kind == NODE_RANGE) {
		*first = list->node.start;
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

static int add_trace(struct loader *l, int32_t index, const struct list *list, bool meets,
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

/* The last key of an unfinished root: the value that the damage interrupted. */
static enum load_word last_root_key(struct loader *l, cell root)
{
	const struct node *n = loader_node(l, root);

	if (n->n < 2 || cell_tag(l->pool.at[n->start + n->n - 2]) != CELL_STR)
		return WORD_NONE;
	return (enum load_word)cell_id(l->pool.at[n->start + n->n - 2]);
}

static int take_traces(struct loader *l, cell root, const struct places *p, bool partial,
		       struct error *err)
{
	enum load_word last = partial ? last_root_key(l, root) : WORD_NONE;
	bool whole_segments = l->model->has_segments && last != KEY_SEGMENTS;
	char what[64];
	struct list inner;
	int rc;

	for (uint64_t k = 0; k < p->traces.node.n; k++) {
		cell c = loader_item(l, &p->traces.node, k);
		bool cut = last == KEY_DEVICE_TRACES && k + 1 == p->traces.node.n;

		snprintf(what, sizeof what, "device_traces[%llu]", (unsigned long long)k);
		if (!as_list(l, c, &inner))
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s is %s, not a list",
					 what, loader_words(l, c));
		if (k > INT16_MAX)
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET,
					 "device_traces has more than 32,768 devices");
		if ((rc = check_rows(l, &inner, LOAD_EVENT, what, "an event", err)) < 0 ||
		    (rc = add_trace(l, (int32_t)k, &inner, whole_segments && !cut, err)) < 0)
			return rc;
	}
	if (!p->host_traces.there)
		return 0;
	if ((rc = check_rows(l, &p->host_traces, LOAD_EVENT, "host_traces", "an event", err)) < 0)
		return rc;
	return add_trace(l, DEVICE_HOST, &p->host_traces, last != KEY_HOST_TRACES, err);
}

/* ---- ring buffer facts, which some writers give, in two places and two shapes ---- */

static bool ring_number(struct loader *l, cell c, uint64_t device, uint64_t *out)
{
	struct list list;

	if (cell_tag(c) == (enum cell_tag)LOAD_POOL && device < 2) {
		struct pool_id pair = l->pools.at[cell_id(c)];

		*out = (uint64_t)(device ? pair.b : pair.a);
		return true;
	}
	if (as_list(l, c, &list)) {
		if (device >= list.node.n || list.node.kind == NODE_RANGE)
			return false;
		c = loader_item(l, &list.node, device);
	}
	if (cell_is_const(c, CELL_TRUE) || cell_is_const(c, CELL_FALSE)) {
		*out = cell_is_const(c, CELL_TRUE);
		return true;
	}
	return cells_u64(&l->cells, c, out);
}

static void take_ring_facts(struct loader *l, cell root)
{
	cell settings, c;
	uint64_t value;

	for (int place = 0; place < 2; place++) {
		cell from = root;

		if (place == 1) {
			if (!root_value(l, root, KEY_ALLOCATOR_SETTINGS, &settings) ||
			    cell_tag(settings) != (enum cell_tag)LOAD_NODE ||
			    loader_node(l, settings)->kind != NODE_DICT)
				continue;
			from = settings;
		}
		for (size_t i = 0; i < l->model->devices.n; i++) {
			struct device *d = &l->model->devices.at[i];
			uint64_t index = d->index < 0 ? 0 : (uint64_t)d->index;

			if (root_value(l, from, KEY_MAX_ENTRIES, &c) &&
			    ring_number(l, c, index, &value))
				d->max_entries = value;
			if (root_value(l, from, KEY_OVERFLOWED, &c) &&
			    ring_number(l, c, index, &value)) {
				d->overflow_known = true;
				d->overflowed = value != 0;
			}
		}
	}
}

/* ---- a ring that was enlarged after it had wrapped ---- */

#define ROTATE(column, first, n, by) rotate(&(column).at[first], sizeof *(column).at, n, by)

static void reverse(char *a, size_t elem, uint64_t n)
{
	char t[8];

	for (uint64_t i = 0, j = n; i + 1 < j; i++) {
		j--;
		memcpy(t, a + i * elem, elem);
		memcpy(a + i * elem, a + j * elem, elem);
		memcpy(a + j * elem, t, elem);
	}
}

static void rotate(void *column, size_t elem, uint64_t n, uint64_t by)
{
	char *a = column;

	reverse(a, elem, by);
	reverse(a + by * elem, elem, n - by);
	reverse(a, elem, n);
}

/* Raising max_entries after the ring has wrapped makes PyTorch append behind a rotated buffer: the
 * dump has exactly one step back in time, and its end lies before its beginning. */
static int unrotate(struct loader *l, const struct device *d, struct error *err)
{
	struct events *e = &l->model->events;
	const int64_t *t = d->n_events ? &e->time_us.at[d->first_event] : NULL;
	uint64_t jump = 0;

	for (uint64_t i = 1; i < d->n_events; i++) {
		if (t[i] >= t[i - 1])
			continue;
		if (jump)
			return 0;
		jump = i;
	}
	if (!jump || t[0] == TIME_NONE || t[d->n_events - 1] > t[0])
		return 0;
	ROTATE(e->action, d->first_event, d->n_events, jump);
	ROTATE(e->addr, d->first_event, d->n_events, jump);
	ROTATE(e->size, d->first_event, d->n_events, jump);
	ROTATE(e->time_us, d->first_event, d->n_events, jump);
	ROTATE(e->stack, d->first_event, d->n_events, jump);
	ROTATE(e->attr, d->first_event, d->n_events, jump);
	return add_problem(l, err,
			   "device %d: the file held the events rotated, as a ring buffer enlarged "
			   "while in use does; they were put back in order of time",
			   (int)d->index);
}

/* ---- the rest of the root ---- */

#define SETTINGS_MAX_VALUES 65536u

/* A cell as a value tree; what is too deep, too much or no data becomes null. */
static int to_value(struct loader *l, cell c, int depth, uint32_t *left, struct value *out,
		    struct error *err)
{
	*out = (struct value){.kind = VALUE_NULL};
	if (*left == 0)
		return 0;
	--*left;
	if (cell_tag(c) == CELL_STR) {
		out->kind = VALUE_STR;
		out->str = (str_id){cell_id(c)};
	} else if (cell_is_const(c, CELL_TRUE) || cell_is_const(c, CELL_FALSE)) {
		out->kind = VALUE_BOOL;
		out->boolean = cell_is_const(c, CELL_TRUE);
	} else if (cells_i64(&l->cells, c, &out->i64)) {
		out->kind = VALUE_I64;
	} else if (cells_u64(&l->cells, c, &out->u64)) {
		out->kind = VALUE_U64;
	} else if (cells_f64(&l->cells, c, &out->f64)) {
		out->kind = VALUE_F64;
	} else if (cell_tag(c) == CELL_EMPTY) {
		out->kind = cell_id(c) == CELL_EMPTY_DICT ? VALUE_DICT : VALUE_LIST;
	} else if (cell_tag(c) == (enum cell_tag)LOAD_NODE && depth < VALUE_MAX_DEPTH) {
		const struct node n = *loader_node(l, c);
		size_t step = n.kind == NODE_DICT ? 2 : 1;
		uint64_t count = n.n / step < *left ? n.n / step : *left;
		struct value *items = arena_alloc(&l->model->arena, count * sizeof *items, err);

		if (!items)
			return err->code;
		for (uint64_t k = 0; k < count; k++) {
			int rc = to_value(l, loader_item(l, &n, k * step + step - 1), depth + 1,
					  left, &items[k], err);

			if (rc < 0)
				return rc;
			if (step == 2 && cell_tag(loader_item(l, &n, 2 * k)) == CELL_STR)
				items[k].key = (str_id){cell_id(loader_item(l, &n, 2 * k))};
		}
		out->kind = n.kind == NODE_DICT ? VALUE_DICT : VALUE_LIST;
		out->items.at = items;
		out->items.n = count;
	}
	return 0;
}

static int take_settings(struct loader *l, cell root, struct error *err)
{
	struct model *m = l->model;
	uint32_t left = SETTINGS_MAX_VALUES;
	cell c;

	if (!root_value(l, root, KEY_ALLOCATOR_SETTINGS, &c))
		return 0;
	struct value *v = arena_alloc(&m->arena, sizeof *v, err);
	if (!v)
		return err->code;
	int rc = to_value(l, c, 0, &left, v, err);
	if (rc < 0)
		return rc;
	m->settings_value = v;
	settings_understand(&m->settings, v, &m->strings);
	return 0;
}

#define ROOT_KEYS                                                                          \
	(UINT64_C(1) << KEY_SEGMENTS | UINT64_C(1) << KEY_DEVICE_TRACES |                  \
	 UINT64_C(1) << KEY_ALLOCATOR_SETTINGS | UINT64_C(1) << KEY_EXTERNAL_ANNOTATIONS | \
	 UINT64_C(1) << KEY_HOST_SEGMENTS | UINT64_C(1) << KEY_HOST_TRACES |               \
	 UINT64_C(1) << KEY_MAX_ENTRIES | UINT64_C(1) << KEY_OVERFLOWED |                  \
	 UINT64_C(1) << KEY_TRACES)

static int tally_push(struct loader *l, const char *prefix, str_id name, uint64_t count,
		      struct error *err)
{
	const struct str *s = strtab_get(&l->model->strings, name);
	size_t n = strlen(prefix) + s->length;
	struct tally t = {.count = count};
	char *text = arena_bytes(&l->model->arena, n + 1, err);
	int rc;

	if (!text)
		return err->code;
	memcpy(text, prefix, strlen(prefix));
	memcpy(text + strlen(prefix), s->bytes, s->length);
	rc = strtab_add(&l->model->strings, text, n, &t.name, err);
	return rc < 0 ? rc : vec_push(&l->model->unknown_keys, t, l->budget, err);
}

static int tally_unknown(struct loader *l, cell root, struct error *err)
{
	static const char *const places[] = {
		[LOAD_FRAME] = "frames[].",
		[LOAD_EVENT] = "device_traces[][].",
		[LOAD_SEGMENT] = "segments[].",
		[LOAD_BLOCK] = "segments[].blocks[].",
		[LOAD_ANNOTATION] = "external_annotations[].",
	};
	const struct node *n =
		cell_tag(root) == (enum cell_tag)LOAD_NODE ? loader_node(l, root) : NULL;
	int rc = 0;

	for (uint64_t k = 0; n && n->kind == NODE_DICT && rc == 0 && k + 1 < n->n; k += 2) {
		cell key = l->pool.at[n->start + k];

		if (cell_tag(key) == CELL_STR &&
		    (cell_id(key) >= 64 || !(ROOT_KEYS >> cell_id(key) & 1)))
			rc = tally_push(l, "", (str_id){cell_id(key)}, 1, err);
	}
	for (size_t i = 0; rc == 0 && i < l->unknown.n_slots; i++) {
		const struct hashmap_slot *s = &l->unknown.slots[i];

		if (s->used)
			rc = tally_push(l, places[s->key >> 32], (str_id){(uint32_t)s->key},
					s->value, err);
	}
	for (size_t i = 0; rc == 0 && i < l->unknown_actions.n_slots; i++) {
		const struct hashmap_slot *s = &l->unknown_actions.slots[i];
		struct tally t = {.name = {(uint32_t)s->key}, .count = s->value};

		if (s->used)
			rc = vec_push(&l->model->unknown_actions, t, l->budget, err);
	}
	return rc;
}

/* ---- who wrote it ---- */

static bool seen(const struct loader *l, enum load_tag kind, enum load_word key)
{
	return l->seen[kind] >> key & 1;
}

static bool setting_named(const struct model *m, const char *part)
{
	const struct value *v = m->settings_value;

	for (size_t i = 0; v && v->kind == VALUE_DICT && i < v->items.n; i++)
		if (strstr(model_str(m, v->items.at[i].key), part))
			return true;
	return false;
}

/* By the keys that versions added; the file itself carries no version. */
static const char *guess_version(const struct loader *l)
{
	const struct model *m = l->model;
	const struct value *v = m->settings_value;

	if (seen(l, LOAD_EVENT, KEY_INTERNAL_METADATA))
		return "PyTorch 2.14 or newer";
	if (seen(l, LOAD_EVENT, KEY_POOL_ID))
		return "PyTorch 2.13 or newer";
	if (seen(l, LOAD_EVENT, KEY_FORWARD_FRAMES))
		return "PyTorch 2.12 or newer";
	if (seen(l, LOAD_EVENT, KEY_USER_METADATA))
		return "PyTorch 2.10 or newer";
	if (value_member(v, &m->strings, "graph_capture_record_stream_reuse"))
		return "PyTorch 2.9 or newer";
	if (seen(l, LOAD_EVENT, KEY_COMPILE_CONTEXT))
		return "PyTorch 2.8 or newer";
	if (l->seen[LOAD_ANNOTATION])
		return "PyTorch 2.5 or newer";
	if (m->settings.known)
		return "PyTorch 2.3 or newer";
	if (seen(l, LOAD_EVENT, KEY_TIME_US))
		return "PyTorch 2.2";
	if (seen(l, LOAD_SEGMENT, KEY_IS_EXPANDABLE))
		return "PyTorch 2.1 or newer";
	if (l->seen[LOAD_BLOCK])
		return m->has_traces ? "PyTorch 2.0" : "PyTorch 1.13 or older";
	return "unknown";
}

static const char *guess_writer(const struct loader *l)
{
	const struct model *m = l->model;
	const struct value *v = m->settings_value;

	if (seen(l, LOAD_EVENT, KEY_CATEGORY))
		return "torch.profiler (_profile_to_snapshot)";
	if (m->settings.rounding_extra)
		return "torch_npu";
	if (setting_named(m, "hip"))
		return "PyTorch for ROCm";
	if (setting_named(m, "musa") || setting_named(m, "MUSA"))
		return "torch_musa";
	if (v && !value_member(v, &m->strings, "max_split_size") &&
	    value_member(v, &m->strings, "PYTORCH_ALLOC_CONF"))
		return "PyTorch for XPU";
	return guess_version(l);
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
	cell c;
	int rc;

	if (as_list(l, root, &p->segments)) {
		cell first = p->segments.node.n ? loader_item(l, &p->segments.node, 0) : 0;

		if (p->segments.node.n && cell_tag(first) != (enum cell_tag)LOAD_SEGMENT)
			return not_a_snapshot(l, root, err);
		return 0;
	}
	if (cell_tag(root) != (enum cell_tag)LOAD_NODE ||
	    (!root_value(l, root, KEY_SEGMENTS, &c) && !root_value(l, root, KEY_DEVICE_TRACES, &c)))
		return not_a_snapshot(l, root, err);
	if ((rc = root_list(l, root, KEY_SEGMENTS, &p->segments, err)) < 0 ||
	    (rc = root_list(l, root, KEY_HOST_SEGMENTS, &p->host_segments, err)) < 0 ||
	    (rc = root_list(l, root, KEY_DEVICE_TRACES, &p->traces, err)) < 0 ||
	    (rc = root_list(l, root, KEY_HOST_TRACES, &p->host_traces, err)) < 0)
		return rc;
	return root_list(l, root, KEY_EXTERNAL_ANNOTATIONS, &p->annotations, err);
}

static int check_places(struct loader *l, const struct places *p, struct error *err)
{
	int rc;

	if ((rc = check_rows(l, &p->segments, LOAD_SEGMENT, "segments", "a segment", err)) < 0 ||
	    (rc = check_rows(l, &p->host_segments, LOAD_SEGMENT, "host_segments", "a segment",
			     err)) < 0)
		return rc;
	return check_rows(l, &p->annotations, LOAD_ANNOTATION, "external_annotations",
			  "an annotation", err);
}

int loader_assemble(struct loader *l, cell root, bool partial, struct error *err)
{
	struct places p = {0};
	struct model *m = l->model;
	bool is_dict;
	int rc;

	if ((rc = find_places(l, root, &p, err)) < 0 || (rc = check_places(l, &p, err)) < 0)
		return rc;
	is_dict = cell_tag(root) == (enum cell_tag)LOAD_NODE &&
		  loader_node(l, root)->kind == NODE_DICT;
	m->has_segments = p.segments.there;
	m->has_traces = p.traces.there;
	if ((is_dict && (rc = take_traces(l, root, &p, partial, err)) < 0) ||
	    (rc = report_faults(l, &p, err)) < 0 || (rc = take_segments(l, &p, err)) < 0 ||
	    (rc = take_annotations(l, &p.annotations, err)) < 0)
		return rc;
	if (is_dict) {
		take_ring_facts(l, root);
		rc = take_settings(l, root, err);
	}
	if (rc < 0 || (rc = tally_unknown(l, root, err)) < 0 || (rc = model_finish(m, err)) < 0)
		return rc;
	for (size_t i = 0; i < m->devices.n; i++) {
		rc = unrotate(l, &m->devices.at[i], err);
		if (rc < 0)
			return rc;
	}
	m->writer = guess_writer(l);
	return 0;
}
