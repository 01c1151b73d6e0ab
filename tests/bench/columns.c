/* SPDX-License-Identifier: MIT
 * columns.c -- how many bytes an event takes in the data of a report's page.
 *
 *     columns [-v] FILE...
 *
 * One line for each device with 5,000 events or more: bytes an event, packed and before base64, of all
 * columns but the table of stacks. -v adds a line for each column. Exits with 1 when any device takes
 * more than LIMIT.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/report_columns.h"

#define LIMIT      1.3
#define MIN_EVENTS 5000

static bool tell(const char *file, const struct report_columns *c, bool all)
{
	uint64_t tables = report_column_bytes(c, COLUMN_STACK_DICT);
	uint64_t bytes = report_columns_bytes(c) - tables;
	double events = (double)c->device->n_events, each = (double)bytes / events;

	printf("%6.3f  %9" PRIu64 " events  %s%s\n", each, c->device->n_events, file,
	       each > LIMIT ? "  OVER" : "");
	for (int i = 0; i < COLUMN_COUNT && all; i++)
		printf("        %6.3f  %8" PRIu64 " of %8zu  %s\n",
		       (double)out_size(c->packed[i]) / events, out_size(c->packed[i]), c->raw[i].n,
		       report_column_name((enum report_column)i));
	return each <= LIMIT;
}

static int device_columns(struct report_columns *c, const struct model *m, const struct device *d,
			  const struct rules *rules, struct budget *budget, struct error *err)
{
	struct report_columns_options o = {.from = EVENT_START, .to = (int64_t)d->n_events - 1};
	struct report_stacks stacks = {0};
	struct purpose *p = NULL;
	struct replay *r = NULL;
	int rc = replay_new(&r, m, d, budget, err);

	if (rc == 0)
		rc = purpose_new(&p, rules, m, r, d, NULL, budget, err);
	if (rc == 0)
		rc = report_stacks_init(&stacks, m, budget, err);
	if (rc == 0)
		rc = report_columns_run(c, p, r, &stacks, &o, budget, err);
	report_stacks_release(&stacks);
	purpose_free(p);
	replay_free(r);
	return rc;
}

static int weigh(const char *file, const struct rules *rules, bool all, bool *within,
		 struct error *err)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	struct model *m = NULL;
	int rc = model_load(&m, file, &options, err);

	for (size_t i = 0; rc == 0 && i < m->devices.n; i++) {
		const struct device *d = &m->devices.at[i];
		struct report_columns c = {0};

		if (d->n_events < MIN_EVENTS || d->no_addresses)
			continue;
		rc = device_columns(&c, m, d, rules, &budget, err);
		if (rc == 0 && !tell(file, &c, all))
			*within = false;
		report_columns_release(&c);
	}
	model_free(m);
	return rc;
}

int main(int argc, char **argv)
{
	struct budget budget = {.limit = UINT64_MAX};
	bool all = argc > 1 && strcmp(argv[1], "-v") == 0, within = true;
	struct rules *rules;
	struct error err;

	if (rules_new(&rules, &budget, &err) < 0) {
		fprintf(stderr, "columns: %s\n", err.text);
		return 2;
	}
	for (int i = 1 + all; i < argc; i++)
		if (weigh(argv[i], rules, all, &within, &err) < 0)
			fprintf(stderr, "columns: %s: %s\n", argv[i], err.text);
	rules_free(rules);
	return !within;
}
