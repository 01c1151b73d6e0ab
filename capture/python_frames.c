/* SPDX-License-Identifier: MIT
 * python_frames.c -- the calling thread's Python frames, read from CPython's memory.
 */
#include "capture/python_frames.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/format.h"
#include "capture/own_memory.h"
#include "capture/python_layout.h"
#include "capture/stack.h"

/* Frames that are passed over do not end a walk, so that has a bound of its own. */
#define OBJECT_BYTES 240
#define HEAD_BYTES   64
#define HOPS_MAX     (4 * PYTHON_FRAMES_MAX)
/* No code has more lines or bytes than this: larger numbers are no numbers. */
#define SANE_MAX 100000000

enum state {
	STATE_NONE,    /* no CPython */
	STATE_UNTRIED, /* the layout has not passed its test yet */
	STATE_GOOD,
	STATE_OFF,
};

static struct {
	int state; /* atomic: enum state; everything else is set before it leaves STATE_NONE */
	struct python_layout layout;
	unsigned char frame_bytes, code_head_bytes; /* that are read of each */
	void *(*of_thread)(void); /* the calling thread's state, with the GIL or without */
	void *(*with_gil)(void);  /* 3.12 on: the calling thread's, NULL without the GIL; before:
				    * the state of whoever has the GIL */
	uint64_t code_type, str_type, bytes_type;
	uint64_t loop_start, loop_end; /* or of the whole file that it is in */
	char trouble[160];
	bool told; /* atomic */
} python;

static const char unknown_layout[] = "this build is laid out in a way that is not known";

static void give_up(const char *why)
{
	int untried = STATE_UNTRIED;

	snprintf(python.trouble, sizeof python.trouble, "frames of Python 3.%u are left out: %s",
		 (unsigned)python.layout.minor, why);
	__atomic_compare_exchange_n(&python.state, &untried, STATE_OFF, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
}

/* ---- finding CPython ---- */

static int find_library(struct dl_phdr_info *info, size_t size, void *out)
{
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	if (strncmp(base ? base + 1 : info->dlpi_name, "libpython3.", 11) != 0)
		return 0;
	*(void **)out = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
	return *(void **)out != NULL;
}

/* The library is held: its functions are called from now on. */
static void *hold_library(void)
{
	void *library = NULL;
	Dl_info info;
	void *at = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");

	if (!at)
		dl_iterate_phdr(find_library, &library);
	else if (dladdr(at, &info) && info.dli_fname)
		library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	/* The program itself has another name for the linker. */
	if (!library && at)
		library = dlopen(NULL, RTLD_NOW);
	return library;
}

static unsigned minor_version(void *library)
{
	const char *(*version)(void);
	unsigned minor = 0;

	*(void **)&version = dlsym(library, "Py_GetVersion");
	if (!version || sscanf(version(), "3.%u", &minor) != 1)
		return 0;
	return minor;
}

static bool is_python_file(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return !strncmp(base, "python", 6) || !strncmp(base, "libpython", 9);
}

/* Compilers split the loop in pieces all over a file. In one that is CPython and nothing else, all
 * code is as good as the loop; a program that has CPython linked in keeps its own frames. */
static void find_loop(void *library)
{
	void *at = dlsym(library, "_PyEval_EvalFrameDefault");
	const ElfW(Sym) *symbol = NULL;
	char program[256] = "";
	Dl_info info;

	if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return;
	struct stack_range c = {(uintptr_t)at, (uintptr_t)at, (uintptr_t)at + symbol->st_size};
	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		*program = '\0';
	if (is_python_file(info.dli_fname) || is_python_file(program))
		stack_find_range(&c);
	python.loop_start = c.start;
	python.loop_end = c.end;
}

static bool at_most(size_t most, const uint16_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (offsets[i] > most)
			return false;
	}
	return true;
}

static unsigned char end_of(const uint16_t *offsets, size_t n)
{
	uint16_t last = 0;

	for (size_t i = 0; i < n; i++)
		last = offsets[i] > last ? offsets[i] : last;
	return (unsigned char)(last + 8);
}

/* Are all offsets inside what is read of each object? The last of a frame is a byte. */
static bool fits(void)
{
	const struct python_layout *l = &python.layout;
	const uint16_t frame[] = {l->frame_previous, l->frame_code, l->frame_instr,
				  l->frame_owner > 7 ? (uint16_t)(l->frame_owner - 7) : 0};
	const uint16_t code[] = {l->code_file,  l->code_name,   l->code_first_line,
				 l->code_lines, l->object_type, l->bytes_size};
	const uint16_t head[] = {l->object_type, l->str_length, l->str_state,
				 l->bytes_size,  l->str_ascii,  l->bytes_data};

	if (!at_most(OBJECT_BYTES - 8, frame, 4) || !at_most(OBJECT_BYTES - 8, code, 6) ||
	    !at_most(HEAD_BYTES - 8, head, 6))
		return false;
	python.frame_bytes = end_of(frame, 4);
	python.code_head_bytes = end_of(code, 6);
	return true;
}

/* A struct that grew or shrank is not the one that is known. */
static bool has_size(uint64_t type, size_t size)
{
	uint64_t have;

	return own_memory_read(false, type + PYTHON_TYPE_SIZE, &have, sizeof have) && have == size;
}

static bool has_sizes(void)
{
	const struct python_layout *l = &python.layout;

	return has_size(python.code_type, l->code_bytes ? l->code_bytes : l->code_size) &&
	       has_size(python.str_type, l->str_compact + 8u) &&
	       has_size(python.bytes_type, l->bytes_data + 1u);
}

static bool set_up(void *library)
{
	static const char *const names[] = {"PyCode_Type", "PyUnicode_Type", "PyBytes_Type"};
	uint64_t *const types[] = {&python.code_type, &python.str_type, &python.bytes_type};
	unsigned minor = minor_version(library);
	const void *runtime = dlsym(library, "_PyRuntime");
	char copy[PYTHON_RUNTIME_BYTES];
	const char *why;

	if (!minor)
		return false;
	for (size_t i = 0; i < 3; i++)
		*types[i] = (uintptr_t)dlsym(library, names[i]);
	*(void **)&python.of_thread = dlsym(library, "PyGILState_GetThisThreadState");
	*(void **)&python.with_gil = dlsym(library, minor >= 13 ? "PyThreadState_GetUnchecked"
								: "_PyThreadState_UncheckedGet");
	if (!own_memory_works())
		why = "this sandbox forbids process_vm_readv";
	else if (runtime && !own_memory_read(false, (uintptr_t)runtime, copy, sizeof copy))
		why = "its state cannot be read";
	else if (!python.code_type || !python.str_type || !python.bytes_type || !python.of_thread)
		why = "it hides its functions";
	else if (python_layout_find(&python.layout, minor, runtime ? copy : NULL, &why))
		why = fits() && has_sizes() ? NULL : unknown_layout;
	if (why) {
		snprintf(python.trouble, sizeof python.trouble,
			 "frames of Python 3.%u are left out: %s", minor, why);
		return false;
	}
	find_loop(library);
	return true;
}

void python_frames_find(void)
{
	static bool busy; /* no lock: a thread that waits here may hold the linker's */
	void *library;

	if (__atomic_load_n(&python.state, __ATOMIC_ACQUIRE) != STATE_NONE ||
	    __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
		return;
	library = hold_library();
	if (library)
		__atomic_store_n(&python.state, set_up(library) ? STATE_UNTRIED : STATE_OFF,
				 __ATOMIC_RELEASE);
	else
		__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

bool python_frames_in_loop(uint64_t pc)
{
	return pc > python.loop_start && pc <= python.loop_end;
}

/* ---- walking ---- */

/* Can Python not end while this thread reads? */
static bool is_safe(const void *thread)
{
	static __thread int main_thread; /* 1: yes, 2: no */

	if (__atomic_load_n(&python.state, __ATOMIC_RELAXED) != STATE_GOOD)
		return false;
	if (!main_thread)
		main_thread = syscall(SYS_gettid) == getpid() ? 1 : 2;
	return main_thread == 1 || (python.with_gil && python.with_gil() == thread);
}

static void *thread_state(void)
{
	/* With subinterpreters a thread has several, and the current one is the right one. */
	void *thread = python.layout.minor >= 12 && python.with_gil ? python.with_gil() : NULL;

	return thread ? thread : python.of_thread();
}

static uint64_t word_at(const unsigned char *bytes, size_t offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof v);
	return v;
}

static uint32_t half_at(const unsigned char *bytes, size_t offset)
{
	uint32_t v;

	memcpy(&v, bytes + offset, sizeof v);
	return v;
}

static uint64_t newest_frame(bool direct, const void *thread)
{
	const struct python_layout *l = &python.layout;
	uint64_t at = 0;

	if (!own_memory_read(direct, (uintptr_t)thread + l->thread_frame, &at, sizeof at))
		return 0;
	if (l->has_cframe && at && !own_memory_read(direct, at + l->cframe_frame, &at, sizeof at))
		return 0;
	return at;
}

/* Codes and places of the frames: `lines` holds what the frame told of its place. */
static uint32_t walk(bool direct, uint64_t at, struct python_frame *out, bool *whole)
{
	const struct python_layout *l = &python.layout;
	struct own_memory_window window;
	unsigned char frame[OBJECT_BYTES];
	uint32_t n = 0;

	window.n = 0;
	for (unsigned hops = 0; at && n < PYTHON_FRAMES_MAX && hops < HOPS_MAX; hops++) {
		if (at % 8 || !own_memory_near(&window, direct, at, frame, python.frame_bytes)) {
			*whole = false;
			break;
		}
		at = word_at(frame, l->frame_previous);
		if (l->frame_owner && frame[l->frame_owner] >= PYTHON_OWNER_INTERPRETER)
			continue;
		/* The low bits say how the reference is counted. */
		out[n].code = word_at(frame, l->frame_code) & ~UINT64_C(7);
		out[n].lines = l->code_bytes ? word_at(frame, l->frame_instr)
					     : half_at(frame, l->frame_instr);
		n++;
	}
	return n;
}

/* UINT32_MAX: no place in any code. */
static uint32_t offset_of(const struct python_frame *f)
{
	const struct python_layout *l = &python.layout;
	int64_t offset = (int32_t)(uint32_t)f->lines * (int64_t)l->instr_unit;

	if (l->code_bytes)
		offset = (int64_t)(f->lines - (f->code + l->code_bytes));
	if (offset < -2 || offset > SANE_MAX)
		return UINT32_MAX;
	/* Before the first instruction. */
	return offset < 0 ? 0 : (uint32_t)offset;
}

static uint64_t mix(uint64_t h, const unsigned char *p, size_t n)
{
	for (; n >= 8; p += 8, n -= 8)
		h = ring_mix(h, word_at(p, 0));
	for (; n > 0; p++, n--)
		h = ring_mix(h, *p);
	return h;
}

/* A hash of what an object holds: all of it, or the two ends of what is long. */
static uint64_t object_hash(bool direct, uint64_t at, size_t size_at, size_t data_at, uint64_t h)
{
	unsigned char bytes[256];
	uint64_t n;

	if (at < 4096 || !own_memory_read(direct, at + size_at, &n, sizeof n))
		return h;
	h = ring_mix(h, n);
	if (n <= sizeof bytes)
		return own_memory_read(direct, at + data_at, bytes, n) ? mix(h, bytes, n) : h;
	if (n > SANE_MAX || !own_memory_read(direct, at + data_at, bytes, 128) ||
	    !own_memory_read(direct, at + data_at + n - 128, bytes + 128, 128))
		return h;
	return mix(h, bytes, sizeof bytes);
}

/* Names are interned, so CPython has hashed them; of a wide text this is its first bytes. */
static uint64_t contents_of(bool direct, const struct python_frame *f)
{
	const struct python_layout *l = &python.layout;
	uint64_t h = 0;

	if (f->name >= 4096 && own_memory_read(direct, f->name + l->str_length + 8, &h, sizeof h))
		h = ring_mix(1, h);
	h = object_hash(direct, f->file, l->str_length, l->str_ascii, h);
	return object_hash(direct, f->lines, l->bytes_size, l->bytes_data, h);
}

static bool read_code(struct python_frame *f, const unsigned char *head)
{
	const struct python_layout *l = &python.layout;

	if (word_at(head, l->object_type) != python.code_type)
		return false;
	f->offset = offset_of(f);
	f->file = word_at(head, l->code_file);
	f->name = word_at(head, l->code_name);
	f->lines = word_at(head, l->code_lines);
	f->first_line = half_at(head, l->code_first_line);
	return true;
}

/* The interpreter's own frame around an __init__ has a code object whose file is its name. */
static uint32_t without_shims(struct python_frame *f, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (f[i].file != f[i].name)
			f[kept++] = f[i];
	}
	return kept;
}

/* Complete the frames; one whose code is none ends the stack. */
static uint32_t read_codes(bool direct, struct python_frame *f, uint32_t n)
{
	unsigned char heads[OWN_MEMORY_PIECES * OBJECT_BYTES];
	uint64_t at[OWN_MEMORY_PIECES];
	size_t each = python.code_head_bytes;

	for (uint32_t done = 0; done < n;) {
		uint32_t k = n - done < OWN_MEMORY_PIECES ? n - done : OWN_MEMORY_PIECES;

		for (uint32_t i = 0; i < k; i++) {
			at[i] = f[done + i].code;
			/* What no object can be is not asked for. */
			if (at[i] < 4096)
				return done + i;
		}
		if (!own_memory_gather(direct, at, k, heads, each))
			return done;
		for (uint32_t i = 0; i < k; i++) {
			struct python_frame *one = &f[done + i];

			if (!read_code(one, heads + i * each))
				return done + i;
			/* Recursion is cheap. */
			one->contents = done + i > 0 && one->code == one[-1].code
						? one[-1].contents
						: contents_of(direct, one);
		}
		done += k;
	}
	return n;
}

/* ---- texts ---- */

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* What the bits of a str say; 3.14 began with 16 bits for `interned` and went back to 2, and a kind
 * is never 0. */
static unsigned text_kind(uint32_t state, bool *compact, bool *ascii)
{
	uint32_t bits = state >> 2 & 63 ? state >> 2 : state >> 16;

	*compact = bits & 8;
	*ascii = bits & 16;
	return bits & 7;
}

static bool read_text(bool direct, uint64_t at, char *out, size_t room, size_t *bytes)
{
	const struct python_layout *l = &python.layout;
	unsigned char raw[256];
	bool compact, ascii;
	size_t used = 0;

	if (at < 4096 || !own_memory_read(direct, at, raw, l->str_ascii) ||
	    word_at(raw, l->object_type) != python.str_type)
		return false;
	uint64_t left = word_at(raw, l->str_length);
	unsigned kind = text_kind(half_at(raw, l->str_state), &compact, &ascii);
	if (!compact || (kind != 1 && kind != 2 && kind != 4) || left > SANE_MAX)
		return false;
	at += ascii ? l->str_ascii : l->str_compact;
	while (left > 0 && used + 4 <= room) {
		size_t n = left < sizeof raw / 4 ? (size_t)left : sizeof raw / 4;

		if (!own_memory_read(direct, at, raw, n * kind))
			return false;
		for (size_t i = 0; i < n && used + 4 <= room; i++) {
			uint32_t c = 0;

			memcpy(&c, raw + i * kind, kind);
			used += put_utf8(out + used, c);
		}
		at += n * kind;
		left -= n;
	}
	*bytes = used;
	return true;
}

static bool text_of(bool direct, const struct python_frame *f, struct python_text *out,
		    unsigned char *table, size_t room)
{
	const struct python_layout *l = &python.layout;
	unsigned char head[HEAD_BYTES];

	if (!read_text(direct, f->file, out->file, sizeof out->file, &out->file_bytes) ||
	    !read_text(direct, f->name, out->name, sizeof out->name, &out->name_bytes) ||
	    f->lines < 4096 || !own_memory_read(direct, f->lines, head, l->bytes_data) ||
	    word_at(head, l->object_type) != python.bytes_type)
		return false;
	uint64_t n = word_at(head, l->bytes_size);
	if (n > SANE_MAX || f->first_line > SANE_MAX)
		return false;
	n = n < room ? n : room;
	if (!own_memory_read(direct, f->lines + l->bytes_data, table, n))
		return false;
	out->line = python_line(l->lines, table, n, f->first_line, f->offset);
	return out->line <= SANE_MAX;
}

bool python_frames_text(const struct python_frame *f, struct python_text *out, void *table,
			size_t room)
{
	return text_of(is_safe(thread_state()), f, out, table, room);
}

/* ---- the test of the layout ---- */

/* Is the place in the code that the frame has? */
static bool is_inside(const struct python_frame *f)
{
	uint64_t units;

	if (!python.layout.code_bytes)
		return f->offset != UINT32_MAX;
	return own_memory_read(false, f->code + python.layout.bytes_size, &units, sizeof units) &&
	       units <= SANE_MAX && f->offset < units * 2;
}

static bool has_text(const struct python_frame *f)
{
	unsigned char table[2048];
	struct python_text text;

	return text_of(false, f, &text, table, sizeof table) && text.file_bytes > 0 &&
	       text.name_bytes > 0 && !memchr(text.file, '\0', text.file_bytes) &&
	       !memchr(text.name, '\0', text.name_bytes);
}

static bool passes(const struct python_frame *f, uint32_t n)
{
	int untried = STATE_UNTRIED;

	for (uint32_t i = 0; i < n; i++) {
		if (!is_inside(&f[i]) || !has_text(&f[i])) {
			give_up(unknown_layout);
			return false;
		}
	}
	__atomic_compare_exchange_n(&python.state, &untried, STATE_GOOD, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	return true;
}

void python_frames_missing(uint64_t pc)
{
	if (python_frames_in_loop(pc) &&
	    __atomic_load_n(&python.state, __ATOMIC_ACQUIRE) == STATE_UNTRIED)
		give_up(unknown_layout);
}

const char *python_frames_trouble(void)
{
	if (__atomic_load_n(&python.state, __ATOMIC_ACQUIRE) != STATE_OFF || !*python.trouble ||
	    __atomic_exchange_n(&python.told, true, __ATOMIC_RELAXED))
		return NULL;
	return python.trouble;
}

uint32_t python_frames_take(struct python_frame out[PYTHON_FRAMES_MAX])
{
	int state = __atomic_load_n(&python.state, __ATOMIC_ACQUIRE);
	const void *thread;
	bool whole = true, direct;
	uint32_t n, walked;

	if (state != STATE_UNTRIED && state != STATE_GOOD)
		return 0;
	thread = thread_state();
	if (!thread)
		return 0;
	direct = is_safe(thread);
	walked = walk(direct, newest_frame(direct, thread), out, &whole);
	n = read_codes(direct, out, walked);
	if (state == STATE_UNTRIED && walked > 0) {
		if (!whole || n < walked)
			give_up(unknown_layout);
		else if (passes(out, n))
			return without_shims(out, n);
		return 0;
	}
	return without_shims(out, n);
}
