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
#include "capture/ledger.h"
#include "capture/stack.h"
#include "capture/taken_stack.h"
#include "capture/zstd_out.h"

/* Expandable segments fail thousands of times in a row for one request. */
#define OOM_DUMPS   5
#define OOM_SECONDS 10
/* Loading libraries is rare, and asking for it costs more than a hash. */
#define EVENTS_BETWEEN_MODULES 64

static struct {
	pthread_mutex_t lock;
	bool on; /* atomic; changed under the lock */
	struct ledger ledger;
	struct capture_settings settings;
	struct python_names *names; /* when Python frames are recorded */
	uint64_t generation;        /* of the modules in the arena */
	unsigned events_since_modules;
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
		copy.path = ring_string(&rec.ledger.ring, m->path, strlen(m->path));
		ring_module(&rec.ledger.ring, &copy);
	}
	pthread_mutex_unlock(&rec.lock);
}

static void refresh_modules(void)
{
	uint64_t generation = stack_generation();

	if (__atomic_exchange_n(&rec.generation, generation, __ATOMIC_RELAXED) == generation)
		return;
	if (rec.settings.native_stacks)
		stack_modules(take_module, NULL);
	if (rec.settings.python_stacks)
		python_frames_find();
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
	python_names_free(rec.names);
	rec.names = NULL;
	ledger_abandon(&rec.ledger);
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
	/* A first use may come when memory has run out. */
	if (dump_is_compressed(s->output))
		zstd_out_works();
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		snprintf(why, sizeof why, "already recording");
	} else if (ledger_open(&rec.ledger, s->ring, s->max_entries, why, sizeof why)) {
		rec.settings = *s;
		rec.generation = 0;
		rec.dumps = rec.oom_dumps = 0;
		rec.last_oom_us = 0;
		rec.names = s->python_stacks ? python_names_new() : NULL;
		fill_header(rec.ledger.ring.header, front_end);
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
	else if (s->native_stacks || s->python_stacks)
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
		char path[sizeof rec.ledger.ring.path];

		__atomic_store_n(&rec.on, false, __ATOMIC_RELEASE);
		memcpy(path, rec.ledger.ring.path, sizeof path);
		ledger_close(&rec.ledger);
		python_names_free(rec.names);
		rec.names = NULL;
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
		const struct ring_header *h = rec.ledger.ring.header;

		out->recording = true;
		out->events = h->next_seq - 1;
		out->live = rec.ledger.ring.n_live;
		out->live_bytes = rec.ledger.live_bytes;
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
		h = rec.ledger.ring.header;
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

/* Without libzstd a snapshot is written as it is, under a name that says so. */
static const char *writable_name(const char *path, char *plain, size_t plain_bytes)
{
	if (!dump_is_compressed(path) || zstd_out_works())
		return path;
	snprintf(plain, plain_bytes, "%.*s", (int)(strlen(path) - 4), path);
	recorder_complain("no libzstd.so.1 is here: '%s' is not compressed", plain);
	return plain;
}

bool recorder_dump(const char *path)
{
	char usual[SETTINGS_PATH_BYTES + 16], plain[600], why[700] = "";
	size_t bytes;
	bool good;

	if (!recorder_is_on())
		return false;
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
	path = writable_name(path, plain, sizeof plain);
	good = dump_write(copy, bytes, path, why, sizeof why);
	munmap(copy, bytes);
	if (!good)
		recorder_complain("%s", why);
	return good;
}

/* ---- events ---- */

/* With the lock held: the event's time and stack. */
static void complete(struct ring_record *r, const struct taken_stack *stack)
{
	r->time_us = now_us();
	r->stack = stack && (stack->n_native || stack->n_python)
			   ? taken_stack_id(stack, &rec.ledger.ring, rec.names)
			   : 0;
}

/* The stack, taken before our lock is. */
static void take_stack(struct taken_stack *stack)
{
	const struct capture_settings *s = &rec.settings;
	const char *trouble;

	stack->n_native = stack->n_python = 0;
	if (!s->native_stacks && !s->python_stacks)
		return;
	if (__atomic_add_fetch(&rec.events_since_modules, 1, __ATOMIC_RELAXED) %
		    EVENTS_BETWEEN_MODULES ==
	    0)
		refresh_modules();
	taken_stack_fill(stack, s->native_stacks, s->python_stacks);
	trouble = s->python_stacks ? python_frames_trouble() : NULL;
	if (trouble)
		recorder_complain("%s", trouble);
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
	struct taken_stack stack;

	if (!recorder_is_on())
		return;
	take_stack(&stack);
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		complete(&r, &stack);
		ledger_alloc(&rec.ledger, &r, &e->mapping);
	}
	pthread_mutex_unlock(&rec.lock);
}

bool recorder_free(uint64_t addr, unsigned class_of, struct ledger_gone *gone)
{
	struct ring_record call = {0}, copy;
	const struct ring_record *alive = NULL;
	struct taken_stack stack;

	if (!recorder_is_on() || addr == 0)
		return false;
	take_stack(&stack);
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		alive = ring_find(&rec.ledger.ring, addr, class_of);
		if (alive) {
			copy = *alive;
			complete(&call, &stack);
			ledger_free(&rec.ledger, &copy, call.stack, call.time_us, gone);
		} else if (!ring_find(&rec.ledger.ring, addr, ring_class(KIND_GRAPH))) {
			/* What a graph allocated may be freed outside of it. */
			rec.ledger.ring.header->unknown_frees++;
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
		alive = ring_find(&rec.ledger.ring, addr, class_of);
	if (alive)
		*out = *alive;
	pthread_mutex_unlock(&rec.lock);
	return alive != NULL;
}

void recorder_unfree(const struct ledger_gone *gone)
{
	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		ledger_unfree(&rec.ledger, gone, now_us());
	pthread_mutex_unlock(&rec.lock);
}

void recorder_retain(uint64_t handle)
{
	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		ledger_retain(&rec.ledger, handle, now_us());
	pthread_mutex_unlock(&rec.lock);
}

typedef bool (*matcher)(const struct ring_record *r, uint64_t a, uint64_t b);

/* Frees whatever `matches`. The table moves under us, so it is gone through until nothing does. */
static void free_matching(matcher matches, uint64_t a, uint64_t b, struct ledger_gone *gone)
{
	struct ring_record call = {0};
	struct taken_stack stack;
	bool again = true;

	if (!recorder_is_on())
		return;
	take_stack(&stack);
	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		complete(&call, &stack);
	while (rec.on && again) {
		again = false;
		for (uint64_t i = 0; i < rec.ledger.ring.header->table_slots; i++) {
			struct ring_record r = rec.ledger.ring.table[i].r;

			if (!r.seq || !matches(&r, a, b))
				continue;
			/* All owners of a handle go with what matched. */
			if (r.kind == KIND_HANDLE)
				ring_set_aux(&r, 0);
			ledger_free(&rec.ledger, &r, call.stack, call.time_us, gone);
			again = true;
		}
	}
	pthread_mutex_unlock(&rec.lock);
}

static bool in_range(const struct ring_record *r, uint64_t addr, uint64_t size)
{
	return r->kind == KIND_MAPPED && r->addr >= addr && r->addr - addr < size;
}

void recorder_unmap(uint64_t addr, uint64_t size, struct ledger_gone *gone)
{
	struct ring_record first;

	/* Nearly always one mapping, or a few neighbours. */
	while (size > 0 && gone->n < LEDGER_GONE_MAX && recorder_find(addr, 0, &first) &&
	       recorder_free(addr, 0, gone)) {
		if (first.size == 0 || first.size >= size)
			return;
		addr += first.size;
		size -= first.size;
	}
	if (size > 0)
		free_matching(in_range, addr, size, gone);
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

static bool of_graph(const struct ring_record *r, uint64_t graph, uint64_t unused)
{
	(void)unused;
	return r->kind == KIND_GRAPH && ring_aux(r) == graph;
}

void recorder_drop(uint64_t context, int device)
{
	if (context)
		free_matching(of_context, context, 0, NULL);
	else
		free_matching(of_device, (uint64_t)device, 0, NULL);
}

void recorder_drop_graph(uint64_t graph)
{
	bool known = false;

	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		known = holdings_find(&rec.ledger.holdings, HOLDING_GRAPH, graph) != NULL;
	pthread_mutex_unlock(&rec.lock);
	if (known)
		free_matching(of_graph, graph, 0, NULL);
}

/* ---- what the driver says of itself ---- */

uint64_t recorder_changes(void)
{
	return __atomic_load_n(&rec.ledger.holdings.changes, __ATOMIC_ACQUIRE);
}

void recorder_pool(uint64_t pool, uint64_t reserved_bytes, uint64_t since)
{
	pthread_mutex_lock(&rec.lock);
	if (rec.on && recorder_changes() == since)
		ledger_pool(&rec.ledger, pool, reserved_bytes, now_us());
	pthread_mutex_unlock(&rec.lock);
}

void recorder_pool_destroyed(uint64_t pool)
{
	pthread_mutex_lock(&rec.lock);
	if (rec.on)
		ledger_pool_destroyed(&rec.ledger, pool, now_us());
	pthread_mutex_unlock(&rec.lock);
}

unsigned recorder_pools(uint64_t pools[HOLDINGS_POOLS])
{
	unsigned n = 0;

	pthread_mutex_lock(&rec.lock);
	for (size_t i = 0; rec.on && i < HOLDINGS_POOLS; i++) {
		const struct holdings_pool *pool = &rec.ledger.holdings.pools[i];

		if (pool->handle && !pool->destroyed)
			pools[n++] = pool->handle;
	}
	pthread_mutex_unlock(&rec.lock);
	return n;
}

void recorder_graph(int device, uint64_t bytes)
{
	pthread_mutex_lock(&rec.lock);
	if (rec.on && device >= 0 && device < RING_DEVICES)
		rec.ledger.ring.header->devices[device].graph_bytes = bytes;
	pthread_mutex_unlock(&rec.lock);
}

void recorder_oom(const struct recorder_event *e, uint64_t free_bytes)
{
	struct ring_record r = record_of(e, ACT_OOM);
	struct taken_stack stack;
	bool dump = false;

	if (!recorder_is_on())
		return;
	take_stack(&stack);
	r.addr = free_bytes;
	pthread_mutex_lock(&rec.lock);
	if (rec.on) {
		complete(&r, &stack);
		ledger_oom(&rec.ledger, &r);
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
		struct ring_device *d = &rec.ledger.ring.header->devices[device];

		if (!d->total_bytes)
			d->first_used = total_bytes - free_bytes;
		d->free_bytes = free_bytes;
		d->total_bytes = total_bytes;
		d->counted_then = d->counted_bytes + d->graph_bytes;
		d->time_us = now_us();
	}
	pthread_mutex_unlock(&rec.lock);
}
