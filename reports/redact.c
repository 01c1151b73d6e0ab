/* SPDX-License-Identifier: MIT
 * redact.c -- keyed replacements for names, with the words that analyses need left in.
 */
#include "reports/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/hash.h"
#include "passes/native_frame.h"
#include "passes/site.h"
#include "reports/redact_library.h"
#include "reports/sha256.h"

/* What rules.xml, phases and site.c look for in names of users' own code. */
const char *const redact_words[] = {
	"accumulate", "activation", "backward", "batch",    "buffer",     "cache",     "call",
	"checkpoint", "clip",       "data",     "dataset",  "device",     "embedding", "enumerate",
	"epoch",      "eval",       "forward",  "frozen",   "grad",       "gradient",  "init",
	"input",      "kv",         "lambda",   "load",     "loader",     "loss",      "main",
	"micro",      "model",      "module",   "norm",     "optim",      "optimizer", "param",
	"parameter",  "pass",       "phase",    "profiler", "recompute",  "reset",     "run",
	"scaler",     "state",      "step",     "string",   "stdin",      "test",      "to",
	"train",      "training",   "update",   "val",      "validation", "warmup",    "zero",
	"py",         NULL,
};

/* Names with a meaning as a whole. */
static const char *const whole_names[] = {"N/A",        "",          "<module>",   "<lambda>",
					  "<listcomp>", "<genexpr>", "<dictcomp>", "<string>",
					  "<stdin>",    NULL};

/* What becomes of a frame. */
enum treatment {
	FRAME_REPLACED, /* the user's own code, and what is not known to be public */
	FRAME_STAYS,
	FRAME_LIBRARY, /* as redact_library_path says of its file */
};

struct redact {
	const struct model *m;
	struct budget *budget;
	struct arena arena;
	struct hashmap done; /* kind << 32 | str_id -> row of texts + 1 */
	VEC(struct str) texts;
	VEC(pcre2_code *) keep;
	pcre2_match_data *match;
	VEC(uint8_t) treatment; /* enum treatment of each frame */
	char *key;
	size_t key_length;
	size_t replaced;
};

/* ---- what stays ---- */

static bool is_word(const char *text, size_t n)
{
	char lower[32];

	if (n == 0 || n >= sizeof lower)
		return false;
	for (size_t i = 0; i < n; i++)
		lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
	lower[n] = '\0';
	for (size_t i = 0; redact_words[i]; i++)
		if (!strcmp(redact_words[i], lower))
			return true;
	return false;
}

static bool is_whole_name(const struct str *s)
{
	for (size_t i = 0; whole_names[i]; i++)
		if (!strcmp(whole_names[i], s->bytes) && strlen(whole_names[i]) == s->length)
			return true;
	return false;
}

static bool keep_matches(struct redact *r, const char *text, size_t n)
{
	for (size_t i = 0; i < r->keep.n; i++)
		if (pcre2_match(r->keep.at[i], (PCRE2_SPTR)text, n, 0, 0, r->match, NULL) >= 0)
			return true;
	return false;
}

/* ---- replacing ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The next word of an identifier: letters of one case run ("zeroGrad" is two), digits, or one
 * character that is neither. */
static size_t word_length(const char *text, size_t n)
{
	size_t k = 1;

	if (is_digit(text[0])) {
		while (k < n && is_digit(text[k]))
			k++;
		return k;
	}
	if (!is_letter(text[0]))
		return k;
	while (k < n && is_letter(text[k]) &&
	       !(text[k] >= 'A' && text[k] <= 'Z' && text[k - 1] >= 'a' && text[k - 1] <= 'z'))
		k++;
	return k;
}

/* Eight hex digits for a piece of text. */
static void put_hash(struct redact *r, const char *text, size_t n, char out[10])
{
	uint8_t digest[SHA256_BYTES];
	size_t length = r->key_length + 1 + n;
	char small[1024], *all = length <= sizeof small ? small : malloc(length);

	if (all) {
		memcpy(all, r->key, r->key_length);
		all[r->key_length] = '\0';
		memcpy(all + r->key_length + 1, text, n);
		sha256(all, length, digest);
	} else {
		memset(digest, 0, sizeof digest);
	}
	if (all != small)
		free(all);
	(void)snprintf(out, 10, "x%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
}

/* One identifier, or component of a path: itself when all its words may stay; else a hash of it,
 * with those that may stay behind it. */
static void put_identifier(struct redact *r, const char *text, size_t n, bool digits_stay,
			   char **at, char *end)
{
	bool all = true;
	char hash[10];
	size_t used;

	for (size_t i = 0; i < n; i += word_length(text + i, n - i)) {
		size_t k = word_length(text + i, n - i);

		if (is_digit(text[i]) ? !digits_stay : is_letter(text[i]) && !is_word(text + i, k))
			all = false;
	}
	if (all) {
		used = (size_t)(end - *at) < n ? (size_t)(end - *at) : n;
		memcpy(*at, text, used);
		*at += used;
		return;
	}
	put_hash(r, text, n, hash);
	used = strlen(hash);
	if ((size_t)(end - *at) < used)
		return;
	memcpy(*at, hash, used);
	*at += used;
	for (size_t i = 0; i < n; i += word_length(text + i, n - i)) {
		size_t k = word_length(text + i, n - i);

		if (!is_letter(text[i]) || !is_word(text + i, k) || (size_t)(end - *at) < k + 1)
			continue;
		*(*at)++ = '_';
		memcpy(*at, text + i, k);
		*at += k;
	}
}

static bool is_identifier_char(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

/* Text with every identifier replaced, what lies between left as it is. Longer text is cut. */
static size_t replace(struct redact *r, const struct str *s, bool digits_stay, char *to,
		      size_t size)
{
	char *at = to, *end = to + size;

	for (size_t i = 0; i < s->length && at < end;) {
		size_t k = 0;

		while (i + k < s->length && is_identifier_char(s->bytes[i + k]))
			k++;
		if (k > 0) {
			put_identifier(r, s->bytes + i, k, digits_stay, &at, end);
			i += k;
		} else {
			*at++ = s->bytes[i++];
		}
	}
	return (size_t)(at - to);
}

/* What `stays` leaves of a library's path, the rest replaced. */
static size_t replace_path(struct redact *r, const struct str *s, const struct redact_path *p,
			   char *to, size_t size)
{
	size_t used = 0, at = 0;

	for (size_t i = 0; i <= p->n; i++) {
		const size_t from = i < p->n ? p->stays[i].from : s->length;
		const size_t end = i < p->n ? p->stays[i].to : s->length;
		const struct str piece = {.bytes = s->bytes + at, .length = (uint32_t)(from - at)};
		size_t n;

		used += replace(r, &piece, false, to + used, size - used);
		n = end - from < size - used ? end - from : size - used;
		memcpy(to + used, s->bytes + from, n);
		used += n;
		at = end;
	}
	return used;
}

/* Is it as it may be shown already? */
static bool text_stays(struct redact *r, const struct str *s, enum snapshot_text what,
		       frame_id frame)
{
	const struct frame *f = &r->m->stacks.frames.at[frame.i];

	if (what == TEXT_SETTING || is_whole_name(s))
		return true;
	if (what == TEXT_CAPTURE && s->bytes[0] == '/' && native_path_is_library(s->bytes))
		return true;
	if (what != TEXT_FILE && what != TEXT_FUNCTION)
		return keep_matches(r, s->bytes, s->length);
	if (r->treatment.at[frame.i] == FRAME_STAYS)
		return true;
	return what == TEXT_FUNCTION && r->treatment.at[frame.i] == FRAME_LIBRARY &&
	       redact_library_path(strtab_get(&r->m->strings, f->file)).is_public;
}

static const struct str *remember(struct redact *r, uint64_t key, const char *bytes, size_t n,
				  const struct str *otherwise)
{
	struct error err;
	char *copy = arena_bytes(&r->arena, n + 1, &err);
	struct str s;

	if (!copy)
		return otherwise;
	memcpy(copy, bytes, n);
	copy[n] = '\0';
	s = (struct str){.bytes = copy, .length = (uint32_t)n};
	if (vec_push(&r->texts, s, r->budget, &err) < 0 ||
	    hashmap_put(&r->done, key, r->texts.n, &err) < 0)
		return otherwise;
	return &r->texts.at[r->texts.n - 1];
}

const struct str *redact_text(void *redact, str_id id, enum snapshot_text what, frame_id frame)
{
	static const struct str nothing = {.bytes = "", .length = 0};
	struct redact *r = redact;
	const struct str *s = strtab_get(&r->m->strings, id);
	const bool is_path = what == TEXT_FILE && r->treatment.at[frame.i] == FRAME_LIBRARY;
	const uint64_t key = (uint64_t)is_path << 40 | (uint64_t)what << 32 | id.i;
	char buf[4096];
	size_t n;

	if (text_stays(r, s, what, frame))
		return s;
	const uint64_t *row = hashmap_get(&r->done, key);
	if (row)
		return &r->texts.at[*row - 1];
	if (is_path) {
		const struct redact_path path = redact_library_path(s);

		n = replace_path(r, s, &path, buf, sizeof buf);
	} else {
		/* Numbers of annotations are steps; a number in a name may be a secret. */
		n = replace(r, s, what == TEXT_ANNOTATION, buf, sizeof buf);
	}
	r->replaced += n != s->length || memcmp(buf, s->bytes, n) != 0;
	/* When memory is short nothing of the original may slip through. */
	return remember(r, key, buf, n, &nothing);
}

/* ---- life ---- */

static int compile_keep(struct redact *r, const char *pattern, struct error *err)
{
	PCRE2_UCHAR words[160];
	PCRE2_SIZE offset;
	int code;
	pcre2_code *re =
		pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &code, &offset, NULL);

	if (!re) {
		pcre2_get_error_message(code, words, sizeof words);
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "bad expression '%s': %s", pattern,
				 (const char *)words);
	}
	int rc = vec_push(&r->keep, re, r->budget, err);
	if (rc < 0)
		pcre2_code_free(re);
	return rc;
}

static enum treatment treatment_of(struct redact *r, frame_id id)
{
	const struct frame *f = &r->m->stacks.frames.at[id.i];
	const struct str *file = strtab_get(&r->m->strings, f->file);
	char words[4096];

	if (id.i == 0)
		return FRAME_STAYS;
	if (r->keep.n > 0) {
		frame_words(r->m, id, words, sizeof words);
		if (keep_matches(r, words, strlen(words)))
			return FRAME_STAYS;
	}
	if (frame_is_user(r->m, id))
		return FRAME_REPLACED;
	/* What dataclasses generate: <string>, __init__. */
	if (frame_is_python(r->m, id))
		return is_whole_name(file) ? FRAME_STAYS : FRAME_LIBRARY;
	if (native_code_of(r->m, id) != NATIVE_NOT)
		return FRAME_STAYS;
	return redact_symbol_is_public(strtab_get(&r->m->strings, f->name)) ? FRAME_STAYS
									    : FRAME_REPLACED;
}

static int choose_frames(struct redact *r, struct error *err)
{
	const size_t n = r->m->stacks.frames.n;
	int rc = vec_reserve(&r->treatment, n, r->budget, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		r->treatment.at[r->treatment.n++] = (uint8_t)treatment_of(r, (frame_id){i});
	return 0;
}

int redact_new(struct redact **out, const struct model *m, const struct redact_options *o,
	       struct budget *budget, struct error *err)
{
	struct redact *r = budget_realloc(budget, NULL, 0, sizeof *r, err);
	int rc = 0;

	if (!r)
		return err->code;
	*r = (struct redact){.m = m, .budget = budget, .key_length = o->key_length};
	arena_init(&r->arena, budget);
	hashmap_init(&r->done, budget);
	r->match = pcre2_match_data_create(16, NULL);
	r->key = arena_bytes(&r->arena, o->key_length + 1, err);
	if (!r->match)
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	else if (!r->key)
		rc = err->code;
	else
		memcpy(r->key, o->key, o->key_length);
	for (size_t i = 0; rc == 0 && i < o->n_keep; i++)
		rc = compile_keep(r, o->keep[i], err);
	if (rc == 0)
		rc = choose_frames(r, err);
	if (rc < 0) {
		redact_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void redact_free(struct redact *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->keep.n; i++)
		pcre2_code_free(r->keep.at[i]);
	vec_release(&r->keep, r->budget);
	pcre2_match_data_free(r->match);
	vec_release(&r->texts, r->budget);
	vec_release(&r->treatment, r->budget);
	hashmap_release(&r->done);
	arena_release(&r->arena);
	budget_free(r->budget, r, sizeof *r);
}

size_t redact_count(const struct redact *r)
{
	return r->replaced;
}
