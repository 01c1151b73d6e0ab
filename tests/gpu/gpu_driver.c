/* SPDX-License-Identifier: MIT
 * gpu_driver.c -- a program of the CUDA driver's API, for tests/gpu/run.sh. It prints what it did, and
 * what the driver says is used: "used_start" with a context and nothing else, "used_end" at its end.
 *
 *     gpu_driver memory | pools | vmm | graphs | threads | oom
 *     gpu_driver rate async|sync|launch COUNT DEPTH       microseconds a call
 */
#include <cuda.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB ((size_t)1 << 20)

#define MUST(call)                                                            \
	do {                                                                  \
		CUresult code_ = (call);                                      \
		if (code_ != CUDA_SUCCESS) {                                  \
			fprintf(stderr, "%s: error %d\n", #call, (int)code_); \
			exit(1);                                              \
		}                                                             \
	} while (0)

static CUdevice device;
static CUcontext context;
static CUstream stream, streams[8];

static void say_used(const char *name)
{
	size_t free_bytes, total;

	MUST(cuMemGetInfo(&free_bytes, &total));
	printf("%s %zu\n", name, total - free_bytes);
}

static void say(const char *name, size_t bytes)
{
	printf("%s %zu\n", name, bytes);
}

static void memory(void)
{
	CUDA_ARRAY_DESCRIPTOR flat = {1024, 1024, CU_AD_FORMAT_FLOAT, 4};
	static char pinned[1 << 20];
	CUdeviceptr at, small[50], big;
	CUarray array;
	size_t pitch;
	void *host;

	for (int i = 0; i < 50; i++)
		MUST(cuMemAlloc(&small[i], 1000));
	for (int i = 10; i < 50; i++)
		MUST(cuMemFree(small[i]));
	say("device", 10 * 1000 + 100 * MIB + 3 * MIB);
	MUST(cuMemAlloc(&big, 100 * MIB));
	MUST(cuMemAlloc(&at, 3 * MIB));
	MUST(cuMemAllocPitch(&at, &pitch, 1000000, 100, 4));
	say("pitched", pitch * 100);
	MUST(cuArrayCreate(&array, &flat));
	say("array", 16 * MIB);
	MUST(cuMemHostAlloc(&host, 5 * MIB, 0));
	say("host", 5 * MIB);
	MUST(cuMemHostRegister(pinned, sizeof pinned, 0));
	say("host_registered", sizeof pinned);
	say_used("used_end");
	/* Managed memory is where it is touched: not in the sum. */
	MUST(cuMemAllocManaged(&at, 64 * MIB, CU_MEM_ATTACH_GLOBAL));
	say("managed", 64 * MIB);
}

/* One that gives back, one that keeps, one that is destroyed in use. */
static void pools(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
	cuuint64_t keep = 400 * MIB, bytes;
	CUmemoryPool own, keeping, standard;
	CUdeviceptr a[30], b[30], c, d;

	for (int i = 0; i < 30; i++)
		MUST(cuMemAllocAsync(&a[i], 7 * MIB + (size_t)i * 1000, stream));
	for (int i = 0; i < 30; i++) {
		if (i % 10 != 3)
			MUST(cuMemFreeAsync(a[i], stream));
	}
	MUST(cuStreamSynchronize(stream));
	MUST(cuMemPoolCreate(&keeping, &props));
	MUST(cuMemPoolSetAttribute(keeping, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
	for (int i = 0; i < 30; i++)
		MUST(cuMemAllocFromPoolAsync(&b[i], 20 * MIB, keeping, stream));
	for (int i = 1; i < 30; i++)
		MUST(cuMemFreeAsync(b[i], stream));
	MUST(cuStreamSynchronize(stream));
	MUST(cuMemPoolCreate(&own, &props));
	MUST(cuMemAllocFromPoolAsync(&c, 50 * MIB, own, stream));
	MUST(cuMemAllocFromPoolAsync(&d, 100 * MIB, own, stream));
	MUST(cuMemFreeAsync(d, stream));
	MUST(cuStreamSynchronize(stream));
	MUST(cuMemPoolDestroy(own));
	/* Calls of each pool: what it gave back unseen is noticed. */
	MUST(cuMemAllocAsync(&d, 512, stream));
	MUST(cuMemAllocFromPoolAsync(&d, 512, keeping, stream));
	MUST(cuDeviceGetDefaultMemPool(&standard, device));
	MUST(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
	say("standard", bytes);
	MUST(cuMemPoolGetAttribute(keeping, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
	say("keeping", bytes);
	say_used("used_end");
}

static void vmm(void)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}};
	CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle h[8], again;
	CUdeviceptr va;

	MUST(cuMemAddressReserve(&va, 1024 * MIB, 0, 0, 0));
	for (int i = 0; i < 8; i++) {
		MUST(cuMemCreate(&h[i], 20 * MIB, &prop, 0));
		MUST(cuMemMap(va + (size_t)i * 20 * MIB, 20 * MIB, 0, h[i], 0));
	}
	MUST(cuMemSetAccess(va, 160 * MIB, &access, 1));
	MUST(cuMemUnmap(va + 120 * MIB, 40 * MIB)); /* two at once */
	MUST(cuMemRelease(h[7]));                   /* gone; h[6] is kept, unmapped */
	MUST(cuMemRelease(h[0]));                   /* mapped on, without a handle */
	MUST(cuMemRetainAllocationHandle(&again, (void *)(va + 20 * MIB)));
	MUST(cuMemRelease(h[1])); /* has another owner */
	say("mapped", 120 * MIB);
	say("handles", 120 * MIB);
	say_used("used_end");
}

static void graphs(void)
{
	CUDA_MEM_ALLOC_NODE_PARAMS node = {
		.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}},
		.bytesize = 10 * MIB};
	CUdeviceptr a, b;
	CUgraphNode added;
	CUgraphExec exec;
	CUgraph graph, built;
	cuuint64_t bytes;

	MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	MUST(cuMemAllocAsync(&a, 64 * MIB, stream));
	MUST(cuMemsetD8Async(a, 1, 64 * MIB, stream));
	MUST(cuMemFreeAsync(a, stream));
	MUST(cuMemAllocAsync(&b, 32 * MIB, stream));
	MUST(cuStreamEndCapture(stream, &graph));
	MUST(cuGraphInstantiate(&exec, graph, 0));
	say_used("used_start"); /* an instance takes some itself */
	MUST(cuGraphLaunch(exec, stream));
	MUST(cuStreamSynchronize(stream));
	MUST(cuMemFreeAsync(b, stream)); /* outside of the graph */
	MUST(cuStreamSynchronize(stream));
	MUST(cuGraphCreate(&built, 0));
	MUST(cuGraphAddMemAllocNode(&added, built, NULL, 0, &node));
	MUST(cuDeviceGetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes));
	say("graph_bytes", bytes);
	/* The second node has the address of the first, which was freed before it. */
	say("graph_nodes", 32 * MIB + 10 * MIB);
	say_used("used_end");
}

static void *churn(void *number)
{
	unsigned state = (unsigned)(size_t)number * 77u + 1;
	CUstream mine = streams[(size_t)number];
	CUdeviceptr held[32] = {0};
	int async[32] = {0};

	MUST(cuCtxSetCurrent(context));
	for (int i = 0; i < 3000; i++) {
		state = state * 1664525u + 1013904223u;
		unsigned k = state >> 8 & 31;
		size_t bytes = (state >> 13 & 4095) * 1024 + 1;

		if (held[k]) {
			MUST(async[k] ? cuMemFreeAsync(held[k], mine) : cuMemFree(held[k]));
			held[k] = 0;
			continue;
		}
		async[k] = state >> 28 > 1;
		MUST(async[k] ? cuMemAllocAsync(&held[k], bytes, mine)
			      : cuMemAlloc(&held[k], bytes));
	}
	for (int k = 0; k < 32; k++) {
		if (held[k])
			MUST(async[k] ? cuMemFreeAsync(held[k], mine) : cuMemFree(held[k]));
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[8];
	CUdeviceptr at;

	for (size_t i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, churn, (void *)i);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	MUST(cuCtxSynchronize());
	MUST(cuMemAllocAsync(&at, 512, stream));
	say_used("used_end");
}

static void oom(void)
{
	CUdeviceptr at;

	while (cuMemAlloc(&at, 4096 * MIB) == CUDA_SUCCESS)
		;
	say_used("used_end");
	for (int i = 0; i < 50; i++)
		cuMemAlloc(&at, 4096 * MIB);
}

/* ---- rates ---- */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static CUfunction empty_kernel(void)
{
	static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
				  ".visible .entry nothing()\n{\nret;\n}\n";
	CUfunction f;
	CUmodule m;

	MUST(cuModuleLoadData(&m, ptx));
	MUST(cuModuleGetFunction(&f, m, "nothing"));
	return f;
}

static double run_rate(const char *what, long count)
{
	CUfunction f = *what == 'l' ? empty_kernel() : NULL;
	CUdeviceptr at;
	double began = 0;

	/* The first tenth warms up. */
	for (long i = -count / 10; i < count; i++) {
		if (i == 0)
			began = now_us();
		if (*what == 'a') {
			MUST(cuMemAllocAsync(&at, 4096, stream));
			MUST(cuMemFreeAsync(at, stream));
		} else if (*what == 's') {
			MUST(cuMemAlloc(&at, 2 * MIB));
			MUST(cuMemFree(at));
		} else {
			MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
		}
	}
	MUST(cuStreamSynchronize(stream));
	return (now_us() - began) / (double)count / (*what == 'l' ? 1 : 2);
}

/* At the bottom of `depth` frames. */
static __attribute__((noinline)) double rate(const char *what, long count, long depth)
{
	double result = depth > 0 ? rate(what, count, depth - 1) : run_rate(what, count);

	__asm__ volatile("" ::: "memory");
	return result;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {{"memory", memory}, {"pools", pools},     {"vmm", vmm},
		     {"graphs", graphs}, {"threads", threads}, {"oom", oom}};
	const char *what = argc > 1 ? argv[1] : "";

	MUST(cuInit(0));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 8; i++)
		MUST(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	if (!strcmp(what, "rate") && argc == 5) {
		printf("%.4f\n",
		       rate(argv[2], strtol(argv[3], NULL, 10), strtol(argv[4], NULL, 10)));
		return 0;
	}
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (!strcmp(what, modes[i].name)) {
			say_used("used_start");
			modes[i].run();
			return 0;
		}
	}
	return 2;
}
