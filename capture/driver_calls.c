/* SPDX-License-Identifier: MIT
 * driver_calls.c -- what each call of the driver's API does to memory.
 *
 * Allocations are told when a call has succeeded, frees before it begins; a call inside another of the
 * same thread is part of that one and not looked at.
 */
#include "capture/driver_calls.h"

#include <dlfcn.h>
#include <string.h>

#include "capture/recorder.h"

#define PENDING_MAX 64

/* The outermost call of this thread. */
struct call {
	unsigned depth;
	bool busy; /* our own calls of the driver */
	uint32_t cbid;
	unsigned n_gone;
	struct ring_record gone[PENDING_MAX]; /* to be taken back when it fails */
};

static __thread struct call call;

static struct {
	int (*context_device)(int *device);
	int (*memory_info)(size_t *free_bytes, size_t *total_bytes);
	int (*is_capturing)(void *stream, int *status);
	int (*context_state)(int device, unsigned *flags, int *active);
} driver;

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
	CBID_cuCtxDestroy_v2,
	CBID_cuDevicePrimaryCtxRelease_v2,
	CBID_cuDevicePrimaryCtxReset_v2,
	0,
};

void driver_calls_prepare(void)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"cuCtxGetDevice", &driver.context_device},
		{"cuMemGetInfo_v2", &driver.memory_info},
		{"cuStreamIsCapturing", &driver.is_capturing},
		{"cuDevicePrimaryCtxGetState", &driver.context_state},
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *at = library ? dlsym(library, functions[i].name) : NULL;

		memcpy(functions[i].to, &at, sizeof at);
	}
}

static int current_device(void)
{
	int device = 0;

	return driver.context_device && driver.context_device(&device) == ABI_SUCCESS ? device : 0;
}

/* ---- frees: before the call ---- */

static void free_one(uint64_t addr, unsigned class_of)
{
	if (recorder_free(addr, class_of, &call.gone[0]))
		call.n_gone = 1;
}

static void call_begins(uint32_t cbid, const void *params)
{
	const struct abi_cuMemUnmap *unmap = params;

	call.n_gone = 0;
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
		free_one(((const struct abi_cuMemRelease *)params)->handle, 1);
		break;
	case CBID_cuArrayDestroy:
	case CBID_cuMipmappedArrayDestroy:
		free_one((uintptr_t)((const struct abi_cuArrayDestroy *)params)->hArray, 3);
		break;
	case CBID_cuMemUnmap:
		call.n_gone = recorder_unmap(unmap->ptr, unmap->size, call.gone, PENDING_MAX);
		break;
	default:
		break;
	}
}

/* ---- allocations: after it ---- */

static bool is_capturing(void *stream)
{
	int status = 0;

	return driver.is_capturing && driver.is_capturing(stream, &status) == ABI_SUCCESS &&
	       status != 0;
}

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

	/* A node of a graph: memory comes when the graph is launched. */
	if (is_capturing(stream))
		return false;
	q->e.kind = KIND_ASYNC;
	q->e.size = plain->bytesize;
	q->e.stream = (uintptr_t)stream;
	q->e.aux = from_pool ? (uintptr_t)pool->pool : 0;
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
	} else if (cbid == CBID_cuIpcOpenMemHandle_v2) {
		q->e.kind = KIND_IMPORTED;
		q->e.size = 0;
	}
	return true;
}

static bool request_of(uint32_t cbid, const void *params, struct request *q)
{
	switch (cbid) {
	case CBID_cuMemAlloc_v2:
	case CBID_cuMemAllocPitch_v2:
	case CBID_cuMemAllocManaged:
	case CBID_cuIpcOpenMemHandle_v2:
		return request_plain(cbid, params, q);
	case CBID_cuMemAllocAsync:
	case CBID_cuMemAllocAsync_ptsz:
	case CBID_cuMemAllocFromPoolAsync:
	case CBID_cuMemAllocFromPoolAsync_ptsz:
		return request_async(cbid, params, q);
	case CBID_cuMemCreate:
	case CBID_cuMemMap:
	case CBID_cuMemImportFromShareableHandle:
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
	size_t free_bytes = 0, total = 0;
	bool known = driver.memory_info && driver.memory_info(&free_bytes, &total) == ABI_SUCCESS;

	if (known)
		recorder_device(e->device, free_bytes, total);
	recorder_oom(e, known ? free_bytes : UINT64_MAX);
}

static void allocated(uint32_t cbid, const struct abi_callback_data *data, int code)
{
	const struct abi_cuMemAllocPitch_v2 *pitch = data->functionParams;
	struct request q = {.e = {.context = (uintptr_t)data->context, .device = -1}};

	if (!request_of(cbid, data->functionParams, &q))
		return;
	if (q.e.device < 0 && q.e.kind != KIND_HANDLE)
		q.e.device = current_device();
	if (code == ABI_OUT_OF_MEMORY) {
		memory_ran_out(&q.e);
		return;
	}
	/* Results are written on success only. */
	if (q.out)
		memcpy(&q.e.addr, q.out, sizeof q.e.addr);
	if (cbid == CBID_cuMemAllocPitch_v2 && pitch->pPitch)
		q.e.size = *pitch->pPitch * pitch->Height;
	if (q.e.addr)
		recorder_alloc(&q.e);
}

static void context_gone(uint32_t cbid, const void *params)
{
	const struct abi_cuDevicePrimaryCtx *primary = params;
	const struct abi_cuCtxDestroy_v2 *destroyed = params;
	unsigned flags;
	int active = 0;

	if (cbid == CBID_cuCtxDestroy_v2) {
		recorder_drop((uintptr_t)destroyed->ctx, -1);
	} else if (cbid == CBID_cuDevicePrimaryCtxReset_v2) {
		recorder_drop(0, primary->dev);
	} else if (driver.context_state &&
		   driver.context_state(primary->dev, &flags, &active) == ABI_SUCCESS && !active) {
		/* The last one who held it let go. */
		recorder_drop(0, primary->dev);
	}
}

static void call_ends(uint32_t cbid, const struct abi_callback_data *data)
{
	int code =
		data->functionReturnValue ? *(const int *)data->functionReturnValue : ABI_SUCCESS;

	if (code != ABI_SUCCESS) {
		for (unsigned i = 0; i < call.n_gone; i++)
			recorder_unfree(&call.gone[i]);
	}
	call.n_gone = 0;
	if (cbid == CBID_cuCtxDestroy_v2 || cbid == CBID_cuDevicePrimaryCtxReset_v2 ||
	    cbid == CBID_cuDevicePrimaryCtxRelease_v2) {
		if (code == ABI_SUCCESS)
			context_gone(cbid, data->functionParams);
	} else if (code == ABI_SUCCESS || code == ABI_OUT_OF_MEMORY) {
		allocated(cbid, data, code);
	}
}

void driver_call(uint32_t cbid, const struct abi_callback_data *data)
{
	if (call.busy || !data->functionParams)
		return;
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
}
