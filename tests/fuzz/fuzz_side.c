/* SPDX-License-Identifier: MIT
 * fuzz_side.c -- any bytes as an observer's note and as nvidia-smi's XML: read or refused, bounded.
 */
#include <stdlib.h>

#include "model/model.h"
#include "passes/card_facts.h"
#include "tests/fuzz/fuzz.h"

static void use(const struct nvidia_smi *smi, const struct observer_note *note)
{
	struct explain_side side = {.smi = smi, .observer = note};
	struct oom_key key = {.device = 0,
			      .attempted = UINT64_C(2) << 20,
			      .rounded = UINT64_C(2) << 20,
			      .device_free = UINT64_C(1) << 20,
			      .allocated = UINT64_C(1) << 30,
			      .reserved = UINT64_C(1) << 30};
	struct card_facts f;

	card_facts_find(&f, &side, &key);
	CHECK(f.total.low <= f.total.bytes && f.total.bytes <= f.total.high);
	CHECK(f.others.low <= f.others.bytes && f.others.bytes <= f.others.high);
	CHECK(f.total.known == (f.total_from != FACT_NONE));
	CHECK(f.allowed.known == (f.allowed_from != FACT_NONE));
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct observer_note note;
	struct nvidia_smi smi;
	struct error err = {0};
	struct input *in = open_bytes(data, size, &budget);
	int rc;

	if (!in)
		return 0;
	rc = observer_read(&note, in, &budget, &err);
	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	if (rc == 0)
		use(NULL, &note);
	input_close(in);
	CHECK(budget.used == 0);
	in = open_bytes(data, size, &budget);
	CHECK(in);
	rc = nvidia_smi_read(&smi, in, &budget, &err);
	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	if (rc == 0) {
		use(&smi, NULL);
		nvidia_smi_release(&smi);
	}
	input_close(in);
	CHECK(budget.used == 0);
	return 0;
}
