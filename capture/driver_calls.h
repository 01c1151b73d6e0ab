/* SPDX-License-Identifier: MIT
 * driver_calls.h -- what each call of the driver's API does to memory.
 */
#ifndef CAPTURE_DRIVER_CALLS_H
#define CAPTURE_DRIVER_CALLS_H

#include "capture/cuda_abi.h"

/* The calls to listen to, ended by 0. */
extern const uint32_t driver_call_ids[];
/* Find the driver's own functions that are asked. */
void driver_calls_prepare(void);
/* A call begins or ends. */
void driver_call(uint32_t cbid, const struct abi_callback_data *data);

#endif
