/* SPDX-License-Identifier: MIT
 * load_extras.c -- what a root holds besides its rows: facts about the ring buffer, allocator
 * settings, keys of no known meaning, and what all that says about the writer.
 */
#include <string.h>

#include "model/load_private.h"
#include "model/problem.h"

/* ---- ring buffer facts, which some writers give, in two places and two shapes ---- */

static bool ring_number(struct loader *l, cell c, uint64_t device, uint64_t *out)
{
	struct load_list list;

	if (cell_tag(c) == (enum cell_tag)LOAD_POOL && device < 2) {
		struct pool_id pair = l->pools.at[cell_id(c)];

		*out = (uint64_t)(device ? pair.b : pair.a);
		return true;
	}
	if (loader_as_list(l, c, &list)) {
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

/* The facts one dict gives, for every device of the traces. */
static void ring_facts_of(struct loader *l, cell dict)
{
	cell entries, overflowed;
	bool has_entries = loader_dict_value(l, dict, KEY_MAX_ENTRIES, &entries);
	bool has_overflowed = loader_dict_value(l, dict, KEY_OVERFLOWED, &overflowed);
	uint64_t value;

	for (size_t i = 0; i < l->model->devices.n; i++) {
		struct device *d = &l->model->devices.at[i];

		if (d->index == DEVICE_HOST)
			continue;
		if (has_entries && ring_number(l, entries, (uint64_t)d->index, &value))
			d->max_entries = value;
		if (has_overflowed && ring_number(l, overflowed, (uint64_t)d->index, &value)) {
			d->overflow_known = true;
			d->overflowed = value != 0;
		}
	}
}

void loader_take_ring_facts(struct loader *l, cell root)
{
	cell settings;

	ring_facts_of(l, root);
	if (loader_dict_value(l, root, KEY_ALLOCATOR_SETTINGS, &settings) &&
	    cell_tag(settings) == (enum cell_tag)LOAD_NODE &&
	    loader_node(l, settings)->kind == NODE_DICT)
		ring_facts_of(l, settings);
}

/* ---- what `vramscope slice` adds for its own kind ---- */

static int add_block_before(struct loader *l, int32_t device, uint64_t address, uint64_t size,
			    struct error *err)
{
	struct block_before b = {.address = address, .size = size, .device = device};

	return vec_push(&l->model->blocks_before, b, l->budget, err);
}

/* A flat list of address, size, address, size ... */
static int take_blocks_before(struct loader *l, cell c, int32_t device, struct error *err)
{
	struct load_list list;
	uint64_t address, size;
	int rc = 0;

	if (cell_tag(c) == (enum cell_tag)LOAD_POOL) {
		struct pool_id pair = l->pools.at[cell_id(c)];

		return add_block_before(l, device, (uint64_t)pair.a, (uint64_t)pair.b, err);
	}
	if (!loader_as_list(l, c, &list) || list.node.kind == NODE_RANGE)
		return 0;
	for (uint64_t k = 0; rc == 0 && k + 1 < list.node.n; k += 2)
		if (cells_u64(&l->cells, loader_item(l, &list.node, k), &address) &&
		    cells_u64(&l->cells, loader_item(l, &list.node, k + 1), &size))
			rc = add_block_before(l, device, address, size, err);
	return rc;
}

int loader_take_stretch(struct loader *l, cell root, struct error *err)
{
	struct load_list lists;
	cell own, blocks;
	int rc = 0;

	if (!loader_dict_value(l, root, KEY_VRAMSCOPE, &own) ||
	    cell_tag(own) != (enum cell_tag)LOAD_NODE || loader_node(l, own)->kind != NODE_DICT ||
	    !loader_dict_value(l, own, KEY_BLOCKS_BEFORE, &blocks) ||
	    !loader_as_list(l, blocks, &lists) || lists.node.kind == NODE_RANGE)
		return 0;
	for (uint64_t k = 0; rc == 0 && k < lists.node.n && k <= INT16_MAX; k++)
		rc = take_blocks_before(l, loader_item(l, &lists.node, k), (int32_t)k, err);
	return rc;
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

	for (uint64_t i = 0; i < d->n_events; i++) {
		if (t[i] == TIME_NONE)
			return 0;
		if (i == 0 || t[i] >= t[i - 1])
			continue;
		if (jump)
			return 0;
		jump = i;
	}
	if (!jump || t[d->n_events - 1] > t[0])
		return 0;
	ROTATE(e->action, d->first_event, d->n_events, jump);
	ROTATE(e->addr, d->first_event, d->n_events, jump);
	ROTATE(e->size, d->first_event, d->n_events, jump);
	ROTATE(e->time_us, d->first_event, d->n_events, jump);
	ROTATE(e->stack, d->first_event, d->n_events, jump);
	ROTATE(e->attr, d->first_event, d->n_events, jump);
	return model_problem(
		l->model, err,
		"device %d: the file held the events rotated, as a ring buffer enlarged "
		"while in use does; they were put back in order of time",
		(int)d->index);
}

int loader_unrotate(struct loader *l, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->model->devices.n; i++)
		if (l->model->devices.at[i].n_events > 1)
			rc = unrotate(l, &l->model->devices.at[i], err);
	return rc;
}

/* ---- settings and what else a root holds ---- */

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

/* The tree of one key of the root; *out stays as it is when there is no such key. */
static int take_value(struct loader *l, cell root, enum load_word key, const struct value **out,
		      struct error *err)
{
	uint32_t left = SETTINGS_MAX_VALUES;
	cell c;

	if (!loader_dict_value(l, root, key, &c))
		return 0;
	struct value *v = arena_alloc(&l->model->arena, sizeof *v, err);
	if (!v)
		return err->code;
	int rc = to_value(l, c, 0, &left, v, err);
	if (rc == 0)
		*out = v;
	return rc;
}

int loader_take_settings(struct loader *l, cell root, struct error *err)
{
	struct model *m = l->model;
	int rc = take_value(l, root, KEY_ALLOCATOR_SETTINGS, &m->settings_value, err);

	if (rc == 0 && m->settings_value)
		settings_understand(&m->settings, m->settings_value, &m->strings);
	return rc < 0 ? rc : take_value(l, root, KEY_CAPTURE, &m->capture_value, err);
}

#define ROOT_KEYS                                                                          \
	(UINT64_C(1) << KEY_SEGMENTS | UINT64_C(1) << KEY_DEVICE_TRACES |                  \
	 UINT64_C(1) << KEY_ALLOCATOR_SETTINGS | UINT64_C(1) << KEY_EXTERNAL_ANNOTATIONS | \
	 UINT64_C(1) << KEY_HOST_SEGMENTS | UINT64_C(1) << KEY_HOST_TRACES |               \
	 UINT64_C(1) << KEY_MAX_ENTRIES | UINT64_C(1) << KEY_OVERFLOWED |                  \
	 UINT64_C(1) << KEY_TRACES | UINT64_C(1) << KEY_VRAMSCOPE | UINT64_C(1) << KEY_CAPTURE)

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

int loader_tally_unknown(struct loader *l, cell root, struct error *err)
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

		if (cell_tag(key) != CELL_STR)
			continue;
		if (cell_id(key) < 64 && ROOT_KEYS >> cell_id(key) & 1)
			l->seen[LOAD_NODE] |= UINT64_C(1) << cell_id(key);
		else
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

	if (seen(l, LOAD_EVENT, KEY_INTERNAL_METADATA) || seen(l, LOAD_NODE, KEY_HOST_SEGMENTS))
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
	if (seen(l, LOAD_NODE, KEY_EXTERNAL_ANNOTATIONS))
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

const char *loader_guess_writer(const struct loader *l)
{
	const struct model *m = l->model;
	const struct value *v = m->settings_value;

	if (m->capture_value)
		return "vramscope record";
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
