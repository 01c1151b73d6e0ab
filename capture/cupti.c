/* SPDX-License-Identifier: MIT
 * cupti.c -- the front end: finds CUPTI, subscribes to the calls that move memory.
 *
 * CUPTI is opened, never linked: its version is the toolkit's, and a process must have one only.
 */
#include "capture/cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cuda_abi.h"
#include "capture/driver_ask.h"
#include "capture/driver_calls.h"
#include "capture/recorder.h"
#include "capture/stack.h"

/* From here on several tools can subscribe, when all of them use cuptiSubscribe_v2. */
#define VERSION_MULTIPLE 130300
/* CUDA 10.2: tracing needs no privileges since. */
#define VERSION_LEAST 12

static struct {
	int (*subscribe)(void **subscriber, abi_callback callback, void *userdata);
	int (*subscribe_v2)(void **subscriber, abi_callback callback, void *userdata,
			    struct abi_subscriber_params *params);
	int (*unsubscribe)(void *subscriber);
	int (*enable)(uint32_t enable, void *subscriber, int domain, uint32_t cbid);
	int (*version)(uint32_t *version);
	int (*error_words)(int code, const char **words);
	void *subscriber;
} cupti;

/* ---- finding the library ---- */

#define PATH_BYTES 512

struct search {
	char loaded[PATH_BYTES];        /* a libcupti that is in the process */
	char site_packages[PATH_BYTES]; /* of Python, up to its slash */
};

static int look_at(struct dl_phdr_info *info, size_t size, void *ctx)
{
	static const char folder[] = "/site-packages/";
	struct search *s = ctx;
	const char *name = info->dlpi_name, *at;

	(void)size;
	if (strlen(name) >= PATH_BYTES)
		return 0;
	if (!*s->loaded && strstr(name, "/libcupti.so"))
		snprintf(s->loaded, sizeof s->loaded, "%s", name);
	at = strstr(name, folder);
	if (!*s->site_packages && at)
		snprintf(s->site_packages, sizeof s->site_packages, "%.*s",
			 (int)(at - name + (long)strlen(folder)), name);
	return 0;
}

static void *open_library(void)
{
	static const char *const in_packages[] = {"nvidia/cu13/lib/libcupti.so.13",
						  "nvidia/cuda_cupti/lib/libcupti.so.12",
						  "nvidia/cuda_cupti/lib/libcupti.so.11.8"};
	static const char *const elsewhere[] = {
		"libcupti.so.13",
		"libcupti.so.12",
		"libcupti.so.11.8",
		"libcupti.so",
		"/usr/local/cuda/lib64/libcupti.so",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
	};
	const char *asked = getenv("VRAMSCOPE_CUPTI");
	struct search s = {"", ""};
	char path[PATH_BYTES + 64];
	void *library = NULL;

	dl_iterate_phdr(look_at, &s);
	if (*s.loaded)
		return dlopen(s.loaded, RTLD_NOW | RTLD_NOLOAD);
	if (asked && *asked)
		return dlopen(asked, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; !library && *s.site_packages && i < 3; i++) {
		snprintf(path, sizeof path, "%s%s", s.site_packages, in_packages[i]);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	for (size_t i = 0; !library && i < sizeof elsewhere / sizeof *elsewhere; i++)
		library = dlopen(elsewhere[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static bool find_functions(void *library)
{
	const struct {
		const char *name;
		void *to;
		bool needed;
	} functions[] = {
		{"cuptiSubscribe", &cupti.subscribe, true},
		{"cuptiSubscribe_v2", &cupti.subscribe_v2, false},
		{"cuptiUnsubscribe", &cupti.unsubscribe, true},
		{"cuptiEnableCallback", &cupti.enable, true},
		{"cuptiGetVersion", &cupti.version, true},
		{"cuptiGetResultString", &cupti.error_words, false},
	};

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *at = dlsym(library, functions[i].name);

		if (!at && functions[i].needed) {
			recorder_complain("not recording: this CUPTI has no %s", functions[i].name);
			return false;
		}
		memcpy(functions[i].to, &at, sizeof at);
	}
	return true;
}

/* ---- subscribing ---- */

static void complain_code(const char *what, int code)
{
	const char *words = NULL;

	if (cupti.error_words)
		cupti.error_words(code, &words);
	recorder_complain("not recording: %s: %s (CUPTI error %d)", what,
			  words ? words : "no words", code);
}

static void on_call(void *userdata, int domain, uint32_t cbid, const struct abi_callback_data *data)
{
	(void)userdata;
	if (domain != ABI_DOMAIN_DRIVER || !driver_call(cbid, data))
		return;
	for (size_t i = 0; driver_launch_ids[i]; i++)
		cupti.enable(1, cupti.subscriber, ABI_DOMAIN_DRIVER, driver_launch_ids[i]);
}

static bool subscribe(uint32_t version)
{
	char other[128] = "";
	struct abi_subscriber_params params = {
		.structSize = offsetof(struct abi_subscriber_params, allowMultipleSubscribers),
		.subscriberName = "vramscope",
		.oldSubscriberName = other,
		.oldSubscriberSize = sizeof other,
	};
	int code;

	if (version >= VERSION_MULTIPLE) {
		params.structSize = sizeof params;
		params.allowMultipleSubscribers = 1;
	}
	if (cupti.subscribe_v2)
		code = cupti.subscribe_v2(&cupti.subscriber, on_call, NULL, &params);
	else
		code = cupti.subscribe(&cupti.subscriber, on_call, NULL);
	if (code == ABI_CUPTI_MULTIPLE_SUBSCRIBERS)
		recorder_complain("not recording: another tool has subscribed to CUPTI%s%s, and it "
				  "takes one only",
				  *other ? ": " : "", other);
	else if (code != ABI_SUCCESS)
		complain_code("cannot subscribe to CUPTI", code);
	return code == ABI_SUCCESS;
}

static bool enable_calls(void)
{
	for (size_t i = 0; driver_call_ids[i]; i++) {
		int code = cupti.enable(1, cupti.subscriber, ABI_DOMAIN_DRIVER, driver_call_ids[i]);

		/* An older CUPTI knows fewer calls; those of memory it all knows. */
		if (code != ABI_SUCCESS && driver_call_ids[i] == CBID_cuMemAlloc_v2) {
			complain_code("cannot have calls reported", code);
			cupti.unsubscribe(cupti.subscriber);
			return false;
		}
	}
	return true;
}

bool cupti_start(void)
{
	uint32_t version = 0;
	void *library = open_library();

	if (!library) {
		const char *why = dlerror();

		recorder_complain("not recording: no libcupti was found%s%s; VRAMSCOPE_CUPTI can "
				  "name one",
				  getenv("VRAMSCOPE_CUPTI") && why ? ": " : "",
				  getenv("VRAMSCOPE_CUPTI") && why ? why : "");
		return false;
	}
	if (!find_functions(library))
		return false;
	cupti.version(&version);
	if (version < VERSION_LEAST) {
		recorder_complain("not recording: CUPTI %u is too old", (unsigned)version);
		return false;
	}
	driver_ask_prepare();
	stack_hide((const void *)(uintptr_t)cupti.subscribe);
	return subscribe(version) && enable_calls();
}

void cupti_stop(void)
{
	if (cupti.subscriber)
		cupti.unsubscribe(cupti.subscriber);
	cupti.subscriber = NULL;
}
