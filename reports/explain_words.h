/* SPDX-License-Identifier: MIT
 * explain_words.h -- the sentences of an explanation, for text and for the `text` keys of JSON.
 */
#ifndef REPORTS_EXPLAIN_WORDS_H
#define REPORTS_EXPLAIN_WORDS_H

#include <stddef.h>

#include "passes/explain.h"
#include "reports/emit.h"
#include "reports/stack_lines.h"

/* Long enough for the longest sentence around one site. */
#define SENTENCE_BYTES 2048

/* Who asked for what on which device and stream, and what stood in the way. */
const char *oom_sentence(const struct emit *e, const struct model *m, const struct explain_oom *o,
			 char *buf, size_t size);
const char *evidence_sentence(const struct emit *e, const struct model *m,
			      const struct explain_oom *o, const struct evidence *v, char *buf,
			      size_t size);
const char *advice_sentence(const struct emit *e, const struct model *m,
			    const struct explain_oom *o, const struct advice *a, char *buf,
			    size_t size);

/* What led there, to follow "cause". */
const char *cause_sentence(const struct emit *e, const struct model *m,
			   const struct explain_cause *c, char *buf, size_t size);
/* Of one bit of enum missing: what JSON calls it, and what a person could add. */
const char *missing_name(unsigned bit);
const char *missing_words(unsigned bit);
/* Why there is no stack, and what would have recorded it. */
const char *no_stack_words(enum no_stack_reason r);

/* "the default stream", "stream 0x7f..."; where the largest fitting block of a fact lies. */
const char *stream_words(uint64_t stream, char *buf, size_t size);
const char *place_words(const struct evidence *v, char *buf, size_t size);

/* What JSON calls a fact and those of its numbers that mean something; NULL: not used. */
struct evidence_keys {
	const char *fact, *bytes, *of_bytes, *count, *count2;
};
const struct evidence_keys *evidence_keys(enum evidence_kind k);
const char *advice_name(enum advice_kind k);
/* The value for PYTORCH_CUDA_ALLOC_CONF that an advice is about, or NULL. */
const char *advice_setting(const struct advice *a, char *buf, size_t size);

#endif
