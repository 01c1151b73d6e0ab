/* SPDX-License-Identifier: MIT
 * snapshot_out.c -- segments, traces, settings and annotations of a model in PyTorch's own shape.
 */
#include "reports/snapshot_out.h"

#include <string.h>

#include "reports/snapshot_sink.h"

struct writing {
	const struct snapshot_out *s;
	const struct model *m;
	struct budget *budget;
	struct sink sink;
	uint32_t *text_slots;  /* by str_id: strings that repeat */
	uint32_t *frame_slots; /* by frame_id */
	uint32_t *stack_slots; /* by stack_id */
	uint32_t word_slots[ACTION_COUNT + 8];
};

/* ---- strings and stacks ---- */

static void write_text_of(struct writing *w, str_id id, enum snapshot_text what, frame_id frame)
{
	const struct str *s = strtab_get(&w->m->strings, id);

	if (sink_shared(&w->sink, &w->text_slots[id.i]))
		return;
	if (w->s->text)
		s = w->s->text(w->s->ctx, id, what, frame);
	sink_text(&w->sink, s->bytes, s->length);
	/* Replaced strings may differ by what they are: a name that is also a file. */
	if (!w->s->text)
		sink_share(&w->sink, &w->text_slots[id.i]);
}

static void write_text(struct writing *w, str_id id, enum snapshot_text what)
{
	write_text_of(w, id, what, (frame_id){0});
}

/* A constant word of the format: an action, a state. */
static void write_word(struct writing *w, uint32_t *slot, const char *word)
{
	if (sink_shared(&w->sink, slot))
		return;
	sink_text(&w->sink, word, strlen(word));
	sink_share(&w->sink, slot);
}

static void write_frame(struct writing *w, frame_id id)
{
	const struct frame *f = &w->m->stacks.frames.at[id.i];

	if (sink_shared(&w->sink, &w->frame_slots[id.i]))
		return;
	sink_dict(&w->sink);
	sink_key(&w->sink, SW_NAME);
	write_text_of(w, f->name, TEXT_FUNCTION, id);
	sink_key(&w->sink, SW_FILENAME);
	write_text_of(w, f->file, TEXT_FILE, id);
	sink_key(&w->sink, SW_LINE);
	sink_i64(&w->sink, f->line);
	sink_end(&w->sink);
	sink_share(&w->sink, &w->frame_slots[id.i]);
}

static void write_stack(struct writing *w, stack_id id)
{
	const struct stacks *s = &w->m->stacks;

	if (sink_shared(&w->sink, &w->stack_slots[id.i]))
		return;
	sink_list(&w->sink);
	for (size_t k = 0; k < stacks_depth(s, id); k++)
		write_frame(w, s->pool.at[s->start.at[id.i] + k]);
	sink_end(&w->sink);
	sink_share(&w->sink, &w->stack_slots[id.i]);
}

/* forward_frames: frames with names only, as strings. */
static void write_text_stack(struct writing *w, stack_id id)
{
	sink_list(&w->sink);
	for (size_t k = 0; k < stacks_depth(&w->m->stacks, id); k++)
		write_text(w, stacks_frame(&w->m->stacks, id, k)->name, TEXT_METADATA);
	sink_end(&w->sink);
}

/* ---- segments ---- */

enum { WORD_SLOT_STATE = ACTION_COUNT, WORD_SLOT_KIND = ACTION_COUNT + 3 };

struct block_row {
	uint64_t address, size, requested;
	stack_id stack;
	enum block_state state;
};

static void write_block(struct writing *w, const struct block_row *b)
{
	sink_dict(&w->sink);
	sink_key(&w->sink, SW_ADDRESS);
	sink_u64(&w->sink, b->address);
	sink_key(&w->sink, SW_SIZE);
	sink_u64(&w->sink, b->size);
	if (b->requested != BYTES_NONE) {
		sink_key(&w->sink, SW_REQUESTED_SIZE);
		sink_u64(&w->sink, b->requested);
	}
	sink_key(&w->sink, SW_STATE);
	write_word(w, &w->word_slots[WORD_SLOT_STATE + b->state], block_state_name(b->state));
	sink_key(&w->sink, SW_FRAMES);
	write_stack(w, b->stack.i == STACK_ABSENT.i ? STACK_EMPTY : b->stack);
	sink_end(&w->sink);
}

/* A segment's own keys; its blocks follow inside the list that is then open. */
struct segment_row {
	int32_t device;
	uint64_t address, size, allocated, active, requested, stream;
	struct pool_id pool;
	bool has_pool, is_expandable;
	enum pool_kind kind;
	stack_id stack;
};

static void begin_segment(struct writing *w, const struct segment_row *s)
{
	static const char *const kinds[] = {[POOL_SMALL] = "small", [POOL_LARGE] = "large"};
	const struct {
		enum sw_key key;
		uint64_t value;
	} numbers[] = {{SW_ADDRESS, s->address},          {SW_TOTAL_SIZE, s->size},
		       {SW_ALLOCATED_SIZE, s->allocated}, {SW_ACTIVE_SIZE, s->active},
		       {SW_REQUESTED_SIZE, s->requested}, {SW_STREAM, s->stream}};

	sink_dict(&w->sink);
	sink_key(&w->sink, SW_DEVICE);
	sink_i64(&w->sink, s->device);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (numbers[i].value == BYTES_NONE)
			continue;
		sink_key(&w->sink, numbers[i].key);
		sink_u64(&w->sink, numbers[i].value);
	}
	if (s->kind != POOL_UNKNOWN) {
		sink_key(&w->sink, SW_SEGMENT_TYPE);
		write_word(w, &w->word_slots[WORD_SLOT_KIND + s->kind], kinds[s->kind]);
	}
	if (s->has_pool) {
		sink_key(&w->sink, SW_SEGMENT_POOL_ID);
		sink_pair(&w->sink, s->pool.a, s->pool.b);
	}
	sink_key(&w->sink, SW_IS_EXPANDABLE);
	sink_bool(&w->sink, s->is_expandable);
	sink_key(&w->sink, SW_FRAMES);
	write_stack(w, s->stack.i == STACK_ABSENT.i ? STACK_EMPTY : s->stack);
	sink_key(&w->sink, SW_BLOCKS);
	sink_list(&w->sink);
}

static void end_segment(struct writing *w)
{
	sink_end(&w->sink);
	sink_end(&w->sink);
}

static void write_file_segments(struct writing *w, const struct device *d)
{
	for (uint64_t i = d->first_segment; i < d->first_segment + d->n_segments; i++) {
		const struct segment *g = &w->m->segments.at[i];
		struct segment_row row = {g->device,         g->address,     g->total_size,
					  g->allocated_size, g->active_size, g->requested_size,
					  g->stream,         g->pool,        g->has_pool,
					  g->is_expandable,  g->kind,        g->stack};

		begin_segment(w, &row);
		for (uint64_t b = g->first_block; b < g->first_block + g->n_blocks; b++) {
			const struct block *k = &w->m->blocks.at[b];
			struct block_row block = {k->address, k->size, k->requested_size, k->stack,
						  k->state};

			write_block(w, &block);
		}
		end_segment(w);
	}
}

static void write_state_segments(struct writing *w, const struct device *d, const struct state *s)
{
	for (size_t i = 0; i < s->segments.n; i++) {
		const struct state_segment *g = &s->segments.at[i];
		struct segment_row row = {d->index,  g->address,       g->size,   g->allocated,
					  g->active, g->requested,     g->stream, g->pool,
					  true,      g->is_expandable, g->kind,   g->stack};

		begin_segment(w, &row);
		for (uint64_t b = g->first_block; b < g->first_block + g->n_blocks; b++) {
			const struct state_block *k = &s->blocks.at[b];
			struct block_row block = {k->address, k->size, k->requested, k->stack,
						  k->state};

			write_block(w, &block);
		}
		end_segment(w);
	}
}

static void write_segments(struct writing *w, bool host)
{
	sink_key(&w->sink, host ? SW_HOST_SEGMENTS : SW_SEGMENTS);
	sink_list(&w->sink);
	for (size_t i = 0; i < w->m->devices.n; i++) {
		const struct device *d = &w->m->devices.at[i];

		if ((d->index == DEVICE_HOST) != host)
			continue;
		if (w->s->parts[i].after)
			write_state_segments(w, d, w->s->parts[i].after);
		else
			write_file_segments(w, d);
	}
	sink_end(&w->sink);
}

/* ---- traces ---- */

static void write_metadata(struct writing *w, enum sw_key key, str_id id)
{
	if (id.i == STR_NONE.i)
		return;
	sink_key(&w->sink, key);
	write_text(w, id, TEXT_METADATA);
}

static void write_event(struct writing *w, uint64_t row)
{
	const struct events *e = &w->m->events;
	const struct attr *a = &w->m->attrs.at[e->attr.at[row].i];
	enum action action = e->action.at[row];

	sink_dict(&w->sink);
	sink_key(&w->sink, SW_ACTION);
	if (action == ACTION_OTHER)
		write_text(w, a->action_name, TEXT_METADATA);
	else
		write_word(w, &w->word_slots[action], action_name(action));
	if (action != ACTION_OOM || e->addr.at[row] != BYTES_NONE) {
		sink_key(&w->sink, action == ACTION_OOM ? SW_DEVICE_FREE : SW_ADDR);
		sink_u64(&w->sink, e->addr.at[row]);
	}
	sink_key(&w->sink, SW_SIZE);
	sink_u64(&w->sink, e->size.at[row]);
	if (a->has_stream) {
		sink_key(&w->sink, SW_STREAM);
		sink_u64(&w->sink, a->stream);
	}
	if (e->time_us.at[row] != TIME_NONE) {
		sink_key(&w->sink, SW_TIME_US);
		sink_i64(&w->sink, e->time_us.at[row]);
	}
	write_metadata(w, SW_COMPILE_CONTEXT, a->compile_context);
	write_metadata(w, SW_USER_METADATA, a->user_metadata);
	write_metadata(w, SW_INTERNAL_METADATA, a->internal_metadata);
	write_metadata(w, SW_CATEGORY, a->category);
	if (a->has_pool) {
		sink_key(&w->sink, SW_POOL_ID);
		sink_pair(&w->sink, a->pool.a, a->pool.b);
	}
	if (e->stack.at[row].i != STACK_ABSENT.i) {
		sink_key(&w->sink, SW_FRAMES);
		write_stack(w, e->stack.at[row]);
	}
	if (a->forward_stack.i != STACK_ABSENT.i) {
		sink_key(&w->sink, SW_FORWARD_FRAMES);
		write_text_stack(w, a->forward_stack);
	}
	sink_end(&w->sink);
}

static void write_events_of(struct writing *w, size_t device)
{
	const struct device *d = &w->m->devices.at[device];
	const struct snapshot_part *p = &w->s->parts[device];

	for (uint64_t k = p->first; k < p->first + p->n; k++)
		write_event(w, d->first_event + k);
}

/* One list for each index up to the highest, as PyTorch does; the host's apart. */
static void write_traces(struct writing *w)
{
	int32_t next = 0;

	sink_key(&w->sink, SW_DEVICE_TRACES);
	sink_list(&w->sink);
	for (size_t i = 0; i < w->m->devices.n; i++) {
		if (w->m->devices.at[i].index == DEVICE_HOST)
			continue;
		for (; next < w->m->devices.at[i].index; next++) {
			sink_list(&w->sink);
			sink_end(&w->sink);
		}
		sink_list(&w->sink);
		write_events_of(w, i);
		sink_end(&w->sink);
		next++;
	}
	sink_end(&w->sink);
}

static void write_host(struct writing *w)
{
	for (size_t i = 0; i < w->m->devices.n; i++) {
		if (w->m->devices.at[i].index != DEVICE_HOST)
			continue;
		write_segments(w, true);
		sink_key(&w->sink, SW_HOST_TRACES);
		sink_list(&w->sink);
		write_events_of(w, i);
		sink_end(&w->sink);
	}
}

/* ---- the rest ---- */

static void write_value(struct writing *w, const struct value *v, enum snapshot_text what)
{
	switch (v->kind) {
	case VALUE_NULL:
		sink_none(&w->sink);
		return;
	case VALUE_BOOL:
		sink_bool(&w->sink, v->boolean);
		return;
	case VALUE_I64:
		sink_i64(&w->sink, v->i64);
		return;
	case VALUE_U64:
		sink_u64(&w->sink, v->u64);
		return;
	case VALUE_F64:
		sink_f64(&w->sink, v->f64);
		return;
	case VALUE_STR:
		write_text(w, v->str, what);
		return;
	case VALUE_LIST:
	case VALUE_DICT:
		if (v->kind == VALUE_LIST)
			sink_list(&w->sink);
		else
			sink_dict(&w->sink);
		/* Depth is bounded by VALUE_MAX_DEPTH. */
		for (size_t i = 0; i < v->items.n; i++) {
			const struct str *key = strtab_get(&w->m->strings, v->items.at[i].key);

			if (v->kind == VALUE_DICT)
				sink_key_text(&w->sink, key->bytes, key->length);
			write_value(w, &v->items.at[i], what);
		}
		sink_end(&w->sink);
		return;
	}
}

static bool in_stretch(const struct snapshot_out *s, const struct annotation *a)
{
	if (a->time_us == TIME_NONE)
		return true;
	return (s->from_us == TIME_NONE || a->time_us >= s->from_us) &&
	       (s->to_us == TIME_NONE || a->time_us <= s->to_us);
}

static void write_annotations(struct writing *w)
{
	sink_key(&w->sink, SW_EXTERNAL_ANNOTATIONS);
	sink_list(&w->sink);
	for (size_t i = 0; i < w->m->annotations.n; i++) {
		const struct annotation *a = &w->m->annotations.at[i];

		if (!in_stretch(w->s, a))
			continue;
		sink_dict(&w->sink);
		sink_key(&w->sink, SW_STAGE);
		sink_text(&w->sink, a->is_end ? "END" : "START", a->is_end ? 3 : 5);
		sink_key(&w->sink, SW_NAME);
		write_text(w, a->name, TEXT_ANNOTATION);
		sink_key(&w->sink, SW_DEVICE);
		sink_i64(&w->sink, a->device);
		if (a->time_us != TIME_NONE) {
			sink_key(&w->sink, SW_TIME_US);
			sink_i64(&w->sink, a->time_us);
		}
		sink_end(&w->sink);
	}
	sink_end(&w->sink);
}

/* Blocks that live when a stretch begins: the sizes of those that die in it are nowhere else. */
static void write_blocks_before(struct writing *w, const struct snapshot_part *part,
				const struct device *d)
{
	const struct state *s = part->before;

	(void)d;
	for (size_t i = 0; s && i < s->blocks.n; i++) {
		if (s->blocks.at[i].state == BLOCK_INACTIVE)
			continue;
		sink_u64(&w->sink, s->blocks.at[i].address);
		sink_u64(&w->sink, s->blocks.at[i].size);
	}
}

/* The lists of a stretch, one for each list of device_traces. */
static void write_by_trace(struct writing *w,
			   void (*write)(struct writing *w, const struct snapshot_part *part,
					 const struct device *d))
{
	int32_t next = 0;

	sink_list(&w->sink);
	for (size_t i = 0; i < w->m->devices.n; i++) {
		const struct device *d = &w->m->devices.at[i];

		if (d->index == DEVICE_HOST)
			continue;
		for (; next < d->index; next++) {
			sink_list(&w->sink);
			sink_end(&w->sink);
		}
		sink_list(&w->sink);
		write(w, &w->s->parts[i], d);
		sink_end(&w->sink);
		next++;
	}
	sink_end(&w->sink);
}

static void write_source(struct writing *w, const struct snapshot_part *part,
			 const struct device *d)
{
	sink_u64(&w->sink, part->first);
	sink_u64(&w->sink, part->n);
	sink_u64(&w->sink, d->n_events);
}

static void write_stretch(struct writing *w)
{
	static const char outer[] = "vramscope", events[] = "source_events",
			  blocks[] = "blocks_before";

	sink_key_text(&w->sink, outer, strlen(outer));
	sink_dict(&w->sink);
	sink_key_text(&w->sink, events, strlen(events));
	write_by_trace(w, write_source);
	sink_key_text(&w->sink, blocks, strlen(blocks));
	write_by_trace(w, write_blocks_before);
	sink_end(&w->sink);
}

static bool is_stretch(const struct writing *w)
{
	for (size_t i = 0; i < w->m->devices.n; i++)
		if (w->s->parts[i].before || w->s->parts[i].after)
			return true;
	return false;
}

static void write_root(struct writing *w)
{
	sink_dict(&w->sink);
	write_segments(w, false);
	write_traces(w);
	if (w->m->settings_value) {
		sink_key(&w->sink, SW_ALLOCATOR_SETTINGS);
		write_value(w, w->m->settings_value, TEXT_SETTING);
	}
	if (w->m->capture_value) {
		sink_key(&w->sink, SW_CAPTURE);
		write_value(w, w->m->capture_value, TEXT_CAPTURE);
	}
	write_annotations(w);
	write_host(w);
	if (is_stretch(w))
		write_stretch(w);
	sink_end(&w->sink);
}

static uint32_t *slots_new(struct budget *b, size_t n, struct error *err)
{
	uint32_t *slots = budget_realloc(b, NULL, 0, n * sizeof *slots, err);

	if (slots)
		memset(slots, 0, n * sizeof *slots);
	return slots;
}

int snapshot_write(struct out *to, const struct snapshot_out *s, enum snapshot_form form,
		   struct budget *budget, struct error *err)
{
	const struct model *m = s->model;
	const size_t n_texts = m->strings.rows.n, n_frames = m->stacks.frames.n;
	const size_t n_stacks = m->stacks.hashes.n;
	struct writing *w = budget_realloc(budget, NULL, 0, sizeof *w, err);
	int rc = 0;

	if (!w)
		return err->code;
	*w = (struct writing){.s = s, .m = m, .budget = budget};
	if (!(w->text_slots = slots_new(budget, n_texts, err)) ||
	    !(w->frame_slots = slots_new(budget, n_frames, err)) ||
	    !(w->stack_slots = slots_new(budget, n_stacks, err))) {
		rc = err->code;
	} else {
		sink_start(&w->sink, form, to);
		write_root(w);
		sink_finish(&w->sink);
	}
	budget_free(budget, w->text_slots, n_texts * sizeof *w->text_slots);
	budget_free(budget, w->frame_slots, n_frames * sizeof *w->frame_slots);
	budget_free(budget, w->stack_slots, n_stacks * sizeof *w->stack_slots);
	budget_free(budget, w, sizeof *w);
	return rc;
}
