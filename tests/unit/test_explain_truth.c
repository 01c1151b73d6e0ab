/* SPDX-License-Identifier: MIT
 * test_explain_truth.c -- real crash files: the verdict of each, and its numbers against the message.
 *
 * PyTorch's exception text tells what was asked of the driver, what the device had free, and what was
 * allocated and idle at that moment, each to two decimals. The files lie outside the source tree.
 */
#include "model/model.h"
#include "passes/explain.h"
#include "passes/top.h"
#include "tests/lib/explain_alone.h"
#include "tests/lib/tap.h"

struct truth {
	const char *name, *verdict, *idle; /* idle / reserved in percent */
	const char *with_message;          /* the verdict when its message is there, too */
	const char *cause;                 /* "": none */
	size_t ooms, retried;
	enum verdict factor; /* one that must be named too, or VERDICT_UNKNOWN */
};

static const struct truth truths[] = {
	{"oom_activation_batch", "capacity", "1.8", "other_processes", "activations", 30, 29,
	 VERDICT_UNKNOWN},
	{"oom_leak", "capacity", "0.4", "other_processes", "leak", 1, 0, VERDICT_UNKNOWN},
	{"oom_optimizer_first_step", "capacity", "0.0", "other_processes", "optimizer_state_init",
	 1, 0, VERDICT_UNKNOWN},
	{"oom_huge_request", "request_too_large", "2.9", "request_too_large", "single_request", 1,
	 0, VERDICT_UNKNOWN},
	{"oom_memory_fraction", "process_limit", "0.0", "process_limit", "retained_graph", 1, 0,
	 VERDICT_UNKNOWN},
	{"oom_varlen", "fragmentation", "7.7", "fragmentation", "", 1, 0, VERDICT_PROCESS_LIMIT},
	{"oom_expandable", "process_limit", "2.3", "process_limit", "", 1, 0, VERDICT_UNKNOWN},
	{"oom_kv_cache", "process_limit", "0.6", "process_limit", "growing_cache", 1, 0,
	 VERDICT_FRAGMENTATION},
	{"oom_small_ring", "fragmentation", "15.1", "fragmentation", "", 1, 0,
	 VERDICT_PROCESS_LIMIT},
	{"oom_split_pinned", "fragmentation", "79.5", "fragmentation", "", 1, 0,
	 VERDICT_PROCESS_LIMIT},
	{"oom_other_process", "capacity", "0.3", "other_processes", "retained_graph", 1, 0,
	 VERDICT_UNKNOWN},
	{"oom_other_stream", "capacity", "0.3", "other_processes", "", 1, 0, VERDICT_UNKNOWN},
};

/* format_size of c10/core/CachingDeviceAllocator.h. */
static const char *torch_words(char buf[40], uint64_t bytes)
{
	if (bytes <= 1024)
		snprintf(buf, 40, "%" PRIu64 " bytes", bytes);
	else if (bytes <= 1048576)
		snprintf(buf, 40, "%.2f KiB", (double)bytes / 1024);
	else if (bytes <= 1073741824)
		snprintf(buf, 40, "%.2f MiB", (double)bytes / 1048576);
	else
		snprintf(buf, 40, "%.2f GiB", (double)bytes / 1073741824);
	return buf;
}

static char *read_message(const char *folder, const char *name)
{
	char path[4096];
	char *text = calloc(1, 65536);
	FILE *f;

	snprintf(path, sizeof path, "%s/data/oom/%s.message.txt", folder, name);
	f = fopen(path, "r");
	if (f && text && fread(text, 1, 65535, f) == 0)
		diag("%s is empty", path);
	if (f)
		fclose(f);
	return text;
}

/* Does the message say `before` AMOUNT `behind`? */
static void message_says(const char *message, const char *before, uint64_t bytes,
			 const char *behind, const char *name)
{
	char amount[40], sentence[200];

	snprintf(sentence, sizeof sentence, "%s%s%s", before, torch_words(amount, bytes), behind);
	ok(strstr(message, sentence) != NULL, "%s: the message says '%s'", name, sentence);
}

static void check_last(const struct explain_oom *o, const struct truth *t, const char *message)
{
	const struct survey *s = &o->survey;
	uint64_t idle = s->reserved - s->allocated, sum;
	char percent[16];
	bool named = t->factor == VERDICT_UNKNOWN;

	is_str(verdict_name(o->verdict), t->verdict, "%s: verdict", t->name);
	for (size_t i = 0; i < o->n_factors; i++)
		named |= o->factors[i].rule == t->factor;
	ok(named, "%s: with its factor", t->name);
	snprintf(percent, sizeof percent, "%.1f", 100.0 * (double)idle / (double)s->reserved);
	is_str(percent, t->idle, "%s: idle share of reserved", t->name);
	message_says(message, "Tried to allocate ", o->request.attempted, ".", t->name);
	message_says(message, "of which ", o->device_free, " is free", t->name);
	message_says(message, "Of the allocated memory ", s->allocated, " is allocated", t->name);
	message_says(message, "and ", idle, " is reserved by PyTorch but unallocated", t->name);
	sum = s->live + s->slack + s->pending + s->usable;
	for (unsigned u = 0; u < UNUSABLE_COUNT; u++)
		sum += s->unusable[u];
	is_u64(sum, s->reserved, "%s: the balance adds up", t->name);
	ok(o->n_advice > 0, "%s: there is advice", t->name);
	ok(o->site.kind != SITE_NO_STACK, "%s: the one who asked is known", t->name);
}

static void check_sums(const struct model *m, const struct explain *x, struct budget *budget,
		       const char *name)
{
	const struct explain_oom *o = &x->ooms.at[x->main_oom];
	const struct device *d = model_device(m, o->device);
	struct error err = {0};
	struct state state = {0};
	struct replay *r;
	struct top t;

	is_i64(replay_new(&r, m, d, budget, &err), 0, "%s: replayed", name);
	is_i64(replay_seek(r, o->event - 1, &err), 0, "%s: the moment before", name);
	is_i64(replay_state(r, &state, &err), 0, "%s: its state", name);
	is_i64(top_run(&t, m, &state, TOP_SITE, NULL, NULL, budget, &err), 0, "%s: its sites",
	       name);
	is_u64(t.total_bytes, state.totals.active, "%s: rows of top add up to active", name);
	is_u64(t.rows.n, o->look.all_holders, "%s: as many sites as explain has", name);
	for (size_t i = 0; i < o->look.n_holders; i++)
		if (x->holders.at[o->look.first_holder + i].bytes != t.rows.at[i].bytes)
			ok(false, "%s: holder %zu is row %zu of top", name, i, i);
	top_release(&t);
	state_release(&state);
	replay_free(r);
}

static struct input *open_side(const char *folder, const char *name, const char *suffix,
			       struct budget *budget)
{
	static char path[4096];
	struct error err = {0};
	struct input *in = NULL;

	snprintf(path, sizeof path, "%s/data/oom/%s%s", folder, name, suffix);
	ok(input_open(&in, path, budget, &err) == 0, "%s: %s opened", name, suffix);
	return in;
}

/* What the message prints is what the sheet has, to the printed precision. */
static void check_figures(const struct explain_oom *o, const char *name)
{
	const struct oom_message *m = o->card.message;
	const struct balance *b = &o->balance;

	if (!ok(m != NULL, "%s: the message belongs to the failure", name))
		return;
	ok(amount_is(&m->free, o->device_free), "%s: free as printed", name);
	ok(amount_is(&m->allocated, o->survey.allocated), "%s: allocated as printed", name);
	ok(amount_is(&m->reserved, o->survey.reserved), "%s: reserved as printed", name);
	ok(amount_is(&m->attempted, o->request.attempted), "%s: attempted as printed", name);
	ok(b->total.low <= m->total.high && b->total.high >= m->total.low,
	   "%s: the card as printed", name);
	ok(amount_is(&m->self, o->survey.reserved + b->outside.bytes),
	   "%s: this process as printed", name);
	ok(!m->allowed.known || amount_is(&m->allowed, o->card.allowed.bytes),
	   "%s: its limit as printed", name);
}

static void check_sheet(const struct explain_oom *o, const char *name)
{
	const struct balance *b = &o->balance;
	const struct survey *s = &o->survey;
	uint64_t sum = s->live + s->slack + s->pending + s->usable + o->device_free +
		       b->others.bytes + b->outside.bytes + (uint64_t)b->unattributed;

	for (unsigned u = 0; u < UNUSABLE_COUNT; u++)
		sum += s->unusable[u];
	if (o->categories_known) {
		uint64_t in_use = 0;

		for (int c = 0; c < CATEGORY_COUNT; c++)
			in_use += o->by_category[c];
		is_u64(in_use, s->allocated, "%s: categories add up to what is in use", name);
	}
	is_u64(sum, b->total.bytes, "%s: the sheet adds up to the card", name);
	ok(b->unattributed > -(INT64_C(64) << 20) && b->unattributed < INT64_C(64) << 20,
	   "%s: all but a little is attributed", name);
}

/* Again, with the message, and with the observer's note too. */
static void check_with_message(const char *folder, const struct truth *t, const struct model *m,
			       struct budget *budget)
{
	struct observer_note note;
	struct oom_log log;
	struct explain_side side = {.log = &log};
	struct explain_options options = {.side = &side, .categories = true};
	struct error err = {0};
	struct input *in = open_side(folder, t->name, ".message.txt", budget);

	is_i64(oom_log_read(&log, in, budget, &err), 0, "%s: message read", t->name);
	input_close(in);
	in = open_side(folder, t->name, ".observer.json.zst", budget);
	is_i64(observer_read(&note, in, budget, &err), 0, "%s: note read", t->name);
	input_close(in);
	for (int with_note = 0; with_note < 2; with_note++) {
		const struct explain_oom *o;
		struct explain x;

		side.observer = with_note ? &note : NULL;
		is_i64(explain_alone(&x, m, &options, budget, &err), 0, "%s: explained", t->name);
		o = &x.ooms.at[x.main_oom];
		is_str(verdict_name(o->verdict), t->with_message, "%s: verdict with its message",
		       t->name);
		ok(o->card.observer_fits == with_note, "%s: the note belongs to it", t->name);
		check_figures(o, t->name);
		check_sheet(o, t->name);
		explain_release(&x);
	}
	oom_log_release(&log);
}

static void check_file(const char *folder, const struct truth *t)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	struct explain_options all = {0};
	char *message = read_message(folder, t->name);
	struct error err = {0};
	char path[4096];
	struct model *m;
	struct explain x;
	size_t retried = 0;

	snprintf(path, sizeof path, "%s/data/oom/%s.pickle.zst", folder, t->name);
	if (!is_i64(model_load(&m, path, &options, &err), 0, "%s: opened", t->name)) {
		diag("%s", err.text);
		free(message);
		return;
	}
	if (is_i64(explain_alone(&x, m, &all, &budget, &err), 0, "%s: explained", t->name)) {
		is_u64(x.ooms.n, t->ooms, "%s: oom events", t->name);
		for (size_t i = 0; i < x.ooms.n; i++)
			retried += x.ooms.at[i].retried;
		is_u64(retried, t->retried, "%s: of them retried", t->name);
		is_u64(x.main_oom, x.ooms.n - 1, "%s: the last is told first", t->name);
		check_last(&x.ooms.at[x.main_oom], t, message);
		is_str(cause_name(x.ooms.at[x.main_oom].cause.cause)
			       ? cause_name(x.ooms.at[x.main_oom].cause.cause)
			       : "",
		       t->cause, "%s: cause", t->name);
		check_sums(m, &x, &budget, t->name);
		check_with_message(folder, t, m, &budget);
		explain_release(&x);
	}
	model_free(m);
	is_u64(budget.used, 0, "%s: nothing is left", t->name);
	free(message);
}

/* nvidia-smi alone names the other process. */
static void check_smi(const char *folder)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options load = {.budget = &budget};
	struct nvidia_smi smi;
	struct explain_side side = {.smi = &smi};
	struct explain_options options = {.side = &side, .categories = true};
	struct error err = {0};
	struct input *in = open_side(folder, "oom_other_process", ".nvidia-smi.xml.zst", &budget);
	char path[4096];
	struct model *m;
	struct explain x;

	is_i64(nvidia_smi_read(&smi, in, &budget, &err), 0, "nvidia-smi read");
	input_close(in);
	snprintf(path, sizeof path, "%s/data/oom/oom_other_process.pickle.zst", folder);
	is_i64(model_load(&m, path, &load, &err), 0, "opened");
	is_i64(explain_alone(&x, m, &options, &budget, &err), 0, "explained");
	is_str(verdict_name(x.ooms.at[x.main_oom].verdict), "other_processes",
	       "by nvidia-smi alone");
	is_u64(x.ooms.at[x.main_oom].balance.total.bytes, UINT64_C(143155) << 20,
	       "the card for programs");
	explain_release(&x);
	nvidia_smi_release(&smi);
	model_free(m);
	is_u64(budget.used, 0, "nothing is left");
}

int main(void)
{
	const char *folder = getenv("VRAMSCOPE_SHARED");

	if (!folder || !*folder)
		return skip_all("no real recordings: set VRAMSCOPE_SHARED to their folder");
	for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
		check_file(folder, &truths[i]);
	check_smi(folder);
	return done_testing();
}
