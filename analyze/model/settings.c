/* SPDX-License-Identifier: MIT
 * settings.c -- allocator_settings as numbers.
 *
 * Source: AllocatorConfigInfo and CUDAAllocatorConfig::parseArgs in c10/cuda of torch 2.3 to
 * newest. Forks rename the key of the settings text (PYTORCH_NPU_ALLOC_CONF ...).
 */
#include <string.h>

#include "model/load_private.h"

static double value_number(const struct value *v, double absent)
{
	if (!v)
		return absent;
	switch (v->kind) {
	case VALUE_I64:
		return (double)v->i64;
	case VALUE_U64:
		return (double)v->u64;
	case VALUE_F64:
		return v->f64;
	default:
		return absent;
	}
}

/* The settings text of whatever backend, or NULL. */
static const struct str *settings_text(const struct value *v, const struct strtab *strings)
{
	static const char prefix[] = "PYTORCH_", suffix[] = "ALLOC_CONF";

	if (!v || v->kind != VALUE_DICT)
		return NULL;
	for (size_t i = 0; i < v->items.n; i++) {
		const struct value *member = &v->items.at[i];
		const struct str *key = strtab_get(strings, member->key);

		if (member->kind == VALUE_STR && key->length >= strlen(prefix) + strlen(suffix) &&
		    memcmp(key->bytes, prefix, strlen(prefix)) == 0 &&
		    strcmp(key->bytes + key->length - strlen(suffix), suffix) == 0)
			return strtab_get(strings, member->str);
	}
	return NULL;
}

/* The number of MiB behind `name:` in the settings text, in bytes; `absent` without one. */
static uint64_t text_mebibytes(const struct str *text, const char *name, uint64_t absent)
{
	const char *at = text ? strstr(text->bytes, name) : NULL;
	uint64_t mib = 0;

	if (!at)
		return absent;
	at += strlen(name);
	while (*at == ' ')
		at++;
	if (*at++ != ':')
		return absent;
	while (*at == ' ')
		at++;
	if (*at < '0' || *at > '9')
		return absent;
	for (; *at >= '0' && *at <= '9' && mib < 1u << 30; at++)
		mib = mib * 10 + (uint64_t)(*at - '0');
	return mib << 20;
}

/* {"1": d, "2": d, ... "32768": d}: divisions for sizes from that many MiB on. */
static void understand_roundup(struct alloc_settings *out, const struct value *v,
			       const struct strtab *strings)
{
	for (size_t i = 0; v && v->kind == VALUE_DICT && i < v->items.n; i++) {
		const char *key = strtab_get(strings, v->items.at[i].key)->bytes;
		double divisions = value_number(&v->items.at[i], 0);
		unsigned mib = 0;

		for (; *key >= '0' && *key <= '9' && mib < 1u << 20; key++)
			mib = mib * 10 + (unsigned)(*key - '0');
		for (unsigned k = 0; k < 16; k++)
			if (mib == 1u << k && divisions > 0 && divisions <= UINT16_MAX)
				out->roundup_divisions[k] = (uint16_t)divisions;
	}
}

void settings_understand(struct alloc_settings *out, const struct value *v,
			 const struct strtab *strings)
{
	const struct value *member;

	if (!v || v->kind != VALUE_DICT)
		return;
	out->known = true;
	double split = value_number(value_member(v, strings, "max_split_size"), -1);
	out->max_split_bytes = split >= 0 && split < 0x1p63 ? (uint64_t)split : UINT64_MAX;
	out->gc_threshold =
		value_number(value_member(v, strings, "garbage_collection_threshold"), 0);
	member = value_member(v, strings, "expandable_segments");
	out->expandable_segments = member && member->kind == VALUE_BOOL && member->boolean;
	understand_roundup(out, value_member(v, strings, "roundup_power2_divisions"), strings);

	const struct str *text = settings_text(v, strings);
	out->max_non_split_rounding_bytes = text_mebibytes(text, "max_non_split_rounding_mb",
							   out->max_non_split_rounding_bytes);
	out->large_segment_bytes =
		text_mebibytes(text, "large_segment_size_mb", out->large_segment_bytes);
}
