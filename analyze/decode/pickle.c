/* SPDX-License-Identifier: MIT
 * pickle.c -- the opcode loop of the pickle machine.
 */
#include "decode/pickle.h"

#include <endian.h>
#include <string.h>

#include "decode/pickle_machine.h"

enum {
#define OPCODE(byte, name, arg, safety) OP_##name = byte,
#include "decode/opcodes.def"
#undef OPCODE
};

/* What an opcode byte means; unnamed bytes are no opcodes. */
struct opcode {
	const char *name;
	uint8_t arg_bytes;
	bool unsafe;
};

#define OP_DATA   false
#define OP_UNSAFE true
static const struct opcode opcodes[256] = {
#define OPCODE(byte, name, arg, safety) [byte] = {#name, arg, safety},
#include "decode/opcodes.def"
#undef OPCODE
};

/* Enough for every opcode with a fixed argument and for LONG1 of 8 bytes. */
#define HOT_BYTES 16

/* Answers of the loops below. */
enum { RUN_ON = 0, RUN_STOP = 1 };

static uint32_t load_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t load_u64(const uint8_t *p)
{
	return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

static int refuse(const struct machine *m, uint8_t op, struct error *err)
{
	if (opcodes[op].unsafe)
		return error_set(err, ERR_UNSAFE, m->op_offset, "unsafe opcode %s",
				 opcodes[op].name);
	return error_set(err, ERR_FORMAT, m->op_offset, "malformed pickle: 0x%02x is no opcode",
			 op);
}

static int machine_get(struct machine *m, uint64_t index, struct error *err)
{
	cell c;
	int rc = 0;

	if (index >= m->memo.n)
		return machine_malformed(m, err, "a memo index that was never set");
	c = m->memo.at[index];
	if (m->watched_tags >> cell_tag(c) & 1)
		rc = machine_get_watched(m, index, &c, err);
	return rc < 0 ? rc : machine_push(m, c, err);
}

static int machine_protocol(struct machine *m, uint8_t version, struct error *err)
{
	if (version > 5)
		return error_set(err, ERR_FORMAT, m->op_offset, "pickle protocol %u is unknown",
				 version);
	if (version > m->protocol)
		m->protocol = version;
	return 0;
}

static int machine_const(struct machine *m, enum cell_const value, struct error *err)
{
	return machine_push(m, cell_make(CELL_CONST, value), err);
}

static int machine_empty(struct machine *m, enum cell_empty kind, struct error *err)
{
	return machine_push(m, cell_make(CELL_EMPTY, kind), err);
}

static int machine_mark(struct machine *m, struct error *err)
{
	int rc = vec_push(&m->marks, m->stack.n, m->budget, err);

	if (rc == 0)
		m->floor = m->stack.n;
	return rc;
}

static int machine_stop(struct machine *m, struct error *err)
{
	if (m->marks.n > 0 || m->stack.n != 1)
		return machine_malformed(m, err, "it does not end in exactly one object");
	int rc = machine_close_top(m, 1, err);
	return rc < 0 ? rc : RUN_STOP;
}

/* Opcodes whose argument is text, or bytes with a count. `arg` points at the fixed argument,
 * which has been stepped over. */
static int run_scalar(struct machine *m, uint8_t op, const uint8_t *arg, struct error *err)
{
	uint64_t index;
	int rc;

	switch (op) {
	case OP_INT:
	case OP_LONG:
		return machine_text_int(m, err);
	case OP_FLOAT:
		return machine_text_float(m, err);
	case OP_UNICODE:
		return machine_text_unicode(m, err);
	case OP_STRING:
		return machine_text_string(m, err);
	case OP_PUT:
		rc = machine_text_index(m, &index, err);
		return rc < 0 ? rc : machine_put(m, index, err);
	case OP_GET:
		rc = machine_text_index(m, &index, err);
		return rc < 0 ? rc : machine_get(m, index, err);
	case OP_LONG1:
		return machine_long(m, arg[0], err);
	case OP_LONG4:
		return machine_long(m, load_u32(arg), err);
	case OP_SHORT_BINUNICODE:
	case OP_SHORT_BINSTRING:
		return machine_string(m, arg[0], err);
	case OP_BINUNICODE:
	case OP_BINSTRING:
		return machine_string(m, load_u32(arg), err);
	case OP_BINUNICODE8:
		return machine_string(m, load_u64(arg), err);
	case OP_SHORT_BINBYTES:
		return machine_skip_bytes(m, arg[0], err);
	case OP_BINBYTES:
		return machine_skip_bytes(m, load_u32(arg), err);
	case OP_BINBYTES8:
	case OP_BYTEARRAY8:
		return machine_skip_bytes(m, load_u64(arg), err);
	default:
		return refuse(m, op, err);
	}
}

static int run_structural(struct machine *m, uint8_t op, const uint8_t *arg, struct error *err)
{
	switch (op) {
	case OP_PROTO:
		return machine_protocol(m, arg[0], err);
	case OP_FRAME: /* a hint about blocks of bytes; the opcodes do not depend on it */
		return 0;
	case OP_STOP:
		return machine_stop(m, err);
	case OP_MARK:
		return machine_mark(m, err);
	case OP_POP:
		return machine_pop(m, err);
	case OP_POP_MARK:
		return machine_pop_mark(m, err);
	case OP_DUP:
		return machine_dup(m, err);
	case OP_NONE:
		return machine_const(m, CELL_NONE, err);
	case OP_NEWTRUE:
		return machine_const(m, CELL_TRUE, err);
	case OP_NEWFALSE:
		return machine_const(m, CELL_FALSE, err);
	case OP_BININT:
		return machine_push(m, cell_from_int((int32_t)load_u32(arg)), err);
	case OP_BININT1:
		return machine_push(m, cell_from_int(arg[0]), err);
	case OP_BININT2:
		return machine_push(m, cell_from_int(arg[0] | arg[1] << 8), err);
	case OP_EMPTY_DICT:
		return machine_empty(m, CELL_EMPTY_DICT, err);
	case OP_EMPTY_LIST:
	case OP_EMPTY_SET:
		return machine_empty(m, CELL_EMPTY_LIST, err);
	case OP_EMPTY_TUPLE:
		return machine_empty(m, CELL_EMPTY_TUPLE, err);
	case OP_BINPUT:
		return machine_put(m, arg[0], err);
	case OP_LONG_BINPUT:
		return machine_put(m, load_u32(arg), err);
	case OP_MEMOIZE:
		return machine_put(m, m->memo.n, err);
	case OP_BINGET:
		return machine_get(m, arg[0], err);
	case OP_LONG_BINGET:
		return machine_get(m, load_u32(arg), err);
	default:
		return run_scalar(m, op, arg, err);
	}
}

static int run_container(struct machine *m, uint8_t op, const uint8_t *arg, struct error *err)
{
	switch (op) {
	case OP_SETITEMS:
		return machine_setitems(m, err);
	case OP_APPENDS:
	case OP_ADDITEMS:
		return machine_appends(m, err);
	case OP_SETITEM:
		return machine_setitem(m, err);
	case OP_APPEND:
		return machine_append(m, err);
	case OP_DICT:
		return machine_dict_from_mark(m, err);
	case OP_LIST:
		return machine_list_from_mark(m, err);
	case OP_TUPLE:
	case OP_FROZENSET:
		return machine_tuple_from_mark(m, err);
	case OP_TUPLE1:
		return machine_tuple(m, 1, err);
	case OP_TUPLE2:
		return machine_tuple(m, 2, err);
	case OP_TUPLE3:
		return machine_tuple(m, 3, err);
	default:
		return run_structural(m, op, arg, err);
	}
}

/* Any one opcode, every bound checked. */
static int run_one(struct machine *m, struct error *err)
{
	struct input *in = m->in;
	uint8_t arg[8];
	int rc;

	m->op_offset = input_offset(in);
	rc = input_need(in, 1, err);
	if (rc < 0)
		return rc;
	uint8_t op = *in->at;
	if (!opcodes[op].name || opcodes[op].unsafe)
		return refuse(m, op, err);
	rc = input_need(in, 1u + opcodes[op].arg_bytes, err);
	if (rc < 0)
		return rc;
	memcpy(arg, in->at + 1, sizeof arg);
	if (op == OP_BINFLOAT) {
		in->at += 1;
		return machine_binfloat(m, err);
	}
	in->at += 1u + opcodes[op].arg_bytes;
	return run_container(m, op, arg, err);
}

/* ---- the fast loop ---- */

/* What run_hot keeps in registers; written back before anything else looks at the machine. */
struct hot {
	const uint8_t *at;
	cell *sp;
	uint64_t n_memo;
	const cell *floor;
};

static void hot_store(struct machine *m, const struct hot *h)
{
	m->in->at = h->at;
	m->stack.n = (size_t)(h->sp - m->stack.at);
	m->memo.n = h->n_memo;
	m->op_offset = input_offset(m->in);
}

static struct hot hot_load(const struct machine *m)
{
	return (struct hot){
		.at = m->in->at,
		.sp = m->stack.at + m->stack.n,
		.n_memo = m->memo.n,
		.floor = m->stack.at + m->floor,
	};
}

/* Push memo[index]; false when that needs care. */
static inline bool hot_get(const struct machine *m, struct hot *h, uint64_t index)
{
	if (index >= h->n_memo || m->watched_tags >> cell_tag(m->memo.at[index]) & 1)
		return false;
	*h->sp++ = m->memo.at[index];
	return true;
}

static inline bool hot_memoize(struct machine *m, struct hot *h)
{
	if (h->sp == h->floor || h->n_memo == m->memo.cap || h->n_memo >= CELL_ID_MAX)
		return false;
	cell *top = h->sp - 1;
	if (m->watched_tags >> cell_tag(*top) & 1) {
		if (*top >> CELL_MEMO_SHIFT)
			return false;
		m->memo.at[h->n_memo] = *top;
		*top |= (h->n_memo + 1) << CELL_MEMO_SHIFT;
	} else {
		m->memo.at[h->n_memo] = cell_plain(*top);
	}
	h->n_memo++;
	return true;
}

/* LONG1 of at most 8 bytes at `at`, which has HOT_BYTES behind it. */
static inline bool hot_long(struct hot *h)
{
	unsigned n = h->at[1];
	uint64_t bits;

	if (n - 1 > 7)
		return false;
	memcpy(&bits, h->at + 2, sizeof bits);
	int64_t value = (int64_t)(le64toh(bits) << (64 - 8 * n)) >> (64 - 8 * n);
	if (!cell_int_fits(value))
		return false;
	*h->sp++ = cell_from_int(value);
	h->at += 2 + n;
	return true;
}

/* 1 when pushed, 0 when the string reaches beyond the window, or a negative error. Strings of at
 * most 8 bytes repeat without end in snapshots: the last one of each length is remembered. */
static inline int hot_string(struct machine *m, struct hot *h, struct error *err)
{
	const unsigned n = h->at[1];
	uint64_t word = 0;
	str_id id;
	int rc;

	if ((size_t)(m->in->end - h->at) < 2 + n)
		return 0;
	if (n - 1 < SHORT_STRING_MAX) {
		memcpy(&word, h->at + 2, sizeof word);
		word = le64toh(word) << (64 - 8 * n);
		if (word == m->short_string[n].word && m->short_string[n].id.i) {
			*h->sp++ = cell_make(CELL_STR, m->short_string[n].id.i);
			h->at += 2 + n;
			return 1;
		}
	}
	rc = strtab_add(m->fold->cells->strings, (const char *)h->at + 2, n, &id, err);
	if (rc < 0)
		return rc;
	if (n - 1 < SHORT_STRING_MAX)
		m->short_string[n] = (struct short_string){.word = word, .id = id};
	*h->sp++ = cell_make(CELL_STR, id.i);
	h->at += 2 + n;
	return 1;
}

static inline bool hot_mark(struct machine *m, struct hot *h)
{
	if (m->marks.n == m->marks.cap)
		return false;
	m->marks.at[m->marks.n++] = m->floor = (size_t)(h->sp - m->stack.at);
	h->floor = h->sp;
	return true;
}

/* The opcodes that make up nearly all of a snapshot, for as long as enough bytes and room are
 * there. Returns RUN_ON in front of the first opcode it leaves to run_one, which can do all. */
static int run_hot(struct machine *m, struct error *err)
{
	const uint8_t *end = m->in->end - HOT_BYTES;
	const cell *room = m->stack.at + m->stack.cap;
	struct hot h = hot_load(m);
	int rc = RUN_ON;

	while (h.at < end && h.sp < room) {
		switch (h.at[0]) {
		case OP_BINGET:
			if (!hot_get(m, &h, h.at[1]))
				goto out;
			h.at += 2;
			continue;
		case OP_LONG_BINGET:
			if (!hot_get(m, &h, load_u32(h.at + 1)))
				goto out;
			h.at += 5;
			continue;
		case OP_MEMOIZE:
			if (!hot_memoize(m, &h))
				goto out;
			h.at += 1;
			continue;
		case OP_LONG1:
			if (!hot_long(&h))
				goto out;
			continue;
		case OP_SHORT_BINUNICODE:
			rc = hot_string(m, &h, err);
			if (rc <= 0)
				goto out;
			rc = RUN_ON;
			continue;
		case OP_BININT:
			*h.sp++ = cell_from_int((int32_t)load_u32(h.at + 1));
			h.at += 5;
			continue;
		case OP_BININT1:
			*h.sp++ = cell_from_int(h.at[1]);
			h.at += 2;
			continue;
		case OP_BININT2:
			*h.sp++ = cell_from_int(h.at[1] | h.at[2] << 8);
			h.at += 3;
			continue;
		case OP_EMPTY_DICT:
			*h.sp++ = cell_make(CELL_EMPTY, CELL_EMPTY_DICT);
			h.at += 1;
			continue;
		case OP_EMPTY_LIST:
			*h.sp++ = cell_make(CELL_EMPTY, CELL_EMPTY_LIST);
			h.at += 1;
			continue;
		case OP_MARK:
			if (!hot_mark(m, &h))
				goto out;
			h.at += 1;
			continue;
		case OP_SETITEMS:
		case OP_APPENDS:
			hot_store(m, &h);
			rc = h.at[0] == OP_SETITEMS ? machine_setitems(m, err)
						    : machine_appends(m, err);
			if (rc < 0)
				return rc;
			m->in->at++;
			h = hot_load(m);
			continue;
		default:
			goto out;
		}
	}
out:
	hot_store(m, &h);
	return rc;
}

static int machine_run(struct machine *m, struct error *err)
{
	int rc = RUN_ON;

	while (rc == RUN_ON) {
		if (m->stack.cap && m->in->end - m->in->at > HOT_BYTES) {
			rc = run_hot(m, err);
			if (rc < 0)
				return rc;
		}
		rc = run_one(m, err);
	}
	return rc < 0 ? rc : 0;
}

/* Bytes behind STOP: NUL padding is normal in pages; a damaged end of the compressed stream is
 * damage, although the object was whole. */
static int read_trailing(struct pickle_result *out, struct input *in, struct error *err)
{
	int rc = input_drain(in, "", 1, &out->trailing, err);

	if (rc != ERR_CUT && rc != ERR_FORMAT)
		return rc;
	out->partial = true;
	out->damage = *err;
	return 0;
}

static void machine_release(struct machine *m)
{
	for (size_t i = 0; i < m->building.n; i++)
		vec_release(&m->building.at[i].items, m->budget);
	vec_release(&m->building, m->budget);
	vec_release(&m->stack, m->budget);
	vec_release(&m->marks, m->budget);
	vec_release(&m->memo, m->budget);
	vec_release(&m->scratch, m->budget);
}

int pickle_read(struct pickle_result *out, struct input *in, const struct fold *fold,
		struct error *err)
{
	struct pickle_result result = {0};
	struct machine m = {
		.in = in,
		.fold = fold,
		.budget = fold->cells->budget,
		.watched_tags = fold->growing_tags | 1u << CELL_EMPTY | 1u << CELL_BUILDING |
				1u << cell_tag(CELL_UNSET),
	};
	bool any = true;
	int rc = input_peek(in, 1, err);

	/* With room from the start no pointer into them is ever computed from NULL. */
	if (rc < 0 || (rc = vec_reserve(&m.stack, 64, m.budget, err)) < 0 ||
	    (rc = vec_reserve(&m.marks, 16, m.budget, err)) < 0 ||
	    (rc = vec_reserve(&m.memo, 64, m.budget, err)) < 0)
		goto out;
	/* Without PROTO: protocol 0 begins every container with MARK, protocol 1 has EMPTY_*. */
	m.protocol = in->at < in->end && *in->at != OP_MARK && *in->at != OP_PROTO;
	rc = machine_run(&m, err);
	if (rc == ERR_CUT || rc == ERR_FORMAT) {
		struct error salvage;
		int rc2;

		result.partial = true;
		result.damage = *err;
		rc2 = machine_salvage(&m, &result.root, &any, &salvage);
		if (rc2 < 0) {
			*err = salvage;
			rc = rc2;
			goto out;
		}
		if (!any)
			goto out;
	} else if (rc < 0) {
		goto out;
	} else {
		result.root = cell_plain(m.stack.at[0]);
	}
	result.protocol = m.protocol;
	result.end_offset = result.partial ? result.damage.offset : input_offset(in);
	rc = result.partial ? 0 : read_trailing(&result, in, err);
	if (rc == 0)
		*out = result;
out:
	machine_release(&m);
	return rc;
}
