/* SPDX-License-Identifier: MIT
 * cmd_query.c -- vramscope query: SQL over the database of a batch.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "reports/query_report.h"

struct query_own {
	bool csv;
	uint64_t timeout; /* seconds; 0: DEFAULT_SECONDS */
};

#define DEFAULT_SECONDS 60

static const struct opt query_opts[] = {
	{"csv", 0, OPT_FLAG, offsetof(struct query_own, csv), NULL,
	 "write comma-separated values, as with -o FILE.csv", NULL},
	{"timeout", 0, OPT_U64, offsetof(struct query_own, timeout), "SECONDS",
	 "give up when the answer takes longer; without it, 60", NULL},
	{.name = NULL},
};

static bool wants_csv(const struct invocation *inv)
{
	const struct query_own *own = inv->own;

	return own->csv ||
	       (inv->common.output && !strcmp(output_suffix(inv->common.output), ".csv"));
}

static int write_csv(struct invocation *inv, struct query *q)
{
	struct output o;
	struct error err;
	int status = output_open_raw(inv, &o);

	if (status != STATUS_DONE)
		return status;
	if (query_write_csv(o.out, q, &err) < 0) {
		output_abandon(&o);
		return complain_error("ask", inv->operands[0], &err);
	}
	return output_close(&o, STATUS_DONE);
}

static int write_document(struct invocation *inv, struct query *q)
{
	struct output o;
	struct error err;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.query/1");
	emit_str(o.emit, "file", NULL, inv->operands[0]);
	if (describe_query(o.emit, q, &err) < 0) {
		output_abandon(&o);
		return complain_error("ask", inv->operands[0], &err);
	}
	emit_object_end(o.emit);
	return output_close(&o, STATUS_DONE);
}

static int query_command(struct invocation *inv)
{
	const struct query_own *own = inv->own;
	bool csv = wants_csv(inv);
	struct query *q;
	struct error err;
	int status = csv ? STATUS_DONE : output_check(inv);

	if (csv && inv->common.json) {
		complain("--json contradicts CSV");
		return STATUS_USAGE;
	}
	if (status != STATUS_DONE)
		return status;
	if (query_open(&q, inv->operands[0], inv->operands[1], inv->budget.limit,
		       own->timeout ? own->timeout : DEFAULT_SECONDS, &err) < 0)
		return complain_error("ask", inv->operands[0], &err);
	status = csv ? write_csv(inv, q) : write_document(inv, q);
	query_close(q);
	return status;
}

const struct command cmd_query = {
	.name = "query",
	.operands = "DB SQL",
	.summary = "SQL over the database of a batch or an export",
	.min_operands = 2,
	.max_operands = 2,
	.common = COMMON_REPORT,
	.opts = query_opts,
	.own_bytes = sizeof(struct query_own),
	.run = query_command,
};
