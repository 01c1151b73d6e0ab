/* SPDX-License-Identifier: MIT
 * study.c -- one device's replay and what its lives are for, made once for all that ask.
 */
#include "passes/study.h"

void study_init(struct study *s, const struct model *m, const struct rules *rules,
		const struct phases_options *steps, struct budget *budget)
{
	*s = (struct study){.m = m, .rules = rules, .steps = steps, .budget = budget};
}

void study_take(struct study *s, struct replay **replay, struct purpose **purpose)
{
	*replay = s->replay;
	*purpose = s->purpose;
	s->replay = NULL;
	s->purpose = NULL;
	s->device = NULL;
}

static void forget_device(struct study *s)
{
	struct purpose *purpose;
	struct replay *replay;

	study_take(s, &replay, &purpose);
	purpose_free(purpose);
	replay_free(replay);
}

void study_release(struct study *s)
{
	forget_device(s);
	rules_free(s->builtin);
	s->builtin = NULL;
}

struct replay *study_replay(struct study *s, const struct device *d, struct error *err)
{
	if (s->device == d)
		return s->replay;
	forget_device(s);
	if (replay_new(&s->replay, s->m, d, s->budget, err) < 0)
		return NULL;
	s->device = d;
	return s->replay;
}

const struct purpose *study_purpose(struct study *s, const struct device *d, struct error *err)
{
	struct replay *r = study_replay(s, d, err);

	if (!r || s->purpose)
		return r ? s->purpose : NULL;
	if (!s->rules) {
		if (rules_new(&s->builtin, s->budget, err) < 0)
			return NULL;
		s->rules = s->builtin;
	}
	if (purpose_new(&s->purpose, s->rules, s->m, r, d, s->steps, s->budget, err) < 0)
		s->purpose = NULL;
	return s->purpose;
}
