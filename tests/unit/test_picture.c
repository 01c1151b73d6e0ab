/* SPDX-License-Identifier: MIT
 * test_picture.c -- pictures and pages of timelines: well-formed, safe, small and repeatable.
 */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "reports/sha256.h"
#include "reports/timeline_report.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

static struct error err;

static void must(int rc)
{
	if (rc < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
}

static void run(struct timeline *t, struct mk_model *k, unsigned width)
{
	const struct device *d = &k->m->devices.at[0];
	struct timeline_options o = {.columns = timeline_picture_columns(width, false),
				     .from = EVENT_START,
				     .to = (int64_t)d->n_events - 1,
				     .max_bands = TIMELINE_MAX_BANDS};
	struct replay *r;

	must(replay_new(&r, k->m, d, &k->budget, &err));
	must(timeline_run(t, k->m, r, d, &o, &k->budget, &err));
	replay_free(r);
}

typedef int writer(struct out *to, const struct timeline *t, unsigned width, struct error *e);

/* What the writer writes; the caller frees it. */
static char *written(writer *w, const struct timeline *t, unsigned width, size_t *n)
{
	struct out *out;
	const char *text;
	char *copy;

	must(out_open_memory(&out, &err));
	must(w(out, t, width, &err));
	text = out_memory(out, n);
	copy = malloc(*n + 1);
	memcpy(copy, text, *n + 1);
	out_abandon(out);
	return copy;
}

static str_id intern(struct mk_model *k, const char *bytes, size_t n)
{
	str_id id;

	must(strtab_add(&k->m->strings, bytes, n, &id, &err));
	return id;
}

static void annotate(struct mk_model *k, str_id name, int64_t from, int64_t to)
{
	struct annotation a = {.name = name, .time_us = from}, b = a;

	b.time_us = to;
	b.is_end = true;
	must(vec_push(&k->m->annotations, a, &k->budget, &err));
	must(vec_push(&k->m->annotations, b, &k->budget, &err));
}

/* Names that try to be markup; the worst they may become is six bytes a character. */
static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"</title></svg></style><img src=x onerror=alert(1)>",
	"\" onload=\"alert(1)\" x=\"",
	"' onclick='alert(1)",
	"]]><![CDATA[",
	"<!--",
	"--><b>",
	"&#60;script&#62;",
	"\xff\xfe\x01\x02<b>\x1b[31m",
	"\xe2\x80\xae\xe2\x80\xa8gnp.exe",
	"javascript:alert(1)",
	"<?xml-stylesheet href='http://x/y.css'?>",
	"<foreignObject><iframe src=//x>",
	"url(http://x/)",
};

/* As bad as it gets: each column jumps, ooms and annotations without number, long names. */
static void worst_model(struct mk_model *k, size_t n)
{
	static const char quotes[] =
		"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"";
	char long_name[5000];
	uint64_t seed = 7;

	mk_model_init(k);
	mk_model_device(k, 0);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, 1 << 30, 900 * MIB);
	for (size_t i = 0; i < n; i++) {
		uint64_t size;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size = 2 * MIB + (seed >> 34) % (800 * MIB);
		mk_model_event(k, ACTION_ALLOC, 1 << 30, size);
		mk_model_event(k, ACTION_OOM, size * 7, size + 12345);
		mk_model_event(k, ACTION_FREE_REQUESTED, 1 << 30, size);
		mk_model_event(k, ACTION_FREE_COMPLETED, 1 << 30, size);
	}
	mk_model_segment(k, 1 << 30, 900 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_INACTIVE, 900 * MIB, 0);
	for (size_t i = 0; i < n; i++) {
		int len = snprintf(long_name, sizeof long_name, "%s%s %zu", hostile[i % 14], quotes,
				   i);
		size_t full = sizeof long_name;
		int64_t at = (int64_t)i * 4;

		memset(long_name + len, i % 2 ? '"' : '\xff', full - (size_t)len);
		annotate(k, intern(k, long_name, i % 5 ? (size_t)len : full), at,
			 at + (i % 7 ? 4 : 40));
	}
	k->m->file = intern(k, "a/</title><script>alert(1)</script>\xff.pickle", 43);
	mk_model_done(k);
}

/* --- what a document holds --------------------------------------------------------------------- */

static bool is_known(const char *name, size_t n, const char *const *known)
{
	for (; *known; known++) {
		if (strlen(*known) == n && !memcmp(*known, name, n))
			return true;
	}
	return false;
}

static const char *const svg_elements[] = {"svg",  "title", "desc", "style",  "rect", "line",
					   "text", "g",     "path", "circle", NULL};
static const char *const html_elements[] = {
	"html",  "head",  "meta", "title", "style", "body",   "main", "h1",     "h2",
	"p",     "bdi",   "ul",   "li",    "dl",    "div",    "dt",   "dd",     "figure",
	"svg",   "desc",  "rect", "line",  "text",  "g",      "path", "circle", "table",
	"thead", "tbody", "tr",   "th",    "td",    "footer", NULL};
static const char *const svg_attributes[] = {
	"viewBox",     "width", "height", "class", "role", "aria-labelledby",
	"aria-hidden", "id",    "x",      "y",     "x1",   "x2",
	"y1",          "y2",    "cx",     "cy",    "r",    "d",
	"text-anchor", NULL};

static unsigned unknown_nodes(const xmlNode *node)
{
	unsigned bad = 0;

	for (; node; node = node->next) {
		if (node->type != XML_ELEMENT_NODE) {
			bad += node->type != XML_TEXT_NODE;
			continue;
		}
		bad += !is_known((const char *)node->name, strlen((const char *)node->name),
				 svg_elements);
		for (const xmlAttr *a = node->properties; a; a = a->next)
			bad += !is_known((const char *)a->name, strlen((const char *)a->name),
					 svg_attributes);
		bad += unknown_nodes(node->children);
	}
	return bad;
}

static void check_svg(const char *svg, size_t n, const char *what)
{
	xmlDocPtr doc = xmlReadMemory(svg, (int)n, "t.svg", NULL,
				      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_HUGE);

	if (ok(doc != NULL, "%s: the picture is well-formed", what))
		is_u64(unknown_nodes(xmlDocGetRootElement(doc)), 0,
		       "%s: and holds nothing but drawing", what);
	xmlFreeDoc(doc);
}

/* Every tag of a page is one that the program writes: no text became markup. */
static unsigned foreign_tags(const char *page)
{
	unsigned bad = 0;

	for (const char *p = page + strlen("<!DOCTYPE html>"); (p = strchr(p, '<')); p++) {
		const char *name = p[1] == '/' ? p + 2 : p + 1;

		bad += !is_known(name, strcspn(name, " >"), html_elements);
	}
	return bad;
}

static void check_page(const char *page, const char *what)
{
	const char *style = strstr(page, "<style>"), *end = strstr(page, "</style>");
	char hash[SHA256_BASE64], want[100];

	is_u64(foreign_tags(page), 0, "%s: the page has no tag but its own", what);
	style += strlen("<style>");
	snprintf(want, sizeof want, "style-src 'sha256-%s'",
		 sha256_base64(style, (size_t)(end - style), hash));
	ok(strstr(page, want) != NULL, "%s: its policy allows just its style", what);
	ok(strstr(page, "default-src 'none'") != NULL, "%s: and no load", what);
}

/* --- cases ------------------------------------------------------------------------------------- */

static void check_all(struct mk_model *k, unsigned width, const char *what)
{
	struct timeline t;
	size_t n_svg, n_page, n_again;
	char *svg, *page, *again;

	run(&t, k, width);
	svg = written(timeline_write_svg, &t, width, &n_svg);
	check_svg(svg, n_svg, what);
	page = written(timeline_write_html, &t, width, &n_page);
	check_page(page, what);
	if (!ok(n_page < 2000000 && n_svg < 2000000, "%s: below 2 MB", what))
		diag("page %zu, picture %zu bytes", n_page, n_svg);
	timeline_release(&t);
	run(&t, k, width);
	again = written(timeline_write_html, &t, width, &n_again);
	is_str(again, page, "%s: the same input gives the same bytes", what);
	timeline_release(&t);
	free(svg);
	free(page);
	free(again);
}

static void test_worst(void)
{
	struct mk_model k;

	worst_model(&k, 50000);
	check_all(&k, TIMELINE_DEFAULT_WIDTH, "worst, usual width");
	check_all(&k, TIMELINE_MAX_WIDTH, "worst, widest");
	check_all(&k, TIMELINE_MIN_WIDTH, "worst, narrowest");
	ok(mk_model_release(&k), "no memory is left");
}

/* Sizes at the end of what 64 bits hold: nothing overflows, nothing is drawn outside. */
static void test_extremes(void)
{
	struct mk_model k;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_OOM, UINT64_MAX - 1, UINT64_MAX - 1);
	mk_model_event(&k, ACTION_SNAPSHOT, 0, 0);
	k.m->events.time_us.at[0] = INT64_MIN + 1;
	k.m->events.time_us.at[1] = INT64_MAX;
	annotate(&k, intern(&k, "", 0), INT64_MIN + 1, INT64_MAX);
	mk_model_segment(&k, 1 << 30, UINT64_MAX / 4, POOL_LARGE);
	mk_model_block(&k, BLOCK_ACTIVE, UINT64_MAX / 4, UINT64_MAX / 4);
	mk_model_done(&k);
	check_all(&k, TIMELINE_DEFAULT_WIDTH, "extremes");
	mk_model_release(&k);
}

static void test_nothing(void)
{
	struct mk_model k;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_SNAPSHOT, 0, 0);
	mk_model_done(&k);
	check_all(&k, TIMELINE_DEFAULT_WIDTH, "nothing allocated");
	mk_model_release(&k);
}

/* A spike of one event is a mark in the path as high as it was. */
static void test_spike_is_drawn(void)
{
	struct mk_model k;
	struct timeline t;
	char *svg;
	size_t n;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, 1 << 30, 100 * MIB);
	for (int i = 0; i < 100000; i++) {
		uint64_t size = i == 77777 ? 100 * MIB : 50 * MIB;

		mk_model_event(&k, ACTION_ALLOC, 1 << 30, size);
		mk_model_event(&k, ACTION_FREE_COMPLETED, 1 << 30, size);
	}
	mk_model_segment(&k, 1 << 30, 100 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 100 * MIB, 0);
	mk_model_done(&k);
	run(&t, &k, TIMELINE_DEFAULT_WIDTH);
	svg = written(timeline_write_svg, &t, TIMELINE_DEFAULT_WIDTH, &n);
	/* Reserved memory is flat at 100 MiB, so its edge tells the height of the spike. */
	const char *reserved = strstr(svg, "\"reserved-edge\" d=\"M78 ");
	const char *edge = strstr(svg, "\"allocated-edge\" d=\"");
	char top[32] = "V", *end;

	if (ok(reserved && edge, "both edges are drawn")) {
		double y = strtod(strchr(reserved, 'V') + 1, &end);

		snprintf(top + 1, sizeof top - 1, "%g", y);
		end = strchr(edge + 20, '"');
		const char *found = strstr(edge, top);

		ok(found && found < end, "the spike reaches the height of reserved memory");
		found = found ? strstr(found + 1, top) : NULL;
		ok(!found || found > end, "once");
	}
	free(svg);
	timeline_release(&t);
	mk_model_release(&k);
}

int main(void)
{
	test_worst();
	test_extremes();
	test_nothing();
	test_spike_is_drawn();
	return done_testing();
}
