/* SPDX-License-Identifier: MIT
 * recorder.c -- the one recording of this process: what front ends tell, and dumps.
 *
 * Lock order: the dynamic linker's before ours. Nothing that may take the linker's (dlopen, dladdr, an
 * unwinder) runs with ours held: a constructor that allocates GPU memory holds it already.
 */
#include "capture/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/dump.h"
#include "capture/ring.h"
#include "capture/stack.h"

/* Expandable segments fail thousands of times in a row for one request. */
#define OOM_DUMPS   5
#define OOM_SECONDS 10
/* Loading libraries is rare, and asking for it costs more than a hash. */
#define EVENTS_BETWEEN_MODULES 64

static struct {
	pthread_mutex_t lock;
	bool on; /* atomic; changed under the lock */
	struct ring ring;
	struct capture_settings settings;
	uint64_t generation; /* of the modules in the arena */
	unsigned events_since_modules;
	uint64_t live_bytes;
	unsigned dumps, oom_dumps;
	int64_t last_oom_us;
	sem_t wanted; /* posted by the signal handler */
	bool has_thread, has_fork_handler;
	struct sigaction previous;
	int signal_number;
} rec = {.lock = PTHREAD_MUTEX_INITIALIZER};

void recorder_complain(const char *fmt, ...)
{
	char text[800];
	va_list ap;

	va_start(ap, fmt);
	int n = snprintf(text, sizeof text, "vramscope: ");
	n += vsnprintf(text + n, sizeof text - (size_t)n - 1, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof text - 2)
		n = (int)sizeof text - 2;
	text[n] = '\n';
	/* One write: lines of several processes do not mix. */
	if (write(STDERR_FILENO, text, (size_t)n + 1) < 0)
		return;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

bool recorder_is_on(void)
{
	return __atomic_load_n(&rec.on, __ATOMIC_ACQUIRE);
}

/* ---- modules ---- */

static void take_module(void *ctx, const struct stack_module *m)
{
	struct arena_module copy = m->module;

	(void)ctx;
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		copy.path = ring_string(&rec.ring, m->path, strlen(m->path));
		ring_module(&rec.ring, &copy);
	}
	pthread_mutex_unlock(&rec.lock);
}

static void refresh_modules(void)
{
	uint64_t generation = stack_generation();

	if (__atomic_exchange_n(&rec.generation, generation, __ATOMIC_RELAXED) != generation)
		stack_modules(take_module, NULL);
}

/* ---- start and stop ---- */

static void on_signal(int signum)
{
	int saved = errno;

	(void)signum;
	sem_post(&rec.wanted);
	errno = saved;
}

static void *dump_thread(void *unused)
{
	for (;;) {
		while (sem_wait(&rec.wanted) < 0 && errno == EINTR)
			;
		recorder_dump(NULL);
	}
	return unused;
}

/* The thread outlives a recording: it is cheap, and nobody may be joined at exit. */
static void start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;

	sem_init(&rec.wanted, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rec.has_thread = pthread_create(&thread, NULL, dump_thread, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rec.has_thread)
		pthread_detach(thread);
}

static void take_signal(int number)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	if (!rec.has_thread)
		start_thread();
	if (rec.has_thread && sigaction(number, &action, &rec.previous) == 0)
		rec.signal_number = number;
	else
		recorder_complain("cannot dump on signal %d: %s", number, strerror(errno));
}

/* The ring is the parent's. A child that uses the GPU itself starts its own. */
static void in_child(void)
{
	pthread_mutex_init(&rec.lock, NULL);
	if (rec.ring.header) {
		munmap(rec.ring.header, rec.ring.mapped_bytes);
		munmap(rec.ring.index, rec.ring.index_bytes);
	}
	memset(&rec.ring, 0, sizeof rec.ring);
	rec.on = rec.has_thread = false;
	if (rec.signal_number)
		sigaction(rec.signal_number, &rec.previous, NULL);
	rec.signal_number = 0;
	rec.dumps = rec.oom_dumps = 0;
}

static void fill_header(struct ring_header *h, const char *front_end)
{
	ssize_t n = readlink("/proc/self/exe", h->program, sizeof h->program - 1);

	h->program[n > 0 ? n : 0] = '\0';
	gethostname(h->host, sizeof h->host - 1);
	snprintf(h->front_end, sizeof h->front_end, "%s", front_end);
	h->start_us = now_us();
}

bool recorder_start(const struct capture_settings *s, const char *front_end)
{
	char why[700] = "";
	bool good = false;

	stack_prepare();
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		snprintf(why, sizeof why, "already recording");
	} else if (ring_create(&rec.ring, s->ring, s->max_entries, why, sizeof why)) {
		rec.settings = *s;
		rec.generation = rec.live_bytes = 0;
		rec.dumps = rec.oom_dumps = 0;
		rec.last_oom_us = 0;
		fill_header(rec.ring.header, front_end);
		if (!rec.has_fork_handler)
			rec.has_fork_handler = pthread_atfork(NULL, NULL, in_child) == 0;
		if (s->signal_number)
			take_signal(s->signal_number);
		__atomic_store_n(&rec.on, true, __ATOMIC_RELEASE);
		good = true;
	}
	pthread_mutex_unlock(&rec.lock);
	if (!good)
		recorder_complain("not recording: %s", why);
	else if (s->native_stacks)
		refresh_modules();
	return good;
}

void recorder_stop(bool dump)
{
	bool dumped = false;

	if (!recorder_is_on())
		return;
	if (dump && rec.settings.at_exit)
		dumped = recorder_dump(NULL);
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		bool remove = (dumped || !dump) && !rec.settings.keep_ring;
		char path[sizeof rec.ring.path];

		__atomic_store_n(&rec.on, false, __ATOMIC_RELEASE);
		memcpy(path, rec.ring.path, sizeof path);
		ring_close(&rec.ring);
		if (remove)
			unlink(path);
		if (rec.signal_number)
			sigaction(rec.signal_number, &rec.previous, NULL);
		rec.signal_number = 0;
	}
	pthread_mutex_unlock(&rec.lock);
}

void recorder_status(struct vramscope_capture_status *out)
{
	memset(out, 0, sizeof *out);
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		const struct ring_header *h = rec.ring.header;

		out->recording = true;
		out->events = h->next_seq - 1;
		out->live = rec.ring.n_live;
		out->live_bytes = rec.live_bytes;
		out->dropped = h->table_full + h->arena_full;
		out->dumps = rec.dumps;
	}
	pthread_mutex_unlock(&rec.lock);
}

/* ---- dumps ---- */

/* A copy of the file as it is now, so that the lock is held for a memcpy and no longer. */
static void *copy_ring(size_t *bytes)
{
	const struct ring_header *h;
	void *copy = MAP_FAILED;

	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		h = rec.ring.header;
		*bytes = h->arena_offset + h->arena_used;
		copy = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		if (copy != MAP_FAILED) {
			memcpy(copy, h, *bytes);
			((struct ring_header *)copy)->arena_bytes = h->arena_used;
		}
	}
	pthread_mutex_unlock(&rec.lock);
	return copy == MAP_FAILED ? NULL : copy;
}

bool recorder_dump(const char *path)
{
	char usual[SETTINGS_PATH_BYTES + 16], why[700] = "";
	size_t bytes;
	bool good;

	if (!recorder_is_on())
		return false;
	if (rec.settings.native_stacks)
		refresh_modules();
	void *copy = copy_ring(&bytes);
	if (!copy) {
		recorder_complain("cannot dump: out of memory");
		return false;
	}
	if (!path) {
		unsigned n = __atomic_add_fetch(&rec.dumps, 1, __ATOMIC_RELAXED);

		settings_output(&rec.settings, n, usual, sizeof usual);
		path = usual;
	}
	good = dump_write(copy, bytes, path, why, sizeof why);
	munmap(copy, bytes);
	if (!good)
		recorder_complain("%s", why);
	return good;
}

/* ---- events ---- */

static bool counts(uint8_t kind)
{
	return kind >= KIND_DEVICE && kind <= KIND_MAPPED;
}

/* With the lock held. */
static void append(struct ring_record *r, const uint64_t *pcs, uint32_t n_pcs)
{
	const struct ring_record *old;

	r->time_us = now_us();
	if (n_pcs)
		r->stack = ring_stack(&rec.ring, pcs, n_pcs);
	old = r->act == ACT_OOM ? NULL : ring_find(&rec.ring, r->addr, ring_class(r->kind));
	if (old && counts(old->kind))
		rec.live_bytes -= old->size;
	ring_append(&rec.ring, r);
	old = r->act == ACT_ALLOC ? ring_find(&rec.ring, r->addr, ring_class(r->kind)) : NULL;
	if (old && counts(r->kind))
		rec.live_bytes += r->size;
}

/* The stack, taken before our lock is. */
static uint32_t take_stack(uint64_t pcs[STACK_MAX])
{
	if (!rec.settings.native_stacks)
		return 0;
	if (__atomic_add_fetch(&rec.events_since_modules, 1, __ATOMIC_RELAXED) %
		    EVENTS_BETWEEN_MODULES ==
	    0)
		refresh_modules();
	return stack_native(pcs);
}

static struct ring_record record_of(const struct recorder_event *e, enum ring_act act)
{
	struct ring_record r = {
		.addr = e->addr,
		.size = e->size,
		.stream = e->stream,
		.context = e->context,
		.aux_low = (uint32_t)e->aux,
		.aux_high = (uint32_t)(e->aux >> 32),
		.act = (uint8_t)act,
		.kind = e->kind,
		.device = (int8_t)(e->device >= 0 && e->device < RING_DEVICES ? e->device : 0),
	};

	if (e->kind == KIND_HOST || e->kind == KIND_HOST_REG)
		r.device = -1;
	return r;
}

void recorder_alloc(const struct recorder_event *e)
{
	struct ring_record r = record_of(e, ACT_ALLOC);
	uint64_t pcs[STACK_MAX];
	uint32_t n;

	if (!recorder_is_on())
		return;
	n = take_stack(pcs);
	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		append(&r, pcs, n);
	pthread_mutex_unlock(&rec.lock);
}

/* With the lock held: `alive` goes. */
static void append_free(const struct ring_record *alive, const uint64_t *pcs, uint32_t n_pcs)
{
	struct ring_record r = *alive;

	r.act = ACT_FREE;
	r.stack = 0;
	append(&r, pcs, n_pcs);
}

bool recorder_free(uint64_t addr, unsigned class_of, struct ring_record *gone)
{
	const struct ring_record *alive = NULL;
	uint64_t pcs[STACK_MAX];
	uint32_t n;

	if (!recorder_is_on() || addr == 0)
		return false;
	n = take_stack(pcs);
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		alive = ring_find(&rec.ring, addr, class_of);
		if (alive) {
			*gone = *alive;
			append_free(gone, pcs, n);
		} else {
			rec.ring.header->unknown_frees++;
		}
	}
	pthread_mutex_unlock(&rec.lock);
	return alive != NULL;
}

bool recorder_find(uint64_t addr, unsigned class_of, struct ring_record *out)
{
	const struct ring_record *alive = NULL;

	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		alive = ring_find(&rec.ring, addr, class_of);
	if (alive)
		*out = *alive;
	pthread_mutex_unlock(&rec.lock);
	return alive != NULL;
}

void recorder_unfree(const struct ring_record *gone)
{
	struct ring_record r = *gone;

	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		append(&r, NULL, 0);
	pthread_mutex_unlock(&rec.lock);
}

/* Frees whatever `matches`; the table may move under us, so each find starts where the last one
 * was. */
static unsigned free_matching(bool (*matches)(const struct ring_record *r, uint64_t a, uint64_t b),
			      uint64_t a, uint64_t b, struct ring_record *gone, unsigned max)
{
	uint64_t pcs[STACK_MAX];
	uint32_t n_pcs;
	unsigned n = 0;

	if (!recorder_is_on())
		return 0;
	n_pcs = take_stack(pcs);
	pthread_mutex_lock(&rec.lock);
	for (uint64_t i = 0; rec.on && i < rec.ring.header->table_slots; i++) {
		while (rec.ring.table[i].r.seq && matches(&rec.ring.table[i].r, a, b)) {
			struct ring_record r = rec.ring.table[i].r;

			if (n < max)
				gone[n++] = r;
			append_free(&r, pcs, n_pcs);
		}
	}
	pthread_mutex_unlock(&rec.lock);
	return n;
}

static bool in_range(const struct ring_record *r, uint64_t addr, uint64_t size)
{
	return r->kind == KIND_MAPPED && r->addr >= addr && r->addr - addr < size;
}

unsigned recorder_unmap(uint64_t addr, uint64_t size, struct ring_record *gone, unsigned max)
{
	struct ring_record first;
	unsigned n = 0;

	/* Nearly always one mapping, or a few neighbours. */
	while (size > 0 && n < max && recorder_free(addr, 0, &first)) {
		gone[n++] = first;
		if (first.size == 0 || first.size >= size)
			return n;
		addr += first.size;
		size -= first.size;
	}
	return size > 0 ? n + free_matching(in_range, addr, size, gone + n, max - n) : n;
}

static bool of_context(const struct ring_record *r, uint64_t context, uint64_t unused)
{
	(void)unused;
	return r->context == context;
}

static bool of_device(const struct ring_record *r, uint64_t device, uint64_t unused)
{
	(void)unused;
	return r->context != 0 && r->device >= 0 && (uint64_t)r->device == device;
}

void recorder_drop(uint64_t context, int device)
{
	if (context)
		free_matching(of_context, context, 0, NULL, 0);
	else
		free_matching(of_device, (uint64_t)device, 0, NULL, 0);
}

void recorder_oom(const struct recorder_event *e, uint64_t free_bytes)
{
	struct ring_record r = record_of(e, ACT_OOM);
	uint64_t pcs[STACK_MAX];
	bool dump = false;
	uint32_t n;

	if (!recorder_is_on())
		return;
	n = take_stack(pcs);
	r.addr = free_bytes;
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		append(&r, pcs, n);
		dump = rec.settings.on_oom && rec.oom_dumps < OOM_DUMPS &&
		       (!rec.last_oom_us || r.time_us - rec.last_oom_us > OOM_SECONDS * 1000000LL);
		if (dump) {
			rec.oom_dumps++;
			rec.last_oom_us = r.time_us;
		}
	}
	pthread_mutex_unlock(&rec.lock);
	if (dump)
		recorder_dump(NULL);
}

void recorder_device(int device, uint64_t free_bytes, uint64_t total_bytes)
{
	pthread_mutex_lock(&rec.lock);
	if (rec.on && device >= 0 && device < RING_DEVICES) {
		struct ring_header *h = rec.ring.header;

		h->devices[device].free_bytes = free_bytes;
		h->devices[device].total_bytes = total_bytes;
		h->devices[device].time_us = now_us();
	}
	pthread_mutex_unlock(&rec.lock);
}
