/* SPDX-License-Identifier: MIT
 * record_cost.c -- nanoseconds of the processor for a call of the driver, DEPTH frames deep.
 *
 *     record_cost PAIRS DEPTH    pairs of cuMemAllocAsync and cuMemFreeAsync, the fastest of five
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/capture/fake_cuda.h"

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) double events(long pairs, long depth)
{
	abi_devptr at;
	double began;

	if (depth > 1) {
		double below = events(pairs, depth - 1);

		__asm__ volatile("" ::: "memory");
		return below;
	}
	began = now_ns();
	for (long i = 0; i < pairs; i++) {
		cuMemAllocAsync(&at, 4096, NULL);
		cuMemFreeAsync(at, NULL);
	}
	return (now_ns() - began) / (double)pairs / 2;
}

int main(int argc, char **argv)
{
	double least = 1e30;

	if (argc != 3)
		return 2;
	cuInit(0);
	events(1000, strtol(argv[2], NULL, 10));
	for (int i = 0; i < 5; i++) {
		double ns = events(strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10));

		least = ns < least ? ns : least;
	}
	printf("%.1f\n", least);
	return 0;
}
