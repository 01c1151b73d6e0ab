/* SPDX-License-Identifier: MIT
 * cell.h -- one decoded value in 8 bytes, and the table of scalars that do not fit in it.
 *
 * Decoders (pickle.h, json.h) turn input into cells and hand finished containers to a fold
 * (fold.h), which answers with a cell that stands for the container. So nothing is ever a tree of
 * objects: a list of frames is one cell as soon as it ends, however often the file refers to it.
 *
 *   bits 0..3    tag
 *   bits 4..63   CELL_INT: signed 60-bit value
 *   bits 4..33   all other tags: an id (30 bits)
 *   bits 34..63  decoder's own bookkeeping; readers of cells ignore them
 */
#ifndef ANALYZE_DECODE_CELL_H
#define ANALYZE_DECODE_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"

typedef uint64_t cell;

enum cell_tag {
	CELL_CONST,    /* id: enum cell_const */
	CELL_INT,      /* an integer of at most 60 bits */
	CELL_WIDE,     /* id: row of cells.wide (a float, or an integer beyond 60 bits) */
	CELL_STR,      /* id: str_id of cells.strings */
	CELL_BYTES,    /* a bytes object; its contents are dropped, no snapshot has any */
	CELL_EMPTY,    /* id: enum cell_empty, a container without items */
	CELL_BUILDING, /* inside decoders only */
	CELL_FOLD,     /* this tag and all above it are what a fold returned */
	CELL_TAGS = 16,
};

enum cell_const { CELL_NONE, CELL_FALSE, CELL_TRUE };
enum cell_empty { CELL_EMPTY_LIST, CELL_EMPTY_DICT, CELL_EMPTY_TUPLE };

#define CELL_ID_BITS 30
#define CELL_ID_MAX  ((1u << CELL_ID_BITS) - 1)

static inline enum cell_tag cell_tag(cell c)
{
	return (enum cell_tag)(c & 15);
}

static inline uint32_t cell_id(cell c)
{
	return (uint32_t)(c >> 4) & CELL_ID_MAX;
}

static inline cell cell_make(enum cell_tag tag, uint32_t id)
{
	return (uint64_t)tag | (uint64_t)id << 4;
}

static inline bool cell_int_fits(int64_t value)
{
	return value >= -(INT64_C(1) << 59) && value < INT64_C(1) << 59;
}

/* `value` must satisfy cell_int_fits. */
static inline cell cell_from_int(int64_t value)
{
	return (uint64_t)CELL_INT | (uint64_t)value << 4;
}

static inline int64_t cell_int(cell c)
{
	return (int64_t)c >> 4;
}

static inline bool cell_is_empty(cell c, enum cell_empty kind)
{
	return cell_tag(c) == CELL_EMPTY && cell_id(c) == (uint32_t)kind;
}

static inline bool cell_is_const(cell c, enum cell_const kind)
{
	return cell_tag(c) == CELL_CONST && cell_id(c) == (uint32_t)kind;
}

struct wide {
	enum { WIDE_I64, WIDE_U64, WIDE_F64 } kind; /* WIDE_U64 only for values above INT64_MAX */
	union {
		int64_t i64;
		uint64_t u64;
		double f64;
	};
};

/* The scalars behind cells. One per load; owned by whoever owns the fold. */
struct cells {
	struct budget *budget;  /* weak */
	struct strtab *strings; /* weak */
	VEC(struct wide) wide;
};

void cells_init(struct cells *c, struct strtab *strings, struct budget *budget);
void cells_release(struct cells *c);

/* The cell of any 64-bit integer or double. Errors: ERR_LIMIT, ERR_NOMEM. */
int cells_from_i64(struct cells *c, int64_t value, cell *out, struct error *err);
int cells_from_u64(struct cells *c, uint64_t value, cell *out, struct error *err);
int cells_from_f64(struct cells *c, double value, cell *out, struct error *err);

/* True and *out set when the cell is an integer in range. cells_u64 also takes negative integers
 * of wide cells and of CELL_INT as two's complement: torch::jit writes uint64 above 2^63 so. */
bool cells_u64(const struct cells *c, cell v, uint64_t *out);
bool cells_i64(const struct cells *c, cell v, int64_t *out);
/* Any number as a double. */
bool cells_f64(const struct cells *c, cell v, double *out);

#endif
