/* SPDX-License-Identifier: MIT
 * inject.c -- how a recording begins: by the driver's hand, or by the program's own.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/cupti.h"
#include "capture/driver_ask.h"
#include "capture/recorder.h"

#define EXPORT __attribute__((visibility("default")))

/* Called by the driver in cuInit, when CUDA_INJECTION64_PATH names this library. */
EXPORT int InitializeInjection(void);

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* Nothing of CUDA is used here, so it does not matter who ends first. */
static void at_exit(void)
{
	recorder_stop(true);
}

EXPORT bool vramscope_capture_start(const struct vramscope_capture_options *options)
{
	static bool registered;
	struct capture_settings settings;
	char why[200];
	bool good = false;

	pthread_mutex_lock(&start_lock);
	if (!settings_read(&settings, options, why, sizeof why)) {
		recorder_complain("not recording: %s", why);
	} else if (recorder_start(&settings, "cupti")) {
		good = cupti_start();
		if (!good)
			recorder_stop(false);
		else if (!registered)
			registered = atexit(at_exit) == 0;
	}
	pthread_mutex_unlock(&start_lock);
	return good;
}

EXPORT void vramscope_capture_stop(void)
{
	pthread_mutex_lock(&start_lock);
	if (recorder_is_on()) {
		cupti_stop();
		recorder_stop(false);
	}
	pthread_mutex_unlock(&start_lock);
}

EXPORT bool vramscope_capture_dump(const char *path)
{
	if (recorder_is_on())
		driver_tell_all();
	return recorder_dump(path);
}

EXPORT void vramscope_capture_status(struct vramscope_capture_status *out)
{
	recorder_status(out);
}

EXPORT void vramscope_capture_note_alloc(const void *address, size_t bytes, int device)
{
	struct recorder_event e = {
		.addr = (uintptr_t)address,
		.size = bytes,
		.kind = KIND_NOTED,
		.device = device,
	};

	if (address)
		recorder_alloc(&e);
}

EXPORT void vramscope_capture_note_free(const void *address)
{
	struct ledger_gone gone = {0};

	recorder_free((uintptr_t)address, 2, &gone);
}

EXPORT int InitializeInjection(void)
{
	/* What goes wrong here is told by a line; the program is to run all the same. */
	if (!recorder_is_on())
		vramscope_capture_start(NULL);
	return 1;
}
