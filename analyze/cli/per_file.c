/* SPDX-License-Identifier: MIT
 * per_file.c -- commands that say the same about each FILE: info, explain, validate, top.
 */
#include "cli/per_file.h"

#include <stdio.h>

#include "cli/load_input.h"
#include "cli/output.h"

static void document_begin(struct emit *e, const struct command *c)
{
	char schema[64];

	snprintf(schema, sizeof schema, "vramscope.%s/1", c->name);
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, schema);
}

static void describe_one(struct emit *e, const struct per_file *p, const struct model *m,
			 const void *result)
{
	const struct str *file = strtab_get(&m->strings, m->file);

	emit_strn(e, "file", NULL, file->bytes, file->length);
	p->describe(e, m, result);
}

/* STATUS_DONE or STATUS_FOUND: *m and *result are the caller's. */
static int compute_one(struct invocation *inv, const struct per_file *p, const char *file,
		       struct model **m, void **result)
{
	int status = load_model(inv, file, m);

	if (status != STATUS_DONE)
		return status;
	*result = NULL;
	status = p->compute(inv, *m, result);
	if (status > STATUS_FOUND)
		model_free(*m);
	return status;
}

static int run_one(struct invocation *inv, const struct per_file *p)
{
	struct output o;
	struct model *m;
	void *result;
	int opened;
	int status = compute_one(inv, p, inv->operands[0], &m, &result);

	if (status > STATUS_FOUND)
		return status;
	status = load_status(m, status);
	opened = output_open(inv, &o);
	if (opened == STATUS_DONE) {
		document_begin(o.emit, inv->command);
		describe_one(o.emit, p, m, result);
		emit_object_end(o.emit);
		status = output_close(&o, status);
	} else {
		status = opened;
	}
	p->release(result);
	model_free(m);
	return status;
}

static int add_file(struct invocation *inv, const struct per_file *p, const char *file,
		    struct emit *e)
{
	struct model *m;
	void *result;
	int status = compute_one(inv, p, file, &m, &result);

	emit_object_begin(e, NULL, file);
	if (status > STATUS_FOUND) {
		emit_str(e, "file", NULL, file);
		emit_str(e, "error", NULL, complain_last());
		emit_prose(e, "%s", complain_last());
	} else {
		describe_one(e, p, m, result);
		status = load_status(m, status);
		p->release(result);
		model_free(m);
	}
	emit_object_end(e);
	return status;
}

int per_file_run(struct invocation *inv, const struct per_file *p)
{
	struct output o;
	int worst = STATUS_DONE;
	int status = output_check(inv);

	if (status != STATUS_DONE)
		return status;
	if (inv->n_operands == 1)
		return run_one(inv, p);
	status = output_open(inv, &o);
	if (status != STATUS_DONE)
		return status;
	document_begin(o.emit, inv->command);
	emit_array_begin(o.emit, "files", NULL);
	for (size_t i = 0; i < inv->n_operands; i++) {
		status = add_file(inv, p, inv->operands[i], o.emit);
		if (status > worst)
			worst = status;
	}
	emit_array_end(o.emit);
	emit_object_end(o.emit);
	return output_close(&o, worst);
}
