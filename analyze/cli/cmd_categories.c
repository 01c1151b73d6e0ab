/* SPDX-License-Identifier: MIT
 * cmd_categories.c -- vramscope categories: what each live block is, and which evidence says so.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "reports/describe_categories.h"

struct categories_options {
	bool blocks;
	const char *explain;
};

static const struct opt categories_opts[] = {
	{"blocks", 'b', OPT_FLAG, offsetof(struct categories_options, blocks), NULL,
	 "list the blocks too (JSON always does)", NULL},
	{"explain", 0, OPT_STRING, offsetof(struct categories_options, explain), "ADDR",
	 "tell all about the block at an address, decimal or 0x...", NULL},
	{0},
};

static int parse_address(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	if (*text >= '0' && *text <= '9') {
		*out = strtoull(text, &end, 0);
		if (errno == 0 && *end == '\0')
			return STATUS_DONE;
	}
	complain("'%s' is no address", text);
	return STATUS_USAGE;
}

static int categories_write(struct invocation *inv, const struct loaded *l,
			    const struct categories_view *v)
{
	const struct str *file = strtab_get(&l->model->strings, l->model->file);
	struct output o;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.categories/1");
	emit_strn(o.emit, "file", NULL, file->bytes, file->length);
	describe_categories(o.emit, v);
	emit_object_end(o.emit);
	return output_close(&o, load_status(l->model, STATUS_DONE));
}

static int answer(struct invocation *inv, struct loaded *l, struct categories_view *v)
{
	const char *file = inv->operands[0];
	struct loaded_purpose p;
	struct state s;
	struct error err;
	int status = load_purpose(inv, l->model, l->device, l->replay, &p);

	if (status != STATUS_DONE)
		return status;
	if (moment_state(&s, &l->at, l->model, l->replay, &inv->budget, &err) < 0) {
		status = complain_error("analyse", file, &err);
	} else {
		v->model = l->model;
		v->rules = p.rules;
		v->purpose = p.purpose;
		v->state = &s;
		v->at = &l->at;
		if (v->has_explain && !categories_block_at(&s, v->explain)) {
			complain("no block of '%s' is in use at %#llx then", file,
				 (unsigned long long)v->explain);
			status = STATUS_USAGE;
		} else {
			status = categories_write(inv, l, v);
		}
		state_release(&s);
	}
	loaded_purpose_release(&p);
	return status;
}

static int categories_command(struct invocation *inv)
{
	const struct categories_options *own = inv->own;
	struct categories_view v = {.list_blocks = own->blocks};
	struct loaded l;
	int status = output_check(inv);

	if (status == STATUS_DONE && own->explain) {
		v.has_explain = true;
		status = parse_address(own->explain, &v.explain);
	}
	if (status != STATUS_DONE)
		return status;
	status = load_moment(inv, inv->operands[0], "peak", &l);
	if (status != STATUS_DONE)
		return status;
	status = answer(inv, &l, &v);
	loaded_release(&l);
	return status;
}

const struct command cmd_categories = {
	.name = "categories",
	.operands = "FILE",
	.summary = "What each live block is, and which evidence says so",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_AT | COMMON_RULES | COMMON_STEPS |
		  COMMON_SYMBOLS,
	.reads = READS_BLOCKS,
	.opts = categories_opts,
	.own_bytes = sizeof(struct categories_options),
	.run = categories_command,
};
