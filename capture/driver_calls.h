/* SPDX-License-Identifier: MIT
 * driver_calls.h -- what each call of the driver's API does to memory.
 */
#ifndef CAPTURE_DRIVER_CALLS_H
#define CAPTURE_DRIVER_CALLS_H

#include <stdbool.h>

#include "capture/cuda_abi.h"

/* The calls to listen to, ended by 0; and launches of graphs, for programs whose graphs allocate. */
extern const uint32_t driver_call_ids[], driver_launch_ids[];
/* A call begins or ends. True when launches are to be listened to from now on. */
bool driver_call(uint32_t cbid, const struct abi_callback_data *data);

#endif
