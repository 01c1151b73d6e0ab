/* SPDX-License-Identifier: MIT
 * test_symbols.c -- names of places in libraries that the test compiles itself; wrong and odd files.
 */
#include "passes/symbols.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "passes/native_frame.h"
#include "passes/site.h"
#include "passes/symbol_file.h"
#include "tests/lib/mk_state.h"
#include "tests/lib/tap.h"

/* Line numbers below are those of this text. `where` is the return address of the call in line 4,
 * which is inlined into `outer` at line 6. */
static const char source[] =
	"void *where;\n"
	"__attribute__((noinline)) void mark(void) {\n"
	"  where = __builtin_return_address(0); __asm__ volatile(\"\"); }\n"
	"static inline __attribute__((always_inline)) void inner(void) { mark();\n"
	"  __asm__ volatile(\"\"); }\n"
	"void outer(void) { inner(); __asm__ volatile(\"\"); }\n"
	"void cxx(int x) __asm__(\"_ZN2ns3fooEi\");\n"
	"void cxx(int x) { (void)x; __asm__ volatile(\"nop\"); }\n"
	"__asm__(\".zero 256\");\n";

static char folder[] = "/tmp/vramscope-symbols-XXXXXX";
static char path[200]; /* of the library that has lines */
static uint64_t called, foo;

/* A line of shell. */
static bool run(const char *fmt, ...)
{
	char command[1200];
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, command, NULL};
	int status;
	va_list ap;
	pid_t pid;

	va_start(ap, fmt);
	vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	return posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

/* FOLDER/NAME of `source`, with `id` for a build id. */
static bool compile(const char *name, const char *flags, const char *id)
{
	const char *cc = getenv("CC");

	return run("cd %s && ${CC:-%s} %s -O1 -fPIC -shared -Wl,--build-id=0x%s -o %s probe.c",
		   folder, cc ? cc : "cc", flags, id, name);
}

static bool prepare(void)
{
	char file[200];
	FILE *f;
	void *library, **where;
	Dl_info info;

	if (!mkdtemp(folder))
		return false;
	snprintf(file, sizeof file, "%s/probe.c", folder);
	snprintf(path, sizeof path, "%s/libprobe.so", folder);
	f = fopen(file, "w");
	if (!f || fputs(source, f) < 0 || fclose(f) != 0 ||
	    !compile("libprobe.so", "-g", "11ff0011"))
		return false;
	library = dlopen(path, RTLD_NOW);
	if (!library)
		return false;
	*(void **)&where = dlsym(library, "where");
	((void (*)(void))(uintptr_t)dlsym(library, "outer"))();
	if (!dladdr(*where, &info))
		return false;
	called = (uint64_t)((char *)*where - (char *)info.dli_fbase);
	foo = (uint64_t)((char *)dlsym(library, "_ZN2ns3fooEi") - (char *)info.dli_fbase);
	dlclose(library);
	return true;
}

/* A recording with one library, and one stack in it: the call, foo, and code of no file. */
struct recording {
	struct mk_state k;
	stack_id stack;
	struct block block;
	struct value pair[2], module, list, capture;
};

static str_id str_of(struct mk_state *k, const char *text)
{
	struct error err = {0};
	str_id id = STR_NONE;

	strtab_add(&k->m->strings, text, strlen(text), &id, &err);
	return id;
}

/* `build_id`: NULL: a snapshot of PyTorch's, which tells none. */
static void record(struct recording *r, const char *library, const char *build_id,
		   const char *first, const char *second)
{
	struct error err = {0};

	mk_state_init(&r->k);
	r->stack = mk_stack(&r->k, first, second, "/app/train.py:7 step", NULL);
	if (build_id) {
		r->pair[0] = (struct value){.kind = VALUE_STR,
					    .key = str_of(&r->k, "path"),
					    .str = str_of(&r->k, library)};
		r->pair[1] = (struct value){.kind = VALUE_STR,
					    .key = str_of(&r->k, "build_id"),
					    .str = str_of(&r->k, build_id)};
		r->module = (struct value){.kind = VALUE_DICT, .items = {r->pair, 2}};
		r->list = (struct value){.kind = VALUE_LIST,
					 .key = str_of(&r->k, "modules"),
					 .items = {&r->module, 1}};
		r->capture = (struct value){.kind = VALUE_DICT, .items = {&r->list, 1}};
		r->k.m->capture_value = &r->capture;
	}
	r->block = (struct block){.address = 1, .size = 512, .stack = r->stack};
	vec_push(&r->k.m->blocks, r->block, &r->k.budget, &err);
}

static struct symbols resolve(struct recording *r, const char *place, bool recorded_paths)
{
	const char *const paths[] = {place};
	struct symbols_options o = {paths, place ? 1 : 0, recorded_paths};
	struct symbols s = {0};
	struct error err = {0};

	ok(symbols_resolve(&s, r->k.m, &o, &err) == 0, "resolved: %s", err.text);
	return s;
}

static void is_frame(const struct recording *r, size_t k, const char *words)
{
	const struct model *m = r->k.m;
	stack_id stack = m->blocks.at[0].stack;
	char buf[400];

	if (!ok(k < stacks_depth(&m->stacks, stack), "there is frame %zu", k))
		return;
	frame_words(m, m->stacks.pool.at[m->stacks.start.at[stack.i] + k], buf, sizeof buf);
	is_str(buf, words, "frame %zu", k);
}

static const char *text(const char *fmt, ...)
{
	static char bufs[8][400];
	static unsigned next;
	char *buf = bufs[next++ % 8];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof bufs[0], fmt, ap);
	va_end(ap);
	return buf;
}

static const char *by_offset(const char *library, uint64_t addr)
{
	const char *base = path_base(library);

	return text("%s:0 %s+0x%" PRIx64, library, base, addr);
}

static void test_lines(void)
{
	struct recording r;
	struct symbols s;
	struct error err = {0};

	record(&r, path, "11ff0011", by_offset(path, called),
	       text("%s:%" PRIu64 " _ZN2ns3fooEi", path, foo));
	s = resolve(&r, NULL, true);
	is_u64(s.frames, 2, "two frames name a place");
	is_u64(s.resolved, 2, "both have names now");
	is_u64(stacks_depth(&r.k.m->stacks, r.k.m->blocks.at[0].stack), 4, "one was two functions");
	is_frame(&r, 0, text("%s/probe.c:4 inner", folder));
	is_frame(&r, 1, text("%s/probe.c:6 outer", folder));
	is_str(model_str(r.k.m, stacks_frame(&r.k.m->stacks, r.k.m->blocks.at[0].stack, 2)->file),
	       text("%s/probe.c", folder), "a source file in place of the library");
	is_frame(&r, 3, "/app/train.py:7 step");
	is_str(model_str(r.k.m,
			 native_module(r.k.m, r.k.m->stacks.pool.at[r.k.m->stacks.start.at[2]])),
	       path, "the library is still known");
	ok(model_check(r.k.m, &err) == 0 || strstr(err.text, "segment") != NULL,
	   "the tables are whole: %s", err.text);
	symbols_release(&s);
	mk_state_release(&r.k);
}

static void test_wrong_files(void)
{
	struct recording r;
	struct symbols s;
	const char *frame = by_offset(path, called);
	const char *pipe = text("%s/pipe", folder);

	record(&r, path, "22ff0011", frame, "/x.py:1 f");
	s = resolve(&r, NULL, true);
	is_u64(s.resolved, 0, "another build names nothing");
	ok(s.modules.n == 1 && s.modules.at[0].other_build, "and is told");
	is_frame(&r, 0, frame);
	symbols_release(&s);
	mk_state_release(&r.k);

	ok(mkfifo(pipe, 0600) == 0, "a pipe");
	record(&r, pipe, "11ff0011", by_offset(pipe, called), "/dev/zero:0 zero+0x10");
	s = resolve(&r, NULL, true);
	is_u64(s.resolved, 0, "pipes and devices are not opened");
	is_u64(s.frames, 2, "though they were named");
	symbols_release(&s);
	mk_state_release(&r.k);

	chmod(path, 0666);
	record(&r, path, "11ff0011", frame, "/x.py:1 f");
	s = resolve(&r, NULL, true);
	is_u64(s.resolved, 0, "nor what anybody may write to");
	symbols_release(&s);
	s = resolve(&r, folder, false);
	is_u64(s.resolved, 1, "unless the user names it");
	symbols_release(&s);
	mk_state_release(&r.k);
	chmod(path, 0700);
}

/* Recorded elsewhere: the library lies in a folder of the user's. */
static void test_folders(void)
{
	const char *elsewhere = "/srv/app/lib/libprobe.so.2";
	const char *frame = by_offset(elsewhere, called);
	const char *places[] = {path, folder, text("%s/root", folder), text("%s/ids", folder)};
	struct recording r;
	struct symbols s;

	ok(run("cd %s && mkdir -p root/srv/app/lib ids/.build-id/11 named && "
	       "cp libprobe.so root/srv/app/lib/libprobe.so.2 && cp libprobe.so libprobe.so.2 && "
	       "cp libprobe.so ids/.build-id/11/ff0011.debug",
	       folder),
	   "copies");
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		record(&r, elsewhere, "11ff0011", frame, "/x.py:1 f");
		s = resolve(&r, places[i], false);
		is_u64(s.resolved, 1, "found by --symbols=%s", places[i]);
		is_frame(&r, 1, text("%s/probe.c:6 outer", folder));
		symbols_release(&s);
		mk_state_release(&r.k);
	}
}

/* PyTorch without addr2line: the library as the file, the place as the line, no build ids. */
static void test_pytorch(void)
{
	const char *plain = text("%s/libplain.so", folder);
	struct recording r;
	struct symbols s;

	ok(compile("libplain.so", "", "33ff0011"), "a library without lines");
	record(&r, plain, NULL, text("%s:%" PRIu64 " ??", plain, called - 1),
	       text("%s:%" PRIu64 " ns::foo(int)", plain, foo));
	s = resolve(&r, NULL, true);
	is_u64(s.resolved, 2, "names where one agrees");
	is_frame(&r, 0, text("%s:0 outer", plain));
	is_frame(&r, 1, text("%s:0 ns::foo(int)", plain));
	symbols_release(&s);
	mk_state_release(&r.k);

	record(&r, plain, NULL, text("%s:%" PRIu64 " ??", plain, called - 1),
	       text("%s:%" PRIu64 " ns::bar(int)", plain, foo));
	s = resolve(&r, NULL, true);
	is_u64(s.resolved, 0, "none where one does not");
	symbols_release(&s);
	mk_state_release(&r.k);

	record(&r, plain, NULL, text("%s:%" PRIu64 " ??", plain, called - 1), "/x.py:1 f");
	s = resolve(&r, folder, true);
	is_u64(s.resolved, 0, "none where nothing can be compared");
	symbols_release(&s);
	mk_state_release(&r.k);
}

static void test_limits(void)
{
	struct recording r;
	struct error err = {0};
	struct symbols s;
	struct symbols_options o = {.recorded_paths = true};
	uint64_t least = 0;
	int rc = -1;

	record(&r, path, "11ff0011", by_offset(path, called), "/x.py:1 f");
	for (; rc < 0 && least < 1 << 24; least += 256) {
		r.k.budget.limit = r.k.budget.used + least;
		rc = symbols_resolve(&s, r.k.m, &o, &err);
		if (rc < 0 && err.code != ERR_LIMIT)
			break;
	}
	ok(rc == 0, "with less memory an error, with %" PRIu64 " bytes names", least);
	is_frame(&r, 1, text("%s/probe.c:6 outer", folder));
	symbols_release(&s);
	mk_state_release(&r.k);
}

int main(void)
{
	if (!symbol_files_supported())
		skip_all("built without libdw");
	if (!prepare())
		skip_all("no compiler that makes a library here");
	test_lines();
	test_wrong_files();
	test_folders();
	test_pytorch();
	test_limits();
	run("rm -rf %s", folder);
	return done_testing();
}
