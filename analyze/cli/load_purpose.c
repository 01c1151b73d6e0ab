/* SPDX-License-Identifier: MIT
 * load_purpose.c -- rules of --rules, steps of --step-marker, and what stands on them.
 */
#include "cli/load_purpose.h"

#include "base/input.h"
#include "passes/site.h"

static int add_file(struct invocation *inv, struct rules *rules)
{
	const char *file = inv->common.rules;
	struct input *in;
	struct error err;
	int rc;

	if ((rc = input_open(&in, file, &inv->budget, &err)) == 0) {
		rc = rules_add(rules, in, &err);
		input_close(in);
	}
	if (rc == 0)
		return STATUS_DONE;
	if (rc == ERR_USAGE || rc == ERR_FORMAT || rc == ERR_UNSAFE) {
		complain("bad rules in '%s': %s", file, err.text);
		return STATUS_USAGE;
	}
	return complain_error("read", file, &err);
}

int complain_analysis(const char *file, const struct error *err)
{
	if (err->code != ERR_USAGE)
		return complain_error("analyse", file, err);
	complain("%s", err->text);
	return STATUS_USAGE;
}

int load_rules(struct invocation *inv, struct rules **out)
{
	struct rules *rules;
	struct error err;
	int status = STATUS_DONE;

	if (rules_new(&rules, &inv->budget, &err) < 0)
		return complain_error("read", "the built-in rules", &err);
	if (inv->common.rules)
		status = add_file(inv, rules);
	if (status == STATUS_DONE)
		*out = rules;
	else
		rules_free(rules);
	return status;
}

int load_site_rules(struct invocation *inv, struct model *m)
{
	struct rules *rules;
	struct error err;
	int status;

	if (!inv->common.rules)
		return STATUS_DONE;
	if ((status = load_rules(inv, &rules)) != STATUS_DONE)
		return status;
	if (site_use_rules(m, rules, &err) < 0)
		status = complain_error("analyse", model_str(m, m->file), &err);
	rules_free(rules);
	return status;
}

int load_purpose(struct invocation *inv, const struct model *m, const struct device *d,
		 struct replay *r, struct loaded_purpose *out)
{
	const struct phases_options options = {.step_marker = inv->common.step_marker};
	struct loaded_purpose p = {0};
	struct error err;
	int status = load_rules(inv, &p.rules);

	if (status != STATUS_DONE)
		return status;
	if (purpose_new(&p.purpose, p.rules, m, r, d, &options, &inv->budget, &err) == 0) {
		*out = p;
		return STATUS_DONE;
	}
	loaded_purpose_release(&p);
	return complain_analysis(model_str(m, m->file), &err);
}

void loaded_purpose_release(struct loaded_purpose *p)
{
	purpose_free(p->purpose);
	rules_free(p->rules);
	*p = (struct loaded_purpose){0};
}
