/* SPDX-License-Identifier: MIT
 * driver_ask.c -- what the driver is asked while it is listened to.
 */
#include "capture/driver_ask.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "capture/cuda_abi.h"
#include "capture/recorder.h"

/* cuMemGetInfo takes 4.3 us: one in 5 ms costs 0.1 %. */
#define MEMORY_EVERY_NS INT64_C(5000000)

static struct {
	int (*context_device)(int *device);
	int (*memory_info)(size_t *free_bytes, size_t *total_bytes);
	int (*is_capturing)(void *stream, int *status);
	int (*capture_info)(void *stream, int *status, uint64_t *id, void **graph,
			    const void **dependencies, size_t *n_dependencies);
	int (*context_state)(int device, unsigned *flags, int *active);
	int (*pointer)(unsigned n, int *attributes, void **data, uint64_t at);
	int (*pool)(void *pool, int attribute, void *value);
	int (*graph)(int device, int attribute, void *value);
	int (*range)(uint64_t *base, size_t *bytes, uint64_t at);
	int (*push)(void *context);
	int (*pop)(void **context);
} driver;

static struct {
	int64_t asked_ns; /* 0: never */
	void *primary;    /* context, or NULL */
} devices[RING_DEVICES];

void driver_ask_prepare(void)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"cuCtxGetDevice", &driver.context_device},
		{"cuMemGetInfo_v2", &driver.memory_info},
		{"cuStreamIsCapturing", &driver.is_capturing},
		{"cuStreamGetCaptureInfo_v2", &driver.capture_info},
		{"cuDevicePrimaryCtxGetState", &driver.context_state},
		{"cuPointerGetAttributes", &driver.pointer},
		{"cuMemPoolGetAttribute", &driver.pool},
		{"cuDeviceGetGraphMemAttribute", &driver.graph},
		{"cuMemGetAddressRange_v2", &driver.range},
		{"cuCtxPushCurrent_v2", &driver.push},
		{"cuCtxPopCurrent_v2", &driver.pop},
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	memset(devices, 0, sizeof devices);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *at = library ? dlsym(library, functions[i].name) : NULL;

		memcpy(functions[i].to, &at, sizeof at);
	}
}

/* ---- where we are ---- */

int driver_device(void)
{
	int device = 0;

	return driver.context_device && driver.context_device(&device) == ABI_SUCCESS ? device : 0;
}

bool driver_captures(void *stream, uint64_t *graph)
{
	int status = 0, code = -1;
	void *handle = NULL;
	uint64_t id = 0;

	*graph = 0;
	if (driver.capture_info)
		code = driver.capture_info(stream, &status, &id, &handle, NULL, NULL);
	else if (driver.is_capturing)
		code = driver.is_capturing(stream, &status);
	if (code != ABI_SUCCESS || status == 0)
		return false;
	*graph = (uintptr_t)handle;
	return true;
}

bool driver_has_primary(int device)
{
	unsigned flags;
	int active = 1;

	return !driver.context_state ||
	       driver.context_state(device, &flags, &active) != ABI_SUCCESS || active;
}

/* ---- where an allocation lies ---- */

struct driver_place driver_place_of(uint64_t addr)
{
	struct driver_place place = {.device = -2};
	uint64_t base = 0, pool = 0;
	size_t bytes = 0;
	unsigned type = 0;
	int device = -2;
	int attributes[] = {ABI_POINTER_MAPPING_BASE, ABI_POINTER_MAPPING_SIZE, ABI_POINTER_POOL,
			    ABI_POINTER_MEMORY_TYPE, ABI_POINTER_DEVICE};
	void *data[] = {&base, &bytes, &pool, &type, &device};

	if (!driver.pointer || driver.pointer(5, attributes, data, addr) != ABI_SUCCESS || !type)
		return place;
	place.device = type == ABI_MEMORY_HOST ? -1 : device;
	place.mapping = (struct driver_mapping){.base = base, .bytes = bytes, .pool = pool};
	return place;
}

uint64_t driver_size_of(uint64_t addr)
{
	uint64_t base = 0;
	size_t bytes = 0;

	return driver.range && driver.range(&base, &bytes, addr) == ABI_SUCCESS ? bytes : 0;
}

/* ---- what is held ---- */

void driver_tell_pool(uint64_t pool, uint64_t since)
{
	uint64_t reserved = 0;

	if (pool && driver.pool &&
	    driver.pool((void *)(uintptr_t)pool, ABI_POOL_RESERVED, &reserved) == ABI_SUCCESS)
		recorder_pool(pool, reserved, since);
}

void driver_tell_graphs(int device)
{
	uint64_t bytes = 0;

	if (driver.graph && driver.graph(device, ABI_GRAPH_RESERVED, &bytes) == ABI_SUCCESS)
		recorder_graph(device, bytes);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + 1;
}

uint64_t driver_tell_memory(bool now)
{
	size_t free_bytes = 0, total = 0;
	int64_t at = now_ns();
	int device = 0;

	if (!driver.memory_info || !driver.context_device ||
	    driver.context_device(&device) != ABI_SUCCESS || device < 0 || device >= RING_DEVICES)
		return UINT64_MAX;
	int64_t last = __atomic_load_n(&devices[device].asked_ns, __ATOMIC_RELAXED);
	if (!now && last && at - last < MEMORY_EVERY_NS)
		return UINT64_MAX;
	__atomic_store_n(&devices[device].asked_ns, at, __ATOMIC_RELAXED);
	if (driver.memory_info(&free_bytes, &total) != ABI_SUCCESS)
		return UINT64_MAX;
	driver_tell_graphs(device);
	recorder_device(device, free_bytes, total);
	return free_bytes;
}

static void tell_in_context(void *context)
{
	if (!driver.push || !driver.pop || driver.push(context) != ABI_SUCCESS)
		return;
	driver_tell_memory(true);
	driver.pop(&context);
}

void driver_tell_new_context(void *context, bool primary)
{
	int device;

	if (!driver.push || !driver.pop || driver.push(context) != ABI_SUCCESS)
		return;
	device = driver_device();
	if (device >= 0 && device < RING_DEVICES) {
		if (!__atomic_load_n(&devices[device].asked_ns, __ATOMIC_RELAXED))
			driver_tell_memory(true);
		if (primary)
			__atomic_store_n(&devices[device].primary, context, __ATOMIC_RELAXED);
	}
	driver.pop(&context);
}

void *driver_primary(int device)
{
	return device >= 0 && device < RING_DEVICES
		       ? __atomic_load_n(&devices[device].primary, __ATOMIC_RELAXED)
		       : NULL;
}

void driver_tell_all(void)
{
	uint64_t pools[HOLDINGS_POOLS];
	unsigned n = recorder_pools(pools);

	for (unsigned i = 0; i < n; i++)
		driver_tell_pool(pools[i], recorder_changes());
	driver_tell_memory(true);
	for (int device = 0; device < RING_DEVICES; device++) {
		void *primary = driver_primary(device);

		if (primary && driver_has_primary(device))
			tell_in_context(primary);
	}
}
