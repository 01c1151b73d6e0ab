/* SPDX-License-Identifier: MIT
 * load.c -- a file into a model: container, decoder, assembly, and what is said about failures.
 */
#include <stdio.h>
#include <string.h>

#include "decode/json.h"
#include "decode/pickle.h"
#include "model/load_private.h"
#include "model/load_ring.h"
#include "model/load_timeline.h"
#include "model/load_trace.h"
#include "model/problem.h"

/* What both decoders tell about a document. */
struct document {
	cell root;
	int protocol; /* -1: not a pickle */
	uint64_t end_offset, trailing;
	bool partial;
	struct error damage;
};

void loader_progress(const struct loader *l)
{
	const struct model_options *o = l->options;

	if (o && o->progress)
		o->progress(o->progress_ctx, input_raw_offset(l->container->outer),
			    input_raw_size(l->container->outer));
}

static int decode_pickle(struct document *out, struct input *in, const struct fold *fold,
			 struct error *err)
{
	struct pickle_result r;
	int rc = pickle_read(&r, in, fold, err);

	if (rc == 0)
		*out = (struct document){.root = r.root,
					 .protocol = r.protocol,
					 .end_offset = r.end_offset,
					 .trailing = r.trailing,
					 .partial = r.partial,
					 .damage = r.damage};
	return rc;
}

static int decode_json(struct document *out, struct input *in, const struct fold *fold,
		       struct error *err)
{
	struct json_result r;
	int rc = json_read(&r, in, fold, err);

	if (rc == 0)
		*out = (struct document){.root = r.root,
					 .protocol = -1,
					 .end_offset = r.end_offset,
					 .trailing = r.trailing,
					 .partial = r.partial,
					 .damage = r.damage};
	return rc;
}

/* A limit was met: say how far it came and what would do. The need grows with what was read, for
 * these files are alike from front to back. `c` is NULL when it could not even be opened. */
static int explain_limit(const struct container *c, const struct budget *b, struct error *err)
{
	uint64_t at = c ? input_raw_offset(c->outer) : 0;
	uint64_t all = c ? input_raw_size(c->outer) : UINT64_MAX;
	double mib = 1048576.0;

	if (b->limit == UINT64_MAX || strncmp(err->text, "needs more memory", 17) != 0)
		return ERR_LIMIT;
	if (all == UINT64_MAX || at == 0)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "the memory limit of %.2f MiB was reached after %llu bytes of the "
				 "file; raise it with --limit",
				 (double)b->limit / mib, (unsigned long long)at);
	return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
			 "the memory limit of %.2f MiB was reached after %llu of %llu bytes of the "
			 "file; about %.0f MiB would do, see --limit",
			 (double)b->limit / mib, (unsigned long long)at, (unsigned long long)all,
			 (double)b->limit / mib * ((double)all / (double)at) * 1.1 + 1);
}

static int note_oddities(struct model *m, const struct document *d, const struct container *c,
			 struct error *err)
{
	int rc = 0;

	if (d->partial)
		rc = model_problem(m, err,
				   "the file is damaged: reading stopped at byte %llu (%s); "
				   "figures cover what was whole before that",
				   (unsigned long long)d->damage.offset, d->damage.text);
	if (rc == 0 && d->trailing > 0)
		rc = model_problem(m, err, "%llu bytes behind the end of the snapshot were ignored",
				   (unsigned long long)d->trailing);
	if (rc == 0 && c->further_pickles > 0)
		rc = model_problem(m, err,
				   "the page holds %llu more snapshots; only the first one was "
				   "read",
				   (unsigned long long)c->further_pickles);
	return rc;
}

/* Files that are no snapshots: they fill the model themselves. */
static int load_records(struct model *m, struct loader *l, struct container *c, struct error *err)
{
	struct document d = {0};
	int rc;

	m->format = c->format;
	m->compression = c->compression;
	if (c->format == CONTAINER_TRACE)
		rc = load_trace(m, c, l->options, err);
	else
		rc = load_timeline(m, c, l->options, err);
	loader_progress(l);
	if (rc < 0)
		return rc;
	container_finish(c);
	m->raw_bytes = c->raw_bytes;
	d.partial = m->partial;
	d.damage = m->damage;
	return note_oddities(m, &d, c, err);
}

static int load(struct model *m, struct loader *l, struct container *c, struct error *err)
{
	struct fold fold = loader_fold(l);
	struct document d;
	int rc;

	rc = c->format == CONTAINER_JSON ? decode_json(&d, c->payload, &fold, err)
					 : decode_pickle(&d, c->payload, &fold, err);
	loader_progress(l);
	if (rc < 0)
		return rc;
	container_finish(c);
	m->format = c->format;
	m->compression = c->compression;
	m->pickle_protocol = d.protocol;
	m->raw_bytes = c->raw_bytes;
	m->decoded_bytes = d.end_offset;
	m->partial = d.partial;
	m->damage = d.damage;
	rc = loader_assemble(l, d.root, d.partial, err);
	/* Of a damaged file too little may be left to be anything: then the damage is the news. */
	if (rc == ERR_UNSUPPORTED && d.partial)
		*err = d.damage;
	return rc < 0 ? (int)err->code : note_oddities(m, &d, c, err);
}

struct pickle_bytes {
	VEC(uint8_t) bytes;
	struct budget *budget;
	struct error *err;
};

static int take_pickle(void *ctx, const void *bytes, size_t n)
{
	struct pickle_bytes *p = ctx;

	if (vec_reserve(&p->bytes, n, p->budget, p->err) < 0)
		return -1;
	memcpy(p->bytes.at + p->bytes.n, bytes, n);
	p->bytes.n += n;
	return 0;
}

/* A ring is read as the pickle that the recorder would have written of it. */
static int load_ring(struct model *m, struct loader *l, struct container *c, struct error *err)
{
	struct budget *budget = l->options->budget;
	struct error of_writing = {0};
	struct pickle_bytes p = {.budget = budget, .err = &of_writing};
	struct container inner;
	int rc = ring_to_pickle(c, take_pickle, &p, budget, err);

	if (rc == ERR_SYSTEM && of_writing.code) {
		*err = of_writing;
		rc = of_writing.code;
	}
	if (rc == 0)
		rc = container_open_bytes(&inner, p.bytes.at, p.bytes.n, budget, err);
	if (rc == 0) {
		l->container = &inner;
		rc = load(m, l, &inner, err);
		l->container = c;
		container_close(&inner);
	}
	vec_release(&p.bytes, budget);
	container_finish(c);
	m->format = c->format;
	m->compression = c->compression;
	m->pickle_protocol = -1;
	m->raw_bytes = c->raw_bytes;
	m->decoded_bytes = input_offset(c->outer);
	return rc;
}

static int model_from(struct model **out, struct container *c, const char *label,
		      const struct model_options *options, struct error *err)
{
	struct model *m;
	struct loader l;
	int rc = model_new(&m, options->budget, err);

	if (rc < 0)
		return rc;
	rc = loader_init(&l, m, err);
	if (rc < 0) {
		model_free(m);
		return rc;
	}
	l.options = options;
	l.container = c;
	if (c->format == CONTAINER_RING)
		rc = load_ring(m, &l, c, err);
	else if (c->format >= CONTAINER_TRACE)
		rc = load_records(m, &l, c, err);
	else
		rc = load(m, &l, c, err);
	loader_release(&l);
	if (rc == 0)
		rc = strtab_add(&m->strings, label, strlen(label), &m->file, err);
	if (rc < 0) {
		model_free(m);
		return rc;
	}
	*out = m;
	return 0;
}

/* `rc` is the answer of opening the container. */
static int load_container(struct model **out, int rc, struct container *c, const char *label,
			  const struct model_options *options, struct error *err)
{
	bool opened = rc == 0;

	if (opened)
		rc = model_from(out, c, label, options, err);
	if (rc == ERR_LIMIT)
		rc = explain_limit(opened ? c : NULL, options->budget, err);
	if (opened)
		container_close(c);
	return rc;
}

int model_load(struct model **out, const char *name, const struct model_options *options,
	       struct error *err)
{
	struct container c;
	int rc = container_open(&c, name, options->budget, err);

	return load_container(out, rc, &c, name, options, err);
}

int model_load_bytes(struct model **out, const void *bytes, size_t length, const char *label,
		     const struct model_options *options, struct error *err)
{
	struct container c;
	int rc = container_open_bytes(&c, bytes, length, options->budget, err);

	return load_container(out, rc, &c, label, options, err);
}
