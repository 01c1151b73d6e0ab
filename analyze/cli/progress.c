/* SPDX-License-Identifier: MIT
 * progress.c -- a bar on stderr for work that lasts over a second, when stderr is a terminal.
 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_COLUMNS 30

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

void progress_start(struct progress *p, const char *verb, const char *file)
{
	const char *slash = strrchr(file, '/');

	*p = (struct progress){.enabled = isatty(STDERR_FILENO), .all = UINT64_MAX};
	snprintf(p->what, sizeof p->what, "%s %s", verb, slash ? slash + 1 : file);
	/* Names of files are no orders to the terminal. */
	for (char *c = p->what; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->last = p->start;
}

static void progress_draw(const struct progress *p)
{
	char bar[BAR_COLUMNS + 1];
	double share = p->all ? (double)p->done / (double)p->all : 1;
	int filled = (int)((share < 1 ? share : 1) * BAR_COLUMNS);

	if (p->all == UINT64_MAX) {
		fprintf(stderr, "\r%s  %llu MiB", p->what, (unsigned long long)(p->done >> 20));
		return;
	}
	memset(bar, '.', BAR_COLUMNS);
	memset(bar, '#', (size_t)filled);
	bar[BAR_COLUMNS] = '\0';
	fprintf(stderr, "\r%s  [%s] %3d %%", p->what, bar, (int)(share * 100));
}

void progress_step(void *progress, uint64_t done, uint64_t all)
{
	struct progress *p = progress;
	struct timespec now;

	p->done = done;
	p->all = all;
	if (!p->enabled)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&p->start, &now) < 1 || seconds_between(&p->last, &now) < 0.1)
		return;
	p->last = now;
	p->shown = true;
	progress_draw(p);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
