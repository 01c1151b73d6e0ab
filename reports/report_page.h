/* SPDX-License-Identifier: MIT
 * report_page.h -- everything about one or several files in one self-contained page.
 *
 * The page is complete without script: sentences, tables, pictures. Behind them lie the events as
 * columns, and the script (reports/viewer) that makes the pictures move.
 */
#ifndef REPORTS_REPORT_PAGE_H
#define REPORTS_REPORT_PAGE_H

#include "passes/purpose.h"
#include "passes/timeline_verdicts.h"
#include "passes/trend.h"
#include "reports/describe.h"
#include "reports/diff_report.h"
#include "reports/frag_report.h"
#include "reports/leaks_report.h"
#include "reports/out.h"
#include "reports/timeline_report.h"

/* One device. All weak; NULL: the file cannot tell. */
struct report_device {
	const struct device *device;
	struct replay *replay; /* its position changes */
	const struct purpose *purpose;
	const struct timeline *timeline;
	const struct frag_report *frag;
	const struct leaks_report *leaks;
	const struct top *peak_sites; /* at `peak` */
	const struct state *peak_state;
	struct moment peak;
};

struct report_file {
	const struct model *model;
	const struct info *info;
	const struct explain *explain;
	struct explain_report explain_sources;
	const struct report_device *devices;
	size_t n_devices;
};

struct report {
	const struct report_file *files;
	size_t n_files;
	const struct diff_report *diff; /* of two files, or NULL */
	const struct trend *trend;      /* of several, or NULL */
	uint64_t max_bytes;             /* of the page; what is left out then is said on it */
	struct budget *budget;
	/* Called when a part of the work is done; may be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	void *progress_ctx;
};

/* Errors: ERR_LIMIT, ERR_NOMEM; those of writing are told by out_close. */
int report_write_html(struct out *to, const struct report *r, struct error *err);

/* The page's script: viewer_script.c, made of reports/viewer/dist/viewer.js. */
extern const char viewer_script[];

#endif
