/* SPDX-License-Identifier: MIT
 * moment.c -- the words of --at: start, end, peak, oom, oom:K, time:US, or an event number.
 */
#include "replay/moment.h"

#include <assert.h>
#include <string.h>

#include "replay/replay_impl.h"

#define MEANS_NOTHING \
	"'%s' is no moment: say start, end, peak, oom, oom:K, time:US or an event number"

#define DIGITS "0123456789"

/* A decimal number that fills the whole text, below 2^63; also as text for people has it: 199,990. */
static bool parse_number(const char *text, int64_t *out)
{
	size_t digits = strspn(text, DIGITS);
	int64_t n = 0;

	if (!digits || (text[digits] == ',' && digits > 3))
		return false;
	for (;;) {
		for (; digits > 0; digits--, text++) {
			if (__builtin_mul_overflow(n, 10, &n) ||
			    __builtin_add_overflow(n, *text - '0', &n))
				return false;
		}
		if (*text != ',')
			break;
		digits = strspn(++text, DIGITS);
		if (digits != 3)
			return false;
	}
	if (*text)
		return false;
	*out = n;
	return true;
}

static uint8_t action_at(const struct model *m, const struct device *d, uint64_t number)
{
	return m->events.action.at[d->first_event + number];
}

/* k < 0: the last one. */
static int find_oom(struct moment *out, int64_t k, const struct model *m, const struct device *d,
		    struct error *err)
{
	int64_t found = -1, seen = 0;

	for (uint64_t i = 0; i < d->n_events; i++) {
		if (action_at(m, d, i) != ACTION_OOM)
			continue;
		if (k < 0 || seen == k)
			found = (int64_t)i;
		seen++;
	}
	if (!seen)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "the trace of device %d has no oom event", d->index);
	if (found < 0)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "there is no oom:%lld: device %d has %lld oom events, from oom:0",
				 (long long)k, d->index, (long long)seen);
	*out = (struct moment){.event = found - 1};
	return 0;
}

static int find_time(struct moment *out, int64_t time_us, const struct model *m,
		     const struct device *d, struct error *err)
{
	bool has_times = false;

	for (uint64_t i = d->n_events; i-- > 0;) {
		int64_t t = m->events.time_us.at[d->first_event + i];

		if (t == TIME_NONE)
			continue;
		has_times = true;
		if (t <= time_us) {
			*out = (struct moment){.event = (int64_t)i};
			return 0;
		}
	}
	if (!has_times)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "the events of device %d carry no times", d->index);
	*out = (struct moment){.event = EVENT_START};
	return 0;
}

static int find_event(struct moment *out, int64_t n, const struct device *d, struct error *err)
{
	if (n >= (int64_t)d->n_events)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "there is no event %lld: device %d has %llu events", (long long)n,
				 d->index, (unsigned long long)d->n_events);
	*out = (struct moment){.event = n};
	return 0;
}

static int find_end(struct moment *out, const struct model *m, const struct device *d,
		    struct error *err)
{
	if (d->counted) {
		*out = (struct moment){.event = (int64_t)d->n_events - 1};
		return 0;
	}
	if (!m->has_segments)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "the file has no segments that tell the end");
	*out = (struct moment){.event = (int64_t)d->n_events - 1, .is_file_end = true};
	return 0;
}

int moment_parse(struct moment *out, const char *text, const struct model *m,
		 const struct device *d, const struct replay *r, struct error *err)
{
	int64_t n;

	if (strcmp(text, "start") == 0 || strcmp(text, "-1") == 0) {
		*out = (struct moment){.event = EVENT_START};
		return 0;
	}
	if (strcmp(text, "end") == 0)
		return find_end(out, m, d, err);
	if (strcmp(text, "peak") == 0) {
		assert(r);
		*out = (struct moment){.event = replay_summary(r)->allocated.event};
		return 0;
	}
	if (strcmp(text, "oom") == 0)
		return find_oom(out, -1, m, d, err);
	if (strncmp(text, "oom:", 4) == 0 && parse_number(text + 4, &n))
		return find_oom(out, n, m, d, err);
	if (strncmp(text, "time:", 5) == 0 && parse_number(text + 5, &n))
		return find_time(out, n, m, d, err);
	if (parse_number(text, &n))
		return find_event(out, n, d, err);
	return error_set(err, ERR_USAGE, ERR_NO_OFFSET, MEANS_NOTHING, text);
}

int moment_state(struct state *out, const struct moment *at, const struct model *m,
		 struct replay *r, struct budget *budget, struct error *err)
{
	int rc;

	if (at->is_file_end)
		return state_from_segments(out, m, r->d, budget, err);
	rc = replay_seek(r, at->event, err);
	return rc < 0 ? rc : replay_state(r, out, err);
}
