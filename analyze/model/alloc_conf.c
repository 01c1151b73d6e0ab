/* SPDX-License-Identifier: MIT
 * alloc_conf.c -- the text of PYTORCH_CUDA_ALLOC_CONF (PYTORCH_ALLOC_CONF) as numbers, and back.
 */
#include "model/alloc_conf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB_LOG         20
#define DEFAULT_LARGE   (UINT64_C(20) << MIB_LOG)
#define DIVISION_COUNT  16
#define LARGE_MIN_MIB   10 /* large_segment_size_mb must be more */
#define MAX_MIB         (UINT64_C(1) << 40)
#define TOKEN_BYTES_MAX 64

/* Names, numbers and the signs , : [ ] with blanks between them. */
struct scan {
	const char *at;
	char token[TOKEN_BYTES_MAX + 1]; /* "" at the end */
	bool too_long;
};

struct parse {
	struct scan scan;
	struct alloc_conf conf;
	struct error *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_sign(char c)
{
	return c == ',' || c == ':' || c == '[' || c == ']';
}

static void next_token(struct scan *s)
{
	size_t n = 0;

	while (is_blank(*s->at))
		s->at++;
	if (is_sign(*s->at))
		s->token[n++] = *s->at++;
	else
		for (; *s->at && !is_sign(*s->at) && !is_blank(*s->at); s->at++) {
			s->too_long |= n == TOKEN_BYTES_MAX;
			if (n < TOKEN_BYTES_MAX)
				s->token[n++] = *s->at;
		}
	s->token[n] = '\0';
}

static bool token_is(const struct parse *p, const char *text)
{
	return strcmp(p->scan.token, text) == 0;
}

static int refuse(struct parse *p, const char *setting, const char *wants)
{
	const char *got = p->scan.token;

	if (!*got)
		return error_set(p->err, ERR_USAGE, ERR_NO_OFFSET, "%s wants %s", setting, wants);
	return error_set(p->err, ERR_USAGE, ERR_NO_OFFSET, "%s wants %s, not '%s'", setting, wants,
			 got);
}

/* The sign at the current token, and on to the next one. */
static int expect(struct parse *p, const char *sign, const char *setting)
{
	char wants[] = "'?' there";

	wants[1] = *sign;
	if (!token_is(p, sign))
		return refuse(p, setting, wants);
	next_token(&p->scan);
	return 0;
}

/* A decimal number that is the whole token. */
static bool token_number(const struct parse *p, uint64_t *out)
{
	const char *at = p->scan.token;
	uint64_t n = 0;

	if (!*at || p->scan.too_long)
		return false;
	for (; *at >= '0' && *at <= '9' && n < MAX_MIB; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	*out = n;
	return !*at;
}

static bool token_real(const struct parse *p, double *out)
{
	char *end;
	double value = strtod(p->scan.token, &end);

	*out = value;
	return *p->scan.token && !*end && isfinite(value);
}

static bool is_power_of_2(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* --- one function a setting; the current token is the first of its value ----------------------- */

static int parse_mebibytes(struct parse *p, const char *setting, const char *wants, uint64_t least,
			   uint64_t *bytes)
{
	uint64_t n;

	if (!token_number(p, &n) || n < least || n > MAX_MIB)
		return refuse(p, setting, wants);
	*bytes = n << MIB_LOG;
	next_token(&p->scan);
	return 0;
}

static int parse_max_split(struct parse *p, const char *setting)
{
	return parse_mebibytes(p, setting, "a number of MiB, 20 or more", 20,
			       &p->conf.settings.max_split_bytes);
}

static int parse_non_split(struct parse *p, const char *setting)
{
	return parse_mebibytes(p, setting, "a number of MiB, 20 or more", 20,
			       &p->conf.settings.max_non_split_rounding_bytes);
}

static int parse_large(struct parse *p, const char *setting)
{
	uint64_t bytes = 0;
	int rc = parse_mebibytes(p, setting, "an even number of MiB above 10", LARGE_MIN_MIB + 1,
				 &bytes);

	if (rc < 0)
		return rc;
	if (bytes % (UINT64_C(2) << MIB_LOG))
		return error_set(p->err, ERR_USAGE, ERR_NO_OFFSET,
				 "%s wants an even number of MiB above 10", setting);
	p->conf.settings.large_segment_bytes = bytes;
	return 0;
}

static int parse_gc(struct parse *p, const char *setting)
{
	double v;

	if (!token_real(p, &v) || v <= 0 || v >= 1)
		return refuse(p, setting, "a number between 0 and 1");
	p->conf.settings.gc_threshold = v;
	next_token(&p->scan);
	return 0;
}

static int parse_fraction(struct parse *p, const char *setting)
{
	double v;

	if (!token_real(p, &v) || v <= 0 || v > 1)
		return refuse(p, setting, "a number above 0, at most 1");
	p->conf.memory_fraction = v;
	next_token(&p->scan);
	return 0;
}

static int parse_expandable(struct parse *p, const char *setting)
{
	if (!token_is(p, "True") && !token_is(p, "False"))
		return refuse(p, setting, "True or False");
	p->conf.settings.expandable_segments = token_is(p, "True");
	next_token(&p->scan);
	return 0;
}

static int parse_backend(struct parse *p, const char *setting)
{
	if (token_is(p, "cudaMallocAsync"))
		return error_set(p->err, ERR_USAGE, ERR_NO_OFFSET,
				 "%s:cudaMallocAsync is the driver's allocator, which no rule here "
				 "describes",
				 setting);
	if (!token_is(p, "native"))
		return refuse(p, setting, "native");
	next_token(&p->scan);
	return 0;
}

/* 0 and 1 turn it off. */
static int parse_divisions(struct parse *p, const char *setting, uint16_t *out)
{
	uint64_t n;

	if (!token_number(p, &n) || (n && !is_power_of_2(n)) || n > UINT16_MAX)
		return refuse(p, setting, "divisions that are a power of 2");
	*out = (uint16_t)n;
	next_token(&p->scan);
	return 0;
}

/* [256:1,512:2,>:4]: the first entry holds for all smaller sizes too, `>` for all from the last
 * one's on. */
static int parse_division_list(struct parse *p, const char *setting)
{
	uint16_t *all = p->conf.settings.roundup_divisions;
	bool first = true;
	unsigned last = 0;
	int rc = 0;

	while (!token_is(p, "]")) {
		bool rest = token_is(p, ">");
		uint16_t divisions = 0;
		uint64_t mib = 1;
		unsigned i;

		if (!rest && (!token_number(p, &mib) || !is_power_of_2(mib)))
			return refuse(p, setting, "sizes in MiB that are powers of 2");
		next_token(&p->scan);
		if ((rc = expect(p, ":", setting)) < 0 ||
		    (rc = parse_divisions(p, setting, &divisions)) < 0)
			return rc;
		i = 63 - (unsigned)__builtin_clzll(mib);
		if (i > DIVISION_COUNT - 1)
			i = DIVISION_COUNT - 1;
		for (unsigned k = rest ? last : first ? 0 : i; k <= (rest ? 15 : i); k++)
			all[k] = divisions;
		if (!rest) {
			first = false;
			last = i;
		}
		if (!token_is(p, "]") && (rc = expect(p, ",", setting)) < 0)
			return rc;
	}
	next_token(&p->scan);
	return 0;
}

static int parse_roundup(struct parse *p, const char *setting)
{
	uint16_t *all = p->conf.settings.roundup_divisions;
	int rc;

	if (token_is(p, "[")) {
		next_token(&p->scan);
		return parse_division_list(p, setting);
	}
	if ((rc = parse_divisions(p, setting, &all[0])) < 0)
		return rc;
	for (unsigned i = 1; i < DIVISION_COUNT; i++)
		all[i] = all[0];
	return 0;
}

static int parse_inert(struct parse *p, const char *setting)
{
	if (!*p->scan.token || is_sign(*p->scan.token))
		return refuse(p, setting, "a value");
	next_token(&p->scan);
	return 0;
}

static const struct {
	const char *name;
	int (*parse)(struct parse *p, const char *setting);
} known[] = {
	{"max_split_size_mb", parse_max_split},
	{"max_non_split_rounding_mb", parse_non_split},
	{"large_segment_size_mb", parse_large},
	{"garbage_collection_threshold", parse_gc},
	{"per_process_memory_fraction", parse_fraction},
	{"expandable_segments", parse_expandable},
	{"roundup_power2_divisions", parse_roundup},
	{"backend", parse_backend},
	{"release_lock_on_cudamalloc", parse_inert},
	{"release_lock_on_hipmalloc", parse_inert},
	{"pinned_use_cuda_host_register", parse_inert},
	{"pinned_use_hip_host_register", parse_inert},
	{"pinned_num_register_threads", parse_inert},
	{"pinned_use_background_threads", parse_inert},
	{"pinned_reserve_segment_size_mb", parse_inert},
	{"pinned_max_round_threshold_mb", parse_inert},
	{"pinned_max_cached_size_mb", parse_inert},
	{"graph_capture_record_stream_reuse", parse_inert},
	{"throw_on_cudamalloc_oom", parse_inert},
};

static int parse_setting(struct parse *p)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		int rc;

		if (!token_is(p, known[i].name))
			continue;
		next_token(&p->scan);
		rc = expect(p, ":", known[i].name);
		return rc < 0 ? rc : known[i].parse(p, known[i].name);
	}
	return error_set(p->err, ERR_USAGE, ERR_NO_OFFSET, "unknown allocator setting '%s'",
			 p->scan.token);
}

int alloc_conf_parse(struct alloc_conf *out, const char *text, struct error *err)
{
	struct parse p = {.scan.at = text, .err = err};
	int rc;

	p.conf.settings = alloc_settings_defaults();
	next_token(&p.scan);
	while (*p.scan.token) {
		if ((rc = parse_setting(&p)) < 0)
			return rc;
		if (!*p.scan.token)
			break;
		if (!token_is(&p, ","))
			return refuse(&p, "the text", "',' between settings");
		next_token(&p.scan);
	}
	if (p.conf.settings.max_split_bytes < p.conf.settings.large_segment_bytes)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET,
				 "max_split_size_mb must not be below large_segment_size_mb");
	*out = p.conf;
	return 0;
}

struct alloc_settings alloc_settings_defaults(void)
{
	return (struct alloc_settings){
		.max_split_bytes = UINT64_MAX,
		.max_non_split_rounding_bytes = DEFAULT_LARGE,
		.large_segment_bytes = DEFAULT_LARGE,
	};
}

/* 0 and 1 divisions are both "off". */
static unsigned divisions(const struct alloc_settings *s, unsigned i)
{
	return s->roundup_divisions[i] > 1 ? s->roundup_divisions[i] : 0;
}

bool alloc_settings_equal(const struct alloc_settings *a, const struct alloc_settings *b)
{
	for (unsigned i = 0; i < DIVISION_COUNT; i++)
		if (divisions(a, i) != divisions(b, i))
			return false;
	return a->max_split_bytes == b->max_split_bytes &&
	       a->max_non_split_rounding_bytes == b->max_non_split_rounding_bytes &&
	       a->large_segment_bytes == b->large_segment_bytes &&
	       a->gc_threshold == b->gc_threshold &&
	       a->expandable_segments == b->expandable_segments &&
	       a->rounding_extra == b->rounding_extra;
}

static void add_words(char buf[ALLOC_CONF_BUF], const char *name, const char *value)
{
	size_t n = strlen(buf);

	snprintf(buf + n, ALLOC_CONF_BUF - n, "%s%s:%s", n ? "," : "", name, value);
}

static void add_mebibytes(char buf[ALLOC_CONF_BUF], const char *name, uint64_t bytes)
{
	char value[32];

	snprintf(value, sizeof value, "%llu", (unsigned long long)(bytes >> MIB_LOG));
	add_words(buf, name, value);
}

static void add_divisions(char buf[ALLOC_CONF_BUF], const struct alloc_settings *s)
{
	char value[DIVISION_COUNT * 14 + 3] = "[";
	unsigned same = 1;
	size_t n = 1;

	while (same < DIVISION_COUNT && divisions(s, same) == divisions(s, 0))
		same++;
	if (same == DIVISION_COUNT) {
		snprintf(value, sizeof value, "%u", divisions(s, 0));
		if (divisions(s, 0))
			add_words(buf, "roundup_power2_divisions", value);
		return;
	}
	for (unsigned i = 0; i < DIVISION_COUNT; i++)
		n += (size_t)snprintf(value + n, sizeof value - n, "%s%u:%u", i ? "," : "", 1u << i,
				      divisions(s, i));
	snprintf(value + n, sizeof value - n, "]");
	add_words(buf, "roundup_power2_divisions", value);
}

const char *alloc_conf_words(char buf[ALLOC_CONF_BUF], const struct alloc_settings *s)
{
	char value[32];

	*buf = '\0';
	if (s->expandable_segments)
		add_words(buf, "expandable_segments", "True");
	if (s->max_split_bytes != UINT64_MAX)
		add_mebibytes(buf, "max_split_size_mb", s->max_split_bytes);
	if (s->max_non_split_rounding_bytes != DEFAULT_LARGE)
		add_mebibytes(buf, "max_non_split_rounding_mb", s->max_non_split_rounding_bytes);
	if (s->large_segment_bytes != DEFAULT_LARGE)
		add_mebibytes(buf, "large_segment_size_mb", s->large_segment_bytes);
	add_divisions(buf, s);
	if (s->gc_threshold > 0) {
		snprintf(value, sizeof value, "%g", s->gc_threshold);
		add_words(buf, "garbage_collection_threshold", value);
	}
	return buf;
}
