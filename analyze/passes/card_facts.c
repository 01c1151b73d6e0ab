/* SPDX-License-Identifier: MIT
 * card_facts.c -- what is known of the card at one oom beside the snapshot, and from where.
 */
#include "passes/card_facts.h"

#include <assert.h>

#include "base/num.h"
#include "model/model.h"

const char *fact_source_name(enum fact_source s)
{
	static const char *const names[] = {
		[FACT_NONE] = "none",       [FACT_OPTION] = "option",  [FACT_OBSERVER] = "observer",
		[FACT_MESSAGE] = "message", [FACT_SMI] = "nvidia-smi", [FACT_TRACE] = "trace",
		[FACT_DRIVER] = "driver",
	};

	assert(s <= FACT_DRIVER);
	return names[s];
}

static bool may_be(const struct amount *a, uint64_t bytes)
{
	return !a->known || bytes == BYTES_NONE || amount_is(a, bytes);
}

/* How well a message fits the failure; 0: it belongs to another one. */
static unsigned message_fit(const struct oom_message *m, const struct oom_key *k)
{
	if ((m->device >= 0 && m->device != k->device) || !m->attempted.known ||
	    !may_be(&m->attempted, k->attempted) || !may_be(&m->free, k->device_free))
		return 0;
	return 1 + (m->free.known && k->device_free != BYTES_NONE) +
	       (k->allocated != BYTES_NONE && amount_is(&m->allocated, k->allocated));
}

/* Of those that fit equally well the last: logs repeat a message, and a run may fail twice. */
static const struct oom_message *find_message(const struct oom_log *log, const struct oom_key *k)
{
	const struct oom_message *best = NULL;
	unsigned best_fit = 1;

	for (size_t i = 0; log && i < log->messages.n; i++) {
		unsigned fit = message_fit(&log->messages.at[i], k);

		if (fit >= best_fit) {
			best = &log->messages.at[i];
			best_fit = fit;
		}
	}
	return best;
}

static bool observer_fits(const struct observer_note *n, const struct oom_key *k)
{
	if (n->device >= 0 && n->device != k->device)
		return false;
	if (n->attempted != BYTES_NONE && k->attempted != BYTES_NONE &&
	    n->attempted != k->attempted && n->attempted != k->rounded)
		return false;
	return n->device_free == BYTES_NONE || k->device_free == BYTES_NONE ||
	       n->device_free == k->device_free;
}

static void set_total(struct card_facts *f, struct amount total, enum fact_source from)
{
	if (f->total.known || !total.known)
		return;
	f->total = total;
	f->total_from = from;
}

/* The card does not change: any message of the device tells its size. */
static struct amount total_of_log(const struct oom_log *log, const struct oom_key *k)
{
	for (size_t i = log ? log->messages.n : 0; i-- > 0;)
		if (log->messages.at[i].device == k->device && log->messages.at[i].total.known)
			return log->messages.at[i].total;
	return (struct amount){0};
}

/* The observer is told the limit, or the card when there is none, and not which it is. */
static void use_observer(struct card_facts *f, const struct observer_note *n,
			 const struct oom_key *k)
{
	struct amount allowed;

	if (!n || n->allowed == BYTES_NONE || !f->observer_fits)
		return;
	allowed = amount_exact(n->allowed);
	if (f->total.known ? amount_is(&f->total, n->allowed)
			   : n->allowed >= num_add_saturated(k->reserved, k->device_free)) {
		if (f->total_from != FACT_OPTION) {
			f->total = allowed;
			f->total_from = FACT_OBSERVER;
		}
		return;
	}
	if (f->total.known && n->allowed > f->total.high)
		return;
	f->allowed = allowed;
	f->allowed_from = FACT_OBSERVER;
}

static void add_other(struct card_facts *f, const struct oom_process *p)
{
	f->n_others++;
	if (!p->used.known)
		return;
	f->others.known = true;
	f->others.bytes = num_add_saturated(f->others.bytes, p->used.bytes);
	f->others.low = num_add_saturated(f->others.low, p->used.low);
	f->others.high = num_add_saturated(f->others.high, p->used.high);
	if (!f->largest.known || p->used.bytes > f->largest.bytes) {
		f->largest = p->used;
		f->largest_pid = p->pid;
	}
}

/* In containers a process does not know its own number, and is listed like the others, or not at
 * all. When they do not all fit on the card beside what this process reserves, one of them is this
 * process: the smallest that is large enough. */
static const struct oom_process *find_self(const struct oom_process *p, size_t n,
					   const struct amount *total, const struct oom_key *k)
{
	const struct oom_process *self = NULL;
	uint64_t sum = num_add_saturated(k->reserved, k->device_free);

	if (!total->known || k->reserved == BYTES_NONE || k->device_free == BYTES_NONE)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		sum = num_add_saturated(sum, p[i].used.low);
		if (p[i].used.known && p[i].used.high >= k->reserved &&
		    (!self || p[i].used.bytes < self->used.bytes))
			self = &p[i];
	}
	return sum > total->high ? self : NULL;
}

static void use_processes(struct card_facts *f, const struct oom_process *p, size_t n,
			  const struct oom_key *k, enum fact_source from)
{
	const struct oom_process *self = NULL;

	if (f->others_from != FACT_NONE)
		return;
	if (!f->self.known)
		self = find_self(p, n, &f->total, k);
	for (size_t i = 0; i < n; i++)
		if (&p[i] != self)
			add_other(f, &p[i]);
	if (self)
		f->self = self->used;
	/* Alone on the card. */
	if (f->n_others == 0 && f->self.known)
		f->others = amount_exact(0);
	if (f->others.known)
		f->others_from = from;
}

static void use_message(struct card_facts *f, const struct oom_log *log, const struct oom_key *k)
{
	const struct oom_message *m = f->message;

	if (!m)
		return;
	f->self = m->self;
	if (!f->allowed.known && m->allowed.known) {
		f->allowed = m->allowed;
		f->allowed_from = FACT_MESSAGE;
	}
	f->no_limit = !m->cut && !m->allowed.known && m->free.known;
	use_processes(f, m->n_processes ? &log->processes.at[m->first_process] : NULL,
		      m->n_processes, k, FACT_MESSAGE);
}

static void use_smi(struct card_facts *f, const struct nvidia_smi *smi, const struct smi_card *card,
		    const struct oom_key *k)
{
	if (card)
		use_processes(f, card->n_processes ? &smi->processes.at[card->first_process] : NULL,
			      card->n_processes, k, FACT_SMI);
}

void card_facts_find(struct card_facts *out, const struct explain_side *side,
		     const struct oom_key *key)
{
	struct card_facts f = {0};
	const struct smi_card *card = NULL;

	if (key->is_host || !side) {
		if (!key->is_host && key->capacity)
			set_total(&f, amount_exact(key->capacity), FACT_TRACE);
		*out = f;
		return;
	}
	if (side->smi)
		card = nvidia_smi_card(side->smi, key->device);
	if (card && card->is_mig)
		card = NULL;
	f.message = find_message(side->log, key);
	f.message_differs = side->log && side->log->messages.n && !f.message;
	f.observer_fits = side->observer && observer_fits(side->observer, key);
	f.observer_differs = side->observer && !f.observer_fits;
	if (side->device_memory)
		set_total(&f, amount_exact(side->device_memory), FACT_OPTION);
	if (f.message)
		set_total(&f, f.message->total, FACT_MESSAGE);
	set_total(&f, total_of_log(side->log, key), FACT_MESSAGE);
	if (card)
		set_total(&f, smi_card_capacity(card), FACT_SMI);
	if (key->capacity)
		set_total(&f, amount_exact(key->capacity), FACT_TRACE);
	use_observer(&f, side->observer, key);
	use_message(&f, side->log, key);
	use_smi(&f, side->smi, card, key);
	*out = f;
}

struct amount card_outside(const struct card_facts *f, uint64_t reserved)
{
	struct amount a = f->self;

	if (!a.known || reserved == BYTES_NONE)
		return (struct amount){0};
	a.bytes = a.bytes > reserved ? a.bytes - reserved : 0;
	a.low = a.low > reserved ? a.low - reserved : 0;
	a.high = a.high > reserved ? a.high - reserved : 0;
	return a;
}
