/* SPDX-License-Identifier: MIT
 * test_container.c -- every container is told by its content, every other file refused by name.
 */
#include "decode/container.h"

#include <string.h>
#include <unistd.h>

#include "tests/lib/tap.h"

#define DUMP "torch.cuda.memory._dump_snapshot"

static struct budget budget = {.limit = UINT64_MAX};

/* Read the payload to its end: bytes, a sum of them, and how it ended. */
struct payload {
	uint64_t bytes, sum;
	int rc;
};

static struct payload drain(struct input *in, struct error *err)
{
	struct payload p = {0};

	while ((p.rc = input_peek(in, 1, err)) == 0 && in->at < in->end) {
		for (; in->at < in->end; in->at++, p.bytes++)
			p.sum = p.sum * 31 + *in->at;
	}
	return p;
}

/* Drained payload of a file in testdata; format, compression and end are checked. */
static struct payload check_file(const char *name, enum container_format format,
				 enum compression compression, int end)
{
	char path[512];
	struct container c;
	struct payload p = {0};
	struct error err = {0};

	if (!is_i64(container_open(&c, testdata(path, sizeof path, name), &budget, &err), 0,
		    "%s opens", name)) {
		diag("%s", err.text);
		return p;
	}
	is_u64(c.format, format, "%s: format", name);
	is_u64(c.compression, compression, "%s: compression", name);
	p = drain(c.payload, &err);
	is_i64(p.rc, end, "%s: how it ends", name);
	if (end < 0)
		is_u64(err.offset, p.bytes, "%s: the error's offset is where the bytes end", name);
	container_finish(&c);
	container_close(&c);
	is_u64(budget.used, 0, "%s: everything is given back", name);
	return p;
}

static void test_good_files(void)
{
	struct payload p =
		check_file("good-container.pickle", CONTAINER_PICKLE, COMPRESSION_NONE, 0);
	struct payload q;
	static const struct {
		const char *name;
		enum compression compression;
	} same[] = {
		{"good-container.pickle.gz", COMPRESSION_GZIP},
		{"good-container.pickle.zst", COMPRESSION_ZSTD},
		{"good-two-members.pickle.gz", COMPRESSION_GZIP},
		{"good-two-frames.pickle.zst", COMPRESSION_ZSTD},
	};

	is_u64(p.bytes, 27671, "the snapshot's size");
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		q = check_file(same[i].name, CONTAINER_PICKLE, same[i].compression, 0);
		is_u64(q.bytes, p.bytes, "%s: as many bytes", same[i].name);
		is_u64(q.sum, p.sum, "%s: the same bytes", same[i].name);
	}
	/* One NUL of padding. */
	q = check_file("good-container.html", CONTAINER_HTML, COMPRESSION_NONE, 0);
	is_u64(q.bytes, p.bytes + 1, "the page's pickle and its padding");
	is_u64(q.sum, p.sum * 31, "the page's pickle is the same");
	check_file("good-container.json", CONTAINER_JSON, COMPRESSION_NONE, 0);
}

static void test_damaged_files(void)
{
	static const struct {
		const char *name;
		enum container_format format;
		enum compression compression;
		int end;
		uint64_t bytes;
	} files[] = {
		{"bad-cut.pickle", CONTAINER_PICKLE, COMPRESSION_NONE, 0, 13835},
		{"bad-cut.pickle.gz", CONTAINER_PICKLE, COMPRESSION_GZIP, ERR_CUT, 9414},
		{"bad-cut.html", CONTAINER_HTML, COMPRESSION_NONE, ERR_CUT, 13775},
		{"bad-cut-second-frame.pickle.zst", CONTAINER_PICKLE, COMPRESSION_ZSTD, ERR_CUT,
		 13835},
		{"bad-crc.pickle.gz", CONTAINER_PICKLE, COMPRESSION_GZIP, ERR_FORMAT, 27671},
		{"bad-checksum.pickle.zst", CONTAINER_PICKLE, COMPRESSION_ZSTD, ERR_FORMAT, 27671},
		{"bad-tail.pickle.gz", CONTAINER_PICKLE, COMPRESSION_GZIP, ERR_FORMAT, 27671},
		{"bad-base64.html", CONTAINER_HTML, COMPRESSION_NONE, ERR_FORMAT, 13775},
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct payload p = check_file(files[i].name, files[i].format, files[i].compression,
					      files[i].end);
		is_u64(p.bytes, files[i].bytes, "%s: bytes before the damage", files[i].name);
	}
}

static void test_refused_files(void)
{
	static const struct {
		const char *name, *words;
	} files[] = {
		{"unsupported-empty.pickle", "an empty file"},
		{"unsupported-lfs-pointer.pickle",
		 "a Git LFS pointer, not the file it stands for; run 'git lfs pull' to fetch that"},
		{"unsupported-torch-save.pt",
		 "a zip archive, as torch.save writes it; vramscope reads the pickle that " DUMP
		 " writes"},
		{"unsupported-database.sqlite",
		 "an SQLite database; vramscope reads the pickle that " DUMP " writes"},
		{"unsupported-stats.json",
		 "the numbers of torch.cuda.memory_stats; vramscope reads "
		 "the pickle that " DUMP " writes"},
		{"unsupported-repr.json", "a snapshot printed by Python, which is not JSON; write "
					  "it with " DUMP " or json.dump"},
		{"unsupported-page.html",
		 "a web page without an embedded snapshot; vramscope reads "
		 "the pickle that " DUMP " writes"},
		{"unsupported-twice.gz.zst",
		 "gzip data inside zstd data; undo the outer compression first"},
		{"unsupported-text.txt",
		 "a text file; vramscope reads the pickle that " DUMP " writes"},
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[512];
		struct container c;
		struct error err = {0};

		is_i64(container_open(&c, testdata(path, sizeof path, files[i].name), &budget,
				      &err),
		       ERR_UNSUPPORTED, "%s is refused", files[i].name);
		is_str(err.text, files[i].words, "%s: the words", files[i].name);
		is_u64(err.offset, ERR_NO_OFFSET, "%s: no place is blamed", files[i].name);
	}
	is_u64(budget.used, 0, "refused files cost nothing");
}

/* Opens `n` bytes; returns the code, the words in err. */
static int open_bytes(const void *bytes, size_t n, enum container_format *format, struct error *err)
{
	struct container c;
	int rc = container_open_bytes(&c, bytes, n, &budget, err);

	if (rc == 0) {
		*format = c.format;
		container_close(&c);
	}
	return rc;
}

static void test_refused_heads(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *words; /* what the refusal begins with */
	} heads[] = {
#define HEAD(bytes, words) {bytes, sizeof(bytes) - 1, words}
		HEAD("PK\x05\x06\0\0\0\0", "an empty zip archive"),
		HEAD("PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0a.txt",
		     "a zip archive; unpack it first"),
		HEAD("PK\x03\x04", "a zip archive; unpack it first"),
		HEAD("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.",
		     "tensors, as torch.save wrote them before torch 1.6"),
		HEAD("\x80\x06}.", "a pickle of protocol 6; protocols 0 to 5 are read"),
		HEAD("\xfd\x37zXZ\0\0", "data compressed by xz; decompress it first"),
		HEAD("BZh91AY&SY", "data compressed by bzip2; decompress it first"),
		HEAD("\x04\x22\x4d\x18\x64", "data compressed by lz4; decompress it first"),
		HEAD("\x93NUMPY\x01", "a NumPy array"),
		HEAD("\x89HDF\r\n\x1a\n", "an HDF5 file"),
		HEAD("\x7f\x45LF\x02", "a program"),
		HEAD("%PDF-1.7", "a PDF document"),
		HEAD("\xff\xfe{\0", "text in UTF-16"),
		HEAD("\x20\0\0\0\0\0\0\0{\"a\":{}}", "tensors in a safetensors file"),
		HEAD("\0\0\0\0\0\0\0\0", "nothing but zero bytes"),
		HEAD("<?xml version=\"1.0\" ?>\n<nvidia_smi_log>", "a report of nvidia-smi -q -x"),
		HEAD("<svg xmlns=\"\">", "an SVG picture"),
		HEAD("<?xml version=\"1.0\"?><a/>", "an XML document"),
		HEAD("<html><title>GPU Memory Timeline HTML</title>",
		     "a picture of a memory timeline"),
		HEAD("<html>\"base64\": 7, \"base64\"", "a web page without an embedded snapshot"),
		HEAD("<html>\"base64\": \"aGVsbG8=\"",
		     "a web page whose embedded data is no pickle"),
		HEAD("<html>\"base64\": \"\"", "a web page whose embedded data is no pickle"),
		HEAD("{\"schema\": \"1.0.1\", \"pid\": 1, \"time\": \"x\", \"start_ts\": 1, "
		     "\"nodes\": []}",
		     "an execution trace"),
		HEAD("{'segments': []}", "a snapshot printed by Python"),
		HEAD("(data, and so on)", "a text file"),
		HEAD("loss: 0.5", "a text file"),
		HEAD("data", "a text file"),
		HEAD("}; // end", "a text file"),
		HEAD("\x01\x02\x03\xfe",
		     "no kind of file that is known (it begins with 01 02 03 fe)"),
		HEAD("\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0",
		     "gzip data of an empty file"),
#undef HEAD
	};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct error err = {0};
		enum container_format format;

		is_i64(open_bytes(heads[i].bytes, heads[i].n, &format, &err), ERR_UNSUPPORTED,
		       "refused: %s", heads[i].words);
		err.text[strlen(heads[i].words)] = '\0';
		is_str(err.text, heads[i].words, "its words");
	}
	is_u64(budget.used, 0, "nothing is kept");
}

static void test_accepted_heads(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		enum container_format format;
	} heads[] = {
#define HEAD(bytes, format) {bytes, sizeof(bytes) - 1, format}
		HEAD("\x80\x00}.", CONTAINER_PICKLE),
		HEAD("\x80\x05}.", CONTAINER_PICKLE),
		HEAD("\x80", CONTAINER_PICKLE),
		HEAD("(dp0\n.", CONTAINER_PICKLE),
		HEAD("(lp0\n.", CONTAINER_PICKLE),
		HEAD("(l.", CONTAINER_PICKLE),
		HEAD("(dVsegments\n(ls.", CONTAINER_PICKLE),
		HEAD("}q\0.", CONTAINER_PICKLE),
		HEAD("]r\0\0\0\0.", CONTAINER_PICKLE),
		HEAD("](}.", CONTAINER_PICKLE),
		HEAD("{}", CONTAINER_JSON),
		HEAD("[]", CONTAINER_JSON),
		HEAD("\xef\xbb\xbf \n\t{\"segments\": []}", CONTAINER_JSON),
		HEAD("{\"segments\": [], \"traceEvents\": []}", CONTAINER_JSON),
		HEAD("{\"a\\\"b\": \"\\\\\", \"x\": {\"traceEvents\": 1}}", CONTAINER_JSON),
		HEAD("[[1, 2], [3, 4]]", CONTAINER_TIMELINE_JSON),
		HEAD("[[], []]", CONTAINER_TIMELINE_JSON),
		HEAD("[[1, 2, 3, 4], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]]", CONTAINER_TIMELINE_JSON),
		HEAD("[[-1, 1, 512, 0], [5, 2, 512, 7]]", CONTAINER_TIMELINE_RAW),
		HEAD("[[-1, 1, 512, 0]]", CONTAINER_TIMELINE_RAW),
		HEAD("[{\"name\": \"x\", \"ph\": \"X\"}]", CONTAINER_TRACE),
		HEAD(" {\"a\": {\"traceEvents\": 1}, \"traceEvents\": []}", CONTAINER_TRACE),
		HEAD("[{\"device\": 0, \"address\": 1, \"total_size\": 2}]", CONTAINER_JSON),
		HEAD("<html>\"base64\" :\n \"gAR9lC4=\"", CONTAINER_HTML),
		HEAD("<!-- -->\"base64\":\"gAR9\\nlC4A\"", CONTAINER_HTML),
#undef HEAD
	};

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct error err = {0};
		enum container_format format = 99;

		is_i64(open_bytes(heads[i].bytes, heads[i].n, &format, &err), 0, "opens: %zu", i);
		is_u64(format, heads[i].format, "its format");
	}
}

static void test_page_with_several(void)
{
	static const char page[] = "<html>\"base64\": \"gAR9lC4=\", \"base64\": \"gAR9lC4=\" "
				   "\"base64\": 3 \"base64\":\"\" </html>";
	struct container c;
	struct error err = {0};

	if (!is_i64(container_open_bytes(&c, page, sizeof page - 1, &budget, &err), 0, "it opens"))
		return;
	is_i64(input_need(c.payload, 5, &err), 0, "the first pickle is there");
	ok(memcmp(c.payload->at, "\x80\x04}\x94.", 5) == 0, "and is the pickle");
	is_i64(input_need(c.payload, 6, &err), ERR_CUT, "nothing behind it");
	container_finish(&c);
	is_u64(c.further_pickles, 2, "two more are counted");
	is_u64(c.raw_bytes, sizeof page - 1, "size of the page");
	container_close(&c);
	is_u64(budget.used, 0, "nothing is kept");
}

static size_t put(char *to, const char *words)
{
	size_t n = strlen(words);

	memcpy(to, words, n);
	return n;
}

/* A pickle longer than any window, base64 on lines, behind a long page head. */
static void test_long_page(void)
{
	enum { GROUPS = 400000, HEAD = 300001 };
	size_t n = 0;
	char *page = malloc(HEAD + GROUPS * 4 + GROUPS / 19 + 200);
	struct container c;
	struct error err = {0};

	if (!page)
		exit(1);
	memset(page, 'x', HEAD);
	put(page, "<html>");
	n = HEAD + put(page + HEAD, "\"base64\": \"gARd");
	for (int i = 1; i < GROUPS; i++) {
		n += put(page + n, "TWFu");
		if (i % 19 == 0)
			page[n++] = '\n';
	}
	n += put(page + n, "\"</html>");
	if (is_i64(container_open_bytes(&c, page, n, &budget, &err), 0, "a long page opens")) {
		struct payload p = drain(c.payload, &err);

		is_i64(p.rc, 0, "it ends well");
		is_u64(p.bytes, GROUPS * 3, "all bytes come");
		container_close(&c);
	}
	free(page);
}

static void test_pipe(void)
{
	char path[512];
	struct container c;
	struct error err = {0};
	int ends[2], saved = dup(STDIN_FILENO);

	if (pipe(ends) < 0 || saved < 0)
		exit(1);
	/* Small enough for the pipe's own buffer. */
	ok(write(ends[1], "\x80\x04}\x94.\0\0", 7) == 7, "a pickle goes into a pipe");
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	if (is_i64(container_open(&c, "-", &budget, &err), 0, "- is standard input")) {
		is_u64(c.raw_bytes, UINT64_MAX, "its size is not known at first");
		c.payload->at += 5;
		container_finish(&c);
		is_u64(c.raw_bytes, 7, "but at the end");
		container_close(&c);
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
	is_i64(container_open(&c, testdata(path, sizeof path, "no-such-file"), &budget, &err),
	       ERR_SYSTEM, "a file that is not there");
	is_str(err.text, "No such file or directory", "its words");
	is_i64(container_open(&c, testdata(path, sizeof path, "."), &budget, &err), ERR_SYSTEM,
	       "a folder");
	is_str(err.text, "cannot read it: Is a directory", "its words");
}

static void test_limit(void)
{
	struct budget small = {.limit = INPUT_WINDOW_BYTES - 1};
	struct container c;
	struct error err = {0};

	is_i64(container_open_bytes(&c, "\x80\x04}.", 4, &small, &err), ERR_LIMIT,
	       "a window larger than the budget");
	is_u64(small.used, 0, "and nothing kept");
	container_close(NULL);
}

int main(void)
{
	test_good_files();
	test_damaged_files();
	test_refused_files();
	test_refused_heads();
	test_accepted_heads();
	test_page_with_several();
	test_long_page();
	test_pipe();
	test_limit();
	is_u64(budget.used, 0, "nothing is kept at the end");
	return done_testing();
}
