/* SPDX-License-Identifier: MIT
 * batch_output.c -- what batch and merge leave in their folder, and say.
 */
#include "cli/batch_output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"

#include "cli/output.h"
#include "reports/batch_page.h"
#include "reports/batch_report.h"

int batch_make_folder(const char *folder)
{
	char *path = strdup(folder);
	int rc = 0;

	for (char *slash = path ? strchr(path + 1, '/') : NULL; slash && rc == 0;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		rc = mkdir(path, 0777) < 0 && errno != EEXIST ? -1 : 0;
		*slash = '/';
	}
	if (!path || rc < 0 || (mkdir(path, 0777) < 0 && errno != EEXIST)) {
		complain("cannot make the folder '%s': %s", folder, strerror(errno));
		rc = -1;
	}
	free(path);
	return rc < 0 ? STATUS_SYSTEM : STATUS_DONE;
}

static void write_document(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.batch/1");
	describe_batch(e, b, g, PACKAGE_VERSION);
	emit_object_end(e);
}

static void write_json(struct out *out, const struct batch *b, const struct batch_groups *g,
		       const struct batch_pages *pages)
{
	const struct emit_options options = {.format = EMIT_JSON};
	struct error err;
	struct emit *e;

	(void)pages;
	if (emit_new(&e, out, &options, &err) < 0) {
		out_fail(out, ENOMEM);
		return;
	}
	write_document(e, b, g);
	emit_free(e);
}

static void write_csv(struct out *out, const struct batch *b, const struct batch_groups *g,
		      const struct batch_pages *pages)
{
	(void)g;
	(void)pages;
	batch_write_csv(out, b);
}

static void write_index(struct out *out, const struct batch *b, const struct batch_groups *g,
			const struct batch_pages *pages)
{
	struct error err;

	if (batch_write_index(out, b, g, pages, &err) < 0)
		out_fail(out, ENOMEM);
}

typedef void write_fn(struct out *out, const struct batch *b, const struct batch_groups *g,
		      const struct batch_pages *pages);

static int write_file(const char *folder, const char *name, write_fn *write, const struct batch *b,
		      const struct batch_groups *g, const struct batch_pages *pages)
{
	struct error err = {.text = "out of memory"};
	struct out *out;
	char *path;
	int rc = asprintf(&path, "%s/%s", folder, name);

	if (rc < 0)
		path = NULL;
	if (rc >= 0)
		rc = out_open_path(&out, path, &err);
	if (rc >= 0) {
		write(out, b, g, pages);
		rc = out_close(out, &err);
	}
	if (rc < 0)
		complain("cannot write '%s/%s': %s", folder, name, err.text);
	free(path);
	return rc < 0 ? STATUS_SYSTEM : STATUS_DONE;
}

static int write_database(const char *folder, const struct batch *b, const struct batch_groups *g)
{
	struct error err = {.text = "out of memory"};
	char *path;
	int rc = asprintf(&path, "%s/summary.sqlite", folder);

	if (rc >= 0)
		rc = batch_write_sql(path, b, g, &err);
	else
		path = NULL;
	if (rc < 0)
		complain("cannot write '%s/summary.sqlite': %s", folder, err.text);
	free(path);
	return rc < 0 ? STATUS_SYSTEM : STATUS_DONE;
}

/* pages/N.html of each file. */
static int write_pages(const char *folder, const struct batch *b, const struct batch_groups *g,
		       const struct batch_pages *pages)
{
	struct error err = {.text = "out of memory"};
	int rc = 0;
	char *path;

	if (asprintf(&path, "%s/pages", folder) < 0) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	if (batch_make_folder(path) != STATUS_DONE) {
		free(path);
		return STATUS_SYSTEM;
	}
	free(path);
	for (size_t i = 0; i < b->n_rows[BATCH_FILES] && rc == 0; i++) {
		struct out *out;

		rc = asprintf(&path, "%s/pages/%zu.html", folder, i) < 0 ? ERR_NOMEM : 0;
		if (rc < 0)
			break;
		rc = out_open_path(&out, path, &err);
		if (rc == 0) {
			if (batch_write_page(out, b, g, pages, i, &err) < 0)
				out_fail(out, ENOMEM);
			rc = out_close(out, &err);
		}
		free(path);
	}
	if (rc < 0)
		complain("cannot write '%s/pages': %s", folder, err.text);
	return rc < 0 ? STATUS_SYSTEM : STATUS_DONE;
}

/* The same in a process of its own; -1: there is none. */
static pid_t start_pages(const char *folder, const struct batch *b, const struct batch_groups *g,
			 const struct batch_pages *pages)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(write_pages(folder, b, g, pages));
	}
	return pid;
}

static int wait_for_pages(pid_t pid, const char *folder)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR) {
			complain("cannot wait for a process: %s", strerror(errno));
			return STATUS_SYSTEM;
		}
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	complain("cannot write '%s/pages': the process that did was ended: %s", folder,
		 strsignal(WTERMSIG(status)));
	return STATUS_SYSTEM;
}

/* index.html leads to the pages: it comes when all are there. */
static int write_all(const char *folder, bool db_only, const struct batch *b,
		     const struct batch_groups *g, const struct batch_pages *pages, size_t jobs)
{
	pid_t own = jobs > 1 && !db_only ? start_pages(folder, b, g, pages) : -1;
	int status = write_database(folder, b, g), written;

	if (db_only)
		return status;
	if (status == STATUS_DONE)
		status = write_file(folder, "summary.csv", write_csv, b, g, pages);
	if (status == STATUS_DONE)
		status = write_file(folder, "summary.json", write_json, b, g, pages);
	written = own > 0 ? wait_for_pages(own, folder) : write_pages(folder, b, g, pages);
	if (status == STATUS_DONE)
		status = written;
	if (status == STATUS_DONE)
		status = write_file(folder, "index.html", write_index, b, g, pages);
	return status;
}

static int say(struct invocation *inv, const struct batch *b, const struct batch_groups *g)
{
	struct output o;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	write_document(o.emit, b, g);
	return output_close(&o, g->n_failed || g->n_partial ? STATUS_INPUT : STATUS_DONE);
}

int batch_output(struct invocation *inv, struct batch *b, const char *folder, bool db_only,
		 const struct batch_pages *pages, size_t jobs)
{
	static const struct batch_pages none = {0};
	struct batch_groups g;
	struct error err;
	int status;

	if (batch_sort(b, &err) < 0 || batch_groups_run(&g, b, &inv->budget, &err) < 0)
		return complain_error("summarize", folder, &err);
	status = write_all(folder, db_only, b, &g, pages ? pages : &none, jobs);
	if (status == STATUS_DONE)
		status = say(inv, b, &g);
	batch_groups_release(&g);
	return status;
}
