/* SPDX-License-Identifier: MIT
 * fake_cupti.c -- a libcupti over the fake driver, with CUPTI's rules for subscribers.
 *
 * FAKE_CUPTI_VERSION is what it says it is (130000); FAKE_CUPTI_TAKEN names a tool that was first.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/capture/fake_cuda.h"

#define CBIDS 1024

static abi_callback callback;
static void *callback_data;
static bool enabled[CBIDS];

int cuptiGetVersion(uint32_t *version);
int cuptiSubscribe(void **subscriber, abi_callback function, void *userdata);
int cuptiSubscribe_v2(void **subscriber, abi_callback function, void *userdata,
		      struct abi_subscriber_params *params);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t cbid);
int cuptiGetResultString(int code, const char **words);

static void hook(int site, uint32_t cbid, const void *params, int *result, void *context)
{
	struct abi_callback_data data = {
		.callbackSite = site,
		.functionParams = params,
		.functionReturnValue = result,
		.context = context,
	};

	if (enabled[cbid])
		callback(callback_data, ABI_DOMAIN_DRIVER, cbid, &data);
}

int cuptiGetVersion(uint32_t *version)
{
	const char *text = getenv("FAKE_CUPTI_VERSION");

	*version = text ? (uint32_t)strtoul(text, NULL, 10) : 130000;
	return 0;
}

int cuptiSubscribe(void **subscriber, abi_callback function, void *userdata)
{
	if (callback || getenv("FAKE_CUPTI_TAKEN"))
		return ABI_CUPTI_MULTIPLE_SUBSCRIBERS;
	callback = function;
	callback_data = userdata;
	*subscriber = enabled;
	__atomic_store_n(&fake_cuda_hook, hook, __ATOMIC_RELEASE);
	return 0;
}

int cuptiSubscribe_v2(void **subscriber, abi_callback function, void *userdata,
		      struct abi_subscriber_params *params)
{
	int code = cuptiSubscribe(subscriber, function, userdata);
	const char *other = getenv("FAKE_CUPTI_TAKEN");

	if (code)
		snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s",
			 other ? other : "vramscope");
	return code;
}

int cuptiUnsubscribe(void *subscriber)
{
	(void)subscriber;
	__atomic_store_n(&fake_cuda_hook, NULL, __ATOMIC_RELEASE);
	callback = NULL;
	return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t cbid)
{
	(void)subscriber;
	if (domain != ABI_DOMAIN_DRIVER || cbid >= CBIDS)
		return 1;
	enabled[cbid] = enable;
	return 0;
}

int cuptiGetResultString(int code, const char **words)
{
	*words = code ? "CUPTI_ERROR" : "CUPTI_SUCCESS";
	return 0;
}
