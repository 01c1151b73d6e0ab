/* SPDX-License-Identifier: MIT
 * fake_cuda.h -- the driver's functions that programs of the tests call.
 */
#ifndef TESTS_CAPTURE_FAKE_CUDA_H
#define TESTS_CAPTURE_FAKE_CUDA_H

#include "capture/cuda_abi.h"

#define FAKE_STUCK_BYTES    ((size_t)5 << 20)
#define FAKE_CONTEXT_BYTES  ((size_t)10 << 20)
#define FAKE_CAPTURING      ((void *)0x99) /* a stream that records a graph */
#define FAKE_GRAPH          ((void *)0x98)
#define FAKE_GRAPH_BYTES    ((size_t)6 << 20) /* what its launch keeps */
#define FAKE_OWN_POOL       ((void *)0x50)    /* of device 0 */
#define FAKE_POOL_HANDLE    UINT64_C(0x60)    /* the default pool of device 0; the others follow */
#define FAKE_IMPORTED_BYTES ((size_t)4096)

typedef void (*fake_hook)(int site, uint32_t cbid, const void *params, int *result, void *context);
extern fake_hook fake_cuda_hook;

struct fake_ipc {
	char bytes[64];
};

int cuInit(unsigned flags);
int cuCtxGetDevice(int *device);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
int cuStreamIsCapturing(void *stream, int *status);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuStreamSynchronize(void *stream);
int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph,
			      const void **dependencies, size_t *n);
int cuPointerGetAttributes(unsigned n, int *attributes, void **data, uint64_t at);
int cuMemPoolGetAttribute(void *pool, int attribute, void *value);
int cuMemPoolSetThreshold(void *pool, uint64_t bytes); /* not of the real one */
int cuMemPoolTrimTo(void *pool, size_t keep);
int cuMemPoolDestroy(void *pool);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t at);
int cuDeviceGetGraphMemAttribute(int device, int attribute, void *value);
int cuDeviceGraphMemTrim(int device);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphDestroy(void *graph);
int cuGraphAddMemAllocNode(void **out, void *graph, const void *dependencies, size_t n,
			   struct abi_mem_alloc_node *node);
int cuMemRetainAllocationHandle(uint64_t *handle, void *at);
int cuImportExternalMemory(void **out, const struct abi_external_memory *d);
int cuExternalMemoryGetMappedBuffer(abi_devptr *at, void *memory,
				    const struct abi_external_buffer *d);
int cuDestroyExternalMemory(void *memory);
int cuMemAlloc_v2(abi_devptr *at, size_t bytes);
int cuMemAllocManaged(abi_devptr *at, size_t bytes, unsigned flags);
int cuMemAllocPitch_v2(abi_devptr *at, size_t *pitch, size_t width, size_t height,
		       unsigned element);
int cuMemFree_v2(abi_devptr at);
int cuMemAllocAsync(abi_devptr *at, size_t bytes, void *stream);
int cuMemAllocFromPoolAsync(abi_devptr *at, size_t bytes, void *pool, void *stream);
int cuMemFreeAsync(abi_devptr at, void *stream);
int cuMemCreate(uint64_t *handle, size_t size, const struct abi_allocation_prop *prop,
		unsigned long long flags);
int cuMemRelease(uint64_t handle);
int cuMemAddressReserve(abi_devptr *at, size_t size);
int cuMemMap(abi_devptr at, size_t size, size_t offset, uint64_t handle, unsigned long long flags);
int cuMemUnmap(abi_devptr at, size_t size);
int cuMemImportFromShareableHandle(uint64_t *handle, void *os_handle, int type);
int cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
int cuMemFreeHost(void *at);
int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *at);
int cuArrayCreate_v2(void **handle, const struct abi_array_descriptor *d);
int cuArrayDestroy(void *handle);
int cuIpcOpenMemHandle_v2(abi_devptr *at, struct fake_ipc handle, unsigned flags);

#endif
