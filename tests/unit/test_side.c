/* SPDX-License-Identifier: MIT
 * test_side.c -- nvidia-smi, an observer's note and a message: what they tell, and for which failure.
 */
#include <string.h>

#include "model/model.h"
#include "passes/card_facts.h"
#include "tests/lib/tap.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static struct budget budget = {.limit = UINT64_C(64) << 20};
static struct error err;

static int smi(struct nvidia_smi *out, const char *text)
{
	struct input *in;
	int rc = input_open_bytes(&in, text, strlen(text), &budget, &err);

	if (rc == 0) {
		rc = nvidia_smi_read(out, in, &budget, &err);
		input_close(in);
	}
	return rc;
}

static int note(struct observer_note *out, const char *text)
{
	struct input *in;
	int rc = input_open_bytes(&in, text, strlen(text), &budget, &err);

	if (rc == 0) {
		rc = observer_read(out, in, &budget, &err);
		input_close(in);
	}
	return rc;
}

static struct oom_log read_log(const char *text)
{
	struct oom_log log = {0};
	struct input *in;

	if (input_open_bytes(&in, text, strlen(text), &budget, &err) < 0 ||
	    oom_log_read(&log, in, &budget, &err) < 0)
		diag("%s", err.text);
	input_close(in);
	return log;
}

#define CARD(memory, processes)                                                                   \
	"<gpu "                                                                                   \
	"id='0'><mig_mode><current_mig>Disabled</current_mig></mig_mode><fb_memory_usage>" memory \
	"</fb_memory_usage><processes>" processes "</processes></gpu>"
#define PROCESS(pid, used) \
	"<process_info><pid>" pid "</pid><used_memory>" used "</used_memory></process_info>"

static void test_smi(void)
{
	struct nvidia_smi s = {0};
	struct amount total;

	is_i64(smi(&s,
		   "<?xml version='1.0'?><!DOCTYPE nvidia_smi_log SYSTEM 'nvsmi.dtd'>"
		   "<nvidia_smi_log>" CARD("<total>143771 MiB</total><reserved>616 MiB</reserved>",
					   PROCESS("473", "140076 MiB") PROCESS("473", "1 MiB")
						   PROCESS("9", "N/A"))
			   CARD("<total>16384 MiB</total>", "") "</nvidia_smi_log>"),
	       0, "two cards");
	is_u64(s.cards.n, 2, "both are there");
	total = smi_card_capacity(nvidia_smi_card(&s, 0));
	is_u64(total.bytes, 143155 * MIB, "total less what the driver reserves");
	ok(amount_is(&total, UINT64_C(150109880320)), "is what CUDA says, within a MiB");
	is_u64(nvidia_smi_card(&s, 0)->n_processes, 2, "a process counts once");
	is_u64(s.processes.at[0].used.bytes, 140076 * MIB, "with its bytes");
	ok(!s.processes.at[1].used.known, "N/A is not known");
	is_u64(nvidia_smi_card(&s, 1)->total.bytes, 16384 * MIB, "the second card");
	ok(nvidia_smi_card(&s, 2) == NULL, "there is no third");
	nvidia_smi_release(&s);
	ok(smi(&s, "<html/>") == ERR_SCHEMA, "another document is refused");
	ok(smi(&s, "<nvidia_smi_log><gpu>") < 0, "a cut one, too");
	ok(smi(&s, "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
		   "<nvidia_smi_log><gpu>&e;</gpu></nvidia_smi_log>") < 0,
	   "entities of its own are refused");
	is_i64(smi(&s, "<nvidia_smi_log/>"), 0, "no card is no error");
	ok(nvidia_smi_card(&s, 0) == NULL, "and no card");
	nvidia_smi_release(&s);
	is_u64(budget.used, 0, "nothing is left");
}

static void test_observer(void)
{
	struct observer_note n;

	is_i64(note(&n, "{\"device\": 3, \"alloc\": 33554432, \"device_alloc\": 150109880320, "
			"\"device_free\": 35192832, \"note\": {\"alloc\": 1}}"),
	       0, "read");
	ok(n.device == 3 && n.attempted == 33554432 && n.allowed == UINT64_C(150109880320) &&
		   n.device_free == 35192832,
	   "all of it, whatever lies inside other keys");
	is_i64(note(&n, "{\"alloc\": 5}"), 0, "parts may be absent");
	ok(n.device == -1 && n.allowed == BYTES_NONE && n.device_free == BYTES_NONE,
	   "what is not told is not known");
	ok(note(&n, "[{\"alloc\": 5}]") == ERR_SCHEMA, "a list is none");
	ok(note(&n, "{\"a\": 5}") == ERR_SCHEMA, "nor another object");
	ok(note(&n, "{\"alloc\": 5, ") < 0, "nor a cut one");
	ok(note(&n, "") < 0, "nor nothing");
	is_u64(budget.used, 0, "nothing is left");
}

#define MESSAGE(device, attempted, free, processes, rest)                                         \
	"CUDA out of memory. Tried to allocate " attempted ". GPU " device                        \
	" has a total capacity of 80.00 GiB of which " free " is free. " processes rest           \
	"Of the allocated memory 10.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by " \
	"PyTorch but unallocated.\n"
#define OTHER "Process 7 has 60.00 GiB memory in use. "
#define SELF  "Including non-PyTorch memory, this process has 12.00 GiB memory in use. "

static const struct oom_key key = {.device = 1,
				   .attempted = 9 * GIB,
				   .rounded = 9 * GIB,
				   .device_free = 8 * GIB,
				   .allocated = 10 * GIB,
				   .reserved = 11 * GIB};

static void test_message(void)
{
	struct oom_log log = read_log(MESSAGE("0", "9.00 GiB", "8.00 GiB", OTHER SELF, "")
					      MESSAGE("1", "9.00 GiB", "8.00 GiB", OTHER SELF, "")
						      MESSAGE("1", "2.00 GiB", "8.00 GiB", "", ""));
	struct explain_side side = {.log = &log};
	struct oom_key other = key;
	struct card_facts f;

	card_facts_find(&f, &side, &key);
	ok(f.message == &log.messages.at[1], "device, attempt and free bytes tell which one it is");
	is_u64(f.total.bytes, 80 * GIB, "the card");
	is_u64(f.others.bytes, 60 * GIB, "the others");
	is_u64(f.largest_pid, 7, "the largest of them");
	is_u64(card_outside(&f, key.reserved).bytes, GIB, "what this process has outside");
	ok(f.no_limit && !f.allowed.known, "it has no limit");
	other.attempted = other.rounded = 3 * GIB;
	card_facts_find(&f, &side, &other);
	ok(!f.message && f.message_differs, "a message about another attempt is not used");
	is_u64(f.total.bytes, 80 * GIB, "but the card has the same size");
	ok(!f.others.known, "and no more");
	other = key;
	other.is_host = true;
	card_facts_find(&f, &side, &other);
	ok(!f.message && !f.total.known, "pinned host memory is not on the card");
	oom_log_release(&log);
}

/* In containers no process is "this process". */
static void test_container(void)
{
	struct oom_log log = read_log(MESSAGE("1", "9.00 GiB", "8.00 GiB",
					      OTHER "Process 8 has 12.00 GiB memory in use. ", ""));
	struct explain_side side = {.log = &log};
	struct card_facts f;

	card_facts_find(&f, &side, &key);
	is_u64(f.self.bytes, 12 * GIB, "the one without which all would not fit is ours");
	is_u64(f.others.bytes, 60 * GIB, "the rest are others");
	oom_log_release(&log);
	log = read_log(MESSAGE("1", "9.00 GiB", "8.00 GiB", OTHER, ""));
	card_facts_find(&f, &side, &key);
	ok(!f.self.known && f.others.bytes == 60 * GIB, "or it is not listed at all");
	oom_log_release(&log);
}

static void test_limit(void)
{
	struct oom_log log =
		read_log(MESSAGE("1", "9.00 GiB", "8.00 GiB", OTHER SELF, "19.00 GiB allowed; "));
	struct observer_note n = {1, 9 * GIB, 19 * GIB + 12345, 8 * GIB};
	struct explain_side side = {.log = &log};
	struct card_facts f;

	card_facts_find(&f, &side, &key);
	is_u64(f.allowed.bytes, 19 * GIB, "the message's limit");
	side.observer = &n;
	card_facts_find(&f, &side, &key);
	is_u64(f.allowed.low, 19 * GIB + 12345, "the observer's is exact");
	is_u64(f.total.bytes, 80 * GIB, "and not the card");
	n.allowed = 80 * GIB + 1234567;
	card_facts_find(&f, &side, &key);
	is_u64(f.total.low, 80 * GIB + 1234567, "what rounds to the message's card is the card");
	side.log = NULL;
	card_facts_find(&f, &side, &key);
	is_u64(f.total.low, 80 * GIB + 1234567, "without a message, too");
	ok(!f.allowed.known, "which is no limit");
	n.allowed = 18 * GIB;
	card_facts_find(&f, &side, &key);
	ok(f.allowed.known && !f.total.known, "less than reserved and free is a limit");
	n.device_free--;
	card_facts_find(&f, &side, &key);
	ok(f.observer_differs && !f.allowed.known, "a note about another failure is not used");
	side.device_memory = 81 * GIB;
	card_facts_find(&f, &side, &key);
	is_u64(f.total.bytes, 81 * GIB, "what the user says");
	oom_log_release(&log);
}

static void test_smi_alone(void)
{
	struct nvidia_smi s = {0};
	struct explain_side side = {.smi = &s};
	struct card_facts f;

	smi(&s, "<nvidia_smi_log>" CARD("<total>1 MiB</total>", "") CARD(
			"<total>81920 MiB</total>",
			PROCESS("7", "61440 MiB") PROCESS("8", "12288 MiB")) "</nvidia_smi_log>");
	card_facts_find(&f, &side, &key);
	is_u64(f.total.bytes, 80 * GIB, "the card of the device");
	is_u64(f.others.bytes, 60 * GIB, "others");
	is_u64(f.self.bytes, 12 * GIB, "and this process");
	nvidia_smi_release(&s);
	is_u64(budget.used, 0, "nothing is left");
}

int main(void)
{
	test_smi();
	test_observer();
	test_message();
	test_container();
	test_limit();
	test_smi_alone();
	return done_testing();
}
