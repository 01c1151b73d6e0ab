/* SPDX-License-Identifier: MIT
 * nvidia_smi.c -- what `nvidia-smi -q -x` tells of each card: its memory, and who holds it.
 */
#include "passes/nvidia_smi.h"

#include <stdlib.h>
#include <string.h>

#include "decode/xml_read.h"

/* "143771 MiB" stands for less than a MiB more or less. "N/A" and the like are not known. */
static struct amount amount_of(const char *text)
{
	struct amount a = text ? amount_read(text, strlen(text)) : (struct amount){0};
	uint64_t unit = UINT64_C(1) << 20;

	if (a.known) {
		a.low = a.bytes > unit ? a.bytes - unit + 1 : 0;
		a.high = a.bytes + unit - 1;
	}
	return a;
}

static int add_process(struct nvidia_smi *s, struct smi_card *card, const struct xml_node *node,
		       struct error *err)
{
	const char *pid = xml_child_text(node, "pid");
	struct oom_process p = {.used = amount_of(xml_child_text(node, "used_memory"))};
	int rc;

	p.pid = pid ? strtoull(pid, NULL, 10) : 0;
	/* The same process appears for graphics and for compute. */
	for (size_t i = card->first_process; i < s->processes.n; i++)
		if (p.pid && s->processes.at[i].pid == p.pid)
			return 0;
	if (!p.pid)
		return 0;
	if ((rc = vec_push(&s->processes, p, s->budget, err)) < 0)
		return rc;
	card->n_processes++;
	return 0;
}

static int add_card(struct nvidia_smi *s, const struct xml_node *gpu, struct error *err)
{
	const struct xml_node *memory = xml_child(gpu, "fb_memory_usage");
	const struct xml_node *processes = xml_child(gpu, "processes");
	const char *mig = xml_child_text(xml_child(gpu, "mig_mode"), "current_mig");
	struct smi_card card = {
		.total = amount_of(xml_child_text(memory, "total")),
		.reserved = amount_of(xml_child_text(memory, "reserved")),
		.used = amount_of(xml_child_text(memory, "used")),
		.free = amount_of(xml_child_text(memory, "free")),
		.is_mig = mig && !strcmp(mig, "Enabled"),
		.first_process = s->processes.n,
	};
	int rc = 0;

	for (const struct xml_node *p = xml_child(processes, "process_info"); p && rc == 0;
	     p = xml_next(p, "process_info"))
		rc = add_process(s, &card, p, err);
	return rc < 0 ? rc : vec_push(&s->cards, card, s->budget, err);
}

int nvidia_smi_read(struct nvidia_smi *out, struct input *in, struct budget *budget,
		    struct error *err)
{
	struct nvidia_smi s = {.budget = budget};
	struct xml_doc *doc;
	int rc = xml_read(&doc, in, &(struct xml_options){0}, err);

	if (rc < 0)
		return rc;
	if (strcmp(doc->root->name, "nvidia_smi_log"))
		rc = error_set(err, ERR_SCHEMA, ERR_NO_OFFSET,
			       "not the output of nvidia-smi -q -x: it begins with <%.40s>",
			       doc->root->name);
	for (const struct xml_node *gpu = xml_child(doc->root, "gpu"); gpu && rc == 0;
	     gpu = xml_next(gpu, "gpu"))
		rc = add_card(&s, gpu, err);
	xml_doc_free(doc);
	if (rc < 0)
		nvidia_smi_release(&s);
	else
		*out = s;
	return rc;
}

void nvidia_smi_release(struct nvidia_smi *s)
{
	if (!s || !s->budget)
		return;
	vec_release(&s->cards, s->budget);
	vec_release(&s->processes, s->budget);
	s->budget = NULL;
}

const struct smi_card *nvidia_smi_card(const struct nvidia_smi *s, int32_t device)
{
	if (device >= 0 && (size_t)device < s->cards.n)
		return &s->cards.at[device];
	return s->cards.n == 1 ? &s->cards.at[0] : NULL;
}

struct amount smi_card_capacity(const struct smi_card *c)
{
	struct amount a = c->total, r = c->reserved;

	if (!a.known || !r.known || r.high > a.low)
		return a;
	a.bytes -= r.bytes;
	a.low -= r.high;
	a.high -= r.low;
	return a;
}
