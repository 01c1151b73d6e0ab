/* SPDX-License-Identifier: MIT
 * fake_cuda.c -- a libcuda.so.1 without a GPU: addresses are given out, nothing lies behind them.
 *
 * FAKE_CUDA_BYTES is the size of each of its 4 devices (1 GiB), of which a context takes
 * FAKE_CONTEXT_BYTES. A free of FAKE_STUCK_BYTES fails. With FAKE_CUDA_OLD it tells of no mappings.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cuda_abi.h"
#include "tests/capture/fake_cuda.h"
#include "tests/capture/fake_spaces.h"

#define SLOTS      4096
#define SLOT_BYTES (UINT64_C(64) << 20)
#define BASE       UINT64_C(0x700000000000)
#define DEVICES    4

fake_hook fake_cuda_hook;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Larger allocations have a mapping each. */
static struct {
	uint64_t size; /* 0: free */
	int device;
	void *context;
} slots[SLOTS];
static struct space small[DEVICES], pools[DEVICES + 1]; /* the last one is a program's own */
static uint64_t threshold[DEVICES + 1];
static uint64_t slot_bytes[DEVICES], handle_bytes[DEVICES], graph_bytes[DEVICES];
static uint64_t handle_sizes[SLOTS], reserved_to = BASE + (UINT64_C(1) << 42);
static int handle_devices[SLOTS], handle_users[SLOTS];
static bool context_made[DEVICES];
static unsigned next_slot, next_handle = 1;
static __thread int current_device;
static __thread void *current_context;

#define SMALL_BYTES   (UINT64_C(1) << 20)
#define MAPPING_BYTES (UINT64_C(2) << 20)
#define POOL_BYTES    (UINT64_C(32) << 20)

/* With the lock held. */
static void make_spaces(void)
{
	for (unsigned i = 0; i <= DEVICES && !pools[i].base; i++) {
		pools[i].base = BASE + (UINT64_C(1) << 44) + i * (UINT64_C(1) << 40);
		pools[i].chunk_bytes = POOL_BYTES;
		pools[i].spans = true;
		if (i == DEVICES)
			break;
		small[i].base = BASE + (UINT64_C(1) << 43) + i * (UINT64_C(1) << 40);
		small[i].chunk_bytes = MAPPING_BYTES;
	}
}

static uint64_t mapping_size(uint64_t size)
{
	return (size + MAPPING_BYTES - 1) / MAPPING_BYTES * MAPPING_BYTES;
}

static uint64_t capacity(void)
{
	const char *text = getenv("FAKE_CUDA_BYTES");

	return text ? strtoull(text, NULL, 10) : UINT64_C(1) << 30;
}

/* A call as CUPTI sees it: told from the driver's own function. */
static inline __attribute__((always_inline)) void tell(int site, uint32_t cbid, const void *params,
						       int *result)
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

static uint64_t used_bytes(int device)
{
	uint64_t own = device == 0 ? pools[DEVICES].mapped_bytes : 0;

	return own + slot_bytes[device] + small[device].mapped_bytes + pools[device].mapped_bytes +
	       handle_bytes[device] + graph_bytes[device] +
	       (context_made[device] ? FAKE_CONTEXT_BYTES : 0);
}

static uint64_t room(int device)
{
	uint64_t used = used_bytes(device);

	return used < capacity() ? capacity() - used : 0;
}

/* Slots are used again from a moving place on, so that addresses come back. */
static int take_slot(uint64_t *out, uint64_t size)
{
	if (size > SLOT_BYTES || mapping_size(size) > room(current_device))
		return ABI_OUT_OF_MEMORY;
	for (unsigned k = 0; k < SLOTS; k++) {
		unsigned i = (next_slot + k) % SLOTS;

		if (slots[i].size)
			continue;
		slots[i].size = size;
		slots[i].device = current_device;
		slots[i].context = current_context;
		slot_bytes[current_device] += mapping_size(size);
		*out = BASE + i * SLOT_BYTES;
		next_slot = i % 7 == 0 ? 0 : i + 1;
		return ABI_SUCCESS;
	}
	return ABI_OUT_OF_MEMORY;
}

static int take_from(struct space *s, uint64_t *out, uint64_t size, int device, void *context)
{
	uint64_t at = space_take(s, size, room(device), context);

	if (at)
		*out = at;
	return at ? ABI_SUCCESS : ABI_OUT_OF_MEMORY;
}

static int take(uint64_t *out, uint64_t size)
{
	int code;

	pthread_mutex_lock(&lock);
	make_spaces();
	code = size <= SMALL_BYTES ? take_from(&small[current_device], out, size, current_device,
					       current_context)
				   : take_slot(out, size);
	pthread_mutex_unlock(&lock);
	return code;
}

/* Small ones do not share mappings. */
static int take_managed(uint64_t *out, uint64_t size)
{
	int code;

	pthread_mutex_lock(&lock);
	code = take_slot(out, size);
	pthread_mutex_unlock(&lock);
	return code;
}

static int take_async(uint64_t *out, uint64_t size, void *pool, void *stream)
{
	int device = pool == FAKE_OWN_POOL ? 0 : current_device, code;

	if (stream == FAKE_CAPTURING) {
		*out = BASE + (UINT64_C(1) << 46);
		return ABI_SUCCESS;
	}
	pthread_mutex_lock(&lock);
	make_spaces();
	code = take_from(pool == FAKE_OWN_POOL ? &pools[DEVICES] : &pools[device], out, size,
			 device, NULL);
	pthread_mutex_unlock(&lock);
	return code;
}

static int give_slot(uint64_t i)
{
	if (!slots[i].size)
		return 1;
	if (slots[i].size == FAKE_STUCK_BYTES)
		return 700;
	slot_bytes[slots[i].device] -= mapping_size(slots[i].size);
	slots[i].size = 0;
	return ABI_SUCCESS;
}

static int give(uint64_t at)
{
	int code = 1;

	pthread_mutex_lock(&lock);
	if (at >= BASE && (at - BASE) / SLOT_BYTES < SLOTS)
		code = give_slot((at - BASE) / SLOT_BYTES);
	for (int i = 0; i <= DEVICES && code == 1; i++) {
		if (i < DEVICES && space_give(&small[i], at)) {
			space_trim(&small[i], 0);
			code = ABI_SUCCESS;
		} else if (space_give(&pools[i], at)) {
			code = ABI_SUCCESS;
		}
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
	if (!context_made[current_device])
		return 201;
	pthread_mutex_lock(&lock);
	*total = capacity();
	*free_bytes = room(current_device);
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuStreamIsCapturing(void *stream, int *status)
{
	*status = stream == FAKE_CAPTURING;
	return 0;
}

int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph,
			      const void **dependencies, size_t *n)
{
	(void)dependencies;
	(void)n;
	*status = stream == FAKE_CAPTURING;
	*id = 1;
	*graph = FAKE_GRAPH;
	return 0;
}

int cuStreamSynchronize(void *stream)
{
	(void)stream;
	pthread_mutex_lock(&lock);
	for (int i = 0; i <= DEVICES; i++)
		space_trim(&pools[i], threshold[i]);
	pthread_mutex_unlock(&lock);
	return 0;
}

/* ---- what it tells of itself ---- */

static struct space *space_of(uint64_t at, int *pool)
{
	for (int i = 0; i <= DEVICES; i++) {
		*pool = i;
		if (space_has(&pools[i], at))
			return &pools[i];
		*pool = -1;
		if (i < DEVICES && space_has(&small[i], at))
			return &small[i];
	}
	return NULL;
}

static void tell_place(int attribute, void *value, uint64_t base, uint64_t bytes, int pool,
		       int device)
{
	uint64_t handle = pool == DEVICES ? (uintptr_t)FAKE_OWN_POOL
			  : pool >= 0     ? FAKE_POOL_HANDLE + (uint64_t)pool
					  : 0;

	switch (attribute) {
	case ABI_POINTER_MAPPING_BASE:
		memcpy(value, &base, sizeof base);
		break;
	case ABI_POINTER_MAPPING_SIZE:
		memcpy(value, &bytes, sizeof bytes);
		break;
	case ABI_POINTER_POOL:
		memcpy(value, &handle, sizeof handle);
		break;
	case ABI_POINTER_DEVICE:
		memcpy(value, &device, sizeof device);
		break;
	case ABI_POINTER_MEMORY_TYPE:
		*(unsigned *)value = 2;
		break;
	default:
		abort();
	}
}

/* Of an address that is nothing all answers are 0, and that is no error. */
int cuPointerGetAttributes(unsigned n, int *attributes, void **data, uint64_t at)
{
	uint64_t slot = (at - BASE) / SLOT_BYTES, base = 0, bytes = 0;
	int pool = -1, device = 0;

	if (getenv("FAKE_CUDA_OLD"))
		return 1;
	pthread_mutex_lock(&lock);
	make_spaces();
	const struct space *s = space_of(at, &pool);
	if (s) {
		bytes = s->chunk_bytes;
		base = s->base + (at - s->base) / bytes * bytes;
		device = pool == DEVICES ? 0
			 : pool >= 0     ? pool
					 : (int)((s->base - small[0].base) >> 40);
	} else if (at >= BASE && slot < SLOTS && slots[slot].size) {
		base = BASE + slot * SLOT_BYTES;
		bytes = mapping_size(slots[slot].size);
		device = slots[slot].device;
	}
	for (unsigned i = 0; bytes && i < n; i++)
		tell_place(attributes[i], data[i], base, bytes, pool, device);
	pthread_mutex_unlock(&lock);
	return 0;
}

static int number_of(const void *pool)
{
	return pool == FAKE_OWN_POOL ? DEVICES : (int)((uintptr_t)pool - FAKE_POOL_HANDLE);
}

int cuMemPoolGetAttribute(void *pool, int attribute, void *value)
{
	if (attribute != ABI_POOL_RESERVED)
		abort();
	pthread_mutex_lock(&lock);
	memcpy(value, &pools[number_of(pool)].mapped_bytes, 8);
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuMemPoolSetThreshold(void *pool, uint64_t bytes)
{
	threshold[number_of(pool)] = bytes;
	return 0;
}

static int trim(void *pool, uint64_t keep)
{
	pthread_mutex_lock(&lock);
	space_trim(&pools[number_of(pool)], keep);
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuMemPoolTrimTo(void *pool, size_t keep)
{
	struct {
		struct abi_cuMemPool first;
		size_t keep;
	} p = {{pool}, keep};

	CALL(CBID_cuMemPoolTrimTo, &p, trim(pool, keep));
}

int cuMemPoolDestroy(void *pool)
{
	struct abi_cuMemPool p = {pool};

	threshold[number_of(pool)] = 0;
	CALL(CBID_cuMemPoolDestroy, &p, trim(pool, 0));
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t at)
{
	*base = at;
	*bytes = FAKE_IMPORTED_BYTES;
	return 0;
}

int cuDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
	if (attribute != ABI_GRAPH_RESERVED)
		abort();
	memcpy(value, &graph_bytes[device], sizeof graph_bytes[device]);
	return 0;
}

int cuDeviceGraphMemTrim(int device)
{
	struct abi_cuDevicePrimaryCtx p = {device};

	CALL(CBID_cuDeviceGraphMemTrim, &p, (graph_bytes[device] = 0, 0));
}

int cuGraphLaunch(void *exec, void *stream)
{
	void *p[] = {exec, stream};

	CALL(CBID_cuGraphLaunch, p, (graph_bytes[current_device] = FAKE_GRAPH_BYTES, 0));
}

int cuGraphDestroy(void *graph)
{
	struct abi_cuGraphDestroy p = {graph};

	CALL(CBID_cuGraphDestroy, &p, 0);
}

static int add_node(const struct abi_mem_alloc_node *node)
{
	((struct abi_mem_alloc_node *)node)->dptr = BASE + (UINT64_C(1) << 47);
	return 0;
}

int cuGraphAddMemAllocNode(void **out, void *graph, const void *dependencies, size_t n,
			   struct abi_mem_alloc_node *node)
{
	struct abi_cuGraphAddMemAllocNode p = {out, graph, dependencies, n, node};

	CALL(CBID_cuGraphAddMemAllocNode, &p, add_node(node));
}

/* ---- contexts ---- */

static char contexts[1000], primaries[DEVICES];

static int make_context(void **out, void *context, int device)
{
	*out = context;
	__atomic_store_n(&context_made[device], true, __ATOMIC_RELEASE);
	return 0;
}

int cuCtxPushCurrent_v2(void *context)
{
	if ((char *)context >= primaries && (char *)context < primaries + DEVICES)
		current_device = (int)((char *)context - primaries);
	current_context = context;
	return 0;
}

/* One level is enough here. */
int cuCtxPopCurrent_v2(void **context)
{
	*context = current_context;
	return 0;
}

int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
	static unsigned n;
	void *new = &contexts[__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED)];
	struct {
		void **context;
		unsigned flags;
		int device;
	} p = {context, flags, device};

	current_device = device;
	current_context = new;
	CALL(CBID_cuCtxCreate_v2, &p, make_context(context, new, device));
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	struct abi_cuDevicePrimaryCtxRetain p = {context, device};

	current_device = device;
	current_context = &primaries[device];
	CALL(CBID_cuDevicePrimaryCtxRetain, &p, make_context(context, &primaries[device], device));
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	*flags = 0;
	*active = context_made[device];
	return 0;
}

static int destroy(void *context)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i].size && slots[i].context == context) {
			slot_bytes[slots[i].device] -= mapping_size(slots[i].size);
			slots[i].size = 0;
		}
	}
	for (int i = 0; i < DEVICES; i++) {
		space_drop(&small[i], context);
		space_trim(&small[i], 0);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuCtxDestroy_v2(void *context)
{
	struct abi_cuCtxDestroy_v2 p = {context};

	CALL(CBID_cuCtxDestroy_v2, &p, destroy(context));
}

int cuDevicePrimaryCtxReset_v2(int device)
{
	struct abi_cuDevicePrimaryCtx p = {device};

	CALL(CBID_cuDevicePrimaryCtxReset_v2, &p,
	     (context_made[device] = false, destroy(&primaries[device])));
}

/* ---- memory ---- */

int cuMemAlloc_v2(abi_devptr *at, size_t bytes)
{
	struct abi_cuMemAlloc_v2 p = {at, bytes};

	CALL(CBID_cuMemAlloc_v2, &p, take(at, bytes));
}

int cuMemAllocManaged(abi_devptr *at, size_t bytes, unsigned flags)
{
	struct abi_cuMemAllocManaged p = {at, bytes, flags};

	CALL(CBID_cuMemAllocManaged, &p, take_managed(at, bytes));
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

	CALL(CBID_cuMemAllocAsync, &p, take_async(at, bytes, NULL, stream));
}

int cuMemAllocFromPoolAsync(abi_devptr *at, size_t bytes, void *pool, void *stream)
{
	struct abi_cuMemAllocFromPoolAsync p = {at, bytes, pool, stream};

	CALL(CBID_cuMemAllocFromPoolAsync, &p, take_async(at, bytes, pool, stream));
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
	if (next_handle < SLOTS && size <= room(device)) {
		handle_sizes[next_handle] = size;
		handle_devices[next_handle] = device;
		handle_users[next_handle] = 1;
		handle_bytes[device] += size;
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

/* Users of a handle are its owners and its mappings. */
static int use_handle(uint64_t handle, int more)
{
	if (handle >= SLOTS)
		return 0;
	pthread_mutex_lock(&lock);
	handle_users[handle] += more;
	if (handle_users[handle] == 0)
		handle_bytes[handle_devices[handle]] -= handle_sizes[handle];
	pthread_mutex_unlock(&lock);
	return 0;
}

int cuMemRelease(uint64_t handle)
{
	struct abi_cuMemRelease p = {handle};

	CALL(CBID_cuMemRelease, &p, use_handle(handle, -1));
}

static struct {
	uint64_t at, handle; /* handle 0: free */
} maps[SLOTS];

static int map(uint64_t at, uint64_t handle)
{
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	while (maps[i].handle)
		i++;
	maps[i].at = at;
	maps[i].handle = handle;
	pthread_mutex_unlock(&lock);
	return use_handle(handle, 1);
}

static int unmap(uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t handle;

		pthread_mutex_lock(&lock);
		handle = maps[i].at >= at && maps[i].at < at + size ? maps[i].handle : 0;
		if (handle)
			maps[i].handle = 0;
		pthread_mutex_unlock(&lock);
		if (handle)
			use_handle(handle, -1);
	}
	return 0;
}

static uint64_t handle_at(uint64_t at)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (maps[i].handle && maps[i].at == at)
			return maps[i].handle;
	}
	return 0;
}

int cuMemRetainAllocationHandle(uint64_t *handle, void *at)
{
	struct abi_cuMemRetainAllocationHandle p = {handle, at};

	*handle = handle_at((uintptr_t)at);
	CALL(CBID_cuMemRetainAllocationHandle, &p, use_handle(*handle, 1));
}

int cuMemAddressReserve(abi_devptr *at, size_t size)
{
	*at = __atomic_fetch_add(&reserved_to, size, __ATOMIC_RELAXED);
	return 0;
}

int cuMemMap(abi_devptr at, size_t size, size_t offset, uint64_t handle, unsigned long long flags)
{
	struct abi_cuMemMap p = {at, size, offset, handle, flags};

	CALL(CBID_cuMemMap, &p, map(at, handle));
}

int cuMemUnmap(abi_devptr at, size_t size)
{
	struct abi_cuMemUnmap p = {at, size};

	CALL(CBID_cuMemUnmap, &p, unmap(at, size));
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

int cuImportExternalMemory(void **out, const struct abi_external_memory *d)
{
	struct abi_cuImportExternalMemory p = {out, d};

	CALL(CBID_cuImportExternalMemory, &p, (*out = (void *)0x7777, 0));
}

int cuExternalMemoryGetMappedBuffer(abi_devptr *at, void *memory,
				    const struct abi_external_buffer *d)
{
	struct abi_cuExternalMemoryGetMappedBuffer p = {at, memory, d};

	CALL(CBID_cuExternalMemoryGetMappedBuffer, &p, (*at = BASE - 2 * SLOT_BYTES, 0));
}

int cuDestroyExternalMemory(void *memory)
{
	struct abi_cuDestroyExternalMemory p = {memory};

	CALL(CBID_cuDestroyExternalMemory, &p, 0);
}
