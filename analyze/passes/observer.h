/* SPDX-License-Identifier: MIT
 * observer.h -- what PyTorch told an out-of-memory observer: the amounts of the message, exact.
 *
 *     {"device": 0, "alloc": 33554432, "device_alloc": 150109880320, "device_free": 35192832}
 *
 * These are the arguments of torch._C._cuda_attach_out_of_memory_observer. `device_alloc` is what the
 * process may have: a limit of its own, else the card's total.
 */
#ifndef ANALYZE_PASSES_OBSERVER_H
#define ANALYZE_PASSES_OBSERVER_H

#include <stdint.h>

#include "base/input.h"
#include "model/model.h"

struct observer_note {
	int32_t device;     /* -1: not told */
	uint64_t attempted; /* BYTES_NONE: not told; so are the others */
	uint64_t allowed, device_free;
};

/* Errors: those of json_read; ERR_SCHEMA when it is another kind of document. */
int observer_read(struct observer_note *out, struct input *in, struct budget *budget,
		  struct error *err);

#endif
