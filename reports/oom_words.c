/* SPDX-License-Identifier: MIT
 * oom_words.c -- the sentences of one oom: who asked for what, what stood in the way, what led there.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "reports/explain_words.h"

#define SITE_BYTES 1024

/* An amount inside a list of arguments; lives to the end of the block. */
#define BYTES(n)           emit_words_bytes(e, (char[UNITS_BUF]){0}, (n))
#define COUNT(n)           units_count((char[UNITS_BUF]){0}, (n))
#define NOUN(n, one, many) units_noun((char[UNITS_BUF]){0}, UNITS_BUF, (n), one, many)
#define SITE(site)         site_short(m, (site), (char[SITE_BYTES]){0}, SITE_BYTES)
#define PLACE(v)           place_words((v), (char[UNITS_BUF * 2]){0}, sizeof(char[UNITS_BUF * 2]))

/* A part that is not the whole never shows as 100.0. */
static double percent(uint64_t part, uint64_t whole)
{
	double p = whole ? 100.0 * (double)part / (double)whole : 0;

	return part < whole && p > 99.9 ? 99.9 : p;
}

/* The largest fitting block that lies elsewhere. */
static const struct evidence *find_evidence(const struct explain_oom *o, enum evidence_kind kind)
{
	for (size_t i = 0; i < o->n_evidence; i++)
		if (o->evidence[i].kind == kind)
			return &o->evidence[i];
	return NULL;
}

/* What stood in the way, to follow "X asked for Y on Z". */
static void obstacle_words(const struct emit *e, const struct explain_oom *o, char *buf,
			   size_t size)
{
	const struct survey *s = &o->survey;
	const struct free_blocks *small = &s->free[UNUSABLE_TOO_SMALL];
	const struct evidence *v;

	switch (o->verdict) {
	case VERDICT_REQUEST_TOO_LARGE:
		if (o->card.allowed.known)
			snprintf(buf, size, "at once, more than this process may have at all (%s)",
				 BYTES(o->card.allowed.bytes));
		else if (o->card.total.known)
			snprintf(buf, size, "at once, more than the whole card has (%s)",
				 BYTES(o->card.total.bytes));
		else
			snprintf(buf, size,
				 "at once, more than the %s there would be with everything of "
				 "this process given back",
				 BYTES(num_add_saturated(s->reserved, o->device_free)));
		break;
	case VERDICT_PROCESS_LIMIT:
		if (o->card.allowed.known) {
			snprintf(buf, size, "and the limit of this process, %s, refused it%s%s%s",
				 BYTES(o->card.allowed.bytes),
				 o->device_free == BYTES_NONE ? "" : ": the card itself has ",
				 o->device_free == BYTES_NONE ? "" : BYTES(o->device_free),
				 o->device_free == BYTES_NONE ? "" : " free");
			break;
		}
		snprintf(buf, size,
			 "and a limit on this process refused it, not the device: %s "
			 "are free there",
			 BYTES(o->device_free));
		break;
	case VERDICT_OTHER_PROCESSES:
		snprintf(buf, size,
			 "and the card is full: %s hold%s %s of its %s, this process %s, and %s "
			 "were left",
			 NOUN(o->card.n_others, "other process", "other processes"),
			 o->card.n_others == 1 ? "s" : "", BYTES(o->balance.others.bytes),
			 BYTES(o->card.total.bytes),
			 BYTES(o->card.self.known ? o->card.self.bytes : s->reserved),
			 BYTES(o->device_free));
		break;
	case VERDICT_OUTSIDE_ALLOCATOR:
		snprintf(buf, size,
			 "and the card is full: this process holds %s outside PyTorch's allocator, "
			 "more than the %s in use inside it",
			 BYTES(o->balance.outside.bytes), BYTES(s->allocated));
		break;
	case VERDICT_CAPACITY:
		if (s->reserved == 0)
			snprintf(buf, size,
				 "and the memory is full: %s left on the device, and "
				 "this process holds none",
				 BYTES(o->device_free));
		else
			snprintf(buf, size,
				 "and the memory is full: %s left on the device, %.1f %% of the "
				 "%s this process reserves in use",
				 BYTES(o->device_free), percent(s->allocated, s->reserved),
				 BYTES(s->reserved));
		break;
	case VERDICT_PENDING_FREE:
		snprintf(buf, size,
			 "while %s that would serve it wait, already freed, for "
			 "another stream to finish",
			 BYTES(s->pending_fits));
		break;
	case VERDICT_STRANDED_CACHE:
		v = find_evidence(o, EVIDENCE_ELSEWHERE);
		assert(v);
		snprintf(buf, size,
			 "while a free block of %s, large enough, lies in %s, where "
			 "the request may not look",
			 BYTES(v->bytes), PLACE(v));
		break;
	case VERDICT_FRAGMENTATION:
		v = find_evidence(o, EVIDENCE_REFUSED_BLOCK);
		if (v)
			snprintf(buf, size,
				 "while a free block of %s is kept from it by a "
				 "setting of the allocator",
				 BYTES(v->bytes));
		else if (small->blocks)
			snprintf(buf, size,
				 "while %s lie idle in pieces: the largest it may use "
				 "is %s",
				 BYTES(s->reserved - s->allocated), BYTES(small->largest));
		else
			snprintf(buf, size, "while %s lie idle where it may not use them",
				 BYTES(s->reserved - s->allocated));
		break;
	case VERDICT_UNKNOWN:
	case VERDICT_COUNT:
		if (s->unsorted) {
			snprintf(buf, size,
				 "while %s lie idle in its cache; why they did not serve it the "
				 "%s does not show",
				 BYTES(s->unsorted), o->message_only ? "message alone" : "trace");
			break;
		}
		snprintf(buf, size, "and was refused; %s",
			 o->message_only ? "the message alone does not show why"
					 : "the file does not show why");
		break;
	}
}

/* Who asked: the user's line, or all that a message tells. */
static const char *asker_words(const struct model *m, const struct explain_oom *o, char *buf,
			       size_t size)
{
	if (!o->message_only)
		return site_short(m, o->site, buf, size);
	if (o->rank >= 0)
		snprintf(buf, size, "rank %" PRId64, o->rank);
	else
		snprintf(buf, size, "the program");
	return buf;
}

static const char *device_words(const struct explain_oom *o, char buf[UNITS_BUF])
{
	if (o->device >= 0)
		snprintf(buf, UNITS_BUF, "GPU %" PRId32, o->device);
	else
		snprintf(buf, UNITS_BUF, "%s", o->message_only ? "A GPU" : "Pinned host memory");
	return buf;
}

const char *oom_sentence(const struct emit *e, const struct model *m, const struct explain_oom *o,
			 char *buf, size_t size)
{
	char obstacle[400], device[UNITS_BUF], where[UNITS_BUF * 2] = "", asker[SITE_BYTES];

	obstacle_words(e, o, obstacle, sizeof obstacle);
	if (o->request.stream_known)
		snprintf(where, sizeof where, " on %s",
			 stream_words(o->request.stream, (char[UNITS_BUF]){0}, UNITS_BUF));
	snprintf(buf, size, "%s ran out of memory: %s asked for %s%s %s.", device_words(o, device),
		 asker_words(m, o, asker, sizeof asker), BYTES(o->request.rounded), where,
		 obstacle);
	return buf;
}

/* --- the cause --------------------------------------------------------------------------------- */

static void say_step_cause(const struct emit *e, const struct explain_cause *c, char *buf,
			   size_t size)
{
	switch (c->cause) {
	case CAUSE_LEAK:
		snprintf(buf, size,
			 "%s of %s steps left something behind that nothing freed, %s a step on "
			 "average, %s by now",
			 COUNT(c->count2), COUNT(c->count), BYTES(c->of_bytes), BYTES(c->bytes));
		break;
	case CAUSE_RETAINED_GRAPH:
		snprintf(buf, size,
			 "%s forwards ran one behind the other without a backward, and what they "
			 "made is still there (%s)",
			 COUNT(c->count), BYTES(c->bytes));
		break;
	case CAUSE_OUTLIER_STEP:
		snprintf(buf, size,
			 "this step took %s, none of the %s before more than %s: look at its batch",
			 BYTES(c->bytes), COUNT(c->count), BYTES(c->of_bytes));
		break;
	default:
		snprintf(buf, size,
			 "%s of the %s in use are what forward keeps for backward, and no step "
			 "had %s: this batch does not fit",
			 BYTES(c->bytes), BYTES(c->of_bytes),
			 c->count ? "got past its optimizer twice" : "finished yet");
		break;
	}
}

static void say_cause(const struct emit *e, const struct explain_cause *c, char *buf, size_t size)
{
	switch (c->cause) {
	case CAUSE_SINGLE_REQUEST:
		snprintf(buf, size, "this one request is %.1f times what there is at all",
			 c->of_bytes ? (double)c->bytes / (double)c->of_bytes : 0);
		break;
	case CAUSE_STATE_DICT_COPY:
		snprintf(buf, size,
			 "%s (%s) read from a file are there besides parameters of the same "
			 "sizes: load to the CPU (map_location), or assign=True",
			 NOUN(c->count, "block", "blocks"), BYTES(c->bytes));
		break;
	case CAUSE_MODEL_LOAD:
		snprintf(buf, size, "the model was still being loaded: %s in %s so far",
			 BYTES(c->bytes), NOUN(c->count, "block", "blocks"));
		break;
	case CAUSE_OPTIMIZER_STATE_INIT:
		snprintf(buf, size,
			 "the first optimizer step makes its state for every weight: %s in %s "
			 "came with it",
			 BYTES(c->bytes), NOUN(c->count, "block", "blocks"));
		break;
	case CAUSE_GROWING_CACHE:
		snprintf(buf, size,
			 "it is copied to grow, %s times so far; the last copy has %s, and both "
			 "the old and the new one must fit",
			 COUNT(c->count2), BYTES(c->of_bytes));
		break;
	default:
		say_step_cause(e, c, buf, size);
		break;
	}
}

const char *cause_sentence(const struct emit *e, const struct model *m,
			   const struct explain_cause *c, char *buf, size_t size)
{
	char what[500];

	say_cause(e, c, what, sizeof what);
	if (c->has_site && c->cause != CAUSE_SINGLE_REQUEST)
		snprintf(buf, size, "%s (%s)", what, SITE(c->site));
	else
		snprintf(buf, size, "%s", what);
	return buf;
}

/* --- what is missing --------------------------------------------------------------------------- */

const char *missing_name(unsigned bit)
{
	static const char *const names[MISSING_BITS] = {
		"card_total", "other_processes", "limit",       "history",
		"pool",       "snapshot",        "device_free", "segments",
	};

	assert(bit < MISSING_BITS);
	return names[bit];
}

const char *missing_words(unsigned bit)
{
	static const char *const words[MISSING_BITS] = {
		("how large the card is (--log with the exception's text, --nvidia-smi or "
		 "--device-memory)"),
		"who else is on the card (--log or --nvidia-smi)",
		"the limit itself (--log with the exception's text)",
		"what happened before the recorded events (larger max_entries)",
		"which pool the request was for (newer PyTorch records it)",
		"the snapshot: how the idle memory lies, and who holds the rest",
		"what the device had free",
		"what lived before the events",
	};

	assert(bit < MISSING_BITS);
	return words[bit];
}

const char *no_stack_words(enum no_stack_reason r)
{
	static const char *const words[NO_STACK_REASONS] = {
		[NO_STACK_BEFORE] =
			"allocated before recording began: call "
			"torch.cuda.memory._record_memory_history() before the model is "
			"made",
		[NO_STACK_LOST] = "its event was lost from the ring: record with a larger "
				  "max_entries",
		[NO_STACK_CONTEXT] = "recorded without context: record with context=\"all\"",
		[NO_STACK_BACKWARD] = "a backward thread has no Python frames: record with "
				      "stacks=\"all\"",
	};

	assert((unsigned)r < NO_STACK_REASONS);
	return words[r];
}
