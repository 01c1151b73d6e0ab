/* SPDX-License-Identifier: MIT
 * batch_pool.c -- the processes of a batch: started, waited for, and what became of each.
 */
#include "cli/batch_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What reading takes, seen over recordings: a part of it is kept, and compressed files grow. */
#define NEED_PACKED 24
#define NEED_PLAIN  3
#define NEED_BASE   (UINT64_C(24) << 20)

#define BAR_COLUMNS 30

#define LARGE_PAGE_BYTES ((size_t)2 << 20)
#define HEAP_BYTES       ((size_t)64 << 20)
#define MMAP_BYTES       (4 << 20)

struct worker {
	pid_t pid; /* 0: none */
	int from;  /* the outcome comes from here */
	size_t input;
};

struct pool {
	struct batch_run *run;
	const struct batch_inputs *inputs;
	struct outcome *outcomes;
	struct worker *workers;
	size_t n_workers, n_running, n_done, n_all;
	bool on_terminal;
	struct timespec start;
};

size_t batch_jobs(const struct batch_inputs *inputs, size_t most, uint64_t limit)
{
	uint64_t largest = 0;
	size_t jobs;

	for (size_t i = 0; i < inputs->n; i++) {
		const char *dot = strrchr(inputs->at[i].name, '.');
		bool packed = dot && (!strcmp(dot, ".zst") || !strcmp(dot, ".gz"));
		uint64_t bytes = inputs->at[i].bytes, need = UINT64_MAX;

		if (bytes < UINT64_MAX / (2 * NEED_PACKED))
			need = bytes * (packed ? NEED_PACKED : NEED_PLAIN) + NEED_BASE;
		largest = need > largest ? need : largest;
	}
	jobs = most < inputs->n ? most : inputs->n;
	if (largest && limit / largest < jobs)
		jobs = (size_t)(limit / largest);
	return jobs ? jobs : 1;
}

/* A worker reads one file and ends: what it frees it soon asks for again, so nothing goes back to the
 * kernel in between. Its heap is asked for in large pages, of which a few are brought in instead of
 * thousands; pages that are never touched cost nothing. Tables of MMAP_BYTES and more lie outside of
 * the heap, where they grow without being copied. */
static void prepare_heap(uint64_t file_bytes)
{
#if defined(M_MMAP_THRESHOLD) && defined(MADV_HUGEPAGE)
	static void *volatile before; /* kept unused, so that the heap goes on at a large page */
	size_t bytes =
		file_bytes < HEAP_BYTES / NEED_PLAIN ? (size_t)file_bytes * NEED_PLAIN : HEAP_BYTES;
	size_t page = LARGE_PAGE_BYTES, skip;
	char *heap;

	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_THRESHOLD, INT_MAX);
	heap = malloc(bytes + page);
	if (heap) {
		skip = (size_t)(-(uintptr_t)heap & (page - 1));
		madvise(heap + skip, bytes & ~(page - 1), MADV_HUGEPAGE);
		free(heap);
		before = malloc(skip);
	}
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	(void)before;
#else
	(void)file_bytes;
#endif
}

/* In the child. */
static void work_and_exit(struct pool *p, size_t input, int to)
{
	static const struct rlimit no_core = {0, 0};
	struct outcome o;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &no_core);
	prepare_heap(p->inputs->at[input].bytes);
	/* Its words go into the row. */
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	batch_work(p->run, &p->inputs->at[input], &o);
	_exit(write(to, &o, sizeof o) == (ssize_t)sizeof o ? 0 : 1);
}

static int start(struct pool *p, size_t input)
{
	struct worker *w = p->workers;
	int ends[2];

	while (w->pid)
		w++;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		complain("cannot make a pipe: %s", strerror(errno));
		return STATUS_SYSTEM;
	}
	w->pid = fork();
	if (w->pid < 0) {
		complain("cannot start a process: %s", strerror(errno));
		w->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return STATUS_SYSTEM;
	}
	if (w->pid == 0) {
		close(ends[0]);
		work_and_exit(p, input, ends[1]);
	}
	close(ends[1]);
	w->from = ends[0];
	w->input = input;
	p->n_running++;
	return STATUS_DONE;
}

static void say_end(struct outcome *o, int status)
{
	o->kind = OUTCOME_CRASHED;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		snprintf(o->words, sizeof o->words,
			 "the process that read it was killed: not enough memory?");
	else if (WIFSIGNALED(status))
		snprintf(o->words, sizeof o->words, "the process that read it crashed: %s",
			 strsignal(WTERMSIG(status)));
	else
		snprintf(o->words, sizeof o->words, "the process that read it ended with status %d",
			 WEXITSTATUS(status));
}

static double seconds_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - from->tv_sec) + (double)(now.tv_nsec - from->tv_nsec) * 1e-9;
}

static void draw_bar(const struct pool *p)
{
	char bar[BAR_COLUMNS + 1], left[48] = "";
	double rate;

	memset(bar, '.', BAR_COLUMNS);
	memset(bar, '#', p->n_done * BAR_COLUMNS / p->n_all);
	bar[BAR_COLUMNS] = '\0';
	rate = (double)p->n_done / (seconds_since(&p->start) + 1e-9);
	if (p->n_done)
		snprintf(left, sizeof left, ", %.1f a second, %.0f s left", rate,
			 (double)(p->n_all - p->n_done) / rate);
	fprintf(stderr, "\r[%s] %zu of %zu files%s \033[K", bar, p->n_done, p->n_all, left);
	fflush(stderr);
}

static void show(const struct pool *p, const struct worker *w)
{
	static const char *const words[] = {
		[OUTCOME_CRASHED] = "crashed", [OUTCOME_DONE] = "done",
		[OUTCOME_FAILED] = "failed",   [OUTCOME_LIMIT] = "failed",
		[OUTCOME_SKIPPED] = "skipped", [OUTCOME_SYSTEM] = "failed",
	};
	const struct outcome *o = &p->outcomes[w->input];

	if (p->on_terminal) {
		draw_bar(p);
		return;
	}
	complain("%zu/%zu %s: %s%s%s", p->n_done, p->n_all, p->inputs->at[w->input].name,
		 o->kind == OUTCOME_DONE && o->reused ? "known" : words[o->kind],
		 *o->words && o->kind != OUTCOME_SKIPPED ? ": " : "",
		 o->kind != OUTCOME_SKIPPED ? o->words : "");
}

static void take_outcome(struct pool *p, struct worker *w, int status)
{
	struct outcome *o = &p->outcomes[w->input];
	ssize_t n = read(w->from, o, sizeof *o);

	close(w->from);
	w->pid = 0;
	p->n_running--;
	p->n_done++;
	if (n != (ssize_t)sizeof *o) {
		*o = (struct outcome){0};
		say_end(o, status);
	}
	show(p, w);
}

static int wait_one(struct pool *p)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, 0);

		if (pid < 0 && errno != EINTR) {
			complain("cannot wait for a process: %s", strerror(errno));
			return STATUS_SYSTEM;
		}
		for (size_t i = 0; pid > 0 && i < p->n_workers; i++) {
			if (p->workers[i].pid == pid) {
				take_outcome(p, &p->workers[i], status);
				return STATUS_DONE;
			}
		}
	}
}

static int work_in(struct pool *p, size_t jobs, bool again)
{
	int status = STATUS_DONE;

	p->n_workers = jobs;
	for (size_t i = 0; i < p->inputs->n && status == STATUS_DONE; i++) {
		if (again && p->outcomes[i].kind != OUTCOME_LIMIT)
			continue;
		if (p->n_running == jobs)
			status = wait_one(p);
		if (status == STATUS_DONE)
			status = start(p, i);
	}
	while (p->n_running) {
		int waited = wait_one(p);

		if (waited != STATUS_DONE)
			return waited;
	}
	return status;
}

int batch_work_all(struct batch_run *run, const struct batch_inputs *inputs, size_t jobs,
		   struct outcome *outcomes)
{
	struct pool p = {.run = run,
			 .inputs = inputs,
			 .outcomes = outcomes,
			 .n_all = inputs->n,
			 .on_terminal = isatty(STDERR_FILENO)};
	uint64_t all = run->limit;
	size_t limited = 0;
	int status;

	p.workers = calloc(jobs, sizeof *p.workers);
	if (!p.workers) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	clock_gettime(CLOCK_MONOTONIC, &p.start);
	fflush(stdout);
	run->limit = all / jobs;
	if (p.on_terminal)
		draw_bar(&p);
	status = work_in(&p, jobs, false);
	for (size_t i = 0; i < inputs->n && jobs > 1; i++)
		limited += outcomes[i].kind == OUTCOME_LIMIT;
	/* Those that had too little once more, with all there is. */
	if (status == STATUS_DONE && limited) {
		p.n_all += limited;
		run->limit = all;
		status = work_in(&p, 1, true);
	}
	run->limit = all;
	if (p.on_terminal)
		fputs("\r\033[K", stderr);
	free(p.workers);
	return status;
}
