/* SPDX-License-Identifier: MIT
 * test_snapshot_out.c -- snapshots written again: whole ones are equal, stretches have the same
 * state at each of their events.
 */
#include "reports/snapshot_out.h"

#include "tests/lib/tap.h"

struct loaded_file {
	struct model *m;
	struct replay *r;
};

static struct budget budget = {.limit = UINT64_C(1) << 30};

static bool load_bytes(struct loaded_file *f, const char *bytes, size_t n)
{
	const struct model_options options = {.budget = &budget};
	struct error err = {0};

	*f = (struct loaded_file){0};
	if (!is_i64(model_load_bytes(&f->m, bytes, n, "memory", &options, &err), 0, "read again"))
		diag("%s", err.text);
	if (f->m)
		is_i64(replay_new(&f->r, f->m, &f->m->devices.at[0], &budget, &err), 0, "replayed");
	return f->r != NULL;
}

static void release(struct loaded_file *f)
{
	replay_free(f->r);
	model_free(f->m);
}

static bool same_state(const struct state *a, const struct state *b)
{
	if (a->segments.n != b->segments.n || a->blocks.n != b->blocks.n)
		return false;
	for (size_t i = 0; i < a->segments.n; i++) {
		const struct state_segment *x = &a->segments.at[i], *y = &b->segments.at[i];

		if (x->address != y->address || x->size != y->size || x->stream != y->stream ||
		    x->kind != y->kind || x->is_expandable != y->is_expandable)
			return false;
	}
	for (size_t i = 0; i < a->blocks.n; i++) {
		const struct state_block *x = &a->blocks.at[i], *y = &b->blocks.at[i];

		if (x->address != y->address || x->size != y->size || x->state != y->state ||
		    x->requested != y->requested)
			return false;
	}
	return true;
}

static struct state state_at(struct replay *r, int64_t event)
{
	struct state s = {0};
	struct error err;

	if (replay_seek(r, event, &err) < 0 || replay_state(r, &s, &err) < 0)
		diag("event %" PRId64 ": %s", event, err.text);
	return s;
}

/* Write events first .. last and compare every moment of it with the source. */
static void check_stretch(struct loaded_file *source, int64_t first, int64_t last,
			  enum snapshot_form form)
{
	struct state before = state_at(source->r, first - 1);
	struct state after = state_at(source->r, last);
	struct snapshot_part part = {.first = (uint64_t)first,
				     .n = (uint64_t)(last - first + 1),
				     .before = &before,
				     .after = &after};
	struct snapshot_out s = {
		.model = source->m, .parts = &part, .from_us = TIME_NONE, .to_us = TIME_NONE};
	struct loaded_file slice;
	struct error err = {0};
	struct out *out;
	size_t n, wrong = 0;

	is_i64(out_open_memory(&out, &err), 0, "a place to write to");
	is_i64(snapshot_write(out, &s, form, &budget, &err), 0, "written");
	const char *bytes = out_memory(out, &n);
	if (load_bytes(&slice, bytes, n)) {
		is_u64(slice.m->devices.at[0].n_events, part.n, "its events");
		ok(replay_summary(slice.r)->equals_file, "its trace meets its segments");
		for (int64_t e = first - 1; e <= last; e++) {
			struct state want = state_at(source->r, e);
			struct state got = state_at(slice.r, e - first);

			wrong += !same_state(&want, &got);
			state_release(&want);
			state_release(&got);
		}
		is_u64(wrong, 0, "events %" PRId64 " to %" PRId64 ": every state is the source's",
		       first, last);
	}
	release(&slice);
	is_i64(out_close(out, &err), 0, "closed");
	state_release(&before);
	state_release(&after);
}

static void check_whole(struct loaded_file *source, enum snapshot_form form)
{
	struct snapshot_part part = {.n = source->m->devices.at[0].n_events};
	struct snapshot_out s = {
		.model = source->m, .parts = &part, .from_us = TIME_NONE, .to_us = TIME_NONE};
	struct loaded_file copy;
	struct error err = {0};
	struct out *out;
	size_t n;

	is_i64(out_open_memory(&out, &err), 0, "a place to write to");
	is_i64(snapshot_write(out, &s, form, &budget, &err), 0, "written");
	const char *bytes = out_memory(out, &n);
	if (load_bytes(&copy, bytes, n)) {
		const struct model *a = source->m, *b = copy.m;
		size_t wrong = 0;

		is_u64(b->events.action.n, a->events.action.n, "all events");
		is_u64(b->annotations.n, a->annotations.n, "all annotations");
		is_u64(stacks_count(&b->stacks), stacks_count(&a->stacks), "all stacks");
		for (size_t i = 0; i < a->events.action.n && i < b->events.action.n; i++)
			wrong += a->events.action.at[i] != b->events.action.at[i] ||
				 a->events.addr.at[i] != b->events.addr.at[i] ||
				 a->events.size.at[i] != b->events.size.at[i] ||
				 a->events.time_us.at[i] != b->events.time_us.at[i];
		is_u64(wrong, 0, "each event as it was");
		is_u64(b->settings.max_split_bytes, a->settings.max_split_bytes, "settings");
		is_u64(b->unknown_keys.n, 0, "no key of ours is strange to us");
	}
	release(&copy);
	is_i64(out_close(out, &err), 0, "closed");
}

int main(void)
{
	static const char *const files[] = {"oom_split_pinned.pickle.zst",
					    "oom_small_ring.pickle.zst", "good-container.pickle"};
	const struct model_options options = {.budget = &budget};
	const char *top = getenv("TOP_SRCDIR");
	char path[4096];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct loaded_file f = {0};
		struct error err = {0};

		snprintf(path, sizeof path, "%s/testdata/%s", top ? top : ".", files[i]);
		if (!is_i64(model_load(&f.m, path, &options, &err), 0, "%s", files[i]) ||
		    !is_i64(replay_new(&f.r, f.m, &f.m->devices.at[0], &budget, &err), 0, "replay"))
			continue;
		int64_t n = (int64_t)f.m->devices.at[0].n_events;

		check_whole(&f, SNAPSHOT_PICKLE);
		check_whole(&f, SNAPSHOT_JSON);
		check_stretch(&f, n / 3, n / 3 + n / 4, SNAPSHOT_PICKLE);
		check_stretch(&f, n / 2, n - 2, SNAPSHOT_JSON);
		check_stretch(&f, 1, n / 5, SNAPSHOT_PICKLE);
		release(&f);
	}
	is_u64(budget.used, 0, "all memory was given back");
	return done_testing();
}
