/* SPDX-License-Identifier: MIT
 * gpu_load.c -- a program that uses GPU memory in one of several ways, for the tests of the recorder.
 *
 *     load storm THREADS [COUNT]   allocate and free at random, without end or COUNT times a thread
 *     load forks THREADS           the same, while a thread of its own forks
 *     load kinds                   one of each kind, all left alive
 *     load free                    one of each kind, all given back
 *     load many | pools | graph | handles | imported | churn COUNT | rates COUNT DEPTH
 *     load oom | stuck | context | reset | capture | fork | two | api FILE | signal
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
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

	void *context;

	cuDevicePrimaryCtxRetain(&context, 0);
	cuMemAddressReserve(&va, (size_t)1 << 36);
	for (long i = 0; storm_count == 0 || i < storm_count; i++) {
		struct held *h = &held[next_random(&state) % HELD];

		if (next_random(&state) % 100 == 0)
			cuStreamSynchronize(NULL);
		if (h->at)
			drop(h);
		else
			get(h, next_random(&state), &va);
	}
	for (unsigned i = 0; i < HELD; i++)
		drop(&held[i]);
	return NULL;
}

/* Children come and go meanwhile; the ring is none of theirs. */
static void *fork_on(void *unused)
{
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return unused;
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
	cuMemAllocFromPoolAsync(&pooled, 4000, FAKE_OWN_POOL, (void *)0x20);
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

static void print_used(const char *what)
{
	size_t free_bytes, total;

	cuMemGetInfo_v2(&free_bytes, &total);
	printf("%s %zu\n", what, total - free_bytes);
}

/* A pool that keeps what is empty, one that gives it back, and one that is destroyed in use. */
static void pools(void)
{
	void *keeping = (void *)(uintptr_t)FAKE_POOL_HANDLE;
	abi_devptr a, b, c, d, own;

	cuMemAllocAsync(&a, 20 * MIB, NULL);  /* first piece of 32 MiB */
	cuMemAllocAsync(&b, 100 * MIB, NULL); /* to the end of the fourth */
	cuMemAllocAsync(&c, 10 * MIB, NULL);  /* the fifth */
	cuMemFreeAsync(b, NULL);
	cuStreamSynchronize(NULL); /* the second to the fourth go, unseen */
	cuMemAllocAsync(&d, 512, NULL);
	cuMemPoolSetThreshold(keeping, UINT64_MAX);
	cuMemFreeAsync(c, NULL);
	cuStreamSynchronize(NULL); /* kept */
	cuMemAllocFromPoolAsync(&own, 40 * MIB, FAKE_OWN_POOL, NULL);
	cuMemPoolDestroy(FAKE_OWN_POOL);
	cuMemAllocAsync(&b, 200 * MIB, NULL);
	cuMemFreeAsync(b, NULL);
	cuMemPoolTrimTo(keeping, 3 * 32 * MIB);
	print_used("used");
}

static void graph(void)
{
	struct abi_mem_alloc_node node = {.poolProps.location = {ABI_LOCATION_DEVICE, 0},
					  .bytesize = 3 * MIB};
	abi_devptr at;
	void *handle;

	cuMemAllocAsync(&at, MIB, FAKE_CAPTURING);
	cuMemFreeAsync(at, FAKE_CAPTURING);
	cuGraphAddMemAllocNode(&handle, (void *)0x97, NULL, 0, &node);
	cuGraphLaunch((void *)0x96, NULL);
	cuGraphDestroy(FAKE_GRAPH);
	print_used("used");
}

/* Physical memory lives while a handle or a mapping does. */
static void handles(void)
{
	struct abi_allocation_prop prop = {.location = {ABI_LOCATION_DEVICE, 0}};
	uint64_t handle, again, other;
	abi_devptr va;

	cuMemAddressReserve(&va, 100 * MIB);
	cuMemCreate(&handle, 4 * MIB, &prop, 0);
	cuMemMap(va, 4 * MIB, 0, handle, 0);
	cuMemRelease(handle); /* mapped, without a handle */
	cuMemCreate(&handle, 8 * MIB, &prop, 0);
	cuMemMap(va + 50 * MIB, 8 * MIB, 0, handle, 0);
	cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(va + 50 * MIB));
	cuMemUnmap(va + 50 * MIB, 8 * MIB);
	cuMemRelease(handle); /* one owner is left */
	cuMemCreate(&other, 16 * MIB, &prop, 0);
	cuMemMap(va + 60 * MIB, 16 * MIB, 0, other, 0);
	cuMemRelease(other);
	cuMemUnmap(va + 60 * MIB, 16 * MIB); /* gone */
	print_used("used");
}

static void imported(void)
{
	const struct abi_external_memory memory = {.type = 1, .size = 70000};
	const struct abi_external_buffer buffer = {.size = 65536};
	struct fake_ipc ipc = {""};
	void *external, *second;
	abi_devptr at;

	cuIpcOpenMemHandle_v2(&at, ipc, 0);
	cuImportExternalMemory(&external, &memory);
	cuExternalMemoryGetMappedBuffer(&at, external, &buffer);
	cuMemFree_v2(at);
	cuDestroyExternalMemory(external);
	cuImportExternalMemory(&second, &memory);
	cuExternalMemoryGetMappedBuffer(&at, second, &buffer);
}

/* More than the smallest table holds, and frees of what found no room in it. */
static void many(void)
{
	abi_devptr at[1500];

	for (int i = 0; i < 1500; i++)
		cuMemAlloc_v2(&at[i], 4096);
	for (int i = 1400; i < 1500; i++)
		cuMemFree_v2(at[i]);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Returns at the bottom of `depth` frames. */
static __attribute__((noinline)) double pairs(long count, long depth)
{
	abi_devptr at;

	if (depth > 0) {
		double below = pairs(count, depth - 1);

		__asm__ volatile("" ::: "memory");
		return below;
	}
	double began = now_us();
	for (long i = 0; i < count; i++) {
		cuMemAllocAsync(&at, 4096, NULL);
		cuMemFreeAsync(at, NULL);
	}
	return (now_us() - began) / (double)count / 2;
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
	cuMemAlloc_v2(&at, 4 * MIB);
	cuCtxDestroy_v2(b);
}

/* What a reset takes: not pools, and not what lies behind handles. */
static void reset(void)
{
	struct abi_allocation_prop prop = {.location = {ABI_LOCATION_DEVICE, 0}};
	void *context, *pinned;
	uint64_t handle;
	abi_devptr at;

	cuDevicePrimaryCtxRetain(&context, 0);
	cuMemAlloc_v2(&at, 4 * MIB);
	cuMemAlloc_v2(&at, 4096);
	cuMemAllocAsync(&at, 3 * MIB, NULL);
	cuMemHostAlloc(&pinned, 6000, 0);
	cuMemCreate(&handle, 2 * MIB, &prop, 0);
	cuDevicePrimaryCtxReset_v2(0);
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
	void *context;
	abi_devptr at = 0;

	if (!strcmp(what, "api"))
		return run_api(argv[2]);
	cuInit(0);
	if (strcmp(what, "context") != 0)
		cuDevicePrimaryCtxRetain(&context, 0);
	storm_count = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	if (!strcmp(what, "storm") || !strcmp(what, "forks")) {
		pthread_t forker;

		if (*what == 'f')
			pthread_create(&forker, NULL, fork_on, NULL);
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
	} else if (!strcmp(what, "reset")) {
		reset();
	} else if (!strcmp(what, "many")) {
		many();
	} else if (!strcmp(what, "pools")) {
		pools();
	} else if (!strcmp(what, "graph")) {
		graph();
	} else if (!strcmp(what, "handles")) {
		handles();
	} else if (!strcmp(what, "imported")) {
		imported();
	} else if (!strcmp(what, "churn")) {
		storm_count = strtol(argv[2], NULL, 10);
		run_storm(4);
		cuStreamSynchronize(NULL);
		cuMemAllocAsync(&at, 512, NULL);
		cuMemFreeAsync(at, NULL);
		print_used("used");
	} else if (!strcmp(what, "rates")) {
		printf("%.3f\n", pairs(strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10)));
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
