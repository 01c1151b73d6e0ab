/* SPDX-License-Identifier: MIT
 * describe_settings.c -- the allocator's settings: as the file has them, and what differs in text.
 */
#include "reports/describe.h"

#include <stdio.h>

static void line_roundup(struct emit *e, const struct alloc_settings *s)
{
	char line[200] = "";
	size_t n = 0;

	for (int i = 0; i < 16; i++) {
		uint16_t divisions = s->roundup_divisions[i];

		/* Runs of equal intervals are said once. */
		if (divisions <= 1 || (i && s->roundup_divisions[i - 1] == divisions))
			continue;
		n += (size_t)snprintf(line + n, sizeof line - n, "%s%u from %u MiB", n ? ", " : "",
				      divisions, 1u << i);
	}
	if (n)
		emit_str(e, NULL, "roundup_power2_divisions", line);
}

/* The setting's text as the program gave it; "" when there is none. */
static const char *conf_words(const struct model *m)
{
	const struct value *conf =
		value_member(m->settings_value, &m->strings, "PYTORCH_CUDA_ALLOC_CONF");

	return conf && conf->kind == VALUE_STR ? model_str(m, conf->str) : "";
}

static bool rounds_up(const struct alloc_settings *s)
{
	for (int i = 0; i < 16; i++) {
		if (s->roundup_divisions[i] > 1)
			return true;
	}
	return false;
}

static bool all_default(const struct model *m)
{
	const struct alloc_settings *s = &m->settings;

	return !*conf_words(m) && !s->expandable_segments && s->max_split_bytes == UINT64_MAX &&
	       !(s->gc_threshold > 0) && !rounds_up(s);
}

/* What differs from PyTorch's defaults, with the settings' own names. */
static void text_settings(struct emit *e, const struct model *m)
{
	const struct alloc_settings *s = &m->settings;

	emit_section_begin(e, "Allocator settings");
	if (all_default(m))
		emit_line(e, "All at their defaults.");
	if (*conf_words(m))
		emit_str(e, NULL, "PYTORCH_CUDA_ALLOC_CONF", conf_words(m));
	if (s->expandable_segments)
		emit_bool(e, NULL, "expandable_segments", true);
	if (s->max_split_bytes != UINT64_MAX)
		emit_bytes(e, NULL, "max_split_size", s->max_split_bytes);
	if (s->gc_threshold > 0)
		emit_f64(e, NULL, "garbage_collection_threshold", s->gc_threshold);
	line_roundup(e, s);
	emit_section_end(e);
}

void describe_settings(struct emit *e, const struct model *m)
{
	emit_value(e, "allocator_settings", m, m->settings_value);
	if (m->settings.known)
		text_settings(e, m);
}
