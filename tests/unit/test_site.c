/* SPDX-License-Identifier: MIT
 * test_site.c -- which frame is the user's own, and the words for it.
 */
#include "passes/site.h"

#include "tests/lib/mk_state.h"
#include "tests/lib/tap.h"

#define LIB "/opt/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py:134 forward"
#define CXX "CUDACachingAllocator.cpp:0 c10::cuda::malloc(unsigned long)"

static const char *words_of(struct mk_state *k, stack_id stack)
{
	static char buf[512];

	return site_words(k->m, site_of_stack(k->m, stack), buf, sizeof buf);
}

static void test_user_frame(void)
{
	struct mk_state k;

	mk_state_init(&k);
	is_str(words_of(&k, mk_stack(&k, CXX, LIB, "/app/model.py:12 forward", "/app/run.py:3 main",
				     NULL)),
	       "/app/model.py:12 forward", "the innermost frame that is no library");
	is_str(words_of(&k, mk_stack(&k, CXX, LIB, NULL)), LIB,
	       "without one, the innermost Python frame");
	is_str(words_of(&k, mk_stack(&k, CXX, NULL)), "(no stack)",
	       "C++ frames alone tell nothing");
	is_str(words_of(&k, mk_stack(&k, CXX, "engine.cpp:0 torch::autograd::Engine::thread_main()",
				     NULL)),
	       "(backward)", "unless the autograd engine is among them");
	is_str(words_of(&k, mk_stack(&k, "e.cpp:0 torch::autograd::Engine::evaluate_function(x)",
				     "/app/own_function.py:7 backward", NULL)),
	       "/app/own_function.py:7 backward", "a Python backward of the user's wins over it");
	mk_state_release(&k);
}

static void test_libraries(void)
{
	static const struct {
		const char *frame;
		bool python, user;
	} cases[] = {
		{"/app/train.py:1 f", true, true},
		{"train.py:1 f", true, true},
		{"C:\\work\\train.py:1 f", true, true},
		{"/usr/lib/python3/dist-packages/x.py:1 f", true, false},
		{"site-packages/x.py:1 f", true, false},
		{"C:\\venv\\site-packages\\x.py:1 f", true, false},
		{"/home/me/site-packages-notes/x.py:1 f", true, true},
		{"/usr/lib/python3.11/threading.py:975 run", true, false},
		{"/home/me/lib/python3.x/run.py:1 f", true, true},
		{"/home/me/mylib/python3.11/run.py:1 f", true, true},
		{"/tmp/torchinductor_me/ab/cabc.py:77 call", true, false},
		{"<frozen importlib._bootstrap>:1 _load", true, false},
		{"<eval_with_key>.12:5 forward", true, false},
		{"<stdin>:1 <module>", true, true},
		{"<ipython-input-3-0a1b>:2 <module>", true, true},
		{"/tmp/ipykernel_77/123.py:4 <module>", true, true},
		{"<string>:1 <module>", true, true},
		{"<string>:5 __init__", true, false},
		{"model.cpp:9 at::native::add", false, false},
		{"??:0 clone", false, false},
		{":0 clone", false, false},
	};
	struct mk_state k;

	mk_state_init(&k);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		stack_id s = mk_stack(&k, cases[i].frame, NULL);
		frame_id f = k.m->stacks.pool.at[k.m->stacks.start.at[s.i]];

		ok(frame_is_python(k.m, f) == cases[i].python, "%s Python: %s",
		   cases[i].python ? "is" : "is not", cases[i].frame);
		ok(frame_is_user(k.m, f) == cases[i].user, "%s the user's: %s",
		   cases[i].user ? "is" : "is not", cases[i].frame);
	}
	mk_state_release(&k);
}

static void test_without_frames(void)
{
	struct mk_state k;

	mk_state_init(&k);
	is_str(words_of(&k, STACK_ABSENT), "(no stack)", "no stack was kept");
	is_str(words_of(&k, STACK_EMPTY), "(no stack)", "an empty stack beside C++ stacks");
	k.m->stacks_python_only = true;
	is_str(words_of(&k, STACK_EMPTY), "(backward)", "an empty stack among Python-only ones");
	is_str(words_of(&k, STACK_ABSENT), "(no stack)",
	       "an absent one tells nothing there either");
	mk_state_release(&k);
}

/* Stacks of a recording, which name the library of each frame. */
static void test_native(void)
{
#define DRIVER  "/usr/lib/libcuda.so.1:4660 cuMemAlloc_v2"
#define RUNTIME "/home/me/sim:0 cudaMalloc"
#define NCCL    "/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2:0 ncclCommInit"
#define C10     "/opt/venv/lib/python3.12/site-packages/torch/lib/libc10_cuda.so:0 c10::cuda::f()"
#define LIBC    "/lib/x86_64-linux-gnu/libc.so.6:0 libc.so.6+0x2724a"
#define PYTHON  "/usr/bin/python3.12:0 _PyEval_EvalFrameDefault"
#define MINE    "/home/me/sim:0 sim+0x1234"
	static const struct value recorded = {.kind = VALUE_DICT};
	static const struct {
		const char *frames[5], *site, *words;
	} cases[] = {
		{{DRIVER, RUNTIME, MINE, LIBC}, MINE, "the program's own frame"},
		{{DRIVER, NCCL, MINE}, MINE, "also behind a library"},
		{{DRIVER, NCCL, PYTHON, LIBC}, NCCL, "without one the library that asked"},
		{{DRIVER, C10, PYTHON, LIBC}, PYTHON, "an allocator is plumbing"},
		{{DRIVER, LIBC}, "(no stack)", "plumbing alone tells nothing"},
		{{DRIVER, NCCL, PYTHON, LIB}, LIB, "a Python frame comes before libraries"},
		{{DRIVER, NCCL, LIB, "/app/run.py:3 main"},
		 "/app/run.py:3 main",
		 "and the user's before all"},
		{{"??:0 0x7f61c02281bc", DRIVER, MINE}, MINE, "code of no module is passed over"},
		{{DRIVER, "/usr/include/thrust/x.h:9 thrust::f()", MINE},
		 MINE,
		 "headers of others"},
	};
	struct mk_state k;

	mk_state_init(&k);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const *f = cases[i].frames;
		stack_id s = mk_stack(&k, f[0], f[1], f[2], f[3], f[4], NULL);

		k.m->capture_value = NULL;
		ok(strcmp(words_of(&k, s), cases[i].site) != 0 || strstr(cases[i].site, ".py") ||
			   cases[i].site[0] == '(',
		   "in a snapshot of PyTorch's native frames are no site");
		k.m->capture_value = &recorded;
		is_str(words_of(&k, s), cases[i].site, "%s", cases[i].words);
	}
	mk_state_release(&k);
}

static void test_words(void)
{
	struct mk_state k;
	struct error err = {0};
	struct frame nul = {.line = -1};
	frame_id id;
	char buf[64], tiny[12];

	mk_state_init(&k);
	strtab_add(&k.m->strings, "a\0b.py", 6, &nul.file, &err);
	strtab_add(&k.m->strings, "f\xc3\xa4r", 4, &nul.name, &err);
	stacks_add_frame(&k.m->stacks, nul, &id, &err);
	is_str(frame_words(k.m, id, buf, sizeof buf),
	       "a\xef\xbf\xbd"
	       "b.py:-1 f\xc3\xa4r",
	       "a NUL does not end the words, an unknown line is -1");
	is_str(frame_words(k.m, id, tiny, sizeof tiny),
	       "a\xef\xbf\xbd"
	       "b.py:-1",
	       "cut at the end of the buffer");
	for (size_t n = 1; n < 24; n++) {
		frame_words(k.m, id, buf, n);
		if (strlen(buf) >= n || (strlen(buf) && buf[strlen(buf) - 1] == '\xc3'))
			break;
		if (n == 23)
			ok(true, "never longer than the buffer, never half a character");
	}
	mk_state_release(&k);
}

static void test_table(void)
{
	struct site_table t;
	struct error err = {0};
	struct mk_state k;
	stack_id a, b, c;

	mk_state_init(&k);
	a = mk_stack(&k, LIB, "/app/m.py:1 f", NULL);
	b = mk_stack(&k, CXX, LIB, "/app/m.py:1 f", "/app/n.py:2 g", NULL);
	c = mk_stack(&k, "/app/m.py:2 f", NULL);
	is_i64(site_table_init(&t, k.m, &k.budget, &err), 0, "a table of all stacks");
	ok(t.of_stack.at[a.i] == t.of_stack.at[b.i], "two stacks of one site share a row");
	ok(t.of_stack.at[a.i] != t.of_stack.at[c.i], "another line is another site");
	is_u64(t.of_stack.n, k.m->stacks.start.n - 1, "it has a row for each stack");
	for (uint32_t s = 0; s < t.of_stack.n; s++) {
		struct site one = site_of_stack(k.m, (stack_id){s});
		struct site row = t.sites.at[t.of_stack.at[s]];

		ok(one.kind == row.kind && one.frame.i == row.frame.i,
		   "stack %u has the same site by itself", s);
	}
	site_table_release(&t);
	mk_state_release(&k);
}

int main(void)
{
	test_user_frame();
	test_libraries();
	test_without_frames();
	test_native();
	test_words();
	test_table();
	return done_testing();
}
