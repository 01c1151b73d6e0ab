/* SPDX-License-Identifier: MIT
 * test_filter.c -- stacks by regular expressions: keep, drop, refusals, expressions that never end.
 */
#include "passes/filter.h"

#include <string.h>

#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_MAX};
static struct model *model;
static stack_id train, optimizer, odd;

static frame_id add_frame(const char *file, int64_t line, const char *name)
{
	struct frame f = {.line = line};
	frame_id id;

	if (strtab_add(&model->strings, file, strlen(file), &f.file, NULL) < 0 ||
	    strtab_add(&model->strings, name, strlen(name), &f.name, NULL) < 0 ||
	    stacks_add_frame(&model->stacks, f, &id, NULL) < 0)
		abort();
	return id;
}

static void make_model(void)
{
	char repeated[3001];
	frame_id frames[3];
	struct error err;

	memset(repeated, 'a', sizeof repeated - 1);
	repeated[sizeof repeated - 1] = '\0';
	if (model_new(&model, &budget, &err) < 0)
		abort();
	frames[0] = add_frame("/home/me/model.py", 12, "forward");
	frames[1] = add_frame("/home/me/train.py", 40, "<module>");
	frames[2] = add_frame("/usr/lib/python3.12/site-packages/torch/optim/adam.py", 7, "step");
	if (stacks_add(&model->stacks, frames, 2, &train, &err) < 0)
		abort();
	frames[0] = frames[2];
	if (stacks_add(&model->stacks, frames, 2, &optimizer, &err) < 0)
		abort();
	frames[0] = add_frame("b\xff\xfe.py", 1, repeated);
	if (stacks_add(&model->stacks, frames, 1, &odd, &err) < 0)
		abort();
}

/* A filter of up to one expression each way; NULL is none. */
static struct filter *make(const char *keep, const char *drop)
{
	struct filter_options o = {&keep, keep != NULL, &drop, drop != NULL};
	struct filter *f = NULL;
	struct error err = {0};

	if (!is_i64(filter_new(&f, &o, model, &budget, &err), 0, "'%s' without '%s'",
		    keep ? keep : "all", drop ? drop : "nothing"))
		diag("%s", err.text);
	return f;
}

static void check(const char *keep, const char *drop, bool trains, bool optimizes, bool empty)
{
	struct filter *f = make(keep, drop);

	ok(f && filter_passes(f, train) == trains, "training %s", trains ? "stays" : "goes");
	ok(f && filter_passes(f, optimizer) == optimizes, "the optimizer %s",
	   optimizes ? "stays" : "goes");
	ok(f && filter_passes(f, STACK_ABSENT) == empty, "no stack %s", empty ? "stays" : "goes");
	filter_free(f);
}

static void test_choice(void)
{
	check(NULL, NULL, true, true, true);
	check("train\\.py", NULL, true, true, false);
	check("model\\.py:12 forward$", NULL, true, false, false);
	check(NULL, "optim/", true, false, true);
	check("train\\.py", "optim/", true, false, false);
	check("(?i)FORWARD", NULL, true, false, false);
	check("^forward", NULL, false, false, false);
	check("no stack", NULL, false, false, true);
	check("nowhere", NULL, false, false, false);
	check("", NULL, true, true, true);
	ok(filter_passes(NULL, train), "without a filter everything stays");
}

static void test_bytes(void)
{
	struct filter *f = make("\\.py:1 a+$", NULL);

	ok(f && filter_passes(f, odd), "a frame that is no UTF-8 matches behind its bad bytes");
	filter_free(f);
}

static void refuse(const char *keep, enum err_code code, const char *words)
{
	struct filter_options o = {&keep, 1, NULL, 0};
	struct filter *f = NULL;
	struct error err = {0};

	is_i64(filter_new(&f, &o, model, &budget, &err), code, "'%s' is refused", keep);
	ok(strstr(err.text, words) != NULL, "because: %s", err.text);
	ok(!f, "nothing is returned");
}

static void test_refusals(void)
{
	struct budget small = {.limit = 0};
	const char *keep = "train";
	struct filter_options o = {&keep, 1, NULL, 0};
	struct filter *f = NULL;
	struct error err;

	refuse("(", ERR_USAGE, "missing closing parenthesis at character 2");
	refuse("[z-a]", ERR_USAGE, "is no regular expression");
	refuse("\\C", ERR_USAGE, "is no regular expression");
	refuse("\xff", ERR_USAGE, "is no regular expression");
	refuse("(a|aa)+$(?<=b)", ERR_USAGE, "takes too long on the frame");
	is_i64(filter_new(&f, &o, model, &small, &err), ERR_LIMIT, "no memory is allowed");
	is_u64(small.used, 0, "and none is held");
}

int main(void)
{
	uint64_t used;

	make_model();
	used = budget.used;
	test_choice();
	test_bytes();
	test_refusals();
	is_u64(budget.used, used, "everything is given back");
	model_free(model);
	is_u64(budget.used, 0, "the model too");
	return done_testing();
}
