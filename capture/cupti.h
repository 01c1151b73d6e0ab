/* SPDX-License-Identifier: MIT
 * cupti.h -- the front end: callbacks of the driver API through CUPTI.
 */
#ifndef CAPTURE_CUPTI_H
#define CAPTURE_CUPTI_H

#include <stdbool.h>

/* Subscribe. False after one line on stderr. */
bool cupti_start(void);
/* Give the subscription back, so that a profiler can have it. */
void cupti_stop(void);

#endif
