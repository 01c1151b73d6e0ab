/* SPDX-License-Identifier: MIT
 * test_oom_log.c -- out-of-memory messages: every form, wrapped anywhere, interleaved, cut, and none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "passes/oom_log.h"
#include "tests/lib/tap.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static struct budget budget = {.limit = UINT64_C(64) << 20};

static struct oom_log read_bytes(const char *text, size_t n)
{
	struct oom_log log = {0};
	struct error err = {0};
	struct input *in;

	if (input_open_bytes(&in, text, n, &budget, &err) < 0 ||
	    oom_log_read(&log, in, &budget, &err) < 0)
		diag("%s", err.text);
	input_close(in);
	return log;
}

static struct oom_log read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void done(struct oom_log *log)
{
	oom_log_release(log);
	is_u64(budget.used, 0, "nothing is left");
}

static void test_amounts(void)
{
	static const struct {
		const char *text;
		uint64_t bytes, low, high;
	} rows[] = {
		{"0 bytes", 0, 0, 0},
		{"512 bytes", 512, 512, 512},
		{"1.50 KiB", 1536, 1531, 1541},
		{"20.00 MiB", 20 * MIB, 20 * MIB - 5242, 20 * MIB + 5242},
		{"1024.00 MiB", GIB, GIB - 5242, GIB + 5242},
		{"139.80 GiB", UINT64_C(150109106995), UINT64_C(150103738287),
		 UINT64_C(150114475704)},
	};
	static const char *const none[] = {"",
					   "GiB",
					   "1.00",
					   "1.00 TiB",
					   "1.00 MiBs",
					   "-1 bytes",
					   "17179869184.00 GiB",
					   "99999999999999999999 bytes",
					   "1.0000000000 GiB"};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct amount a = amount_read(rows[i].text, strlen(rows[i].text));

		ok(a.known, "%s is an amount", rows[i].text);
		is_u64(a.bytes, rows[i].bytes, "%s: bytes", rows[i].text);
		is_u64(a.low, rows[i].low, "%s: at least", rows[i].text);
		is_u64(a.high, rows[i].high, "%s: at most", rows[i].text);
	}
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ok(!amount_read(none[i], strlen(none[i])).known, "'%s' is none", none[i]);
}

/* Every amount that printf rounds to the text lies in its bounds. */
static void test_bounds(void)
{
	uint64_t seed = 12345;
	bool all = true;

	for (int i = 0; i < 20000 && all; i++) {
		char text[40];
		uint64_t bytes;
		struct amount a;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bytes = seed >> (24 + seed % 39);
		if (bytes <= 1024)
			snprintf(text, sizeof text, "%" PRIu64 " bytes", bytes);
		else if (bytes <= MIB)
			snprintf(text, sizeof text, "%.2f KiB", (double)bytes / 1024);
		else if (bytes <= GIB)
			snprintf(text, sizeof text, "%.2f MiB", (double)bytes / (double)MIB);
		else
			snprintf(text, sizeof text, "%.2f GiB", (double)bytes / (double)GIB);
		a = amount_read(text, strlen(text));
		all = amount_is(&a, bytes);
		if (!all)
			diag("%" PRIu64 " printed as %s", bytes, text);
	}
	ok(all, "what is printed is within the bounds of its text");
}

static void test_old_forms(void)
{
	struct oom_log log = read_text(
		"RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 2; 10.73 GiB "
		"total "
		"capacity; 8.87 GiB already allocated; 10.44 MiB free; 1.02 GiB cached)\n"
		"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 15.78 GiB "
		"total "
		"capacity; 13.00 GiB already allocated; 0 bytes free; 14.00 GiB allowed; 13.50 GiB "
		"reserved in total by PyTorch) If reserved memory is >> allocated memory try "
		"setting "
		"max_split_size_mb to avoid fragmentation.  See documentation\n"
		"RuntimeError: HIP out of memory. Tried to allocate 1024.00 KiB (GPU 0; 31.98 GiB "
		"total "
		"capacity; 1.00 GiB already allocated; 30.00 GiB free; 1.50 GiB reserved in total "
		"by "
		"PyTorch)\n");
	const struct oom_message *m = log.messages.at;

	if (!is_u64(log.messages.n, 3, "three messages of torch 1 and 2.0"))
		return;
	is_str(m[0].form, "parentheses", "the form");
	is_i64(m[0].device, 2, "device");
	is_u64(m[0].attempted.bytes, 20 * MIB, "attempted");
	ok(amount_is(&m[0].free, 10947133), "free");
	ok(amount_is(&m[0].reserved, 1095216660), "what was called cached is what is reserved");
	ok(!m[0].allowed.known && m[0].hint == OOM_HINT_NONE, "no limit, no hint");
	is_u64(m[1].allowed.bytes, 14 * GIB, "a limit");
	is_u64(m[1].free.bytes, 0, "nothing free");
	ok(amount_is(&m[1].idle, GIB / 2), "idle is reserved less allocated");
	is_i64(m[1].hint, OOM_HINT_MAX_SPLIT, "the hint");
	is_u64(m[1].line, 2, "its line");
	is_str(m[2].backend, "HIP", "ROCm");
	done(&log);
}

static const char sentences[] =
	"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total "
	"capacity of 79.15 GiB of which 512.00 KiB is free. Process 12 has 8.00 GiB memory in use. "
	"Including non-PyTorch memory, this process has 70.00 GiB memory in use. Process 77 has "
	"512.00 "
	"MiB memory in use. 72.00 GiB allowed; Of the allocated memory 60.00 GiB is allocated by "
	"PyTorch, with 1.50 GiB allocated in private pools (e.g., CUDA Graphs), and 7.00 GiB is "
	"reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
	"setting "
	"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";

static bool is_sentences(const struct oom_log *log, const struct oom_message *m)
{
	return !strcmp(m->form, "sentences") && !m->cut && m->device == 1 &&
	       m->attempted.bytes == 2 * GIB && amount_is(&m->total, UINT64_C(84986665370)) &&
	       m->free.bytes == 512 * KIB && m->allowed.bytes == 72 * GIB &&
	       m->allocated.bytes == 60 * GIB && m->private_free.bytes == GIB + GIB / 2 &&
	       m->idle.bytes == 7 * GIB && m->reserved.bytes == 68 * GIB + GIB / 2 &&
	       m->self.bytes == 70 * GIB && m->hint == OOM_HINT_EXPANDABLE && m->n_processes == 2 &&
	       log->processes.at[m->first_process].pid == 12 &&
	       log->processes.at[m->first_process].used.bytes == 8 * GIB &&
	       log->processes.at[m->first_process + 1].pid == 77 &&
	       log->processes.at[m->first_process + 1].used.bytes == 512 * MIB;
}

static void test_new_form(void)
{
	struct oom_log log = read_text(sentences);
	char *typo = strdup(sentences), *at = strstr(typo, "capacity");

	ok(log.messages.n == 1 && is_sentences(&log, log.messages.at), "all of it is read");
	done(&log);
	memmove(at + 5, at + 6, strlen(at + 5));
	log = read_text(typo);
	ok(strstr(typo, "capacty") && log.messages.n == 1 && is_sentences(&log, log.messages.at),
	   "torch 2.1 wrote capacty");
	free(typo);
	done(&log);
}

/* Break lines of `width`, at blanks or anywhere, each begun by `prefix`. */
static char *wrapped(const char *text, size_t width, bool anywhere, const char *prefix)
{
	size_t n = strlen(text), room = n * (strlen(prefix) + 3) + strlen(prefix) + 2;
	char *out = malloc(room), *to = out;

	while (n) {
		size_t take = n < width ? n : width;

		if (take < n && !anywhere) {
			while (take > 1 && text[take] != ' ')
				take--;
			if (text[take] != ' ')
				take = strcspn(text, " ");
		}
		to += snprintf(to, room - (size_t)(to - out), "%s%.*s\n", prefix, (int)take, text);
		text += take;
		n -= take;
		if (!anywhere && n) {
			text++;
			n--;
		}
	}
	return out;
}

static void test_wrapped(void)
{
	static const char *const prefixes[] = {"",
					       "[rank3]: ", "2026-12-01 10:11:12,345 - ERROR - ",
					       "[2026-12-01T10:11:12Z] [rank3]: ", "3: "};
	bool all = true;

	for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++)
		for (size_t width = 30; width < 130; width++)
			for (int anywhere = 0; anywhere < 2; anywhere++) {
				/* Loggers that write the time break lines at blanks. */
				if (anywhere && prefixes[p][0] && prefixes[p][0] != '[')
					continue;
				if (anywhere && strlen(prefixes[p]) > 12)
					continue;
				char *text = wrapped(sentences, width, anywhere, prefixes[p]);
				struct oom_log log = read_text(text);
				bool good =
					log.messages.n == 1 && is_sentences(&log, log.messages.at);

				if (!good)
					diag("prefix '%s' width %zu anywhere %d: %zu messages",
					     prefixes[p], width, anywhere, log.messages.n);
				all &= good;
				oom_log_release(&log);
				free(text);
			}
	ok(all, "wrapped at every width, at blanks under every prefix, anywhere by terminals");
}

/* Lines of four ranks take turns. */
static void test_interleaved(void)
{
	enum { RANKS = 4 };
	char *text[RANKS], *at[RANKS];
	char *all = calloc(1, 65536), *to = all;
	struct oom_log log;
	bool more = true, good;

	for (int r = 0; r < RANKS; r++) {
		char prefix[32];

		snprintf(prefix, sizeof prefix, "[rank%d]: ", r);
		text[r] = at[r] = wrapped(sentences, (size_t)(50 + 7 * r), false, prefix);
	}
	while (more) {
		more = false;
		for (int r = 0; r < RANKS; r++) {
			size_t n = strcspn(at[r], "\n");

			if (!*at[r])
				continue;
			memcpy(to, at[r], n + 1);
			to += n + 1;
			at[r] += n + 1;
			more = true;
		}
		to += snprintf(to, 65536 - (size_t)(to - all), "step 17 loss 0.5\n");
	}
	log = read_text(all);
	good = is_u64(log.messages.n, RANKS, "one message a rank");
	for (int r = 0; r < RANKS && good; r++)
		ok(is_sentences(&log, &log.messages.at[r]) && log.messages.at[r].rank == r,
		   "rank %d: whole", r);
	for (int r = 0; r < RANKS; r++)
		free(text[r]);
	free(all);
	done(&log);
}

static void test_other_forms(void)
{
	static const char async[] =
		"torch.OutOfMemoryError: Allocation on device \0 would exceed allowed memory. (out "
		"of "
		"memory)\nCurrently allocated     : 22.42 GiB\nRequested               : 50.00 "
		"MiB\n"
		"Device limit            : 23.99 GiB\nFree (according to CUDA): 0 bytes\n"
		"PyTorch limit (set by user-supplied memory fraction)\n                        : "
		"17179869184.00 GiB\n";
	struct oom_log log = read_bytes(async, sizeof async - 1);
	const struct oom_message *m;

	if (is_u64(log.messages.n, 1, "cudaMallocAsync")) {
		m = log.messages.at;
		is_str(m->form, "async", "its form");
		is_i64(m->device, 0, "a raw byte is the device");
		ok(m->attempted.bytes == 50 * MIB && m->free.known && !m->allowed.known,
		   "its amounts; unlimited is no limit");
	}
	done(&log);
	log = read_text(
		"XPU out of memory. Tried to allocate 5.00 GiB. GPU 0 has a total capacity of "
		"15.00 GiB. Of the allocated memory 9.00 GiB is allocated by PyTorch, and 1.00 "
		"GiB is reserved by PyTorch but unallocated. Please use `empty_cache`\n"
		"CUDA out of memory. Allocation was preemptively rejected because it would "
		"exceed per_process_memory_fraction limit. Requested size: 20.00 MiB\n"
		"RuntimeError: CUDA out of memory. Tried to allocate more than 1EB memory.\n"
		"RuntimeError: cuda runtime error (2) : out of memory at THCStorage.cu:58\n"
		"RuntimeError: CUDA error: out of memory\n"
		"RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED\n"
		"torch.OutOfMemoryError: Allocation on device ");
	if (is_u64(log.messages.n, 7, "and all the others")) {
		static const char *const forms[] = {"xpu",     "rejected", "too_many", "runtime",
						    "runtime", "library",  "async"};

		for (size_t i = 0; i < 7; i++)
			is_str(log.messages.at[i].form, forms[i], "line %zu", i + 1);
		is_u64(log.messages.at[1].attempted.bytes, 20 * MIB, "what was rejected");
	}
	done(&log);
}

static void test_cut(void)
{
	size_t n = strlen(sentences);
	bool all = true;

	for (size_t i = strlen(
		     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB");
	     i < n; i++) {
		struct oom_log log = read_bytes(sentences, i);

		all &= log.messages.n == 1 && log.messages.at[0].attempted.bytes == 2 * GIB;
		oom_log_release(&log);
	}
	ok(all, "cut anywhere behind its first amount it is still told");
}

static void test_none(void)
{
	struct oom_log log = read_text("epoch 3: all fine\nFree GPU memory to avoid running out of "
				       "memory.\nThe CUDA\nprogram went out\nof bounds\n");

	is_u64(log.messages.n, 0, "talk of memory is no message");
	is_u64(log.n_lines, 5, "lines were counted");
	done(&log);
	log = read_text("");
	is_u64(log.messages.n, 0, "an empty log has none");
	done(&log);
}

int main(void)
{
	test_amounts();
	test_bounds();
	test_old_forms();
	test_new_form();
	test_wrapped();
	test_interleaved();
	test_other_forms();
	test_cut();
	test_none();
	return done_testing();
}
