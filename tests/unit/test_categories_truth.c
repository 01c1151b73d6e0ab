/* SPDX-License-Identifier: MIT
 * test_categories_truth.c -- real recordings whose tensors are known: how many bytes are told right.
 *
 * Each recording is judged as it is, without its C++ frames, and without the events of its first
 * step. The files lie outside the source tree.
 */
#include "decode/xml_read.h"
#include "passes/purpose.h"
#include "replay/moment.h"
#include "tests/lib/tap.h"

static const char *const names[] = {
	"compiled_after_backward",
	"compiled_end",
	"gpt2_adamw_amp_after_backward",
	"gpt2_adamw_amp_after_forward",
	"gpt2_adamw_amp_end",
	"lightning_end",
	"lstm_adam_after_backward",
	"lstm_adam_after_forward",
	"lstm_adam_end",
	"resnet18_adam_after_backward",
	"resnet18_adam_after_forward",
	"resnet18_adam_end",
	"transformer_adamw_after_backward",
	"transformer_adamw_after_forward",
	"transformer_adamw_end",
	"unet_adamw_after_backward",
	"unet_adamw_after_forward",
	"unet_adamw_end",
};

struct label {
	uint64_t address;
	char category[24];
};

struct labels {
	struct label *at;
	size_t n;
};

static char *read_all(const char *path, struct budget *budget)
{
	struct input *in;
	struct error err;
	char *text = calloc(1, 1 << 22);
	size_t n = 0;

	if (!text || input_open(&in, path, budget, &err) < 0) {
		free(text);
		return NULL;
	}
	while (input_peek(in, 1, &err) == 0 && in->at < in->end) {
		size_t more = (size_t)(in->end - in->at);

		if (n + more >= 1 << 22)
			break;
		memcpy(text + n, in->at, more);
		n += more;
		in->at = in->end;
	}
	input_close(in);
	return text;
}

/* {"blocks": [{"addr": 1, "nbytes": 2, "category": "X", "name": "y"}, ...]} */
static struct labels read_labels(const char *path, struct budget *budget)
{
	struct labels l = {calloc(8192, sizeof *l.at), 0};
	char *text = read_all(path, budget), *at = text;

	while (at && l.at && l.n < 8192 && (at = strstr(at, "\"addr\": "))) {
		struct label *x = &l.at[l.n];
		char *word = strstr(at, "\"category\": \"");

		x->address = strtoull(at + 8, NULL, 10);
		if (!word || sscanf(word + 13, "%23[A-Z_]", x->category) != 1)
			break;
		l.n++;
		at = word;
	}
	free(text);
	return l;
}

/* --- variants ---------------------------------------------------------------------------------- */

static bool is_python(const struct model *m, frame_id f)
{
	const struct str *s = strtab_get(&m->strings, m->stacks.frames.at[f.i].file);

	return (s->length > 3 && !memcmp(s->bytes + s->length - 3, ".py", 3)) ||
	       (s->length && s->bytes[0] == '<');
}

static stack_id without_native(struct model *m, stack_id stack)
{
	frame_id frames[1024];
	struct error err;
	size_t n = 0;

	if (stack.i == STACK_ABSENT.i)
		return stack;
	for (size_t k = 0; k < stacks_depth(&m->stacks, stack) && n < 1024; k++) {
		frame_id f = m->stacks.pool.at[m->stacks.start.at[stack.i] + k];

		if (is_python(m, f))
			frames[n++] = f;
	}
	if (stacks_add(&m->stacks, frames, n, &stack, &err) < 0)
		diag("%s", err.text);
	return stack;
}

static void strip_native(struct model *m)
{
	for (size_t i = 0; i < m->events.stack.n; i++)
		m->events.stack.at[i] = without_native(m, m->events.stack.at[i]);
	for (size_t i = 0; i < m->blocks.n; i++)
		m->blocks.at[i].stack = without_native(m, m->blocks.at[i].stack);
	m->stacks_python_only = true;
}

/* Leave out the events until the first optimizer step has ended. */
static void cut_first_step(struct model *m)
{
	struct device *d = &m->devices.at[0];
	int64_t until = INT64_MIN;

	for (size_t i = 0; i < m->annotations.n; i++) {
		const struct annotation *a = &m->annotations.at[i];

		if (a->is_end && !strncmp(model_str(m, a->name), "Optimizer.step#", 15)) {
			until = a->time_us;
			break;
		}
	}
	while (d->n_events && m->events.time_us.at[d->first_event] <= until) {
		d->first_event++;
		d->n_events--;
	}
}

/* --- judging ----------------------------------------------------------------------------------- */

enum variant { AS_IS, NO_NATIVE, CUT, NO_NATIVE_CUT, VARIANTS };

static const char *const variant_names[VARIANTS] = {"as it is", "without C++ frames",
						    "without its first step", "without both"};

static double share_right(const struct purpose *p, const struct state *s, const struct labels *l)
{
	uint64_t right = 0, all = 0;

	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct state_block *b = &s->blocks.at[i];

		if (b->state == BLOCK_INACTIVE)
			continue;
		for (size_t k = 0; k < l->n; k++) {
			struct allocation_category x;

			if (l->at[k].address != b->address)
				continue;
			x = categories_of_block(&p->categories, b);
			all += b->size;
			if (!strcmp(category_name((enum category)x.category), l->at[k].category))
				right += b->size;
			break;
		}
	}
	return all ? 100.0 * (double)right / (double)all : 0;
}

static double judge(const char *path, const struct labels *l, enum variant v,
		    const struct rules *rules, struct budget *budget)
{
	struct model_options options = {.budget = budget};
	struct purpose *p = NULL;
	struct replay *r = NULL;
	struct moment at;
	struct state s = {0};
	struct error err;
	struct model *m;
	double share = 0;

	if (model_load(&m, path, &options, &err) < 0)
		return 0;
	if (v == NO_NATIVE || v == NO_NATIVE_CUT)
		strip_native(m);
	if (v == CUT || v == NO_NATIVE_CUT)
		cut_first_step(m);
	if (replay_new(&r, m, &m->devices.at[0], budget, &err) == 0 &&
	    purpose_new(&p, rules, m, r, &m->devices.at[0], NULL, budget, &err) == 0 &&
	    moment_parse(&at, "end", m, &m->devices.at[0], r, &err) == 0 &&
	    moment_state(&s, &at, m, r, budget, &err) == 0)
		share = share_right(p, &s, l);
	else
		diag("%s: %s", path, err.text);
	state_release(&s);
	purpose_free(p);
	replay_free(r);
	model_free(m);
	return share;
}

static void check_labelled(const char *folder, const struct rules *rules, struct budget *budget)
{
	const size_t n = sizeof names / sizeof *names;
	double sums[VARIANTS] = {0};

	for (size_t i = 0; i < n; i++) {
		char path[4096], labels[4096];
		struct labels l;

		snprintf(path, sizeof path, "%s/data/labelled/labelled_%s.pickle.zst", folder,
			 names[i]);
		snprintf(labels, sizeof labels, "%s/data/labelled/labelled_%s.labels.json.zst",
			 folder, names[i]);
		l = read_labels(labels, budget);
		ok(l.n > 10, "%s: %zu labels", names[i], l.n);
		for (int v = 0; v < VARIANTS; v++) {
			double share = judge(path, &l, (enum variant)v, rules, budget);

			sums[v] += share;
			ok(share >= (v == AS_IS ? 97 : 88), "%s %s: %.2f %% right", names[i],
			   variant_names[v], share);
		}
		free(l.at);
	}
	for (int v = 0; v < VARIANTS; v++)
		ok(sums[v] / (double)n >= 95, "%s: %.2f %% on average", variant_names[v],
		   sums[v] / (double)n);
}

/* The profiler's own categories at its peak; recording began when model and state were there. */
static void check_profiler(const char *folder, const struct rules *rules, struct budget *budget)
{
	static const double want[CATEGORY_COUNT] = {
		[CATEGORY_PARAMETER] = 44.6, [CATEGORY_OPTIMIZER_STATE] = 89.2,
		[CATEGORY_INPUT] = 4.6,      [CATEGORY_ACTIVATION] = 156.6,
		[CATEGORY_GRADIENT] = 38.0,  [CATEGORY_AUTOGRAD_DETAIL] = 4.6,
	};
	const double peak = 355.6, workspaces = 65.0;
	struct model_options options = {.budget = budget};
	double got[CATEGORY_COUNT] = {0};
	struct purpose *p;
	struct replay *r;
	struct moment at;
	struct state s;
	struct error err;
	struct model *m;
	char path[4096];

	snprintf(path, sizeof path, "%s/data/profiler/prof_resnet18.pickle.zst", folder);
	if (!is_i64(model_load(&m, path, &options, &err), 0, "the profiled run"))
		return;
	is_i64(replay_new(&r, m, &m->devices.at[0], budget, &err), 0, "replayed");
	is_i64(purpose_new(&p, rules, m, r, &m->devices.at[0], NULL, budget, &err), 0, "told");
	is_i64(moment_parse(&at, "peak", m, &m->devices.at[0], r, &err), 0, "its peak");
	is_i64(moment_state(&s, &at, m, r, budget, &err), 0, "its state");
	for (size_t i = 0; i < s.blocks.n; i++)
		if (s.blocks.at[i].state != BLOCK_INACTIVE)
			got[categories_of_block(&p->categories, &s.blocks.at[i]).category] +=
				(double)s.blocks.at[i].size / 1048576;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		double off = got[c] - want[c];

		/* What the profiler calls unknown we call scratch or unknown. */
		if (c == CATEGORY_TEMPORARY || c == CATEGORY_UNKNOWN)
			continue;
		ok(off < peak / 20 && off > -peak / 20, "profiler: %s %.1f MiB, %.1f here",
		   category_name((enum category)c), want[c], got[c]);
	}
	got[CATEGORY_UNKNOWN] += got[CATEGORY_TEMPORARY] - workspaces - 18.0;
	ok(got[CATEGORY_UNKNOWN] < peak / 20 && got[CATEGORY_UNKNOWN] > -peak / 20,
	   "profiler: the rest, off by %.1f MiB", got[CATEGORY_UNKNOWN]);
	state_release(&s);
	purpose_free(p);
	replay_free(r);
	model_free(m);
}

int main(void)
{
	const char *folder = getenv("VRAMSCOPE_SHARED");
	struct budget budget = {.limit = UINT64_MAX};
	struct rules *rules;
	struct error err;

	if (!folder || !*folder)
		return skip_all("no real recordings: set VRAMSCOPE_SHARED to their folder");
	if (!is_i64(rules_new(&rules, &budget, &err), 0, "the rules"))
		return done_testing();
	check_labelled(folder, rules, &budget);
	check_profiler(folder, rules, &budget);
	rules_free(rules);
	is_u64(budget.used, 0, "all memory was given back");
	xml_forget();
	return done_testing();
}
