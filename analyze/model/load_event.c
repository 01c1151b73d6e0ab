/* SPDX-License-Identifier: MIT
 * load_event.c -- trace entries into event columns, and the short way for those that repeat.
 */
#include "model/load_row.h"

static enum action action_of_word(str_id word)
{
	_Static_assert(
		ACTION_WORD_USER_DEFINED - ACTION_WORD_ALLOC == ACTION_USER_DEFINED - ACTION_ALLOC,
		"both lists have the same order");
	if (word.i >= ACTION_WORD_ALLOC && word.i <= ACTION_WORD_USER_DEFINED)
		return (enum action)(word.i - ACTION_WORD_ALLOC + ACTION_ALLOC);
	return ACTION_OTHER;
}

static bool attr_equal(const struct attr *a, const struct attr *b)
{
	return a->stream == b->stream && a->pool.a == b->pool.a && a->pool.b == b->pool.b &&
	       a->has_stream == b->has_stream && a->has_pool == b->has_pool &&
	       a->action_name.i == b->action_name.i &&
	       a->compile_context.i == b->compile_context.i &&
	       a->user_metadata.i == b->user_metadata.i &&
	       a->internal_metadata.i == b->internal_metadata.i && a->category.i == b->category.i &&
	       a->forward_stack.i == b->forward_stack.i;
}

static uint64_t attr_hash(const struct attr *a)
{
	uint64_t h = hash_combine(a->stream, (uint64_t)a->pool.a);

	h = hash_combine(h, (uint64_t)a->pool.b);
	h = hash_combine(h, (uint64_t)a->compile_context.i << 32 | a->user_metadata.i);
	h = hash_combine(h, (uint64_t)a->internal_metadata.i << 32 | a->category.i);
	h = hash_combine(h, (uint64_t)a->action_name.i << 32 | a->forward_stack.i);
	return hash_combine(h, (uint64_t)a->has_stream << 1 | a->has_pool);
}

static int attr_add(struct loader *l, const struct attr *a, attr_id *out, struct error *err)
{
	struct model *m = l->model;

	if (l->attr_valid && attr_equal(a, &m->attrs.at[l->last_attr.i])) {
		*out = l->last_attr;
		return 0;
	}
	uint64_t hash = attr_hash(a);
	uint64_t *row = hashmap_get(&l->attr_rows, hash);
	int rc = 0;
	if (row && attr_equal(a, &m->attrs.at[*row])) {
		out->i = (uint32_t)*row;
	} else {
		if (m->attrs.n > UINT32_MAX / 2)
			return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many attributes");
		rc = vec_push(&m->attrs, *a, l->budget, err);
		if (rc == 0)
			rc = hashmap_put(&l->attr_rows, hash, m->attrs.n - 1, err);
		if (rc < 0)
			return rc;
		out->i = (uint32_t)m->attrs.n - 1;
	}
	l->last_attr = *out;
	l->attr_valid = true;
	return 0;
}

/* Make room for one more event in every column, so that the pushes cannot fail. */
static int events_reserve(struct loader *l, struct error *err)
{
	struct events *e = &l->model->events;
	int rc;

	if (e->action.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more than 2^30 events");
	if ((rc = vec_reserve(&e->action, 1, l->budget, err)) < 0 ||
	    (rc = vec_reserve(&e->addr, 1, l->budget, err)) < 0 ||
	    (rc = vec_reserve(&e->size, 1, l->budget, err)) < 0 ||
	    (rc = vec_reserve(&e->time_us, 1, l->budget, err)) < 0 ||
	    (rc = vec_reserve(&e->stack, 1, l->budget, err)) < 0 ||
	    (rc = vec_reserve(&e->attr, 1, l->budget, err)) < 0)
		return rc;
	return 0;
}

static size_t events_capacity(const struct events *e)
{
	size_t room = e->action.cap;

	room = e->addr.cap < room ? e->addr.cap : room;
	room = e->size.cap < room ? e->size.cap : room;
	room = e->time_us.cap < room ? e->time_us.cap : room;
	room = e->stack.cap < room ? e->stack.cap : room;
	return e->attr.cap < room ? e->attr.cap : room;
}

static void events_push(struct events *e, enum action action, uint64_t addr, uint64_t size,
			int64_t time_us, stack_id stack, attr_id attr)
{
	e->action.at[e->action.n++] = (uint8_t)action;
	e->addr.at[e->addr.n++] = addr;
	e->size.at[e->size.n++] = size;
	e->time_us.at[e->time_us.n++] = time_us;
	e->stack.at[e->stack.n++] = stack;
	e->attr.at[e->attr.n++] = attr;
}

static int event_attr(struct row *r, enum action action, str_id action_word, attr_id *out,
		      struct error *err)
{
	struct attr a = {0};
	int rc;

	if (row_has(r, KEY_STREAM)) {
		a.stream = row_u64(r, KEY_STREAM, 0);
		a.has_stream = true;
	}
	if (r->mask & ~(KEY_BIT(KEY_ACTION) | KEY_BIT(KEY_ADDR) | KEY_BIT(KEY_SIZE) |
			KEY_BIT(KEY_STREAM) | KEY_BIT(KEY_TIME_US) | KEY_BIT(KEY_FRAMES))) {
		a.compile_context = row_str(r, KEY_COMPILE_CONTEXT);
		a.user_metadata = row_str(r, KEY_USER_METADATA);
		a.internal_metadata = row_str(r, KEY_INTERNAL_METADATA);
		a.category = row_str(r, KEY_CATEGORY);
		a.has_pool = row_pool(r, KEY_POOL_ID, &a.pool);
		rc = row_text_stack(r, KEY_FORWARD_FRAMES, &a.forward_stack, err);
		if (rc < 0)
			return rc;
	}
	if (action == ACTION_OTHER)
		a.action_name = action_word;
	return attr_add(r->l, &a, out, err);
}

int event_row(struct row *r, cell *out, struct error *err)
{
	struct loader *l = r->l;
	struct events *e = &l->model->events;
	attr_id attr = {0};
	stack_id stack;
	int rc = events_reserve(l, err);

	if (rc < 0)
		return rc;
	r->kind = LOAD_EVENT;
	r->id = (uint32_t)e->action.n;
	str_id word = row_str(r, KEY_ACTION);
	enum action action = action_of_word(word);
	rc = event_attr(r, action, word, &attr, err);
	if (rc == 0)
		rc = row_stack(r, KEY_FRAMES, &stack, err);
	if (rc == 0 && action == ACTION_OTHER)
		rc = count_unknown(&l->unknown_actions, word.i, err);
	if (rc < 0)
		return rc;
	events_push(e, action,
		    action == ACTION_OOM ? row_u64(r, KEY_DEVICE_FREE, BYTES_NONE)
					 : row_u64(r, KEY_ADDR, 0),
		    row_u64(r, KEY_SIZE, 0), (int64_t)row_u64(r, KEY_TIME_US, (uint64_t)TIME_NONE),
		    stack, attr);
	l->events_room = events_capacity(e);
	*out = cell_make((enum cell_tag)LOAD_EVENT, r->id);
	return 0;
}

int loader_copy_event(struct loader *l, uint32_t row, struct error *err)
{
	struct events *e = &l->model->events;
	int rc = events_reserve(l, err);

	if (rc < 0)
		return rc;
	events_push(e, (enum action)e->action.at[row], e->addr.at[row], e->size.at[row],
		    e->time_us.at[row], e->stack.at[row], e->attr.at[row]);
	return 0;
}

/* Keys whose values make up the attr. */
#define ATTR_KEYS                                                                              \
	(KEY_BIT(KEY_STREAM) | KEY_BIT(KEY_COMPILE_CONTEXT) | KEY_BIT(KEY_USER_METADATA) |     \
	 KEY_BIT(KEY_INTERNAL_METADATA) | KEY_BIT(KEY_POOL_ID) | KEY_BIT(KEY_FORWARD_FRAMES) | \
	 KEY_BIT(KEY_CATEGORY))
#define SHAPE_KEYS \
	(KEY_BIT(KEY_ACTION) | KEY_BIT(KEY_ADDR) | KEY_BIT(KEY_SIZE) | KEY_BIT(KEY_TIME_US))

void event_learn(struct loader *l, const cell *pairs, size_t n, uint64_t mask)
{
	const struct events *e = &l->model->events;

	if (n >= EVENT_SHAPE_PAIRS || (mask & SHAPE_KEYS) != SHAPE_KEYS)
		return;
	/* An unknown action is part of its attr. */
	if (e->action.at[e->action.n - 1] == ACTION_OTHER)
		return;
	struct event_shape *s = &l->shapes[n];
	*s = (struct event_shape){.attr = l->last_attr, .valid = true};
	for (size_t i = 0; i < n; i++) {
		const cell key = pairs[2 * i];

		s->keys[i] = key;
		if (ATTR_KEYS >> cell_id(key) & 1) {
			s->fixed[s->n_fixed] = pairs[2 * i + 1];
			s->fixed_at[s->n_fixed++] = (uint8_t)i;
		}
		switch (cell_id(key)) {
		case KEY_ACTION:
			s->action = (uint8_t)i;
			break;
		case KEY_ADDR:
			s->addr = (uint8_t)i;
			break;
		case KEY_SIZE:
			s->size = (uint8_t)i;
			break;
		case KEY_TIME_US:
			s->time = (uint8_t)i;
			break;
		case KEY_FRAMES:
			s->frames = (uint8_t)i;
			s->has_frames = true;
			break;
		}
	}
}

static bool shape_matches(const struct event_shape *s, const cell *pairs, size_t n)
{
	bool same = s->valid;

	for (size_t i = 0; i < n; i++)
		same &= pairs[2 * i] == s->keys[i];
	for (size_t i = 0; i < s->n_fixed; i++)
		same &= pairs[2 * s->fixed_at[i] + 1] == s->fixed[i];
	return same;
}

bool event_again(struct loader *l, const cell *pairs, size_t n, cell *out)
{
	struct events *e = &l->model->events;
	const struct event_shape *s = &l->shapes[n];
	stack_id stack = STACK_ABSENT;

	if (e->action.n >= l->events_room || e->action.n > CELL_ID_MAX ||
	    !shape_matches(s, pairs, n))
		return false;
	const cell word = pairs[2 * s->action + 1], addr = pairs[2 * s->addr + 1];
	const cell size = pairs[2 * s->size + 1], time = pairs[2 * s->time + 1];
	if (cell_tag(word) != CELL_STR || cell_tag(addr) != CELL_INT ||
	    cell_tag(size) != CELL_INT || cell_tag(time) != CELL_INT)
		return false;
	const enum action action = action_of_word((str_id){cell_id(word)});
	if (action == ACTION_OTHER || action == ACTION_OOM)
		return false;
	if (s->has_frames) {
		const cell frames = pairs[2 * s->frames + 1];

		if (cell_tag(frames) == (enum cell_tag)LOAD_STACK)
			stack.i = cell_id(frames);
		else if (cell_is_empty(frames, CELL_EMPTY_LIST))
			stack = STACK_EMPTY;
		else
			return false;
	}
	*out = cell_make((enum cell_tag)LOAD_EVENT, (uint32_t)e->action.n);
	events_push(e, action, (uint64_t)cell_int(addr), (uint64_t)cell_int(size), cell_int(time),
		    stack, s->attr);
	return true;
}
