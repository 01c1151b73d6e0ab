/* SPDX-License-Identifier: MIT
 * make_trace.c -- write a chrome trace of any size with the mix of events of a real one.
 *
 *     make_trace MEGABYTES > trace.json
 *
 * Events per step and their text are those of five profiled steps of ResNet-50 with stacks, shapes
 * and memory, and they stand in Kineto's order: kind by kind, each over all steps. Totals of the
 * memory events are consistent, so readers can check them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A step of about 6,600 events. */
enum {
	MODULES = 72, /* nested functions in each: python_function spans */
	DEPTH = 30,
	OPS = 432,    /* chains of three operators, six in a module */
	MEMORY = 740, /* half of them allocs, each followed by its free */
	RUNTIME = 719,
	KERNELS = 328,
	FLOW_STARTS = 454,
	FLOW_ENDS = 847,
	STEP_BYTES = 2000000, /* about what one step takes */
	STEP_US = 37000,
	MODULE_NS = STEP_US * 1000 / MODULES,
	OP_NS = (MODULE_NS - 4000) / 6,
};

#define START_US UINT64_C(5234001126000)

static uint64_t event_index;

static uint64_t step_ns(uint64_t step)
{
	return START_US * 1000 + step * STEP_US * 1000;
}

/* An operator lies inside all functions of its module. */
static uint64_t op_ns(uint64_t step, unsigned op)
{
	return step_ns(step) + (uint64_t)(op / 6) * MODULE_NS + 1000 + (uint64_t)(op % 6) * OP_NS;
}

static void put_times(uint64_t start, uint64_t length)
{
	printf("    \"ts\": %llu.%03llu, \"dur\": %llu.%03llu,\n",
	       (unsigned long long)(start / 1000), (unsigned long long)(start % 1000),
	       (unsigned long long)(length / 1000), (unsigned long long)(length % 1000));
}

static void put_head(const char *cat, const char *name, unsigned number, unsigned thread)
{
	printf("  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"", cat);
	printf(name, number);
	printf("\", \"pid\": 655, \"tid\": %u,\n", thread);
}

static void put_python(uint64_t step)
{
	static const char *const names[] = {
		"torch/nn/modules/module.py(%u): _wrapped_call_impl",
		"torch/nn/modules/module.py(%u): _call_impl",
		"nn.Module: Bottleneck_%u",
		"torchvision/models/resnet.py(%u): forward",
		"<built-in method conv2d of type object at 0x7f3935112690> %u",
		"torch/nn/functional.py(%u): batch_norm",
	};

	for (unsigned m = 0; m < MODULES; m++) {
		for (unsigned d = 0; d < DEPTH; d++) {
			uint64_t start = step_ns(step) + (uint64_t)m * MODULE_NS + 10u * d;

			put_head("python_function", names[d % 6], 100 + m * 3 + d, 655);
			put_times(start, MODULE_NS - 20u * d);
			printf("    \"args\": {\n      \"Python parent id\": %u, \"Python id\": "
			       "%u, "
			       "\"Ev Idx\": %llu\n    }\n  },\n",
			       m * DEPTH + d, m * DEPTH + d + 1, (unsigned long long)event_index++);
		}
	}
}

static void put_ops(uint64_t step)
{
	static const char *const names[] = {"aten::conv2d", "aten::convolution",
					    "aten::cudnn_convolution"};

	for (unsigned o = 0; o < OPS; o++) {
		for (unsigned d = 0; d < 3; d++) {
			put_head("cpu_op", names[d], 0, 655);
			put_times(op_ns(step, o) + 10u * d, OP_NS - 500 - 20u * d);
			printf("    \"args\": {\n      \"External id\": %u,\"Sequence number\": "
			       "%llu, \"Fwd thread id\": 0, \"Record function id\": 0, \"Concrete "
			       "Inputs\": [\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[1, 1]\", "
			       "\"False\", \"[0, 0]\", \"1\"], \"Input type\": [\"float\", "
			       "\"float\", \"\", \"ScalarList\", \"ScalarList\", \"ScalarList\", "
			       "\"Scalar\", \"ScalarList\", \"Scalar\"], \"Input Strides\": "
			       "[[200704, 3136, 56, 1], [64, 1, 1, 1], [], [], [], [], [], [], "
			       "[]], \"Input Dims\": [[16, 64, 56, 56], [64, 64, 1, 1], [], [], "
			       "[], [], [], [], []], \"Ev Idx\": %llu\n    }\n  },\n",
			       o * 3 + d, (unsigned long long)(step * OPS + o),
			       (unsigned long long)event_index++);
		}
	}
}

static void put_memory(uint64_t step)
{
	for (unsigned i = 0; i < MEMORY; i++) {
		unsigned op = i / 2;
		uint64_t at = op_ns(step, op) + 1000 + (i % 2) * 40000;
		uint64_t bytes = 512u * (1 + op % 97), base = 257918976;

		printf("  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", "
		       "\"name\": \"[memory]\",\n    \"pid\": 655, \"tid\": 655,\n    \"ts\": "
		       "%llu.%03llu,\n    \"args\": {\n      \"Total Reserved\": 404750336, "
		       "\"Total Allocated\": %llu, \"Bytes\": %s%llu, \"Device Id\": 0, \"Device "
		       "Type\": 1, \"Addr\": %llu, \"finished\": false, \"Ev Idx\": %llu\n    }\n"
		       "  },\n",
		       (unsigned long long)(at / 1000), (unsigned long long)(at % 1000),
		       (unsigned long long)(i % 2 ? base : base + bytes), i % 2 ? "-" : "",
		       (unsigned long long)bytes,
		       (unsigned long long)(UINT64_C(139873828725760) + op * UINT64_C(65536)),
		       (unsigned long long)event_index++);
	}
}

static void put_runtime(uint64_t step)
{
	for (unsigned i = 0; i < RUNTIME; i++) {
		put_head("cuda_runtime", "cudaLaunchKernel", 0, 655);
		put_times(step_ns(step) + (uint64_t)i * 50000, 3456);
		printf("    \"args\": {\n      \"External id\": %u, \"cbid\": 211, "
		       "\"correlation\": %u\n    }\n  },\n",
		       i, i);
	}
}

static void put_kernels(uint64_t step)
{
	for (unsigned i = 0; i < KERNELS; i++) {
		put_head("kernel",
			 "void at::native::vectorized_elementwise_kernel<4, "
			 "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
			 "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>) %u",
			 i % 50, 7);
		put_times(step_ns(step) + (uint64_t)i * 100000, 23456);
		printf("    \"args\": {\n      \"External id\": %u, \"queued\": 0, \"device\": 0, "
		       "\"context\": 1,\n      \"stream\": 7, \"correlation\": %u,\n      "
		       "\"registers per thread\": 32,\n      \"shared memory\": 0,\n      \"blocks "
		       "per SM\": 23.757576,\n      \"warps per SM\": 95.030304,\n      \"grid\": "
		       "[3136, 1, 1],\n      \"block\": [128, 1, 1],\n      \"est. achieved "
		       "occupancy %%\": 100\n    }\n  },\n",
		       i, i);
	}
}

static void put_flows(uint64_t step)
{
	for (unsigned i = 0; i < FLOW_STARTS + FLOW_ENDS; i++)
		printf("  {\n    \"ph\": \"%s\", \"id\": %u, \"pid\": 655, \"tid\": 776, \"ts\": "
		       "%llu.123,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  },\n",
		       i < FLOW_STARTS ? "s" : "f", i,
		       (unsigned long long)(step_ns(step) / 1000 + i * 20),
		       i < FLOW_STARTS ? "" : ", \"bp\": \"e\"");
}

static void put_annotations(uint64_t step)
{
	static const char *const names[] = {"ProfilerStep#%u", "forward_pass", "backward_pass"};

	for (unsigned i = 0; i < 3; i++) {
		put_head("user_annotation", names[i], (unsigned)step, 655);
		put_times(step_ns(step) + (i == 2 ? STEP_US * 500 : 0),
			  i ? STEP_US * 490 : STEP_US * 1000 - 1);
		printf("    \"args\": {\n      \"External id\": 4097,\"Record function id\": 0, "
		       "\"Ev Idx\": %llu\n    }\n  },\n",
		       (unsigned long long)event_index++);
	}
}

int main(int argc, char **argv)
{
	static void (*const kinds[])(uint64_t) = {put_ops,    put_memory,  put_annotations,
						  put_python, put_runtime, put_kernels,
						  put_flows};
	uint64_t megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t steps = megabytes * 1000000 / STEP_BYTES;

	if (!megabytes) {
		fprintf(stderr, "usage: make_trace MEGABYTES > FILE\n");
		return 2;
	}
	printf("\n  {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [\n    {\n      "
	       "\"id\": "
	       "0, \"name\": \"NVIDIA H200\", \"totalGlobalMem\": 150109880320\n    }\n    ],\n"
	       "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1790857026000000000,\n"
	       "  \"traceEvents\": [\n");
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		for (uint64_t step = 0; step < (steps ? steps : 1); step++)
			kinds[k](step);
	}
	printf("  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    "
	       "\"pid\": \"\", \"tid\": \"\", \"ts\": %llu.000\n  }\n  ],\n  \"traceName\": "
	       "\"/tmp/trace.json\"\n}\n",
	       (unsigned long long)(step_ns(steps) / 1000));
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
