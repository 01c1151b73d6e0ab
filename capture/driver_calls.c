/* SPDX-License-Identifier: MIT
 * driver_calls.c -- what each call of the driver's API does to memory.
 *
 * Allocations are told when a call has succeeded, frees before it begins; a call inside another of the
 * same thread is part of that one and not looked at.
 */
#include "capture/driver_calls.h"

#include <string.h>

#include "capture/driver_ask.h"
#include "capture/recorder.h"

/* The outermost call of this thread. */
struct call {
	unsigned depth;
	bool busy; /* our own calls of the driver */
	uint32_t cbid;
	struct ledger_gone gone;
};

static __thread struct call call;

/* A graph with memory nodes was seen. */
static bool graphs_allocate;

const uint32_t driver_call_ids[] = {
	CBID_cuMemAlloc_v2,
	CBID_cuMemAllocPitch_v2,
	CBID_cuMemFree_v2,
	CBID_cuMemAllocManaged,
	CBID_cuMemAllocAsync,
	CBID_cuMemAllocAsync_ptsz,
	CBID_cuMemFreeAsync,
	CBID_cuMemFreeAsync_ptsz,
	CBID_cuMemAllocFromPoolAsync,
	CBID_cuMemAllocFromPoolAsync_ptsz,
	CBID_cuMemCreate,
	CBID_cuMemRelease,
	CBID_cuMemMap,
	CBID_cuMemUnmap,
	CBID_cuMemImportFromShareableHandle,
	CBID_cuMemRetainAllocationHandle,
	CBID_cuMemPoolTrimTo,
	CBID_cuMemPoolDestroy,
	CBID_cuMemPoolImportPointer,
	CBID_cuMemHostAlloc,
	CBID_cuMemHostAlloc_v2,
	CBID_cuMemAllocHost_v2,
	CBID_cuMemFreeHost,
	CBID_cuMemHostRegister_v2,
	CBID_cuMemHostUnregister,
	CBID_cuArrayCreate_v2,
	CBID_cuArray3DCreate_v2,
	CBID_cuArrayDestroy,
	CBID_cuMipmappedArrayCreate,
	CBID_cuMipmappedArrayDestroy,
	CBID_cuIpcOpenMemHandle_v2,
	CBID_cuIpcCloseMemHandle,
	CBID_cuImportExternalMemory,
	CBID_cuExternalMemoryGetMappedBuffer,
	CBID_cuDestroyExternalMemory,
	CBID_cuGraphAddMemAllocNode,
	CBID_cuGraphAddNode,
	CBID_cuGraphAddNode_v2,
	CBID_cuGraphDestroy,
	CBID_cuDeviceGraphMemTrim,
	CBID_cuCtxCreate_v2,
	CBID_cuCtxCreate_v3,
	CBID_cuCtxCreate_v4,
	CBID_cuDevicePrimaryCtxRetain,
	CBID_cuCtxDestroy_v2,
	CBID_cuDevicePrimaryCtxRelease_v2,
	CBID_cuDevicePrimaryCtxReset_v2,
	0,
};

const uint32_t driver_launch_ids[] = {
	CBID_cuGraphLaunch, CBID_cuGraphLaunch_ptsz, CBID_cuGraphUpload, CBID_cuGraphUpload_ptsz, 0,
};

/* ---- frees: before the call ---- */

static void free_one(uint64_t addr, unsigned class_of)
{
	recorder_free(addr, class_of, &call.gone);
}

static void call_begins(uint32_t cbid, const void *params)
{
	const struct abi_cuMemUnmap *unmap = params;

	call.gone.n = 0;
	call.gone.pool = 0;
	switch (cbid) {
	/* All of these have one pointer, or one first: what they free. */
	case CBID_cuMemFree_v2:
	case CBID_cuMemFreeAsync:
	case CBID_cuMemFreeAsync_ptsz:
	case CBID_cuMemFreeHost:
	case CBID_cuMemHostUnregister:
	case CBID_cuIpcCloseMemHandle:
		free_one(((const struct abi_cuMemFree_v2 *)params)->dptr, 0);
		break;
	case CBID_cuMemRelease:
	case CBID_cuDestroyExternalMemory:
		free_one(((const struct abi_cuMemRelease *)params)->handle, 1);
		break;
	case CBID_cuArrayDestroy:
	case CBID_cuMipmappedArrayDestroy:
		free_one((uintptr_t)((const struct abi_cuArrayDestroy *)params)->hArray, 3);
		break;
	case CBID_cuMemUnmap:
		recorder_unmap(unmap->ptr, unmap->size, &call.gone);
		break;
	default:
		break;
	}
}

/* ---- allocations: after it ---- */

static uint64_t format_bytes(int format)
{
	switch (format) {
	case 0x02: /* 16 bits: unsigned, signed, half */
	case 0x09:
	case 0x10:
		return 2;
	case 0x03: /* 32 bits: unsigned, signed, float */
	case 0x0a:
	case 0x20:
		return 4;
	default:
		return 1;
	}
}

static uint64_t array_bytes(const struct abi_array3d_descriptor *d, unsigned levels)
{
	uint64_t w = d->Width, h = d->Height ? d->Height : 1, z = d->Depth ? d->Depth : 1, sum = 0;

	for (unsigned i = 0; i < levels && i < 32; i++) {
		sum += w * h * z * d->NumChannels * format_bytes(d->Format);
		w = w > 1 ? w / 2 : 1;
		h = h > 1 ? h / 2 : 1;
		z = z > 1 ? z / 2 : 1;
	}
	return sum;
}

/* What a call asked for. `out` says where its result is written, or holds the address itself; false
 * when this call allocates nothing. */
struct request {
	struct recorder_event e;
	const void *out;
};

static bool request_array(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuMipmappedArrayCreate *mip = params;
	const struct abi_cuArray3DCreate_v2 *solid = params;
	const struct abi_cuArrayCreate_v2 *flat = params;
	struct abi_array3d_descriptor d = {0};

	q->e.kind = KIND_ARRAY;
	q->out = flat->pHandle;
	if (cbid == CBID_cuMipmappedArrayCreate) {
		q->e.size = array_bytes(mip->pMipmappedArrayDesc, mip->numMipmapLevels);
	} else if (cbid == CBID_cuArray3DCreate_v2) {
		q->e.size = array_bytes(solid->pAllocateArray, 1);
	} else {
		d.Width = flat->pAllocateArray->Width;
		d.Height = flat->pAllocateArray->Height;
		d.Format = flat->pAllocateArray->Format;
		d.NumChannels = flat->pAllocateArray->NumChannels;
		q->e.size = array_bytes(&d, 1);
	}
	return true;
}

static bool request_async(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuMemAllocFromPoolAsync *pool = params;
	const struct abi_cuMemAllocAsync *plain = params;
	bool from_pool =
		cbid == CBID_cuMemAllocFromPoolAsync || cbid == CBID_cuMemAllocFromPoolAsync_ptsz;
	void *stream = from_pool ? pool->hStream : plain->hStream;

	/* Of a stream that is captured it is a node: memory comes when the graph is launched. */
	q->e.kind = driver_captures(stream, &q->e.aux) ? KIND_GRAPH : KIND_ASYNC;
	q->e.size = plain->bytesize;
	q->e.stream = (uintptr_t)stream;
	q->e.context = 0;
	q->out = plain->dptr;
	return true;
}

static bool request_host(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuMemHostRegister_v2 *given = params;
	const struct abi_cuMemHostAlloc *made = params;

	q->e.kind = cbid == CBID_cuMemHostRegister_v2 ? KIND_HOST_REG : KIND_HOST;
	q->e.size = made->bytesize;
	q->out = made->pp;
	if (q->e.kind == KIND_HOST_REG) {
		q->e.addr = (uintptr_t)given->p;
		q->out = NULL;
	}
	return true;
}

/* Memory behind a handle: where it lies, the handle says. */
static bool request_virtual(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuMemImportFromShareableHandle *import = params;
	const struct abi_cuImportExternalMemory *external = params;
	const struct abi_cuMemCreate *create = params;
	const struct abi_cuMemMap *map = params;
	struct ring_record handle;

	q->e.context = 0;
	if (cbid == CBID_cuMemCreate) {
		q->e.kind = KIND_HANDLE;
		q->e.size = create->size;
		q->e.device = create->prop->location.type == ABI_LOCATION_DEVICE
				      ? create->prop->location.id
				      : -1;
		q->out = create->handle;
		return true;
	}
	if (cbid == CBID_cuMemImportFromShareableHandle) {
		q->e.kind = KIND_IMPORTED_HANDLE;
		q->out = import->handle;
		return true;
	}
	if (cbid == CBID_cuImportExternalMemory) {
		q->e.kind = KIND_IMPORTED_HANDLE;
		q->e.size = external->memHandleDesc->size;
		q->out = external->extMem_out;
		return true;
	}
	q->e.addr = map->ptr;
	q->e.size = map->size;
	q->e.aux = map->handle;
	q->e.kind = KIND_IMPORTED;
	if (recorder_find(map->handle, 1, &handle) && handle.kind == KIND_HANDLE) {
		q->e.kind = handle.device < 0 ? KIND_HOST : KIND_MAPPED;
		q->e.device = handle.device;
	}
	return true;
}

static bool request_plain(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuMemAllocPitch_v2 *pitch = params;
	const struct abi_cuMemAlloc_v2 *plain = params;

	q->out = plain->dptr;
	q->e.kind = cbid == CBID_cuMemAllocManaged ? KIND_MANAGED : KIND_DEVICE;
	q->e.size = plain->bytesize;
	if (cbid == CBID_cuMemAllocPitch_v2) {
		q->e.kind = KIND_PITCHED;
		/* The pitch is known when the call succeeded. */
		q->e.size = pitch->WidthInBytes * pitch->Height;
	}
	return true;
}

/* Memory of others: how much, only the driver can tell. */
static bool request_imported(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuExternalMemoryGetMappedBuffer *buffer = params;
	/* The other two have the result first as well. */
	const struct abi_cuIpcOpenMemHandle_v2 *opened = params;

	q->e.kind = KIND_IMPORTED;
	q->out = opened->pdptr;
	if (cbid == CBID_cuExternalMemoryGetMappedBuffer)
		q->e.size = buffer->bufferDesc->size;
	return true;
}

/* A memory node of a graph that is built by hand. */
static bool request_node(uint32_t cbid, const void *params, struct request *q)
{
	const struct abi_cuGraphAddMemAllocNode *made = params;
	const struct abi_cuGraphAddNode_v2 *second = params;
	const struct abi_cuGraphAddNode *any = params;
	const struct abi_mem_alloc_node *node = made->nodeParams;

	if (cbid != CBID_cuGraphAddMemAllocNode) {
		const struct abi_graph_node *p =
			cbid == CBID_cuGraphAddNode ? any->nodeParams : second->nodeParams;

		if (!p || p->type != ABI_NODE_MEM_ALLOC)
			return false;
		node = &p->alloc;
	}
	q->e.kind = KIND_GRAPH;
	q->e.context = 0;
	q->e.aux = (uintptr_t)made->hGraph;
	q->e.size = node->bytesize;
	q->e.device = node->poolProps.location.id;
	q->out = &node->dptr;
	return true;
}

static bool request_of(uint32_t cbid, const void *params, struct request *q)
{
	switch (cbid) {
	case CBID_cuMemAlloc_v2:
	case CBID_cuMemAllocPitch_v2:
	case CBID_cuMemAllocManaged:
		return request_plain(cbid, params, q);
	case CBID_cuIpcOpenMemHandle_v2:
	case CBID_cuMemPoolImportPointer:
	case CBID_cuExternalMemoryGetMappedBuffer:
		return request_imported(cbid, params, q);
	case CBID_cuGraphAddMemAllocNode:
	case CBID_cuGraphAddNode:
	case CBID_cuGraphAddNode_v2:
		return request_node(cbid, params, q);
	case CBID_cuMemAllocAsync:
	case CBID_cuMemAllocAsync_ptsz:
	case CBID_cuMemAllocFromPoolAsync:
	case CBID_cuMemAllocFromPoolAsync_ptsz:
		return request_async(cbid, params, q);
	case CBID_cuMemCreate:
	case CBID_cuMemMap:
	case CBID_cuMemImportFromShareableHandle:
	case CBID_cuImportExternalMemory:
		return request_virtual(cbid, params, q);
	case CBID_cuMemHostAlloc:
	case CBID_cuMemHostAlloc_v2:
	case CBID_cuMemAllocHost_v2:
	case CBID_cuMemHostRegister_v2:
		return request_host(cbid, params, q);
	case CBID_cuArrayCreate_v2:
	case CBID_cuArray3DCreate_v2:
	case CBID_cuMipmappedArrayCreate:
		return request_array(cbid, params, q);
	default:
		return false;
	}
}

static void memory_ran_out(struct recorder_event *e)
{
	uint64_t pools[HOLDINGS_POOLS];
	unsigned n = recorder_pools(pools);

	for (unsigned i = 0; i < n; i++)
		driver_tell_pool(pools[i], recorder_changes());
	recorder_oom(e, driver_tell_memory(true));
}

/* Calls that take the driver tens of microseconds. */
static bool is_slow(uint8_t kind)
{
	return kind == KIND_DEVICE || kind == KIND_PITCHED || kind == KIND_MANAGED ||
	       kind == KIND_ARRAY || kind == KIND_HANDLE || kind == KIND_MAPPED;
}

/* Where it lies, and what else the driver can say of it. */
static void complete(struct recorder_event *e)
{
	struct driver_place place;

	if (e->kind == KIND_GRAPH)
		__atomic_store_n(&graphs_allocate, true, __ATOMIC_RELAXED);
	if (e->kind == KIND_IMPORTED && e->size == 0)
		e->size = driver_size_of(e->addr);
	if (e->kind != KIND_DEVICE && e->kind != KIND_PITCHED && e->kind != KIND_ASYNC)
		return;
	place = driver_place_of(e->addr);
	e->mapping = place.mapping;
	if (place.device >= 0)
		e->device = place.device;
	/* From a pool of the host. */
	else if (place.device == -1)
		e->kind = KIND_HOST;
}

static void allocated(uint32_t cbid, const struct abi_callback_data *data, int code)
{
	const struct abi_cuMemAllocPitch_v2 *pitch = data->functionParams;
	struct request q = {.e = {.context = (uintptr_t)data->context, .device = -1}};

	if (!request_of(cbid, data->functionParams, &q))
		return;
	if (q.e.device < 0 && q.e.kind != KIND_HANDLE)
		q.e.device = driver_device();
	if (code == ABI_OUT_OF_MEMORY) {
		memory_ran_out(&q.e);
		return;
	}
	/* Results are written on success only. */
	if (q.out)
		memcpy(&q.e.addr, q.out, sizeof q.e.addr);
	if (cbid == CBID_cuMemAllocPitch_v2 && pitch->pPitch)
		q.e.size = *pitch->pPitch * pitch->Height;
	if (!q.e.addr)
		return;
	complete(&q.e);
	recorder_alloc(&q.e);
	if (q.e.mapping.pool)
		driver_tell_pool(q.e.mapping.pool, recorder_changes());
	if (is_slow(q.e.kind))
		driver_tell_memory(false);
}

/* ---- contexts, pools, graphs ---- */

static void context_gone(uint32_t cbid, const void *params)
{
	const struct abi_cuDevicePrimaryCtx *primary = params;
	const struct abi_cuCtxDestroy_v2 *destroyed = params;

	if (cbid == CBID_cuCtxDestroy_v2) {
		recorder_drop((uintptr_t)destroyed->ctx, -1);
		return;
	}
	/* Was it the last one who let go? */
	if (cbid == CBID_cuDevicePrimaryCtxRelease_v2 && driver_has_primary(primary->dev))
		return;
	if (driver_primary(primary->dev))
		recorder_drop((uintptr_t)driver_primary(primary->dev), -1);
	recorder_drop(0, primary->dev);
}

/* Calls that neither allocate nor free; false for others. */
static bool changed_otherwise(uint32_t cbid, const void *params)
{
	const struct abi_cuDevicePrimaryCtxRetain *retained = params;
	const struct abi_cuCtxCreate *created = params;
	uint64_t pool = (uintptr_t)((const struct abi_cuMemPool *)params)->pool;

	switch (cbid) {
	case CBID_cuCtxDestroy_v2:
	case CBID_cuDevicePrimaryCtxReset_v2:
	case CBID_cuDevicePrimaryCtxRelease_v2:
		context_gone(cbid, params);
		return true;
	case CBID_cuDevicePrimaryCtxRetain:
		driver_tell_new_context(*retained->pctx, true);
		return true;
	case CBID_cuCtxCreate_v2:
	case CBID_cuCtxCreate_v3:
	case CBID_cuCtxCreate_v4:
		driver_tell_new_context(*created->pctx, false);
		return true;
	case CBID_cuMemRetainAllocationHandle:
		recorder_retain(*((const struct abi_cuMemRetainAllocationHandle *)params)->handle);
		return true;
	case CBID_cuMemPoolTrimTo:
		driver_tell_pool(pool, recorder_changes());
		return true;
	case CBID_cuMemPoolDestroy:
		recorder_pool_destroyed(pool);
		return true;
	case CBID_cuGraphDestroy:
		recorder_drop_graph((uintptr_t)((const struct abi_cuGraphDestroy *)params)->hGraph);
		return true;
	case CBID_cuDeviceGraphMemTrim:
		driver_tell_graphs(((const struct abi_cuDevicePrimaryCtx *)params)->dev);
		return true;
	case CBID_cuGraphLaunch:
	case CBID_cuGraphLaunch_ptsz:
	case CBID_cuGraphUpload:
	case CBID_cuGraphUpload_ptsz:
		driver_tell_graphs(driver_device());
		return true;
	default:
		return false;
	}
}

/* ---- calls ---- */

static void freed(void)
{
	if (call.gone.pool)
		driver_tell_pool(call.gone.pool, recorder_changes());
	if (is_slow(call.gone.r[0].kind))
		driver_tell_memory(false);
}

static void call_ends(uint32_t cbid, const struct abi_callback_data *data)
{
	int code =
		data->functionReturnValue ? *(const int *)data->functionReturnValue : ABI_SUCCESS;

	if (call.gone.n > 0) {
		if (code != ABI_SUCCESS)
			recorder_unfree(&call.gone);
		else
			freed();
		call.gone.n = 0;
		return;
	}
	if (code == ABI_SUCCESS && changed_otherwise(cbid, data->functionParams))
		return;
	if (code == ABI_SUCCESS || code == ABI_OUT_OF_MEMORY)
		allocated(cbid, data, code);
}

bool driver_call(uint32_t cbid, const struct abi_callback_data *data)
{
	bool before = __atomic_load_n(&graphs_allocate, __ATOMIC_RELAXED);

	if (call.busy || !data->functionParams)
		return false;
	call.busy = true;
	if (data->callbackSite == ABI_SITE_ENTER) {
		if (call.depth++ == 0) {
			call.cbid = cbid;
			call_begins(cbid, data->functionParams);
		}
	} else if (call.depth > 0 && --call.depth == 0 && call.cbid == cbid) {
		call_ends(cbid, data);
	}
	call.busy = false;
	return !before && __atomic_load_n(&graphs_allocate, __ATOMIC_RELAXED);
}
