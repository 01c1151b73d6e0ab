/* SPDX-License-Identifier: MIT
 * cuda_abi.h -- what is needed of CUDA and CUPTI, declared here: building needs no toolkit.
 *
 * Numbers of callbacks and blocks of parameters only ever grow; tests/capture/test_cuda_abi.c compares
 * them with the real headers where there are any.
 */
#ifndef CAPTURE_CUDA_ABI_H
#define CAPTURE_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
	ABI_SUCCESS = 0,
	ABI_OUT_OF_MEMORY = 2,
	ABI_DOMAIN_DRIVER = 1,
	ABI_SITE_ENTER = 0,
	ABI_SITE_EXIT = 1,
	ABI_CUPTI_MULTIPLE_SUBSCRIBERS = 39,
	ABI_LOCATION_DEVICE = 1,
	ABI_MEMORY_HOST = 1,
	ABI_POINTER_MEMORY_TYPE = 2,
	ABI_POINTER_DEVICE = 9,
	ABI_POINTER_POOL = 17,
	ABI_POINTER_MAPPING_SIZE = 18,
	ABI_POINTER_MAPPING_BASE = 19,
	ABI_POOL_RESERVED = 5,
	ABI_GRAPH_RESERVED = 2,
	ABI_NODE_MEM_ALLOC = 10,
};

enum abi_cbid {
	CBID_cuMemFreeHost = 38,
	CBID_cuMemHostAlloc = 39,
	CBID_cuArrayDestroy = 89,
	CBID_cuCtxCreate_v2 = 235,
	CBID_cuMemAlloc_v2 = 243,
	CBID_cuMemAllocPitch_v2 = 244,
	CBID_cuMemFree_v2 = 245,
	CBID_cuMemHostAlloc_v2 = 271,
	CBID_cuArrayCreate_v2 = 272,
	CBID_cuArray3DCreate_v2 = 274,
	CBID_cuMemAllocHost_v2 = 294,
	CBID_cuMemHostUnregister = 302,
	CBID_cuCtxDestroy_v2 = 322,
	CBID_cuIpcCloseMemHandle = 330,
	CBID_cuMipmappedArrayCreate = 347,
	CBID_cuMipmappedArrayDestroy = 349,
	CBID_cuMemAllocManaged = 371,
	CBID_cuMemHostRegister_v2 = 379,
	CBID_cuDevicePrimaryCtxRetain = 386,
	CBID_cuImportExternalMemory = 485,
	CBID_cuExternalMemoryGetMappedBuffer = 486,
	CBID_cuDestroyExternalMemory = 488,
	CBID_cuGraphLaunch = 514,
	CBID_cuGraphLaunch_ptsz = 515,
	CBID_cuGraphDestroy = 517,
	CBID_cuDevicePrimaryCtxRelease_v2 = 544,
	CBID_cuDevicePrimaryCtxReset_v2 = 545,
	CBID_cuMemCreate = 549,
	CBID_cuMemRelease = 550,
	CBID_cuMemMap = 551,
	CBID_cuMemUnmap = 552,
	CBID_cuMemImportFromShareableHandle = 555,
	CBID_cuMemRetainAllocationHandle = 565,
	CBID_cuIpcOpenMemHandle_v2 = 567,
	CBID_cuGraphUpload = 580,
	CBID_cuGraphUpload_ptsz = 581,
	CBID_cuMemAllocAsync = 598,
	CBID_cuMemAllocAsync_ptsz = 599,
	CBID_cuMemFreeAsync = 600,
	CBID_cuMemFreeAsync_ptsz = 601,
	CBID_cuMemPoolTrimTo = 602,
	CBID_cuMemPoolDestroy = 608,
	CBID_cuMemAllocFromPoolAsync = 611,
	CBID_cuMemAllocFromPoolAsync_ptsz = 612,
	CBID_cuMemPoolImportPointer = 616,
	CBID_cuGraphAddMemAllocNode = 638,
	CBID_cuDeviceGraphMemTrim = 640,
	CBID_cuCtxCreate_v3 = 645,
	CBID_cuGraphAddNode = 712,
	CBID_cuGraphAddNode_v2 = 723,
	CBID_cuCtxCreate_v4 = 757,
};

typedef uint64_t abi_devptr;

struct abi_cuMemAlloc_v2 {
	abi_devptr *dptr;
	size_t bytesize;
};

struct abi_cuMemAllocPitch_v2 {
	abi_devptr *dptr;
	size_t *pPitch;
	size_t WidthInBytes, Height;
	unsigned ElementSizeBytes;
};

struct abi_cuMemFree_v2 {
	abi_devptr dptr;
};

struct abi_cuMemAllocManaged {
	abi_devptr *dptr;
	size_t bytesize;
	unsigned flags;
};

struct abi_cuMemAllocAsync {
	abi_devptr *dptr;
	size_t bytesize;
	void *hStream;
};

struct abi_cuMemFreeAsync {
	abi_devptr dptr;
	void *hStream;
};

struct abi_cuMemAllocFromPoolAsync {
	abi_devptr *dptr;
	size_t bytesize;
	void *pool;
	void *hStream;
};

struct abi_allocation_prop {
	int type, requestedHandleTypes;
	struct {
		int type, id;
	} location;
};

struct abi_cuMemCreate {
	uint64_t *handle;
	size_t size;
	const struct abi_allocation_prop *prop;
	unsigned long long flags;
};

struct abi_cuMemRelease {
	uint64_t handle;
};

struct abi_cuMemMap {
	abi_devptr ptr;
	size_t size, offset;
	uint64_t handle;
	unsigned long long flags;
};

struct abi_cuMemUnmap {
	abi_devptr ptr;
	size_t size;
};

struct abi_cuMemImportFromShareableHandle {
	uint64_t *handle;
	void *osHandle;
	int shHandleType;
};

struct abi_cuMemRetainAllocationHandle {
	uint64_t *handle;
	void *addr;
};

struct abi_cuMemPool { /* TrimTo and Destroy begin with it */
	void *pool;
};

struct abi_cuMemPoolImportPointer {
	abi_devptr *ptr_out;
	void *pool, *shareData;
};

struct abi_pool_props {
	int allocType, handleTypes;
	struct {
		int type, id;
	} location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
};

struct abi_mem_alloc_node {
	struct abi_pool_props poolProps;
	const void *accessDescs;
	size_t accessDescCount, bytesize;
	abi_devptr dptr;
};

struct abi_cuGraphAddMemAllocNode {
	void **phGraphNode;
	void *hGraph;
	const void *dependencies;
	size_t numDependencies;
	const struct abi_mem_alloc_node *nodeParams;
};

struct abi_graph_node {
	int type, reserved0[3];
	struct abi_mem_alloc_node alloc; /* of many */
};

struct abi_cuGraphAddNode {
	void **phGraphNode;
	void *hGraph;
	const void *dependencies;
	size_t numDependencies;
	const struct abi_graph_node *nodeParams;
};

struct abi_cuGraphAddNode_v2 {
	void **phGraphNode;
	void *hGraph;
	const void *dependencies, *dependencyData;
	size_t numDependencies;
	const struct abi_graph_node *nodeParams;
};

struct abi_cuGraphDestroy {
	void *hGraph;
};

struct abi_cuImportExternalMemory {
	void **extMem_out;
	const struct abi_external_memory {
		int type;
		union {
			int fd;
			void *pair[2];
		} handle;
		unsigned long long size;
	} * memHandleDesc;
};

struct abi_cuExternalMemoryGetMappedBuffer {
	abi_devptr *devPtr;
	void *extMem;
	const struct abi_external_buffer {
		unsigned long long offset, size;
	} * bufferDesc;
};

struct abi_cuDestroyExternalMemory {
	void *extMem;
};

struct abi_cuMemHostAlloc {
	void **pp;
	size_t bytesize;
	unsigned Flags;
};

struct abi_cuMemAllocHost_v2 {
	void **pp;
	size_t bytesize;
};

struct abi_cuMemFreeHost {
	void *p;
};

struct abi_cuMemHostRegister_v2 {
	void *p;
	size_t bytesize;
	unsigned Flags;
};

struct abi_array_descriptor {
	size_t Width, Height;
	int Format;
	unsigned NumChannels;
};

struct abi_array3d_descriptor {
	size_t Width, Height, Depth;
	int Format;
	unsigned NumChannels, Flags;
};

struct abi_cuArrayCreate_v2 {
	void **pHandle;
	const struct abi_array_descriptor *pAllocateArray;
};

struct abi_cuArray3DCreate_v2 {
	void **pHandle;
	const struct abi_array3d_descriptor *pAllocateArray;
};

struct abi_cuMipmappedArrayCreate {
	void **pHandle;
	const struct abi_array3d_descriptor *pMipmappedArrayDesc;
	unsigned numMipmapLevels;
};

struct abi_cuArrayDestroy {
	void *hArray;
};

struct abi_cuIpcOpenMemHandle_v2 {
	abi_devptr *pdptr;
	char handle[64];
	unsigned Flags;
};

struct abi_cuIpcCloseMemHandle {
	abi_devptr dptr;
};

struct abi_cuCtxDestroy_v2 {
	void *ctx;
};

struct abi_cuCtxCreate { /* all versions begin with it */
	void **pctx;
};

struct abi_cuDevicePrimaryCtxRetain {
	void **pctx;
	int dev;
};

struct abi_cuDevicePrimaryCtx {
	int dev;
};

/* CUpti_CallbackData */
struct abi_callback_data {
	int callbackSite;
	const char *functionName;
	const void *functionParams;
	void *functionReturnValue;
	const char *symbolName;
	void *context;
	uint32_t contextUid;
	uint64_t *correlationData;
	uint32_t correlationId;
};

typedef void (*abi_callback)(void *userdata, int domain, uint32_t cbid,
			     const struct abi_callback_data *data);

/* CUpti_SubscriberParams; the last member is there from CUPTI 13.3 on. */
struct abi_subscriber_params {
	size_t structSize;
	const char *subscriberName;
	char *oldSubscriberName;
	size_t oldSubscriberSize;
	uint8_t allowMultipleSubscribers;
};

#endif
