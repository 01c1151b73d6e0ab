/* SPDX-License-Identifier: MIT
 * recorder.h -- the one recording of this process: what front ends tell, and dumps.
 *
 * A front end tells of an allocation when it has succeeded and of a free before it happens, so that
 * an address given to another thread in between is never seen twice; a free that fails is taken back.
 * All calls do nothing while nothing is recorded, and may come from any thread.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "capture/capture_settings.h"
#include "capture/ledger.h"

struct recorder_event {
	uint64_t addr, size, stream, context, aux;
	uint8_t kind;
	int device;
	struct driver_mapping mapping;
};

/* False after one line on stderr. */
bool recorder_start(const struct capture_settings *s, const char *front_end);
/* `dump`: write the snapshot of the end, when that is asked for. */
void recorder_stop(bool dump);
bool recorder_is_on(void);
void recorder_status(struct vramscope_capture_status *out);
/* Write to `path`, or to the next usual name when it is NULL. */
bool recorder_dump(const char *path);

void recorder_alloc(const struct recorder_event *e);
/* What lived there goes, and is added to `gone`; false when nothing did. */
bool recorder_free(uint64_t addr, unsigned class_of, struct ledger_gone *gone);
/* What lives there, or false. */
bool recorder_find(uint64_t addr, unsigned class_of, struct ring_record *out);
void recorder_unfree(const struct ledger_gone *gone);
/* Mappings that begin in addr .. addr + size - 1 go. */
void recorder_unmap(uint64_t addr, uint64_t size, struct ledger_gone *gone);
/* A handle has one owner more, and lives until all have released it. */
void recorder_retain(uint64_t handle);
/* Everything of a context goes (context != 0), or what is bound to contexts of a device. */
void recorder_drop(uint64_t context, int device);
/* The memory nodes of a graph go. */
void recorder_drop_graph(uint64_t graph);
/* Memory ran out: e->size was asked for. free_bytes: UINT64_MAX when unknown. */
void recorder_oom(const struct recorder_event *e, uint64_t free_bytes);

/* What cuMemGetInfo says of a device. */
void recorder_device(int device, uint64_t free_bytes, uint64_t total_bytes);
/* A number that changes with each mapping that is known. */
uint64_t recorder_changes(void);
/* A pool holds so many bytes. Nothing is done when mappings have changed since they were asked for. */
void recorder_pool(uint64_t pool, uint64_t reserved_bytes, uint64_t since);
void recorder_pool_destroyed(uint64_t pool);
/* Pools that hold memory and can be asked; returns how many. */
unsigned recorder_pools(uint64_t pools[HOLDINGS_POOLS]);
/* The driver keeps so many bytes for memory nodes of graphs. */
void recorder_graph(int device, uint64_t bytes);

/* One line on stderr. */
void recorder_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
