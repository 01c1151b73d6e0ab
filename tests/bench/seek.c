/* SPDX-License-Identifier: MIT
 * seek.c -- how long a jump to a random event takes once a file is loaded.
 *
 *     seek FILE [JUMPS]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/model.h"
#include "replay/replay.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The device with most events. */
static const struct device *busiest(const struct model *m)
{
	const struct device *best = NULL;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = &m->devices.at[i];

		if (!best || d->n_events > best->n_events)
			best = d;
	}
	return best;
}

static int jump(struct replay *r, uint64_t n_events, int jumps, struct error *err)
{
	uint64_t state = 88172645463325252u; /* the same jumps on every run */
	double worst = 0, sum = 0;

	for (int i = 0; i < jumps; i++) {
		double start, took;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		start = now_ms();
		if (replay_seek(r, (int64_t)(state % n_events), err) < 0)
			return err->code;
		took = now_ms() - start;
		sum += took;
		worst = took > worst ? took : worst;
	}
	printf("%d jumps over %" PRIu64 " events: mean %.2f ms, worst %.2f ms\n", jumps, n_events,
	       sum / jumps, worst);
	return 0;
}

int main(int argc, char **argv)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	const struct device *d;
	struct replay *r = NULL;
	struct model *m = NULL;
	struct error err = {0};
	int jumps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 200;
	int rc;

	if (argc < 2 || jumps < 1)
		return 2;
	rc = model_load(&m, argv[1], &options, &err);
	d = rc < 0 ? NULL : busiest(m);
	if (rc == 0 && (!d || d->n_events == 0))
		rc = error_set(&err, ERR_NO_MOMENT, ERR_NO_OFFSET, "no events");
	if (rc == 0)
		rc = replay_new(&r, m, d, &budget, &err);
	if (rc == 0)
		rc = jump(r, d->n_events, jumps, &err);
	if (rc < 0)
		fprintf(stderr, "seek: '%s': %s\n", argv[1], err.text);
	replay_free(r);
	model_free(m);
	return rc < 0 ? 3 : 0;
}
