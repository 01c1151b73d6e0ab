/* SPDX-License-Identifier: MIT
 * fuzz_rules.c -- any bytes as a file of rules: refused with words, or asked about stacks.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/xml_read.h"
#include "passes/rules.h"
#include "passes/rules_builtin.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/mk_train.h"

static const struct model *some_model(void)
{
	static struct mk_train t;
	static bool made;

	if (!made) {
		stack_id s;

		made = true;
		mk_train_init(&t);
		s = mk_train_stack(&t, "/app/model.py:3 forward", "/app/train.py:9 main", NULL);
		mk_train_alloc(&t, UINT64_C(2) << 20, s);
		s = mk_train_stack(&t, "/x/site-packages/torch/optim/adam.py:7 step",
				   "/app/train.py:12 main", NULL);
		mk_train_alloc(&t, UINT64_C(2) << 20, s);
		s = mk_train_stack(&t, "?? at::empty", "?? torch::autograd::Engine::run", NULL);
		mk_train_alloc(&t, UINT64_C(2) << 20, s);
		mk_train_done(&t);
	}
	return t.k.m;
}

static void check_rule(const struct rule *r)
{
	CHECK(r->id && r->kind <= RULE_CATEGORY);
	CHECK(r->phase < PHASE_COUNT && r->needs < PHASE_COUNT);
	CHECK(r->category < CATEGORY_COUNT && r->first < CATEGORY_COUNT);
}

static void check_row(const struct rules *r, uint16_t row)
{
	CHECK(row == RULE_NONE || row < rules_count(r));
}

static void ask(const struct rules *r, struct budget *budget)
{
	const struct model *m = some_model();
	struct stack_rules s;
	struct error err;

	for (size_t i = 0; i < rules_count(r); i++)
		check_rule(rules_at(r, (uint16_t)i));
	check_row(r, rules_annotation(r, "ProfilerStep#3", 14));
	check_row(r, rules_annotation(r, "", 0));
	if (stack_rules_init(&s, r, m, budget, &err) < 0) {
		CHECK(err.code == ERR_LIMIT);
		return;
	}
	for (size_t i = 0; i < s.of_stack.n; i++) {
		CHECK(s.of_stack.at[i].phase < PHASE_COUNT);
		check_row(r, s.of_stack.at[i].phase_rule);
		check_row(r, s.of_stack.at[i].owner);
		check_row(r, s.of_stack.at[i].user_category);
	}
	stack_rules_release(&s);
}

static struct input *open_bytes(const uint8_t *data, size_t size, struct budget *budget)
{
	struct error err = {0};
	struct input *in;

	if (input_open_bytes(&in, data, size, budget, &err) == 0)
		return in;
	CHECK(err.text[0]);
	return NULL;
}

/* Compiling the built-in rules takes long: most documents are refused before. */
static bool fits_schema(const uint8_t *data, size_t size, struct budget *budget)
{
	struct input *in = open_bytes(data, size, budget);
	struct xml_doc *doc;
	struct error err = {0};
	int rc;

	if (!in)
		return false;
	rc = xml_read(&doc, in, &(struct xml_options){.schema = rules_rng}, &err);
	input_close(in);
	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	if (rc == 0)
		xml_doc_free(doc);
	return rc == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct error err = {0};
	struct input *in;
	struct rules *r;
	size_t before;
	int rc;

	if (fits_schema(data, size, &budget)) {
		CHECK(rules_new(&r, &budget, &err) == 0);
		before = rules_count(r);
		in = open_bytes(data, size, &budget);
		CHECK(in);
		rc = rules_add(r, in, &err);
		CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
		CHECK(rc == 0 || rules_count(r) == before);
		input_close(in);
		if (rc == 0)
			ask(r, &budget);
		rules_free(r);
	}
	CHECK(budget.used == 0);
	return 0;
}
