/* SPDX-License-Identifier: MIT
 * timeline_verdict_words.c -- the verdicts over a timeline as sentences, each with its evidence.
 */
#include "reports/timeline_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "passes/timeline_verdicts.h"
#include "reports/clean.h"
#include "reports/emit.h"

#define STEP_WORDS 160

/* "step 3 (ProfilerStep#3)" */
static const char *step_words(char buf[STEP_WORDS], const struct timeline *t, int64_t step)
{
	char label[41 * CLEAN_MAX];
	const struct str *s;
	str_id name = STR_NONE;

	if (t->phases && (size_t)step < t->phases->steps.n)
		name = t->phases->steps.at[step].label;
	if (name.i == 0) {
		(void)snprintf(buf, STEP_WORDS, "step %" PRId64, step);
		return buf;
	}
	s = strtab_get(&t->model->strings, name);
	(void)snprintf(buf, STEP_WORDS, "step %" PRId64 " (%.100s)", step,
		       clean_elide(label, sizeof label, s->bytes, s->length, 40));
	return buf;
}

static const char *category_words(enum category c)
{
	static const char *const words[CATEGORY_COUNT] = {
		[CATEGORY_PARAMETER] = "parameters are",
		[CATEGORY_OPTIMIZER_STATE] = "optimizer state is",
		[CATEGORY_INPUT] = "inputs are",
		[CATEGORY_TEMPORARY] = "temporaries are",
		[CATEGORY_ACTIVATION] = "activations are",
		[CATEGORY_GRADIENT] = "gradients are",
		[CATEGORY_AUTOGRAD_DETAIL] = "autograd detail is",
		[CATEGORY_UNKNOWN] = "memory of unknown purpose is",
	};

	return words[c];
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void words_place(char *out, size_t size, const struct timeline *t,
			const struct timeline_verdict *v)
{
	char all[UNITS_BUF], part[UNITS_BUF], step[STEP_WORDS], place[TIMELINE_PLACE];
	int n = snprintf(out, size, "The peak, %s at %s, falls ", units_bytes(all, v->of),
			 timeline_place(place, t, &t->peak));

	if (v->step >= 0)
		n += snprintf(out + n, size - (size_t)n, "in %s", step_words(step, t, v->step));
	else
		n += snprintf(out + n, size - (size_t)n, "outside of any step");
	if (v->phase != PHASE_NONE)
		n += snprintf(out + n, size - (size_t)n, ", in %s", phase_name(v->phase));
	(void)snprintf(out + n, size - (size_t)n, "; %s the largest part of it: %s, %.0f %%.",
		       category_words(v->category), units_bytes(part, v->bytes),
		       percent(v->bytes, v->of));
}

static void words_gradients(char *out, size_t size, const struct timeline *t,
			    const struct timeline_verdict *v)
{
	char bytes[UNITS_BUF], count[UNITS_BUF], of[UNITS_BUF], step[STEP_WORDS], steps[64];

	(void)units_noun(steps, sizeof steps, v->count, "step", "steps");
	if (v->kind == VERDICT_GRADIENTS_SURVIVE)
		(void)snprintf(out, size,
			       "Gradients survive the step boundary: in %s of %s steps those of an "
			       "earlier one are still there at its highest "
			       "moment, in %s %s, %.0f %% of it. "
			       "zero_grad(set_to_none=True) before the forward pass would free "
			       "them.",
			       units_count(count, v->count), units_count(of, v->low),
			       step_words(step, t, v->step), units_bytes(bytes, v->bytes),
			       percent(v->bytes, v->of));
	else if (v->bytes > 0)
		(void)snprintf(out, size,
			       "Gradients are freed in time: at most %s outlive their step, and "
			       "are gone when the next one is at its highest (%s looked at).",
			       units_bytes(bytes, v->bytes), steps);
	else
		(void)snprintf(out, size,
			       "Gradients do not survive the step boundary: none is left at the "
			       "end of a step (%s looked at).",
			       steps);
}

static void words_state(char *out, size_t size, const struct timeline *t,
			const struct timeline_verdict *v)
{
	char bytes[UNITS_BUF], step[STEP_WORDS], times[64] = "", steps[64];

	if (v->kind == VERDICT_STATE_BEFORE) {
		(void)snprintf(out, size,
			       "Optimizer state was there before the recording began: %s.",
			       units_bytes(bytes, v->bytes));
		return;
	}
	if (v->of > 0)
		(void)snprintf(times, sizeof times, ", %.1f times the gradients then",
			       (double)v->bytes / (double)v->of);
	if (v->high > 0)
		(void)snprintf(
			out, size, "Optimizer state appears in %s: %s%s; the %s behind it %s %s.",
			step_words(step, t, v->step), units_bytes(bytes, v->bytes), times,
			units_noun(steps, sizeof steps, v->high, "step", "steps"),
			v->high == 1 ? "adds" : "add", v->low ? "next to nothing" : "nothing");
	else
		(void)snprintf(out, size, "Optimizer state appears in %s: %s%s.",
			       step_words(step, t, v->step), units_bytes(bytes, v->bytes), times);
}

static void words_steps(char *out, size_t size, const struct timeline_verdict *v)
{
	char low[UNITS_BUF], high[UNITS_BUF], first[UNITS_BUF], event[UNITS_BUF];

	units_bytes(low, v->low);
	units_bytes(high, v->high);
	if (v->low == v->high)
		(void)snprintf(out, size,
			       "Steps %" PRId64 " to %" PRId64
			       " reach exactly the same height: %s (step 0: %s).",
			       v->step, v->last_step, high, units_bytes(first, v->bytes));
	else if (v->kind == VERDICT_STEPS_EQUAL)
		(void)snprintf(out, size,
			       "Steps %" PRId64 " to %" PRId64
			       " reach the same height within %.2g %%: %s to %s (step 0: %s).",
			       v->step, v->last_step, 100 * v->spread, low, high,
			       units_bytes(first, v->bytes));
	else
		(void)snprintf(out, size,
			       "Steps %" PRId64 " to %" PRId64
			       " differ by %.0f %% at their highest: %s to %s, the latter at "
			       "event %s.",
			       v->step, v->last_step, 100 * v->spread, low, high,
			       units_count(event, (uint64_t)v->event));
}

static void words_growth(char *out, size_t size, const struct timeline_verdict *v)
{
	char bytes[UNITS_BUF], count[UNITS_BUF];

	units_bytes(bytes, v->bytes);
	if (v->kind == VERDICT_GROWTH)
		(void)snprintf(out, size,
			       "Memory grows by %s a step and does not come back (%s steps); "
			       "vramscope leaks tells where.",
			       bytes, units_count(count, v->count));
	else
		(void)snprintf(out, size,
			       "A saw-tooth with a period of about %.0f steps: up to %s pile up "
			       "and are freed at once, %s times. Such memory hangs in reference "
			       "cycles until Python's "
			       "collector runs.",
			       v->period, bytes, units_count(count, v->count));
}

void timeline_verdict_words(char *out, size_t size, const struct timeline *t,
			    const struct timeline_verdict *v)
{
	char bytes[UNITS_BUF], count[UNITS_BUF];

	out[0] = '\0';
	switch (v->kind) {
	case VERDICT_PEAK_PLACE:
		words_place(out, size, t, v);
		break;
	case VERDICT_OPTIMIZER_SPIKE:
		(void)snprintf(out, size,
			       "At the peak %s, %.0f %%, are %s temporaries of the optimizer, "
			       "which works on all parameters at "
			       "once; foreach=False or fused=True avoids them.",
			       units_bytes(bytes, v->bytes), percent(v->bytes, v->of),
			       units_count(count, v->count));
		break;
	case VERDICT_GRADIENTS_SURVIVE:
	case VERDICT_GRADIENTS_GO:
		words_gradients(out, size, t, v);
		break;
	case VERDICT_STATE_APPEARS:
	case VERDICT_STATE_BEFORE:
		words_state(out, size, t, v);
		break;
	case VERDICT_STEPS_EQUAL:
	case VERDICT_STEPS_DIFFER:
		words_steps(out, size, v);
		break;
	case VERDICT_GROWTH:
	case VERDICT_SAW_TOOTH:
		words_growth(out, size, v);
		break;
	case VERDICT_KINDS:
		break;
	}
}

const char *timeline_steps_words(char *out, size_t size, const struct timeline *t)
{
	const struct phases *p = t->phases;
	char count[64];

	if (!p)
		out[0] = '\0';
	else if (p->source == STEPS_NONE)
		(void)snprintf(out, size, "No steps were found in the trace.");
	else
		(void)snprintf(out, size, "%s found by %s, confidence %s.",
			       units_noun(count, sizeof count, p->steps.n, "step", "steps"),
			       step_source_name(p->source), confidence_name(p->confidence));
	return out;
}
