/* SPDX-License-Identifier: MIT
 * explain_words.c -- the sentences of the facts behind a verdict.
 */
#include "reports/explain_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"

#define SITE_BYTES 1024

/* An amount inside a list of arguments; lives to the end of the block. */
#define BYTES(n)           emit_words_bytes(e, (char[UNITS_BUF]){0}, (n))
#define COUNT(n)           units_count((char[UNITS_BUF]){0}, (n))
#define NOUN(n, one, many) units_noun((char[UNITS_BUF]){0}, UNITS_BUF, (n), one, many)
#define SITE(site)         site_short(m, (site), (char[SITE_BYTES]){0}, SITE_BYTES)

/* A part that is not the whole never shows as 100.0. */
static double percent(uint64_t part, uint64_t whole)
{
	double p = whole ? 100.0 * (double)part / (double)whole : 0;

	return part < whole && p > 99.9 ? 99.9 : p;
}

const char *stream_words(uint64_t stream, char *buf, size_t size)
{
	if (stream == 0)
		snprintf(buf, size, "the default stream");
	else
		snprintf(buf, size, "stream 0x%" PRIx64, stream);
	return buf;
}
#define STREAM(s) stream_words((s), (char[UNITS_BUF]){0}, UNITS_BUF)

const char *place_words(const struct evidence *v, char *buf, size_t size)
{
	switch (v->why) {
	case UNUSABLE_OTHER_POOL:
		if (v->pool.a == 0 && v->pool.b == 0)
			snprintf(buf, size, "the default pool");
		else if (v->pool.b == 0)
			snprintf(buf, size, "the pool of a CUDA graph (%" PRId64 ")", v->pool.a);
		else
			snprintf(buf, size, "a MemPool (%" PRId64 ")", v->pool.b);
		break;
	case UNUSABLE_OTHER_STREAM:
		snprintf(buf, size, "the cache of %s", STREAM(v->stream));
		break;
	case UNUSABLE_OTHER_CLASS:
		snprintf(buf, size, "the pool of the other size class");
		break;
	default:
		snprintf(buf, size, "another place");
		break;
	}
	return buf;
}
#define PLACE(v) place_words((v), (char[UNITS_BUF * 2]){0}, sizeof(char[UNITS_BUF * 2]))

static void say_elsewhere(const struct emit *e, const struct evidence *v, char *buf, size_t size)
{
	if (v->kind == EVIDENCE_REFUSED_BLOCK)
		snprintf(buf, size,
			 "A free block of %s is large enough and in the right place, "
			 "but %s keeps it from this request (%s, %s free in all).",
			 BYTES(v->bytes),
			 v->why == UNUSABLE_SPLIT_GUARD
				 ? "max_split_size_mb"
				 : "its expandable segment, now that the feature is off,",
			 NOUN(v->count, "such block", "such blocks"), BYTES(v->of_bytes));
	else
		snprintf(buf, size,
			 "A free block of %s is large enough, but lies in %s (%s; %s "
			 "are free there).",
			 BYTES(v->bytes), PLACE(v), NOUN(v->count, "such block", "such blocks"),
			 BYTES(v->of_bytes));
}

static void say_device(const struct emit *e, const struct explain_oom *o, const struct evidence *v,
		       char *buf, size_t size)
{
	switch (v->kind) {
	case EVIDENCE_SHORT:
		snprintf(buf, size,
			 "The driver was asked for %s while %s were free on the "
			 "device: %s too little.",
			 BYTES(o->request.attempted), BYTES(v->of_bytes), BYTES(v->bytes));
		break;
	case EVIDENCE_NEARLY:
		snprintf(buf, size,
			 "The driver refused %s although %s were free: it does not "
			 "hand out the last few MiB.",
			 BYTES(v->of_bytes), BYTES(v->bytes));
		break;
	case EVIDENCE_LIMIT:
		snprintf(buf, size,
			 "The device had %s free and %s were asked of it: the process "
			 "runs under a limit (torch.cuda.set_per_process_memory_fraction) "
			 "of at least %s and less than %s.",
			 BYTES(o->device_free), BYTES(o->request.attempted), BYTES(v->bytes),
			 BYTES(v->of_bytes));
		break;
	case EVIDENCE_LIMIT_KNOWN:
		snprintf(buf, size,
			 "The limit of this process is %s "
			 "(torch.cuda.set_per_process_memory_fraction); with this request it would "
			 "have reserved %s.",
			 BYTES(v->bytes), BYTES(v->of_bytes));
		break;
	case EVIDENCE_ALL_GIVEN_BACK:
		snprintf(buf, size,
			 "Reserved and free memory together are %s; the driver was "
			 "asked for %s, %.1f times as much.",
			 BYTES(v->bytes), BYTES(v->of_bytes), percent(v->of_bytes, v->bytes) / 100);
		break;
	default:
		snprintf(buf, size, "The event does not say how much was free on the device.");
		break;
	}
}

static void say_card(const struct emit *e, const struct evidence *v, char *buf, size_t size)
{
	switch (v->kind) {
	case EVIDENCE_OTHERS:
		if (v->count == 1)
			snprintf(buf, size, "Process %" PRIu64 " holds %s of the card.", v->count2,
				 BYTES(v->bytes));
		else
			snprintf(buf, size,
				 "%s other processes hold %s of the card; the largest is process "
				 "%" PRIu64 " with %s.",
				 COUNT(v->count), BYTES(v->bytes), v->count2, BYTES(v->of_bytes));
		break;
	case EVIDENCE_OUTSIDE:
		snprintf(buf, size,
			 "Of the %s this process holds on the card, %s are outside PyTorch's "
			 "allocator: the CUDA context, NCCL, other libraries.",
			 BYTES(v->of_bytes), BYTES(v->bytes));
		break;
	case EVIDENCE_IDLE_UNSORTED:
		snprintf(buf, size,
			 "%s are idle in PyTorch's cache, and %s were asked for. Why the cache did "
			 "not serve the request no message tells: a snapshot does.",
			 BYTES(v->bytes), BYTES(v->of_bytes));
		break;
	default:
		if (v->count == OOM_HINT_EXPANDABLE && v->count2)
			snprintf(buf, size,
				 "PyTorch's hint to set expandable_segments does not help: it is "
				 "on already.");
		else
			snprintf(buf, size,
				 "PyTorch's hint to set %s does not help here: only %s are idle.",
				 v->count == OOM_HINT_EXPANDABLE ? "expandable_segments"
								 : "max_split_size_mb",
				 BYTES(v->bytes));
		break;
	}
}

static void say_pieces(const struct emit *e, const struct model *m, const struct evidence *v,
		       char *buf, size_t size)
{
	bool one = v->count == 1;

	if (v->kind == EVIDENCE_LARGEST_FREE && one)
		snprintf(buf, size, "The only free piece the request may use has %s.",
			 BYTES(v->bytes));
	else if (v->kind == EVIDENCE_LARGEST_FREE)
		snprintf(buf, size,
			 "The %s free pieces the request may use have %s together; the "
			 "largest has %s.",
			 COUNT(v->count), BYTES(v->of_bytes), BYTES(v->bytes));
	else if (v->kind == EVIDENCE_PINNED)
		snprintf(buf, size,
			 "%s of %s%s %s at least half idle (%s) but cannot go back to "
			 "the driver: %s in %s.",
			 NOUN(v->count, "segment", "segments"), BYTES(v->of_bytes),
			 one ? "" : " in all", one ? "is" : "are", BYTES(v->bytes),
			 NOUN(v->count2, "live block lies", "live blocks lie"),
			 one ? "it" : "them");
	else
		snprintf(buf, size, "%s%s holds back %s idle in %s, with %s of %s.", SITE(v->site),
			 v->alone ? " alone" : ", with others,", BYTES(v->bytes),
			 NOUN(v->count, "segment", "segments"), NOUN(v->count2, "block", "blocks"),
			 BYTES(v->of_bytes));
}

static void say_use(const struct emit *e, const struct evidence *v, char *buf, size_t size)
{
	switch (v->kind) {
	case EVIDENCE_LIVE:
		snprintf(buf, size, "%s of %s reserved (%.1f %%) are in use%s%s%s%s%s.",
			 BYTES(v->bytes), BYTES(v->of_bytes), percent(v->bytes, v->of_bytes),
			 v->count ? ", by " : "", v->count ? NOUN(v->count, "block", "blocks") : "",
			 v->of_bytes > v->bytes ? "; " : "",
			 v->of_bytes > v->bytes ? BYTES(v->of_bytes - v->bytes) : "",
			 v->of_bytes > v->bytes ? " are idle" : "");
		break;
	case EVIDENCE_IDLE:
		snprintf(buf, size, "%s are idle, %.1f %% of reserved.", BYTES(v->bytes),
			 percent(v->bytes, v->of_bytes));
		break;
	case EVIDENCE_PENDING:
		snprintf(buf, size,
			 "%s of %s %s freed but wait%s for another stream (record_stream)"
			 "%s%s.",
			 NOUN(v->count, "block", "blocks"), BYTES(v->bytes),
			 v->count == 1 ? "is" : "are", v->count == 1 ? "s" : "",
			 v->of_bytes ? "; the largest piece they leave is " : "",
			 v->of_bytes ? BYTES(v->of_bytes) : "");
		break;
	case EVIDENCE_GROWTH:
		snprintf(buf, size,
			 "%s of the live bytes (%.1f %%) came in the later half of the "
			 "recorded events.",
			 BYTES(v->bytes), percent(v->bytes, v->of_bytes));
		break;
	default:
		snprintf(buf, size,
			 "%s of the bytes in use (%.1f %%) are slack: nobody asked for "
			 "them, rounding and unsplit blocks took them.",
			 BYTES(v->bytes), percent(v->bytes, v->of_bytes));
		break;
	}
}

static void say_history(const struct emit *e, const struct evidence *v, char *buf, size_t size)
{
	switch (v->kind) {
	case EVIDENCE_GIVEN_BACK:
		snprintf(buf, size,
			 "The allocator had emptied its cache before (%s, %s, until "
			 "event %s): what is idle now cannot be returned.",
			 NOUN(v->count, "segment", "segments"), BYTES(v->bytes), COUNT(v->count2));
		break;
	case EVIDENCE_BEFORE:
		snprintf(buf, size, "%s in use (%s) are older than the recording%s%s%s.",
			 BYTES(v->bytes), NOUN(v->count, "block", "blocks"),
			 v->of_bytes ? "; " : "", v->of_bytes ? BYTES(v->of_bytes) : "",
			 v->of_bytes ? " of them have no stack" : "");
		break;
	case EVIDENCE_LOST:
		snprintf(buf, size, "The history is truncated: only the last %s are in the file.",
			 NOUN(v->count, "event", "events"));
		break;
	case EVIDENCE_DUMPED_LATER:
		snprintf(buf, size,
			 "The file was written %s later, after Python had freed much: "
			 "its segments show %s in use, at the failure it was %s.",
			 NOUN(v->count, "event", "events"), BYTES(v->bytes), BYTES(v->of_bytes));
		break;
	case EVIDENCE_POOL_ASSUMED:
		snprintf(buf, size,
			 "The file does not tell the pool of the request; the default "
			 "one is assumed, though private pools exist.");
		break;
	default:
		snprintf(buf, size,
			 "What lived before the trace is unknown (the file is cut, or "
			 "has no segments): sums cover what the events show.");
		break;
	}
}

const char *evidence_sentence(const struct emit *e, const struct model *m,
			      const struct explain_oom *o, const struct evidence *v, char *buf,
			      size_t size)
{
	switch (v->kind) {
	case EVIDENCE_SHORT:
	case EVIDENCE_NEARLY:
	case EVIDENCE_LIMIT:
	case EVIDENCE_LIMIT_KNOWN:
	case EVIDENCE_ALL_GIVEN_BACK:
	case EVIDENCE_NO_DEVICE_FREE:
		say_device(e, o, v, buf, size);
		break;
	case EVIDENCE_OTHERS:
	case EVIDENCE_OUTSIDE:
	case EVIDENCE_HINT_WRONG:
	case EVIDENCE_IDLE_UNSORTED:
		say_card(e, v, buf, size);
		break;
	case EVIDENCE_ELSEWHERE:
	case EVIDENCE_REFUSED_BLOCK:
		say_elsewhere(e, v, buf, size);
		break;
	case EVIDENCE_LARGEST_FREE:
	case EVIDENCE_PINNED:
	case EVIDENCE_PINNING_SITE:
		say_pieces(e, m, v, buf, size);
		break;
	case EVIDENCE_LIVE:
	case EVIDENCE_IDLE:
	case EVIDENCE_PENDING:
	case EVIDENCE_GROWTH:
	case EVIDENCE_SLACK:
		say_use(e, v, buf, size);
		break;
	default:
		say_history(e, v, buf, size);
		break;
	}
	return buf;
}

const struct evidence_keys *evidence_keys(enum evidence_kind k)
{
	static const struct evidence_keys keys[EVIDENCE_COUNT] = {
		[EVIDENCE_SHORT] = {"driver_short", "bytes", "device_free_bytes", NULL, NULL},
		[EVIDENCE_NEARLY] = {"driver_nearly", "device_free_bytes", "attempted_bytes", NULL,
				     NULL},
		[EVIDENCE_LIMIT] = {"process_limit", "at_least_bytes", "below_bytes", NULL, NULL},
		[EVIDENCE_LIMIT_KNOWN] = {"limit", "allowed_bytes", "wanted_bytes", NULL, NULL},
		[EVIDENCE_OTHERS] = {"other_processes", "bytes", "largest_bytes", "processes",
				     "largest_pid"},
		[EVIDENCE_OUTSIDE] = {"outside_allocator", "bytes", "process_bytes", NULL, NULL},
		[EVIDENCE_HINT_WRONG] = {"hint_does_not_help", "idle_bytes", "attempted_bytes",
					 NULL, NULL},
		[EVIDENCE_IDLE_UNSORTED] = {"idle_unsorted", "idle_bytes", "attempted_bytes", NULL,
					    NULL},
		[EVIDENCE_ALL_GIVEN_BACK] = {"all_given_back", "bytes", "attempted_bytes", NULL,
					     NULL},
		[EVIDENCE_LIVE] = {"live", "bytes", "reserved_bytes", "blocks", NULL},
		[EVIDENCE_IDLE] = {"idle", "bytes", "reserved_bytes", NULL, NULL},
		[EVIDENCE_LARGEST_FREE] = {"largest_free", "bytes", "all_bytes", "blocks", NULL},
		[EVIDENCE_ELSEWHERE] = {"fits_elsewhere", "bytes", "all_bytes", "blocks", NULL},
		[EVIDENCE_REFUSED_BLOCK] = {"fits_but_refused", "bytes", "all_bytes", "blocks",
					    NULL},
		[EVIDENCE_PENDING] = {"pending_free", "bytes", "fitting_bytes", "blocks", NULL},
		[EVIDENCE_PINNED] = {"pinned_segments", "idle_bytes", "segment_bytes", "segments",
				     "blocks"},
		[EVIDENCE_PINNING_SITE] = {"pinning_site", "idle_bytes", "live_bytes", "segments",
					   "blocks"},
		[EVIDENCE_GIVEN_BACK] = {"cache_emptied", "bytes", NULL, "segments", "event"},
		[EVIDENCE_GROWTH] = {"growth", "bytes", "allocated_bytes", NULL, NULL},
		[EVIDENCE_SLACK] = {"slack", "bytes", "allocated_bytes", NULL, NULL},
		[EVIDENCE_BEFORE] = {"before_recording", "bytes", "no_stack_bytes", "blocks", NULL},
		[EVIDENCE_LOST] = {"history_truncated", NULL, NULL, "events", NULL},
		[EVIDENCE_DUMPED_LATER] = {"dumped_later", "end_allocated_bytes", "allocated_bytes",
					   "events", NULL},
		[EVIDENCE_POOL_ASSUMED] = {"pool_assumed", NULL, NULL, NULL, NULL},
		[EVIDENCE_NOT_EXACT] = {"not_exact", NULL, NULL, NULL, NULL},
		[EVIDENCE_NO_DEVICE_FREE] = {"no_device_free", NULL, NULL, NULL, NULL},
	};

	assert((unsigned)k < EVIDENCE_COUNT);
	return &keys[k];
}
