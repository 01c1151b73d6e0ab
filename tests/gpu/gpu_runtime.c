/* SPDX-License-Identifier: MIT
 * gpu_runtime.c -- a program of the CUDA runtime's API, for tests/gpu/run.sh: one allocation of each
 * kind, and how many bytes the recorder should tell of each.
 */
#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

#define MIB ((size_t)1 << 20)

#define MUST(call)                                                            \
	do {                                                                  \
		cudaError_t code_ = (call);                                   \
		if (code_ != cudaSuccess) {                                   \
			fprintf(stderr, "%s: error %d\n", #call, (int)code_); \
			exit(1);                                              \
		}                                                             \
	} while (0)

static void say_used(const char *name)
{
	size_t free_bytes, total;

	MUST(cudaMemGetInfo(&free_bytes, &total));
	printf("%s %zu\n", name, total - free_bytes);
}

int main(void)
{
	struct cudaChannelFormatDesc format = {32, 32, 32, 32, cudaChannelFormatKindFloat};
	struct cudaExtent extent = {256, 256, 16};
	cudaArray_t flat, solid;
	cudaStream_t stream;
	void *a, *b, *c, *host, *async;
	size_t pitch;

	MUST(cudaFree(NULL));
	MUST(cudaStreamCreate(&stream));
	say_used("used_start");
	MUST(cudaMalloc(&a, 37 * MIB));
	MUST(cudaMalloc(&b, 200));
	MUST(cudaMalloc(&c, 9 * MIB));
	MUST(cudaFree(c));
	printf("device %zu\n", 37 * MIB + 200);
	MUST(cudaMallocPitch(&c, &pitch, 3000, 1000));
	printf("pitched %zu\n", pitch * 1000);
	MUST(cudaMallocArray(&flat, &format, 1024, 512, 0));
	MUST(cudaMalloc3DArray(&solid, &format, extent, 0));
	printf("array %zu\n", 8 * MIB + 16 * MIB);
	MUST(cudaMallocHost(&host, 3 * MIB));
	printf("host %zu\n", 3 * MIB);
	MUST(cudaMallocAsync(&async, 5 * MIB, stream));
	printf("async %zu\n", 5 * MIB);
	MUST(cudaStreamSynchronize(stream));
	say_used("used_end");
	MUST(cudaMallocManaged(&c, 8 * MIB, cudaMemAttachGlobal));
	printf("managed %zu\n", 8 * MIB);
	return 0;
}
