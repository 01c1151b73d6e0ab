/* SPDX-License-Identifier: MIT
 * cell.c -- scalars that do not fit in a cell.
 */
#include "decode/cell.h"

void cells_init(struct cells *c, struct strtab *strings, struct budget *budget)
{
	*c = (struct cells){.budget = budget, .strings = strings};
}

void cells_release(struct cells *c)
{
	if (c->budget)
		vec_release(&c->wide, c->budget);
}

static int cells_add_wide(struct cells *c, struct wide wide, cell *out, struct error *err)
{
	int rc;

	if (c->wide.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many large numbers");
	rc = vec_push(&c->wide, wide, c->budget, err);
	if (rc < 0)
		return rc;
	*out = cell_make(CELL_WIDE, (uint32_t)(c->wide.n - 1));
	return 0;
}

int cells_from_i64(struct cells *c, int64_t value, cell *out, struct error *err)
{
	if (!cell_int_fits(value))
		return cells_add_wide(c, (struct wide){.kind = WIDE_I64, .i64 = value}, out, err);
	*out = cell_from_int(value);
	return 0;
}

int cells_from_u64(struct cells *c, uint64_t value, cell *out, struct error *err)
{
	if (value > INT64_MAX)
		return cells_add_wide(c, (struct wide){.kind = WIDE_U64, .u64 = value}, out, err);
	return cells_from_i64(c, (int64_t)value, out, err);
}

int cells_from_f64(struct cells *c, double value, cell *out, struct error *err)
{
	return cells_add_wide(c, (struct wide){.kind = WIDE_F64, .f64 = value}, out, err);
}

bool cells_u64(const struct cells *c, cell v, uint64_t *out)
{
	if (cell_tag(v) == CELL_INT) {
		*out = (uint64_t)cell_int(v);
		return true;
	}
	if (cell_tag(v) != CELL_WIDE || c->wide.at[cell_id(v)].kind == WIDE_F64)
		return false;
	*out = c->wide.at[cell_id(v)].u64;
	return true;
}

bool cells_i64(const struct cells *c, cell v, int64_t *out)
{
	if (cell_tag(v) == CELL_INT) {
		*out = cell_int(v);
		return true;
	}
	if (cell_tag(v) != CELL_WIDE || c->wide.at[cell_id(v)].kind != WIDE_I64)
		return false;
	*out = c->wide.at[cell_id(v)].i64;
	return true;
}

bool cells_f64(const struct cells *c, cell v, double *out)
{
	if (cell_tag(v) == CELL_INT) {
		*out = (double)cell_int(v);
		return true;
	}
	if (cell_tag(v) != CELL_WIDE)
		return false;
	const struct wide *w = &c->wide.at[cell_id(v)];
	*out = w->kind == WIDE_F64 ? w->f64 : w->kind == WIDE_I64 ? (double)w->i64 : (double)w->u64;
	return true;
}
