/* SPDX-License-Identifier: MIT
 * explain_words.h -- the sentences of an explanation, for text and for the `text` keys of JSON.
 */
#ifndef REPORTS_EXPLAIN_WORDS_H
#define REPORTS_EXPLAIN_WORDS_H

#include <stddef.h>

#include "passes/explain.h"
#include "reports/emit.h"

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

/* Machine's names: "largest_free", "raise_limit" ... */
const char *evidence_name(enum evidence_kind k);
const char *advice_name(enum advice_kind k);
/* The value for PYTORCH_CUDA_ALLOC_CONF that an advice is about, or NULL. */
const char *advice_setting(const struct advice *a, char *buf, size_t size);

/* "train.py:12 step": a site without the folders of its path; "the backward pass". */
const char *site_short(const struct model *m, struct site site, char *buf, size_t size);

#endif
