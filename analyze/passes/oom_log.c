/* SPDX-License-Identifier: MIT
 * oom_log.c -- finding out-of-memory messages in lines of many writers, wrapped and interleaved.
 */
#include "passes/oom_log.h"

#include <stdlib.h>
#include <string.h>

#include "passes/oom_forms.h"

/* Longer lines come in pieces. */
#define LINE_BYTES ((size_t)64 * 1024)

/* A message with a dozen processes has 2 KiB; wrapped by a narrow terminal it has many lines. */
#define WINDOW_BYTES 6144
#define WINDOW_LINES 60

/* Writers that have begun a message at the same time. */
#define MAX_WRITERS 64

/* What followed the beginning of a message, from one writer (one prefix). */
struct writer {
	uint64_t key; /* of the prefix */
	int64_t rank;
	bool open;
	uint64_t first_line; /* where the message begins */
	uint64_t last_line;
	size_t n_lines, n;
	size_t own; /* of n: up to the last line that had the prefix itself */
	/* "CUDA out" at the end of a line, whose next may show that another message began there:
	 * offset in the window, 0: none. */
	size_t maybe;
	uint64_t maybe_line;
	char window[WINDOW_BYTES];
};

struct log_walk {
	struct oom_log out;
	struct oom_forms *forms;
	struct writer *writers; /* MAX_WRITERS */
	struct writer *last;    /* that took the line before */
	bool in_line;           /* the last piece did not end its line */
};

/* --- messages ---------------------------------------------------------------------------------- */

static int try_window(struct log_walk *w, const struct writer *r, const char *text, size_t n,
		      struct oom_message *m, struct error *err)
{
	*m = (struct oom_message){.line = r->first_line, .device = -1, .rank = r->rank};
	return oom_forms_match(w->forms, text, n, m, &w->out, err);
}

/* A terminal breaks words; without its line ends they are whole. A message that is complete this
 * way is better than the part of one that the lines show; `whole`: they show all but the hint. */
static int try_joined(struct log_walk *w, const struct writer *r, bool whole, struct oom_message *m,
		      struct error *err)
{
	struct oom_message joined;
	char text[WINDOW_BYTES] = "";
	size_t n = 0, end, at, processes = w->out.processes.n;
	int found = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->window[i] != '\n')
			text[n++] = r->window[i];
	at = oom_forms_anchor(w->forms, text, n, 0, &end);
	if (at < n)
		found = try_window(w, r, text + at, n - at, &joined, err);
	if (found > 0 && !joined.cut && (!whole || joined.hint != OOM_HINT_NONE)) {
		*m = joined;
		return 1;
	}
	w->out.processes.n = processes;
	return found < 0 ? found : 0;
}

static int close_writer(struct log_walk *w, struct writer *r, struct error *err)
{
	struct oom_message m;
	int found, joined = 0;
	bool whole;

	if (!r->open)
		return 0;
	r->open = false;
	if (w->out.messages.n >= OOM_LOG_MAX_MESSAGES) {
		w->out.n_more++;
		return 0;
	}
	found = try_window(w, r, r->window, r->n, &m, err);
	whole = found > 0 && !m.cut;
	if (found >= 0 && (!whole || m.hint == OOM_HINT_NONE) && r->n_lines > 1)
		joined = try_joined(w, r, whole, &m, err);
	if (found < 0 || joined < 0)
		return found < 0 ? found : joined;
	if (!found && !joined)
		return 0;
	return vec_push(&w->out.messages, m, w->out.budget, err);
}

/* --- writers ----------------------------------------------------------------------------------- */

static struct writer *writer_of(struct log_walk *w, uint64_t key)
{
	for (size_t i = 0; i < MAX_WRITERS; i++)
		if (w->writers[i].open && w->writers[i].key == key)
			return &w->writers[i];
	return NULL;
}

/* A free place, or that of the writer who was silent longest. */
static int new_writer(struct log_walk *w, struct writer **out, struct error *err)
{
	struct writer *oldest = &w->writers[0];

	for (size_t i = 0; i < MAX_WRITERS; i++) {
		if (!w->writers[i].open) {
			*out = &w->writers[i];
			return 0;
		}
		if (w->writers[i].last_line < oldest->last_line)
			oldest = &w->writers[i];
	}
	*out = oldest;
	return close_writer(w, oldest, err);
}

static void append(struct log_walk *w, struct writer *r, const char *text, size_t n, bool new_line)
{
	size_t room = WINDOW_BYTES - r->n;

	if (new_line && r->n && room) {
		r->window[r->n++] = '\n';
		room--;
	}
	n = n < room ? n : room;
	memcpy(r->window + r->n, text, n);
	r->n += n;
	r->n_lines += new_line;
	r->last_line = w->out.n_lines;
}

static bool is_full(const struct writer *r)
{
	return r->n >= WINDOW_BYTES || r->n_lines >= WINDOW_LINES;
}

static bool any_open(const struct log_walk *w)
{
	for (size_t i = 0; i < MAX_WRITERS; i++)
		if (w->writers[i].open)
			return true;
	return false;
}

/* "CUDA out" at a line's end and "of memory" on the next are one beginning, not two. */
static bool is_complete_anchor(const char *text, size_t from, size_t end, size_t n)
{
	static const char *const last_words[] = {"memory", "device", "FAILED"};

	if (end < n)
		return true;
	while (end > from && text[end - 1] == ' ')
		end--;
	for (size_t i = 0; i < sizeof last_words / sizeof last_words[0]; i++) {
		size_t k = strlen(last_words[i]);

		if (end - from > k && !memcmp(text + end - k, last_words[i], k))
			return true;
	}
	return false;
}

/* Did a second message begin with the end of the line before? Then the first one ends there. */
static int split_writer(struct log_walk *w, struct writer *r, struct error *err)
{
	size_t end = 0, from = r->maybe;
	struct writer next;
	int rc;

	if (!from)
		return 0;
	r->maybe = 0;
	if (oom_forms_anchor(w->forms, r->window, r->n, from, &end) != from || end == r->n ||
	    !memchr(r->window + from, '\n', end - from))
		return 0;
	next = (struct writer){.key = r->key, .rank = r->rank, .open = true};
	next.first_line = r->maybe_line;
	next.last_line = r->last_line;
	next.n_lines = 2;
	next.n = next.own = r->n - from;
	memcpy(next.window, r->window + from, next.n);
	r->n = from;
	rc = close_writer(w, r, err);
	*r = next;
	return rc;
}

/* A line, or a piece of one, of the writer with this prefix. */
static int add_line(struct log_walk *w, const char *text, size_t n, const struct line_prefix *p,
		    bool new_line, struct error *err)
{
	struct writer *r = writer_of(w, p->key);
	size_t from = 0, end = 0;
	int rc;
	bool own = r != NULL;

	/* Terminals wrap without repeating a prefix. But if it does come again, lines without it were
	 * somebody else's. */
	if (!r && w->last && w->last->open && !p->length)
		r = w->last;
	if (own && r->open && new_line)
		r->n = r->own;
	while (from < n) {
		size_t at = oom_forms_anchor(w->forms, text, n, from, &end);

		bool maybe = at < n && r && r->open && !is_complete_anchor(text, at, end, n);
		size_t until = maybe ? n : at;

		if (r && r->open) {
			append(w, r, text + from, until - from, new_line && from == 0);
			if ((rc = split_writer(w, r, err)) < 0)
				return rc;
			r->maybe = maybe && r->n > n - at ? r->n - (n - at) : 0;
			r->maybe_line = w->out.n_lines;
		}
		if (maybe)
			break;
		if (at == n)
			break;
		if (r && (rc = close_writer(w, r, err)) < 0)
			return rc;
		if ((rc = new_writer(w, &r, err)) < 0)
			return rc;
		*r = (struct writer){.key = p->key, .rank = p->rank, .open = true};
		r->first_line = w->out.n_lines;
		append(w, r, text + at, end - at, true);
		from = end;
	}
	if (r && (own || r->first_line == w->out.n_lines))
		r->own = r->n;
	w->last = r;
	return r && r->open && is_full(r) ? close_writer(w, r, err) : 0;
}

/* Take out ANSI sequences and carriage returns. */
static size_t clean_line(char *line, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++) {
		if (line[i] == '\r')
			continue;
		if (line[i] == '\033' && i + 1 < n && line[i + 1] == '[') {
			i += 2;
			while (i < n && !(line[i] >= '@' && line[i] <= '~'))
				i++;
			continue;
		}
		line[to++] = line[i];
	}
	return to;
}

static int take_line(struct log_walk *w, char *line, size_t n, struct error *err)
{
	struct line_prefix p = {.rank = -1};
	bool new_line = !w->in_line;
	size_t end;

	w->out.n_lines += new_line;
	n = clean_line(line, n);
	/* Nearly every line ends here. */
	if (oom_forms_anchor(w->forms, line, n, 0, &end) == n && !any_open(w))
		return 0;
	if (new_line)
		p = oom_forms_prefix(w->forms, line, n);
	else if (w->last)
		p.key = w->last->key;
	return add_line(w, line + p.length, n - p.length, &p, new_line, err);
}

/* --- reading ----------------------------------------------------------------------------------- */

static int read_lines(struct log_walk *w, struct input *in, char *line, struct error *err)
{
	int rc;

	for (;;) {
		const uint8_t *nl;
		size_t n;

		if ((rc = input_peek(in, LINE_BYTES, err)) < 0)
			return rc;
		n = (size_t)(in->end - in->at);
		if (n == 0)
			return 0;
		if (n > LINE_BYTES)
			n = LINE_BYTES;
		nl = memchr(in->at, '\n', n);
		if (nl)
			n = (size_t)(nl - in->at);
		memcpy(line, in->at, n);
		in->at += n + (nl != NULL);
		if ((rc = take_line(w, line, n, err)) < 0)
			return rc;
		w->in_line = !nl;
	}
}

static int by_line(const void *a, const void *b)
{
	const struct oom_message *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

int oom_log_read(struct oom_log *out, struct input *in, struct budget *budget, struct error *err)
{
	struct log_walk w = {.out.budget = budget};
	char *line = budget_realloc(budget, NULL, 0, LINE_BYTES, err);
	int rc = line ? 0 : (int)err->code;
	int closed = 0;

	if (rc == 0)
		rc = oom_forms_new(&w.forms, budget, err);
	if (rc < 0)
		goto out;
	w.writers = budget_realloc(budget, NULL, 0, MAX_WRITERS * sizeof *w.writers, err);
	if (!w.writers) {
		rc = (int)err->code;
		goto out;
	}
	for (size_t i = 0; i < MAX_WRITERS; i++)
		w.writers[i] = (struct writer){0};
	rc = read_lines(&w, in, line, err);
	for (size_t i = 0; i < MAX_WRITERS && closed == 0; i++)
		closed = close_writer(&w, &w.writers[i], err);
	if (closed < 0)
		rc = closed;
	if ((rc == ERR_CUT || rc == ERR_FORMAT) && w.out.messages.n)
		rc = 0;
	if (w.out.messages.n > 1)
		qsort(w.out.messages.at, w.out.messages.n, sizeof *w.out.messages.at, by_line);
out:
	if (rc < 0)
		oom_log_release(&w.out);
	else
		*out = w.out;
	oom_forms_free(w.forms);
	if (w.writers)
		budget_free(budget, w.writers, MAX_WRITERS * sizeof *w.writers);
	budget_free(budget, line, LINE_BYTES);
	return rc;
}

void oom_log_release(struct oom_log *log)
{
	if (!log || !log->budget)
		return;
	vec_release(&log->messages, log->budget);
	vec_release(&log->processes, log->budget);
	log->budget = NULL;
}
