/* SPDX-License-Identifier: MIT
 * recorder.h -- the one recording of this process: what front ends tell, and dumps.
 *
 * A front end tells of an allocation when it has succeeded and of a free before it happens, so that
 * an address given to another thread in between is never seen twice; a free that fails is taken back.
 * All calls do nothing while nothing is recorded, and may come from any thread.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include "capture/format.h"
#include "capture/capture_settings.h"

struct recorder_event {
	uint64_t addr, size, stream, context, aux;
	uint8_t kind;
	int device;
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
/* What lived there goes; false when nothing did. `gone` is for recorder_unfree. */
bool recorder_free(uint64_t addr, unsigned class_of, struct ring_record *gone);
/* What lives there, or false. */
bool recorder_find(uint64_t addr, unsigned class_of, struct ring_record *out);
void recorder_unfree(const struct ring_record *gone);
/* Mappings that lie in addr .. addr + size - 1 go. At most `max` are told in `gone`; returns them. */
unsigned recorder_unmap(uint64_t addr, uint64_t size, struct ring_record *gone, unsigned max);
/* Everything of a context goes (context != 0), or what is bound to contexts of a device. */
void recorder_drop(uint64_t context, int device);
/* Memory ran out: e->size was asked for. free_bytes: UINT64_MAX when unknown. */
void recorder_oom(const struct recorder_event *e, uint64_t free_bytes);
void recorder_device(int device, uint64_t free_bytes, uint64_t total_bytes);

/* One line on stderr. */
void recorder_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
