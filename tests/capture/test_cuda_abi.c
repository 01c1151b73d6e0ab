/* SPDX-License-Identifier: MIT
 * test_cuda_abi.c -- capture/cuda_abi.h against the real headers; compiled where a toolkit is.
 */
#include <cupti.h>

#include <stddef.h>

#include "capture/cuda_abi.h"

/* cuda.h makes macros of the names of older versions. */
#undef cuGraphAddNode

#define SAME(condition) _Static_assert(condition, #condition)
#define NUMBER(name)    SAME((int)CBID_##name == (int)CUPTI_DRIVER_TRACE_CBID_##name)
#define AT(ours, theirs, member) \
	SAME(offsetof(struct abi_##ours, member) == offsetof(theirs, member))
#define SIZE(name) SAME(sizeof(struct abi_##name) == sizeof(name##_params))
#define PARAM(name, member)              \
	AT(name, name##_params, member); \
	SAME(sizeof(((struct abi_##name *)0)->member) == sizeof(((name##_params *)0)->member))

NUMBER(cuMemFreeHost);
NUMBER(cuMemHostAlloc);
NUMBER(cuArrayDestroy);
NUMBER(cuMemAlloc_v2);
NUMBER(cuMemAllocPitch_v2);
NUMBER(cuMemFree_v2);
NUMBER(cuMemHostAlloc_v2);
NUMBER(cuArrayCreate_v2);
NUMBER(cuArray3DCreate_v2);
NUMBER(cuMemAllocHost_v2);
NUMBER(cuMemHostUnregister);
NUMBER(cuCtxDestroy_v2);
NUMBER(cuIpcCloseMemHandle);
NUMBER(cuMipmappedArrayCreate);
NUMBER(cuMipmappedArrayDestroy);
NUMBER(cuMemAllocManaged);
NUMBER(cuMemHostRegister_v2);
NUMBER(cuDevicePrimaryCtxRelease_v2);
NUMBER(cuDevicePrimaryCtxReset_v2);
NUMBER(cuMemCreate);
NUMBER(cuMemRelease);
NUMBER(cuMemMap);
NUMBER(cuMemUnmap);
NUMBER(cuMemImportFromShareableHandle);
NUMBER(cuIpcOpenMemHandle_v2);
NUMBER(cuMemAllocAsync);
NUMBER(cuMemAllocAsync_ptsz);
NUMBER(cuMemFreeAsync);
NUMBER(cuMemFreeAsync_ptsz);
NUMBER(cuMemAllocFromPoolAsync);
NUMBER(cuMemAllocFromPoolAsync_ptsz);
NUMBER(cuCtxCreate_v2);
NUMBER(cuDevicePrimaryCtxRetain);
NUMBER(cuImportExternalMemory);
NUMBER(cuExternalMemoryGetMappedBuffer);
NUMBER(cuDestroyExternalMemory);
NUMBER(cuGraphLaunch);
NUMBER(cuGraphLaunch_ptsz);
NUMBER(cuGraphDestroy);
NUMBER(cuMemRetainAllocationHandle);
NUMBER(cuGraphUpload);
NUMBER(cuGraphUpload_ptsz);
NUMBER(cuMemPoolTrimTo);
NUMBER(cuMemPoolDestroy);
NUMBER(cuMemPoolImportPointer);
NUMBER(cuGraphAddMemAllocNode);
NUMBER(cuDeviceGraphMemTrim);
NUMBER(cuCtxCreate_v3);
NUMBER(cuGraphAddNode);
NUMBER(cuGraphAddNode_v2);
NUMBER(cuCtxCreate_v4);

SAME((int)ABI_OUT_OF_MEMORY == (int)CUDA_ERROR_OUT_OF_MEMORY);
SAME((int)ABI_DOMAIN_DRIVER == (int)CUPTI_CB_DOMAIN_DRIVER_API);
SAME((int)ABI_SITE_ENTER == (int)CUPTI_API_ENTER);
SAME((int)ABI_SITE_EXIT == (int)CUPTI_API_EXIT);
SAME((int)ABI_CUPTI_MULTIPLE_SUBSCRIBERS == (int)CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME((int)ABI_LOCATION_DEVICE == (int)CU_MEM_LOCATION_TYPE_DEVICE);
SAME((int)ABI_MEMORY_HOST == (int)CU_MEMORYTYPE_HOST);
SAME((int)ABI_POINTER_MEMORY_TYPE == (int)CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME((int)ABI_POINTER_DEVICE == (int)CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
SAME((int)ABI_POINTER_POOL == (int)CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
SAME((int)ABI_POINTER_MAPPING_SIZE == (int)CU_POINTER_ATTRIBUTE_MAPPING_SIZE);
SAME((int)ABI_POINTER_MAPPING_BASE == (int)CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR);
SAME((int)ABI_POOL_RESERVED == (int)CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME((int)ABI_GRAPH_RESERVED == (int)CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
SAME((int)ABI_NODE_MEM_ALLOC == (int)CU_GRAPH_NODE_TYPE_MEM_ALLOC);

SIZE(cuMemAlloc_v2);
PARAM(cuMemAlloc_v2, bytesize);
SIZE(cuMemAllocPitch_v2);
PARAM(cuMemAllocPitch_v2, pPitch);
PARAM(cuMemAllocPitch_v2, WidthInBytes);
PARAM(cuMemAllocPitch_v2, Height);
SIZE(cuMemFree_v2);
SIZE(cuMemAllocManaged);
PARAM(cuMemAllocManaged, bytesize);
SIZE(cuMemAllocAsync);
PARAM(cuMemAllocAsync, hStream);
SIZE(cuMemFreeAsync);
PARAM(cuMemFreeAsync, hStream);
SIZE(cuMemAllocFromPoolAsync);
PARAM(cuMemAllocFromPoolAsync, pool);
PARAM(cuMemAllocFromPoolAsync, hStream);
SIZE(cuMemCreate);
PARAM(cuMemCreate, size);
PARAM(cuMemCreate, prop);
SIZE(cuMemRelease);
SIZE(cuMemMap);
PARAM(cuMemMap, size);
PARAM(cuMemMap, handle);
SIZE(cuMemUnmap);
PARAM(cuMemUnmap, size);
SIZE(cuMemImportFromShareableHandle);
SIZE(cuMemRetainAllocationHandle);
AT(cuMemPool, cuMemPoolTrimTo_params, pool);
AT(cuMemPool, cuMemPoolDestroy_params, pool);
SIZE(cuMemPoolImportPointer);
PARAM(cuMemPoolImportPointer, ptr_out);
SIZE(cuGraphAddMemAllocNode);
PARAM(cuGraphAddMemAllocNode, hGraph);
PARAM(cuGraphAddMemAllocNode, nodeParams);
SIZE(cuGraphAddNode);
PARAM(cuGraphAddNode, hGraph);
PARAM(cuGraphAddNode, nodeParams);
SIZE(cuGraphAddNode_v2);
PARAM(cuGraphAddNode_v2, hGraph);
PARAM(cuGraphAddNode_v2, nodeParams);
SIZE(cuGraphDestroy);
SIZE(cuImportExternalMemory);
PARAM(cuImportExternalMemory, memHandleDesc);
SIZE(cuExternalMemoryGetMappedBuffer);
PARAM(cuExternalMemoryGetMappedBuffer, devPtr);
PARAM(cuExternalMemoryGetMappedBuffer, bufferDesc);
SIZE(cuDestroyExternalMemory);
SIZE(cuDevicePrimaryCtxRetain);
PARAM(cuDevicePrimaryCtxRetain, dev);
AT(cuCtxCreate, cuCtxCreate_v2_params, pctx);
AT(cuCtxCreate, cuCtxCreate_v3_params, pctx);
AT(cuCtxCreate, cuCtxCreate_v4_params, pctx);
SAME(sizeof(struct abi_cuDevicePrimaryCtx) == sizeof(cuDeviceGraphMemTrim_params));
PARAM(cuMemHostAlloc, bytesize);
PARAM(cuMemAllocHost_v2, bytesize);
SIZE(cuMemFreeHost);
PARAM(cuMemHostRegister_v2, bytesize);
PARAM(cuArrayCreate_v2, pAllocateArray);
PARAM(cuArray3DCreate_v2, pAllocateArray);
PARAM(cuMipmappedArrayCreate, numMipmapLevels);
SIZE(cuArrayDestroy);
SIZE(cuIpcOpenMemHandle_v2);
SIZE(cuIpcCloseMemHandle);
SIZE(cuCtxDestroy_v2);
SAME(sizeof(struct abi_cuDevicePrimaryCtx) == sizeof(cuDevicePrimaryCtxReset_v2_params));
SAME(sizeof(struct abi_cuDevicePrimaryCtx) == sizeof(cuDevicePrimaryCtxRelease_v2_params));

AT(allocation_prop, CUmemAllocationProp, location);
AT(allocation_prop, CUmemAllocationProp, location.id);
SAME(sizeof(struct abi_pool_props) == sizeof(CUmemPoolProps));
AT(pool_props, CUmemPoolProps, location);
SAME(sizeof(struct abi_mem_alloc_node) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS));
SAME(sizeof(struct abi_mem_alloc_node) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v2));
AT(mem_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS, bytesize);
AT(mem_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
AT(mem_alloc_node, CUDA_MEM_ALLOC_NODE_PARAMS_v2, dptr);
AT(graph_node, CUgraphNodeParams, type);
AT(graph_node, CUgraphNodeParams, alloc);
AT(external_memory, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size);
AT(external_buffer, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size);
AT(array_descriptor, CUDA_ARRAY_DESCRIPTOR, NumChannels);
AT(array3d_descriptor, CUDA_ARRAY3D_DESCRIPTOR, Depth);
AT(array3d_descriptor, CUDA_ARRAY3D_DESCRIPTOR, NumChannels);
AT(callback_data, CUpti_CallbackData, functionParams);
AT(callback_data, CUpti_CallbackData, functionReturnValue);
AT(callback_data, CUpti_CallbackData, context);
AT(callback_data, CUpti_CallbackData, correlationData);
AT(callback_data, CUpti_CallbackData, correlationId);
AT(subscriber_params, CUpti_SubscriberParams, oldSubscriberSize);
