/* SPDX-License-Identifier: MIT
 * advice_words.c -- the sentences of what to do next after an oom.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "reports/describe_outside.h"
#include "reports/explain_words.h"

#define SITE_BYTES         1024
#define BYTES(n)           emit_words_bytes(e, (char[UNITS_BUF]){0}, (n))
#define NOUN(n, one, many) units_noun((char[UNITS_BUF]){0}, UNITS_BUF, (n), one, many)
#define SITE(site)         site_short(m, (site), (char[SITE_BYTES]){0}, SITE_BYTES)
#define SETTING(a)         advice_setting((a), (char[UNITS_BUF]){0}, UNITS_BUF)

const char *advice_name(enum advice_kind k)
{
	static const char *const names[ADVICE_COUNT] = {
		[ADVICE_LOOK_OUTSIDE] = "look_outside",
		[ADVICE_STOP_OTHERS] = "stop_other_processes",
		[ADVICE_TRIM_OUTSIDE] = "trim_outside_allocator",
		[ADVICE_MOVE_FEW] = "move_few_blocks",
		[ADVICE_FREE_HOLDERS] = "free_holders",
		[ADVICE_RAISE_LIMIT] = "raise_limit",
		[ADVICE_SMALLER_PIECES] = "ask_for_less",
		[ADVICE_EXPANDABLE] = "expandable_segments",
		[ADVICE_MAX_SPLIT] = "max_split_size",
		[ADVICE_LIFT_GUARD] = "lift_max_split_size",
		[ADVICE_ONE_MODE] = "keep_one_mode",
		[ADVICE_MOVE_PINNERS] = "move_pinning_blocks",
		[ADVICE_OTHER_STREAM] = "fewer_streams",
		[ADVICE_SHARE_POOL] = "share_pools",
		[ADVICE_RECORD_STREAM] = "avoid_record_stream",
		[ADVICE_RECORD_MORE] = "record_more",
	};

	assert((unsigned)k < ADVICE_COUNT);
	return names[k];
}

const char *advice_setting(const struct advice *a, char *buf, size_t size)
{
	switch (a->kind) {
	case ADVICE_EXPANDABLE:
		return "expandable_segments:True";
	case ADVICE_MAX_SPLIT:
		snprintf(buf, size, "max_split_size_mb:%" PRIu64, a->param >> 20);
		return buf;
	default:
		return NULL;
	}
}

/* ", 2 of its blocks are enough" */
static const char *blocks_words(const struct advice *a, char *buf, size_t size)
{
	buf[0] = '\0';
	if (a->count2)
		snprintf(buf, size, ", %s of %s %s enough",
			 units_count((char[UNITS_BUF]){0}, a->count2),
			 a->count == 1 ? "its blocks" : "their blocks",
			 a->count2 == 1 ? "is" : "are");
	return buf;
}
#define BLOCKS(a) blocks_words((a), (char[100]){0}, 100)

static void say_outside(const struct emit *e, const struct explain_oom *o, const struct advice *a,
			char *buf, size_t size)
{
	const struct outside *out = &o->outside;
	const struct outside_group *g = &out->groups[0];
	const char *hint;

	if (!out->known || out->differs || out->n_groups == 0) {
		snprintf(buf, size,
			 "Look at what takes memory outside PyTorch (NCCL communicators, other "
			 "libraries, a second framework): %s there, and %s were missing.",
			 BYTES(a->bytes), BYTES(a->param));
		return;
	}
	hint = outside_hint(out, g);
	snprintf(buf, size,
		 "Outside PyTorch's allocator this process holds %s, and %s were missing; most of "
		 "it, %s, is %s%s%s.",
		 BYTES(a->bytes), BYTES(a->param), BYTES(g->bytes),
		 outside_words(out, g, (char[300]){0}, 300), hint ? ": less with " : "",
		 hint ? hint : "");
}

static void say_space(const struct emit *e, const struct model *m, const struct explain_oom *o,
		      const struct advice *a, char *buf, size_t size)
{
	switch (a->kind) {
	case ADVICE_LOOK_OUTSIDE:
		if (o->balance.total.known && o->balance.unattributed >= 0)
			snprintf(buf, size,
				 "See who has the rest of the card (nvidia-smi): %s of its %s are "
				 "neither this process's as far as known nor free.",
				 BYTES((uint64_t)o->balance.unattributed),
				 BYTES(o->balance.total.bytes));
		else
			snprintf(buf, size,
				 "See who has the rest of the card (nvidia-smi): this process "
				 "reserves %s and %s were free. If the card has more than these "
				 "%s, other processes or libraries outside PyTorch hold the "
				 "difference.",
				 BYTES(o->survey.reserved), BYTES(o->device_free), BYTES(a->param));
		break;
	case ADVICE_STOP_OTHERS:
		snprintf(buf, size, "Free the card: it was short of %s, and %s %s %s.",
			 BYTES(a->param), NOUN(a->count, "other process", "other processes"),
			 a->count == 1 ? "holds" : "hold", BYTES(a->bytes));
		break;
	case ADVICE_TRIM_OUTSIDE:
		say_outside(e, o, a, buf, size);
		break;
	case ADVICE_FREE_HOLDERS:
		if (a->count == 1)
			snprintf(buf, size, "%s less would have fitted: %s alone holds %s%s.",
				 BYTES(a->param), SITE(a->site), BYTES(a->bytes), BLOCKS(a));
		else
			snprintf(buf, size,
				 "%s less would have fitted: the %s hold %s "
				 "together%s, %s most of it.",
				 BYTES(a->param), NOUN(a->count, "largest site", "largest sites"),
				 BYTES(a->bytes), BLOCKS(a), SITE(a->site));
		break;
	case ADVICE_RAISE_LIMIT:
		snprintf(buf, size,
			 "Raise the limit of this process "
			 "(torch.cuda.set_per_process_memory_fraction) by %s%s.",
			 BYTES(a->param), o->card.allowed.known ? "" : " at most");
		break;
	default:
		snprintf(buf, size,
			 "Ask for less at once%s%s: at most %s could be had at that moment.",
			 o->message_only ? "" : " in ", o->message_only ? "" : SITE(o->site),
			 BYTES(a->param));
		break;
	}
}

/* Would the estimate do alone? Under a limit that depends on the limit, which the file only bounds
 * from both sides. */
static const char *enough_words(const struct emit *e, const struct explain_oom *o,
				const struct advice *a, char *buf, size_t size)
{
	uint64_t attempted = o->request.attempted;

	buf[0] = '\0';
	if (explain_limited(o) && o->card.allowed.known) {
		snprintf(buf, size, "%s",
			 num_add_saturated(o->survey.reserved - a->bytes, attempted) <=
					 o->card.allowed.bytes
				 ? ", enough for this request"
				 : ", not enough alone");
	} else if (explain_limited(o)) {
		if (a->bytes < attempted)
			snprintf(buf, size, ", enough if the limit is %s or more",
				 BYTES(o->survey.reserved - a->bytes + attempted));
	} else if (o->device_free != BYTES_NONE) {
		snprintf(buf, size, "%s",
			 num_add_saturated(o->device_free, a->bytes) >= attempted
				 ? ", enough for this request"
				 : ", not enough alone");
	}
	return buf;
}
#define ENOUGH(a) enough_words(e, o, (a), (char[120]){0}, 120)

/* The trace's own requests under the setting: no estimate any more. */
static void say_simulated(const struct emit *e, const struct advice *a, char *buf, size_t size)
{
	const char *start = a->kind == ADVICE_EXPANDABLE ? "Start with" : "Or with";

	if (a->simulated.passes)
		snprintf(
			buf, size,
			"%s PYTORCH_CUDA_ALLOC_CONF=%s: simulated with the requests of this trace, "
			"the one that failed passes, and at most %s are reserved (%s in the "
			"trace).",
			start, SETTING(a), BYTES(a->simulated.reserved),
			BYTES(a->simulated.trace_reserved));
	else
		snprintf(buf, size,
			 "PYTORCH_CUDA_ALLOC_CONF=%s is %s: simulated with the requests of this "
			 "trace, memory %s.",
			 SETTING(a), a->simulated.fails ? "not enough alone" : "not sure to help",
			 a->simulated.fails ? "runs out all the same"
					    : "runs out or not, by what no file tells");
}

static void say_cache(const struct emit *e, const struct model *m, const struct explain_oom *o,
		      const struct advice *a, char *buf, size_t size)
{
	switch (a->kind) {
	case ADVICE_EXPANDABLE:
		if (a->simulated.known)
			say_simulated(e, a, buf, size);
		else
			snprintf(buf, size,
				 "Start with PYTORCH_CUDA_ALLOC_CONF=%s: whole pages of the idle "
				 "memory, about %s, could be used again%s.",
				 SETTING(a), BYTES(a->bytes), ENOUGH(a));
		break;
	case ADVICE_MAX_SPLIT:
		if (a->simulated.known)
			say_simulated(e, a, buf, size);
		else
			snprintf(buf, size,
				 "Or with PYTORCH_CUDA_ALLOC_CONF=%s: large segments would not be "
				 "split for small blocks, about %s could go back%s.",
				 SETTING(a), BYTES(a->bytes), ENOUGH(a));
		break;
	case ADVICE_LIFT_GUARD:
		snprintf(buf, size,
			 "Raise or unset max_split_size_mb (or raise "
			 "max_non_split_rounding_mb): %s of large free blocks are kept "
			 "from requests like this one.",
			 BYTES(a->bytes));
		break;
	case ADVICE_ONE_MODE:
		snprintf(buf, size,
			 "Keep expandable_segments as it was when the cache was "
			 "filled: %s lie in expandable segments.",
			 BYTES(a->bytes));
		break;
	case ADVICE_MOVE_FEW:
		snprintf(
			buf, size,
			"The least that would do: free or move %s of %s%s (%s) in one segment, and "
			"a hole of %s opens.",
			NOUN(a->count, "block", "neighbouring blocks"), SITE(a->site),
			a->alone ? "" : " and others", BYTES(a->param), BYTES(a->bytes));
		break;
	default:
		snprintf(buf, size,
			 "Free what %s keeps%s (%s), or allocate it before the large blocks: %s "
			 "idle in %s would come free.",
			 SITE(a->site), a->alone ? "" : " there, and others with it",
			 NOUN(a->count, "block", "blocks"), BYTES(a->bytes),
			 NOUN(a->param, "segment", "segments"));
		break;
	}
}

const char *advice_sentence(const struct emit *e, const struct model *m,
			    const struct explain_oom *o, const struct advice *a, char *buf,
			    size_t size)
{
	switch (a->kind) {
	case ADVICE_LOOK_OUTSIDE:
	case ADVICE_STOP_OTHERS:
	case ADVICE_TRIM_OUTSIDE:
	case ADVICE_FREE_HOLDERS:
	case ADVICE_RAISE_LIMIT:
	case ADVICE_SMALLER_PIECES:
		say_space(e, m, o, a, buf, size);
		break;
	case ADVICE_OTHER_STREAM:
		snprintf(buf, size,
			 "Use fewer side streams: %s are cached for other streams, where no other "
			 "can use them.",
			 BYTES(a->bytes));
		break;
	case ADVICE_SHARE_POOL:
		snprintf(buf, size,
			 "Let CUDA graphs share a pool (graph_pool_handle), or release "
			 "those no longer used: %s are free in other pools.",
			 BYTES(a->bytes));
		break;
	case ADVICE_RECORD_STREAM:
		snprintf(buf, size,
			 "Avoid record_stream (for NCCL: "
			 "TORCH_NCCL_AVOID_RECORD_STREAMS=1), or wait for the other stream "
			 "earlier: %s are held back by it.",
			 BYTES(a->bytes));
		break;
	case ADVICE_RECORD_MORE:
		snprintf(buf, size,
			 "For the next time, record with a larger max_entries: this "
			 "file keeps %s only.",
			 NOUN(a->param, "event", "events"));
		break;
	default:
		say_cache(e, m, o, a, buf, size);
		break;
	}
	return buf;
}
