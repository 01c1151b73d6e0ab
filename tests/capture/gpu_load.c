/* SPDX-License-Identifier: MIT
 * gpu_load.c -- a program that uses GPU memory in one of several ways, for the tests of the recorder.
 *
 *     load storm THREADS [COUNT]   allocate and free at random, without end or COUNT times a thread
 *     load kinds                   one of each kind, all left alive
 *     load free                    one of each kind, all given back
 *     load oom | stuck | context | capture | fork | two | api FILE | signal
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/vramscope_capture.h"
#include "tests/capture/fake_cuda.h"

#define MIB ((size_t)1 << 20)

static long storm_count;

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#define HELD 64

struct held {
	abi_devptr at;
	size_t size;
	uint64_t handle; /* mapped when not 0 */
};

static void drop(struct held *h)
{
	if (!h->at)
		return;
	if (h->handle) {
		cuMemUnmap(h->at, h->size);
		cuMemRelease(h->handle);
	} else {
		cuMemFree_v2(h->at);
	}
	memset(h, 0, sizeof *h);
}

static void get(struct held *h, unsigned r, abi_devptr *va)
{
	struct abi_allocation_prop prop = {.location = {ABI_LOCATION_DEVICE, 0}};

	h->size = (r % 64 + 1) * 4096 + r % 100;
	if (r % 11 == 0 && cuMemCreate(&h->handle, 2 * MIB, &prop, 0) == 0) {
		h->at = *va;
		h->size = 2 * MIB;
		*va += 2 * MIB;
		cuMemMap(h->at, h->size, 0, h->handle, 0);
	} else if (r % 3 == 0) {
		cuMemAllocAsync(&h->at, h->size, (void *)(uintptr_t)(r % 2));
	} else {
		cuMemAlloc_v2(&h->at, h->size);
	}
}

static void *storm(void *arg)
{
	unsigned state = (unsigned)(uintptr_t)arg * 77u + (unsigned)getpid();
	struct held held[HELD] = {0};
	abi_devptr va;

	cuMemAddressReserve(&va, (size_t)1 << 36);
	for (long i = 0; storm_count == 0 || i < storm_count; i++) {
		struct held *h = &held[next_random(&state) % HELD];

		if (h->at)
			drop(h);
		else
			get(h, next_random(&state), &va);
	}
	for (unsigned i = 0; i < HELD; i++)
		drop(&held[i]);
	return NULL;
}

static void run_storm(int threads)
{
	pthread_t t[16];

	for (int i = 0; i < threads && i < 16; i++)
		pthread_create(&t[i], NULL, storm, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < threads && i < 16; i++)
		pthread_join(t[i], NULL);
}

static void kinds(int give_back)
{
	struct abi_allocation_prop prop = {.location = {ABI_LOCATION_DEVICE, 1}};
	struct abi_array_descriptor array = {100, 10, 0x20, 4};
	struct fake_ipc ipc = {""};
	abi_devptr plain, pitched, managed, async, pooled, va, imported, mapped_import;
	uint64_t handles[2], spare, import;
	void *host, *arr;
	static char registered[5000];
	size_t pitch;

	cuMemAlloc_v2(&plain, 1000);
	cuMemAllocPitch_v2(&pitched, &pitch, 1000, 3, 4);
	cuMemAllocManaged(&managed, 2000, 1);
	cuMemAllocAsync(&async, 3000, (void *)0x20);
	cuMemAllocFromPoolAsync(&pooled, 4000, (void *)0x50, (void *)0x20);
	cuMemAddressReserve(&va, 4 * MIB);
	for (int i = 0; i < 2; i++) {
		cuMemCreate(&handles[i], 2 * MIB, &prop, 0);
		cuMemMap(va + (size_t)i * 2 * MIB, 2 * MIB, 0, handles[i], 0);
	}
	cuMemCreate(&spare, 2 * MIB, &prop, 0);
	cuMemImportFromShareableHandle(&import, NULL, 1);
	cuMemAddressReserve(&mapped_import, 2 * MIB);
	cuMemMap(mapped_import, 2 * MIB, 0, import, 0);
	cuMemHostAlloc(&host, 6000, 0);
	cuMemHostRegister_v2(registered, sizeof registered, 0);
	cuArrayCreate_v2(&arr, &array);
	cuIpcOpenMemHandle_v2(&imported, ipc, 0);
	if (!give_back)
		return;
	cuMemFree_v2(plain);
	cuMemFree_v2(pitched);
	cuMemFree_v2(managed);
	cuMemFreeAsync(async, (void *)0x20);
	cuMemFreeAsync(pooled, (void *)0x20);
	cuMemUnmap(va, 4 * MIB); /* both at once */
	cuMemFreeHost(host);
	cuMemHostUnregister(registered);
	cuArrayDestroy(arr);
}

static void run_out(void)
{
	abi_devptr at;

	while (cuMemAlloc_v2(&at, 8 * MIB) == 0)
		;
	for (int i = 0; i < 1000; i++)
		cuMemAlloc_v2(&at, 8 * MIB);
}

static void contexts(void)
{
	abi_devptr at;
	void *a, *b;

	cuCtxCreate_v2(&a, 0, 0);
	cuMemAlloc_v2(&at, 111 * 512);
	cuCtxCreate_v2(&b, 0, 0);
	cuMemAlloc_v2(&at, 222 * 512);
	cuMemAlloc_v2(&at, 222 * 512);
	cuCtxDestroy_v2(b);
}

/* The child's own frees are not the parent's. */
static void run_fork(void)
{
	abi_devptr at[10];

	for (int i = 0; i < 10; i++)
		cuMemAlloc_v2(&at[i], MIB);
	pid_t child = fork();
	for (int i = 0; child == 0 && i < 10; i++)
		cuMemFree_v2(at[i]);
	if (child == 0)
		exit(0);
	waitpid(child, NULL, 0);
}

#define FIND(name) (*(void **)&name = dlsym(library, "vramscope_capture_" #name))

static int run_api(const char *path)
{
	void *library = dlopen(getenv("CAPTURE_LIBRARY"), RTLD_NOW);
	struct vramscope_capture_options o = {
		.struct_bytes = sizeof o,
		.output = "api_%p.pickle",
		.ring = "api.ring",
		.max_entries = 100,
		.at_exit = VRAMSCOPE_NO,
	};
	bool (*start)(const struct vramscope_capture_options *), (*dump)(const char *);
	void (*stop)(void), (*status)(struct vramscope_capture_status *);
	void (*note_alloc)(const void *, size_t, int), (*note_free)(const void *);
	struct vramscope_capture_status s;
	abi_devptr at;

	if (!library || !FIND(start) || !FIND(dump) || !FIND(stop) || !FIND(status) ||
	    !FIND(note_alloc) || !FIND(note_free))
		return 9;
	cuMemAlloc_v2(&at, MIB); /* before: not seen */
	if (!start(&o) || start(&o))
		return 8;
	cuMemAlloc_v2(&at, 3 * MIB);
	note_alloc((void *)(uintptr_t)at, 100, 0);
	note_alloc((void *)(uintptr_t)(at + 512), 200, 0);
	note_free((void *)(uintptr_t)at);
	status(&s);
	printf("%d %d %d %d\n", s.recording, (int)s.events, (int)(s.live_bytes / MIB),
	       (int)s.dropped);
	if (!dump(path))
		return 7;
	stop();
	cuMemAlloc_v2(&at, MIB); /* after: not seen */
	status(&s);
	printf("%d\n", s.recording);
	return access("api.ring", F_OK) == 0 ? 6 : 0;
}

/* A second recorder in a process that is recorded. */
static int run_two(void)
{
	void *library = dlopen(getenv("CAPTURE_LIBRARY"), RTLD_NOW);
	struct vramscope_capture_options o = {
		.struct_bytes = sizeof o,
		.output = "second.pickle",
	};
	bool (*start)(const struct vramscope_capture_options *);
	abi_devptr at;

	cuMemAlloc_v2(&at, MIB);
	if (!library || !FIND(start) || start(&o))
		return 1;
	return cuMemAlloc_v2(&at, MIB);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	abi_devptr at = 0;

	if (!strcmp(what, "api"))
		return run_api(argv[2]);
	cuInit(0);
	storm_count = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	if (!strcmp(what, "storm")) {
		run_storm((int)strtol(argv[2], NULL, 10));
	} else if (!strcmp(what, "kinds") || !strcmp(what, "free")) {
		kinds(*what == 'f');
	} else if (!strcmp(what, "oom")) {
		run_out();
	} else if (!strcmp(what, "stuck")) {
		cuMemAlloc_v2(&at, FAKE_STUCK_BYTES);
		return cuMemFree_v2(at) == 700 ? 0 : 1;
	} else if (!strcmp(what, "context")) {
		contexts();
	} else if (!strcmp(what, "capture")) {
		cuMemAllocAsync(&at, MIB, FAKE_CAPTURING);
		cuMemAllocAsync(&at, 2 * MIB, NULL);
	} else if (!strcmp(what, "two")) {
		return run_two();
	} else if (!strcmp(what, "fork")) {
		run_fork();
	} else if (!strcmp(what, "signal")) {
		cuMemAlloc_v2(&at, 7 * MIB);
		raise(SIGUSR2);
		usleep(500000);
		kill(getpid(), SIGKILL);
	} else {
		return 2;
	}
	return 0;
}
