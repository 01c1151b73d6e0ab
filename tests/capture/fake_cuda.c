/* SPDX-License-Identifier: MIT
 * fake_cuda.c -- a libcuda.so.1 without a GPU: addresses are given out, nothing lies behind them.
 *
 * FAKE_CUDA_BYTES is the size of each of its 4 devices (1 GiB). A free of FAKE_STUCK_BYTES fails.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cuda_abi.h"
#include "tests/capture/fake_cuda.h"

#define SLOTS      4096
#define SLOT_BYTES (UINT64_C(64) << 20)
#define BASE       UINT64_C(0x700000000000)
#define DEVICES    4

fake_hook fake_cuda_hook;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint64_t size; /* 0: free */
	int device;
	void *context;
} slots[SLOTS];
static uint64_t used[DEVICES], handle_sizes[SLOTS], reserved_to = BASE + (UINT64_C(1) << 42);
static int handle_devices[SLOTS];
static unsigned next_slot, next_handle = 1;
static __thread int current_device;
static __thread void *current_context;

static uint64_t capacity(void)
{
	const char *text = getenv("FAKE_CUDA_BYTES");

	return text ? strtoull(text, NULL, 10) : UINT64_C(1) << 30;
}

/* A call as CUPTI sees it. */
static void tell(int site, uint32_t cbid, const void *params, int *result)
{
	fake_hook hook = __atomic_load_n(&fake_cuda_hook, __ATOMIC_ACQUIRE);

	if (hook)
		hook(site, cbid, params, result, current_context);
}

#define CALL(cbid, params, expression)                       \
	do {                                                 \
		int result = 0;                              \
		tell(ABI_SITE_ENTER, cbid, params, &result); \
		result = (expression);                       \
		tell(ABI_SITE_EXIT, cbid, params, &result);  \
		return result;                               \
	} while (0)

/* Slots are used again from a moving place on, so that addresses come back. */
static int take(uint64_t *out, uint64_t size)
{
	int code = ABI_OUT_OF_MEMORY;

	pthread_mutex_lock(&lock);
	if (size <= SLOT_BYTES && used[current_device] + size <= capacity()) {
		for (unsigned k = 0; k < SLOTS; k++) {
			unsigned i = (next_slot + k) % SLOTS;

			if (slots[i].size)
				continue;
			slots[i].size = size;
			slots[i].device = current_device;
			slots[i].context = current_context;
			used[current_device] += size;
			*out = BASE + i * SLOT_BYTES;
			next_slot = i % 7 == 0 ? 0 : i + 1;
			code = ABI_SUCCESS;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static int give(uint64_t at)
{
	uint64_t i = (at - BASE) / SLOT_BYTES;
	int code = 1;

	pthread_mutex_lock(&lock);
	if (at >= BASE && i < SLOTS && slots[i].size == FAKE_STUCK_BYTES) {
		pthread_mutex_unlock(&lock);
		return 700;
	}
	if (at >= BASE && i < SLOTS && slots[i].size) {
		used[slots[i].device] -= slots[i].size;
		slots[i].size = 0;
		code = ABI_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

int cuInit(unsigned flags)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*inject)(void) = NULL;

	(void)flags;
	if (library)
		*(void **)&inject = dlsym(library, "InitializeInjection");
	if (inject)
		inject();
	return 0;
}

int cuCtxGetDevice(int *device)
{
	*device = current_device;
	return 0;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
	*total = capacity();
	*free_bytes = *total - used[current_device];
	return 0;
}

int cuStreamIsCapturing(void *stream, int *status)
{
	*status = stream == FAKE_CAPTURING;
	return 0;
}

int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
	static char contexts[1000];
	static unsigned n;

	(void)flags;
	current_device = device;
	*context = current_context = &contexts[__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED)];
	return 0;
}

static int destroy(void *context)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i].size && slots[i].context == context) {
			used[slots[i].device] -= slots[i].size;
			slots[i].size = 0;
		}
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuCtxDestroy_v2(void *context)
{
	struct abi_cuCtxDestroy_v2 p = {context};

	CALL(CBID_cuCtxDestroy_v2, &p, destroy(context));
}

int cuMemAlloc_v2(abi_devptr *at, size_t bytes)
{
	struct abi_cuMemAlloc_v2 p = {at, bytes};

	CALL(CBID_cuMemAlloc_v2, &p, take(at, bytes));
}

int cuMemAllocManaged(abi_devptr *at, size_t bytes, unsigned flags)
{
	struct abi_cuMemAllocManaged p = {at, bytes, flags};

	CALL(CBID_cuMemAllocManaged, &p, take(at, bytes));
}

int cuMemAllocPitch_v2(abi_devptr *at, size_t *pitch, size_t width, size_t height, unsigned element)
{
	struct abi_cuMemAllocPitch_v2 p = {at, pitch, width, height, element};

	*pitch = (width + 511) / 512 * 512;
	/* The driver reports what a program calls; what it calls itself lies inside. */
	CALL(CBID_cuMemAllocPitch_v2, &p, cuMemAlloc_v2(at, *pitch * height));
}

int cuMemFree_v2(abi_devptr at)
{
	struct abi_cuMemFree_v2 p = {at};

	CALL(CBID_cuMemFree_v2, &p, give(at));
}

int cuMemAllocAsync(abi_devptr *at, size_t bytes, void *stream)
{
	struct abi_cuMemAllocAsync p = {at, bytes, stream};

	CALL(CBID_cuMemAllocAsync, &p, take(at, bytes));
}

int cuMemAllocFromPoolAsync(abi_devptr *at, size_t bytes, void *pool, void *stream)
{
	struct abi_cuMemAllocFromPoolAsync p = {at, bytes, pool, stream};

	CALL(CBID_cuMemAllocFromPoolAsync, &p, take(at, bytes));
}

int cuMemFreeAsync(abi_devptr at, void *stream)
{
	struct abi_cuMemFreeAsync p = {at, stream};

	CALL(CBID_cuMemFreeAsync, &p, give(at));
}

static int create(uint64_t *handle, size_t size, int device)
{
	int code = ABI_OUT_OF_MEMORY;

	pthread_mutex_lock(&lock);
	if (next_handle < SLOTS && used[device] + size <= capacity()) {
		handle_sizes[next_handle] = size;
		handle_devices[next_handle] = device;
		used[device] += size;
		*handle = next_handle++;
		code = ABI_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

int cuMemCreate(uint64_t *handle, size_t size, const struct abi_allocation_prop *prop,
		unsigned long long flags)
{
	struct abi_cuMemCreate p = {handle, size, prop, flags};

	CALL(CBID_cuMemCreate, &p, create(handle, size, prop->location.id));
}

int cuMemRelease(uint64_t handle)
{
	struct abi_cuMemRelease p = {handle};

	CALL(CBID_cuMemRelease, &p, (used[handle_devices[handle]] -= handle_sizes[handle], 0));
}

int cuMemAddressReserve(abi_devptr *at, size_t size)
{
	*at = __atomic_fetch_add(&reserved_to, size, __ATOMIC_RELAXED);
	return 0;
}

int cuMemMap(abi_devptr at, size_t size, size_t offset, uint64_t handle, unsigned long long flags)
{
	struct abi_cuMemMap p = {at, size, offset, handle, flags};

	CALL(CBID_cuMemMap, &p, 0);
}

int cuMemUnmap(abi_devptr at, size_t size)
{
	struct abi_cuMemUnmap p = {at, size};

	CALL(CBID_cuMemUnmap, &p, 0);
}

int cuMemImportFromShareableHandle(uint64_t *handle, void *os_handle, int type)
{
	struct abi_cuMemImportFromShareableHandle p = {handle, os_handle, type};

	CALL(CBID_cuMemImportFromShareableHandle, &p, (*handle = 100000, 0));
}

static int host(void **at, size_t bytes)
{
	*at = malloc(bytes);
	return *at ? 0 : ABI_OUT_OF_MEMORY;
}

int cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
	struct abi_cuMemHostAlloc p = {at, bytes, flags};

	CALL(CBID_cuMemHostAlloc, &p, host(at, bytes));
}

int cuMemFreeHost(void *at)
{
	struct abi_cuMemFreeHost p = {at};

	CALL(CBID_cuMemFreeHost, &p, (free(at), 0));
}

int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
	struct abi_cuMemHostRegister_v2 p = {at, bytes, flags};

	CALL(CBID_cuMemHostRegister_v2, &p, 0);
}

int cuMemHostUnregister(void *at)
{
	struct abi_cuMemFreeHost p = {at};

	CALL(CBID_cuMemHostUnregister, &p, 0);
}

int cuArrayCreate_v2(void **handle, const struct abi_array_descriptor *d)
{
	struct abi_cuArrayCreate_v2 p = {handle, d};

	CALL(CBID_cuArrayCreate_v2, &p, host(handle, 16));
}

int cuArrayDestroy(void *handle)
{
	struct abi_cuArrayDestroy p = {handle};

	CALL(CBID_cuArrayDestroy, &p, (free(handle), 0));
}

int cuIpcOpenMemHandle_v2(abi_devptr *at, struct fake_ipc handle, unsigned flags)
{
	struct abi_cuIpcOpenMemHandle_v2 p = {.pdptr = at, .Flags = flags};

	memcpy(p.handle, handle.bytes, sizeof p.handle);
	CALL(CBID_cuIpcOpenMemHandle_v2, &p, (*at = BASE - SLOT_BYTES, 0));
}
