/* SPDX-License-Identifier: MIT
 * timeline_run.c -- from a device to its timeline: lives and categories, the window, the walk.
 */
#include "cli/timeline_run.h"

#include <stdlib.h>
#include <string.h>

#include "cli/load_input.h"
#include "replay/moment.h"

struct making {
	struct invocation *inv;
	const struct timeline_asked *asked;
	const struct model *m;
	const struct device *d;
	struct replay *r;
	struct timeline_made *out;
	struct timeline_options o;
};

void timeline_made_release(struct timeline_made *t)
{
	timeline_release(&t->timeline);
	timeline_verdicts_release(&t->verdicts);
	timeline_groups_release(&t->groups);
	loaded_purpose_release(&t->purpose);
}

static int failed(const struct making *k, const struct error *err)
{
	return complain_error("analyse", model_str(k->m, k->m->file), err);
}

/* --- the window -------------------------------------------------------------------------------- */

/* "3", "2..5". */
static bool parse_steps(const char *text, uint64_t *first, uint64_t *last)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*first = *last = strtoull(text, &end, 10);
	if (!strncmp(end, "..", 2) && end[2] >= '0' && end[2] <= '9')
		*last = strtoull(end + 2, &end, 10);
	return *end == '\0' && *first <= *last;
}

static int window_of_steps(struct making *k)
{
	const struct phases *p = k->out->purpose.purpose ? &k->out->purpose.purpose->phases : NULL;
	uint64_t first, last;

	if (!parse_steps(k->asked->steps, &first, &last)) {
		complain("--steps wants a step or a range, as in 2..5, not '%s'", k->asked->steps);
		return STATUS_USAGE;
	}
	if (!p || p->steps.n == 0) {
		complain("no steps were found in '%s'", model_str(k->m, k->m->file));
		return STATUS_USAGE;
	}
	if (last >= p->steps.n) {
		complain("'%s' has %zu steps, counted from 0", model_str(k->m, k->m->file),
			 p->steps.n);
		return STATUS_USAGE;
	}
	k->o.from = p->steps.at[first].first_event - 1;
	k->o.to = p->steps.at[last].last_event;
	k->o.from_first_event = true;
	return STATUS_DONE;
}

static int find_window(struct making *k)
{
	const struct timeline_asked *a = k->asked;
	struct moment from = {.event = EVENT_START}, to = {.event = (int64_t)k->d->n_events - 1};
	struct error err;

	if (a->steps)
		return window_of_steps(k);
	if ((a->from && moment_parse(&from, a->from, k->m, k->d, k->r, &err) < 0) ||
	    (a->to && moment_parse(&to, a->to, k->m, k->d, k->r, &err) < 0))
		return failed(k, &err);
	if (from.event > to.event) {
		error_set(&err, ERR_NO_MOMENT, ERR_NO_OFFSET,
			  "--from is event %lld, after --to, event %lld", (long long)from.event,
			  (long long)to.event);
		return failed(k, &err);
	}
	k->o.from = from.event;
	k->o.to = to.event;
	return STATUS_DONE;
}

/* --- layers ------------------------------------------------------------------------------------ */

/* Nobody can tell whose bytes a free gives back when events have no addresses. */
static int find_purpose(struct making *k)
{
	const struct timeline_asked *a = k->asked;

	if (!k->d->no_addresses) {
		if (a->by == GROUP_NONE && !a->steps && !a->window_only)
			return STATUS_DONE;
		return load_purpose(k->inv, k->m, k->d, k->r, &k->out->purpose);
	}
	if (a->by == GROUP_CATEGORY && !a->steps && !a->window_only)
		return STATUS_DONE;
	if (a->by == GROUP_NONE && !a->steps && !a->window_only)
		return STATUS_DONE;
	complain("the events of '%s' have no addresses: neither --by %s nor --steps nor "
		 "--window-only",
		 model_str(k->m, k->m->file),
		 a->by == GROUP_CATEGORY ? "site" : group_by_name(a->by));
	return STATUS_USAGE;
}

static int find_groups(struct making *k)
{
	const struct timeline_asked *a = k->asked;
	const struct purpose *p = k->out->purpose.purpose;
	enum group_by by = a->by;
	struct error err;

	if (by == GROUP_NONE && !a->window_only)
		return STATUS_DONE;
	if (!p)
		timeline_groups_of_rows(&k->out->groups, k->m, &k->inv->budget);
	else if (timeline_groups_run(&k->out->groups, by, &p->allocations, &p->categories,
				     k->o.from, k->o.to, replay_summary(k->r)->allocated.event,
				     &k->inv->budget, &err) < 0)
		return failed(k, &err);
	k->o.groups = &k->out->groups;
	return STATUS_DONE;
}

/* They are about the whole trace, so a part of it goes without. */
static int find_verdicts(struct making *k)
{
	const struct replay_summary *s = replay_summary(k->r);
	const struct purpose *p = k->out->purpose.purpose;
	struct timeline *t = &k->out->timeline;
	struct error err;

	if (!p)
		return STATUS_DONE;
	t->phases = &p->phases;
	if (t->n_events != k->d->n_events || t->window_only || k->d->n_events == 0)
		return STATUS_DONE;
	if (timeline_verdicts_run(&k->out->verdicts, p, s->allocated.event, s->allocated.bytes,
				  &k->inv->budget, &err) < 0)
		return failed(k, &err);
	t->verdicts = &k->out->verdicts;
	return STATUS_DONE;
}

int timeline_make(struct invocation *inv, const struct timeline_asked *asked, const struct model *m,
		  const struct device *d, struct replay *r, struct timeline_made *out)
{
	struct making k = {.inv = inv, .asked = asked, .m = m, .d = d, .r = r, .out = out};
	struct error err;
	int status;

	*out = (struct timeline_made){0};
	k.o.columns = asked->columns;
	k.o.by_event = asked->by_event;
	k.o.max_bands = asked->max_bands;
	k.o.window_only = asked->window_only;
	if ((status = find_purpose(&k)) != STATUS_DONE ||
	    (status = find_window(&k)) != STATUS_DONE || (status = find_groups(&k)) != STATUS_DONE)
		goto out;
	if (timeline_run(&out->timeline, m, r, d, &k.o, &inv->budget, &err) < 0)
		status = failed(&k, &err);
	else
		status = find_verdicts(&k);
out:
	if (status != STATUS_DONE)
		timeline_made_release(out);
	return status;
}
