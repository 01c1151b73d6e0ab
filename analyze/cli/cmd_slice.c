/* SPDX-License-Identifier: MIT
 * cmd_slice.c -- vramscope slice: a stretch of a trace as a smaller snapshot.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/snapshot_file.h"
#include "passes/phases.h"

enum around { AROUND_NOTHING, AROUND_OOM, AROUND_PEAK };

static const char *const around_words[] = {"-", "oom", "peak", NULL};

struct slice_options {
	const char *from, *to;
	unsigned around; /* enum around */
	uint64_t events;
	uint64_t split, max_events;
};

#define AROUND_EVENTS 2000

static const struct opt slice_opts[] = {
	{"from", 0, OPT_STRING, offsetof(struct slice_options, from), "MOMENT",
	 "first event kept: a number, start, peak, oom, oom:K, time:US, or step:K", NULL},
	{"to", 0, OPT_STRING, offsetof(struct slice_options, to), "MOMENT",
	 "last event kept, and the moment in whose state the slice ends", NULL},
	{"around", 0, OPT_CHOICE, offsetof(struct slice_options, around), "WHAT",
	 "keep the events around the last oom, or around the peak", around_words},
	{"events", 0, OPT_U64, offsetof(struct slice_options, events), "N",
	 "with --around: so many events on either side; without it 2000", NULL},
	{"split", 0, OPT_U64, offsetof(struct slice_options, split), "N",
	 "write N pieces of equal length, x.000.pickle and so on", NULL},
	{"max-events", 0, OPT_U64, offsetof(struct slice_options, max_events), "N",
	 "write pieces of at most N events", NULL},
	{0},
};

struct slicing {
	struct invocation *inv;
	const struct model *m;
	const struct device *d;  /* whose events are counted */
	struct replay **replays; /* one for each device */
	struct snapshot_part *parts;
	struct state *before, *after; /* of each device; device NULL: none */
};

/* ---- what is asked for ---- */

/* `step:K`: the events of step K, first or last. */
static int step_event(struct slicing *s, const char *text, bool last, int64_t *out)
{
	const size_t device = (size_t)(s->d - s->m->devices.at);
	struct loaded_purpose p;
	char *end;
	unsigned long long k = strtoull(text + 5, &end, 10);
	int status;

	if (*end || end == text + 5) {
		complain("'%s' is no step", text);
		return STATUS_USAGE;
	}
	status = load_purpose(s->inv, s->m, s->d, s->replays[device], &p);
	if (status != STATUS_DONE)
		return status;
	const struct phases *phases = &p.purpose->phases;
	if (k < phases->steps.n)
		*out = last ? phases->steps.at[k].last_event : phases->steps.at[k].first_event;
	else
		status = STATUS_USAGE;
	if (status != STATUS_DONE)
		complain("there is no step %llu: %zu steps were found", k, phases->steps.n);
	loaded_purpose_release(&p);
	return status;
}

/* The number of the event a moment names; start is event 0 as the first one, none as the last. */
static int moment_event(struct slicing *s, const char *text, bool last, int64_t *out)
{
	const size_t device = (size_t)(s->d - s->m->devices.at);
	struct moment at;
	struct error err;

	if (!strncmp(text, "step:", 5))
		return step_event(s, text, last, out);
	if (moment_parse(&at, text, s->m, s->d, s->replays[device], &err) < 0)
		return complain_error("find that moment in", model_str(s->m, s->m->file), &err);
	*out = at.event;
	if (!last && at.event == EVENT_START)
		*out = 0;
	/* The moment of an oom is just before it: the event itself is wanted. */
	if (!strncmp(text, "oom", 3) && at.event + 1 < (int64_t)s->d->n_events)
		*out = at.event + 1;
	return STATUS_DONE;
}

static int wanted_range(struct slicing *s, int64_t *first, int64_t *last)
{
	const struct slice_options *own = s->inv->own;
	const int64_t end = (int64_t)s->d->n_events - 1;
	const int64_t margin = own->events ? (int64_t)own->events : AROUND_EVENTS;
	int status = STATUS_DONE;

	*first = 0;
	*last = end;
	if (own->around != AROUND_NOTHING) {
		int64_t at = 0;

		status = moment_event(s, around_words[own->around], true, &at);
		*first = at - margin < 0 ? 0 : at - margin;
		*last = at > end - margin ? end : at + margin;
		return status;
	}
	if (own->from)
		status = moment_event(s, own->from, false, first);
	if (status == STATUS_DONE && own->to)
		status = moment_event(s, own->to, true, last);
	if (status == STATUS_DONE && *first > *last + 1) {
		complain("--from is event %" PRId64 ", after --to, event %" PRId64, *first, *last);
		status = STATUS_USAGE;
	}
	return status;
}

/* ---- one piece ---- */

static int64_t event_time(const struct slicing *s, const struct device *d, int64_t event)
{
	return s->m->events.time_us.at[d->first_event + (uint64_t)event];
}

/* The first event of `d` not before `us`. Times of a device do not fall, but for odd clocks. */
static int64_t first_at(const struct slicing *s, const struct device *d, int64_t us)
{
	int64_t low = 0, high = (int64_t)d->n_events;

	while (low < high) {
		int64_t mid = low + (high - low) / 2;

		if (event_time(s, d, mid) < us)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void piece_release(struct slicing *s)
{
	for (size_t i = 0; i < s->m->devices.n; i++) {
		if (s->before[i].budget)
			state_release(&s->before[i]);
		if (s->after[i].budget)
			state_release(&s->after[i]);
		s->before[i] = s->after[i] = (struct state){0};
	}
}

/* Events first .. last of device i, and the states around them. */
static int set_part(struct slicing *s, size_t i, int64_t first, int64_t last, struct error *err)
{
	const struct device *d = &s->m->devices.at[i];
	struct replay *r = s->replays[i];
	int rc;

	s->parts[i] =
		(struct snapshot_part){.first = (uint64_t)first, .n = (uint64_t)(last - first + 1)};
	if (first > 0) {
		if ((rc = replay_seek(r, first - 1, err)) < 0 ||
		    (rc = replay_state(r, &s->before[i], err)) < 0)
			return rc;
		s->parts[i].before = &s->before[i];
	}
	if (last + 1 < (int64_t)d->n_events) {
		if ((rc = replay_seek(r, last, err)) < 0 ||
		    (rc = replay_state(r, &s->after[i], err)) < 0)
			return rc;
		s->parts[i].after = &s->after[i];
	}
	return 0;
}

/* Other devices keep what happened in the same time; without times, everything. */
static int set_other_part(struct slicing *s, size_t i, int64_t from_us, int64_t to_us,
			  struct error *err)
{
	const struct device *d = &s->m->devices.at[i];
	int64_t first = 0, last = (int64_t)d->n_events - 1;

	if (d->n_events > 0 && from_us != TIME_NONE && event_time(s, d, 0) != TIME_NONE) {
		first = first_at(s, d, from_us);
		last = to_us == INT64_MAX ? last : first_at(s, d, to_us + 1) - 1;
	}
	return set_part(s, i, first, last, err);
}

static int write_piece(struct slicing *s, int64_t first, int64_t last, const char *file)
{
	struct snapshot_out out = {
		.model = s->m, .parts = s->parts, .from_us = TIME_NONE, .to_us = TIME_NONE};
	struct error err;
	int rc = 0, status;

	if (first <= last && s->d->n_events > 0) {
		out.from_us = first > 0 ? event_time(s, s->d, first) : TIME_NONE;
		out.to_us =
			last + 1 < (int64_t)s->d->n_events ? event_time(s, s->d, last) : TIME_NONE;
	}
	for (size_t i = 0; rc == 0 && i < s->m->devices.n; i++) {
		if (&s->m->devices.at[i] == s->d)
			rc = set_part(s, i, first, last, &err);
		else
			rc = set_other_part(s, i,
					    out.from_us == TIME_NONE ? INT64_MIN + 1 : out.from_us,
					    out.to_us == TIME_NONE ? INT64_MAX : out.to_us, &err);
	}
	if (rc < 0) {
		status = complain_error("slice", model_str(s->m, s->m->file), &err);
	} else {
		status = snapshot_file_write(s->inv, file, &out);
		if (status == STATUS_DONE && strcmp(file, "-"))
			printf("%s: events %" PRId64 " to %" PRId64 " of device %" PRId32 "\n",
			       file, first, last, s->d->index);
	}
	piece_release(s);
	return status;
}

/* x.pickle.zst becomes x.007.pickle.zst. */
static void piece_name(char *to, size_t size, const char *file, unsigned long k)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strstr(base, ".pickle");

	if (!dot)
		dot = strstr(base, ".json");
	if (!dot)
		dot = base + strlen(base);
	(void)snprintf(to, size, "%.*s.%03lu%s", (int)(dot - file), file, k, dot);
}

static int write_pieces(struct slicing *s, int64_t first, int64_t last)
{
	const struct slice_options *own = s->inv->own;
	const int64_t all = last - first + 1;
	int64_t length = all;
	int status = STATUS_DONE;

	if (own->max_events)
		length = (int64_t)own->max_events;
	else if (own->split)
		length = (all + (int64_t)own->split - 1) / (int64_t)own->split;
	if (!own->max_events && !own->split)
		return write_piece(s, first, last, s->inv->common.output);
	if (length < 1)
		length = 1;
	for (unsigned long k = 0; status == STATUS_DONE && first <= last; k++, first += length) {
		char name[4096];
		int64_t end = first + length - 1 < last ? first + length - 1 : last;

		piece_name(name, sizeof name, s->inv->common.output, k);
		status = write_piece(s, first, end, name);
	}
	return status;
}

/* ---- the command ---- */

static int replay_all(struct slicing *s)
{
	struct error err;

	for (size_t i = 0; i < s->m->devices.n; i++) {
		const struct device *d = &s->m->devices.at[i];

		if (d->n_events > 0 && !d->trace_meets_segments) {
			complain("cannot slice '%s': the trace of device %" PRId32
				 " does not reach the segments of the file",
				 model_str(s->m, s->m->file), d->index);
			return STATUS_INPUT;
		}
		if (replay_new(&s->replays[i], s->m, d, &s->inv->budget, &err) < 0)
			return complain_error("replay", model_str(s->m, s->m->file), &err);
	}
	return STATUS_DONE;
}

/* The device of --device, or the one with the highest peak of allocated bytes. */
static int choose_device(struct slicing *s)
{
	const struct device *named;
	uint64_t best = 0;
	int status = load_named_device(s->inv, s->m, &named);

	if (status != STATUS_DONE)
		return status;
	s->d = named;
	for (size_t i = 0; !named && i < s->m->devices.n; i++) {
		uint64_t peak = replay_summary(s->replays[i])->allocated.bytes;

		if (s->m->devices.at[i].index == DEVICE_HOST)
			continue;
		if (!s->d || (peak != BYTES_NONE && peak > best)) {
			s->d = &s->m->devices.at[i];
			best = peak == BYTES_NONE ? 0 : peak;
		}
	}
	if (!s->d) {
		complain("'%s' has no device to slice", model_str(s->m, s->m->file));
		return STATUS_INPUT;
	}
	return STATUS_DONE;
}

static int slice_model(struct slicing *s)
{
	int64_t first, last;
	int status = replay_all(s);

	if (status == STATUS_DONE)
		status = choose_device(s);
	if (status == STATUS_DONE)
		status = wanted_range(s, &first, &last);
	return status == STATUS_DONE ? write_pieces(s, first, last) : status;
}

static int slice_command(struct invocation *inv)
{
	const struct slice_options *own = inv->own;
	struct slicing s = {.inv = inv};
	struct model *m;
	int status = snapshot_file_check(inv, inv->common.output);

	if (status != STATUS_DONE)
		return status;
	if ((own->split || own->max_events) && !strcmp(inv->common.output, "-")) {
		complain("several pieces need -o FILE");
		return STATUS_USAGE;
	}
	status = load_model(inv, inv->operands[0], &m);
	if (status != STATUS_DONE)
		return status;
	s.m = m;
	s.replays = calloc(m->devices.n + 1, sizeof *s.replays);
	s.parts = calloc(m->devices.n + 1, sizeof *s.parts);
	s.before = calloc(m->devices.n + 1, sizeof *s.before);
	s.after = calloc(m->devices.n + 1, sizeof *s.after);
	if (s.replays && s.parts && s.before && s.after) {
		status = slice_model(&s);
	} else {
		complain("out of memory");
		status = STATUS_SYSTEM;
	}
	for (size_t i = 0; s.replays && i < m->devices.n; i++)
		replay_free(s.replays[i]);
	free(s.replays);
	free(s.parts);
	free(s.before);
	free(s.after);
	if (status == STATUS_DONE)
		status = load_status(m, STATUS_DONE);
	model_free(m);
	return status;
}

const struct command cmd_slice = {
	.name = "slice",
	.operands = "FILE",
	.summary = "A stretch of a trace as a smaller snapshot",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_OUTPUT | COMMON_DEVICE | COMMON_RULES | COMMON_STEPS,
	.opts = slice_opts,
	.own_bytes = sizeof(struct slice_options),
	.run = slice_command,
};
