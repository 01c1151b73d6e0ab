/* SPDX-License-Identifier: MIT
 * capture_settings.c -- what a recording was asked to do: options, VRAMSCOPE_CAPTURE_*, defaults.
 */
#include "capture/capture_settings.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_OUTPUT  "%h_%t_rank%r_%p.pickle"
#define DEFAULT_ENTRIES 65536
#define MIN_ENTRIES     64
#define MAX_ENTRIES     (UINT64_C(1) << 26)

static const char *variable(const char *name)
{
	char full[64];

	snprintf(full, sizeof full, "VRAMSCOPE_CAPTURE_%s", name);
	const char *value = getenv(full);
	return value && *value ? value : NULL;
}

static const char *rank(void)
{
	static const char *const names[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
					    "PMI_RANK", "LOCAL_RANK"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value && *value && strspn(value, "0123456789") == strlen(value))
			return value;
	}
	return "0";
}

/* Fill the names of a pattern in; false when it does not fit. */
static bool expand(char *out, size_t room, const char *pattern)
{
	char host[65] = "host", when[40], pid[16];
	time_t now = time(NULL);
	struct tm tm;
	size_t n = 0;

	gethostname(host, sizeof host - 1);
	localtime_r(&now, &tm);
	strftime(when, sizeof when, "%b_%d_%H_%M_%S", &tm);
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	for (const char *p = pattern; *p; p++) {
		char one[2] = {*p, '\0'};
		const char *piece = one;

		if (*p == '%' && p[1]) {
			p++;
			piece = *p == 'h'   ? host
				: *p == 't' ? when
				: *p == 'p' ? pid
				: *p == 'r' ? rank()
				: *p == '%' ? "%"
					    : NULL;
			if (!piece)
				return false;
		}
		if (strlen(piece) >= room - n)
			return false;
		memcpy(out + n, piece, strlen(piece) + 1);
		n += strlen(piece);
	}
	return n > 0;
}

static bool yes(enum vramscope_choice choice, const char *name, bool otherwise, bool *wrong)
{
	const char *value = variable(name);

	if (choice != VRAMSCOPE_DEFAULT)
		return choice == VRAMSCOPE_YES;
	if (!value)
		return otherwise;
	if (!strcmp(value, "1") || !strcmp(value, "yes"))
		return true;
	if (strcmp(value, "0") != 0 && strcmp(value, "no") != 0)
		*wrong = true;
	return false;
}

static bool read_signal(int *out, int given)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"PROF", SIGPROF}};
	const char *value = variable("SIGNAL");
	char *end;

	*out = given;
	if (given || !value)
		return given >= 0 && given < SIGRTMAX;
	if (!strncmp(value, "SIG", 3))
		value += 3;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!strcmp(value, names[i].name)) {
			*out = names[i].number;
			return true;
		}
	}
	long n = strtol(value, &end, 10);
	*out = (int)n;
	return !*end && n > 0 && n < SIGRTMAX;
}

static bool read_stacks(struct capture_settings *s, enum vramscope_stacks given)
{
	static const char *const words[] = {
		[VRAMSCOPE_STACKS_NONE] = "none",
		[VRAMSCOPE_STACKS_NATIVE] = "native",
		[VRAMSCOPE_STACKS_PYTHON] = "python",
		[VRAMSCOPE_STACKS_ALL] = "all",
	};
	const char *value = variable("STACKS");
	unsigned choice = given;

	if (choice == VRAMSCOPE_STACKS_DEFAULT && value) {
		for (choice = VRAMSCOPE_STACKS_ALL; choice > 0; choice--) {
			if (!strcmp(value, words[choice]))
				break;
		}
		if (choice == VRAMSCOPE_STACKS_DEFAULT)
			return false;
	}
	if (choice == VRAMSCOPE_STACKS_DEFAULT)
		choice = VRAMSCOPE_STACKS_ALL;
	s->native_stacks = choice == VRAMSCOPE_STACKS_NATIVE || choice == VRAMSCOPE_STACKS_ALL;
	s->python_stacks = choice == VRAMSCOPE_STACKS_PYTHON || choice == VRAMSCOPE_STACKS_ALL;
	return choice <= VRAMSCOPE_STACKS_ALL;
}

static bool read_entries(uint64_t *out, uint64_t given)
{
	const char *value = variable("MAX_ENTRIES");
	char *end = NULL;

	*out = given ? given : DEFAULT_ENTRIES;
	if (!given && value)
		*out = strtoull(value, &end, 10);
	return (!end || !*end) && *out >= MIN_ENTRIES && *out <= MAX_ENTRIES;
}

/* Bytes of a path before .pickle or .pickle.zst. */
static size_t stem_of(const char *path)
{
	static const char *const suffixes[] = {".pickle.zst", ".pickle"};
	size_t n = strlen(path);

	for (size_t i = 0; i < 2; i++) {
		size_t k = strlen(suffixes[i]);

		if (n > k && !strcmp(path + n - k, suffixes[i]))
			return n - k;
	}
	return n;
}

static bool read_names(struct capture_settings *s, const struct vramscope_capture_options *o)
{
	const char *output = o->output ? o->output : variable("OUTPUT");
	const char *ring = o->ring ? o->ring : variable("RING");

	if (!expand(s->output, sizeof s->output - 16, output ? output : DEFAULT_OUTPUT))
		return false;
	if (ring)
		return expand(s->ring, sizeof s->ring, ring);
	memcpy(s->ring, s->output, sizeof s->ring);
	memcpy(s->ring + stem_of(s->ring), ".ring", sizeof ".ring");
	return true;
}

bool settings_read(struct capture_settings *out, const struct vramscope_capture_options *options,
		   char *why, size_t why_bytes)
{
	struct vramscope_capture_options o = {0};
	struct capture_settings s = {0};
	const char *bad = NULL;
	bool wrong = false;

	if (options)
		memcpy(&o, options,
		       options->struct_bytes < sizeof o ? options->struct_bytes : sizeof o);
	if (!read_names(&s, &o))
		bad = "OUTPUT or RING";
	if (!read_entries(&s.max_entries, o.max_entries))
		bad = "MAX_ENTRIES";
	if (!read_stacks(&s, o.stacks))
		bad = "STACKS";
	if (!read_signal(&s.signal_number, o.signal_number))
		bad = "SIGNAL";
	s.on_oom = yes(o.on_oom, "OOM", true, &wrong);
	s.at_exit = yes(o.at_exit, "EXIT", true, &wrong);
	s.keep_ring = yes(o.keep_ring, "KEEP_RING", false, &wrong);
	if (wrong)
		bad = "OOM, EXIT or KEEP_RING";
	if (bad) {
		snprintf(why, why_bytes, "the setting %s makes no sense", bad);
		return false;
	}
	*out = s;
	return true;
}

void settings_output(const struct capture_settings *s, unsigned n, char *path, size_t path_bytes)
{
	size_t stem = stem_of(s->output);

	if (n <= 1)
		snprintf(path, path_bytes, "%s", s->output);
	else
		snprintf(path, path_bytes, "%.*s_%u%s", (int)stem, s->output, n,
			 s->output[stem] ? s->output + stem : ".pickle");
}
