/* SPDX-License-Identifier: MIT
 * sniff.c -- recognition by first bytes, and the words of each refusal.
 */
#include "decode/sniff.h"

#include <stdio.h>
#include <string.h>

#define READS "vramscope reads the pickle that torch.cuda.memory._dump_snapshot writes"

/* Text that is judged by its first bytes is long enough to be told from chance. */
#define TEXT_BYTES 512

struct kind {
	const char *magic;
	uint8_t length;
	uint16_t offset; /* of the magic */
	const char *words;
};

static const struct kind kinds[] = {
	{"version https://git-lfs.github.com/spec/", 40, 0,
	 "a Git LFS pointer, not the file it stands for; run 'git lfs pull' to fetch that"},
	{"PK\x05\x06", 4, 0, "an empty zip archive"},
	{"SQLite format 3", 16, 0, "an SQLite database; " READS},
	/* LONG1 with torch.save's magic number, as written before torch 1.6. */
	{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14, 0,
	 "tensors, as torch.save wrote them before torch 1.6; " READS},
	{"\xfd"
	 "7zXZ",
	 6, 0, "data compressed by xz; decompress it first"},
	{"BZh", 3, 0, "data compressed by bzip2; decompress it first"},
	{"\x04\x22\x4d\x18", 4, 0, "data compressed by lz4; decompress it first"},
	{"7z\xbc\xaf\x27\x1c", 6, 0, "a 7-Zip archive; unpack it first"},
	{"Rar!\x1a\x07", 6, 0, "a RAR archive; unpack it first"},
	{"ustar", 5, 257, "a tar archive; unpack it first"},
	{"\x93NUMPY", 6, 0, "a NumPy array; " READS},
	{"\x89HDF\r\n\x1a\n", 8, 0, "an HDF5 file; " READS},
	{"GGUF", 4, 0, "a GGUF model; " READS},
	{"PAR1", 4, 0, "a Parquet file; " READS},
	{"\x7f"
	 "ELF",
	 4, 0, "a program; " READS},
	{"\x89PNG", 4, 0, "a PNG picture; " READS},
	{"%PDF-", 5, 0, "a PDF document; " READS},
	{"\xff\xfe", 2, 0, "text in UTF-16, as PowerShell's > writes it; save it as UTF-8"},
	{"\xfe\xff", 2, 0, "text in UTF-16; save it as UTF-8"},
};

static int refuse(struct error *err, const char *words)
{
	return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET, "%s", words);
}

static bool starts_with(const uint8_t *p, size_t n, const char *with)
{
	size_t length = strlen(with);

	return n >= length && memcmp(p, with, length) == 0;
}

static bool contains(const uint8_t *p, size_t n, const char *what)
{
	return memmem(p, n, what, strlen(what)) != NULL;
}

static const char *compression_word(enum compression c)
{
	return c == COMPRESSION_GZIP ? "gzip" : "zstd";
}

/* Local file header: the first member's name is at 30, its length at 26. */
static int refuse_zip(const uint8_t *p, size_t n, struct error *err)
{
	size_t length = n >= 30 ? (size_t)p[26] + 256u * p[27] : 0;

	if (length > n - 30 && n >= 30)
		length = n - 30;
	if (n >= 30 && (contains(p + 30, length, "data.pkl") || contains(p, n, "/data.pkl")))
		return refuse(err, "a zip archive, as torch.save writes it; " READS);
	return refuse(err, "a zip archive; unpack it first");
}

/* 8 bytes of length, little-endian, and JSON of that length. */
static bool is_safetensors(const uint8_t *p, size_t n)
{
	return n > 9 && p[8] == '{' && p[9] == '"' && memcmp(p + 4, "\0\0\0", 4) == 0;
}

static bool is_zeros(const uint8_t *p, size_t n)
{
	return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

static bool is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && i < TEXT_BYTES; i++) {
		if ((p[i] < ' ' && !memchr("\t\n\r\f\x1b", p[i], 5)) || p[i] == 0x7f)
			return false;
	}
	return true;
}

/* Opcodes that can follow the first container or mark of a protocol 0 or 1 pickle. */
static bool opens_value(uint8_t c)
{
	return c >= 0x80 || memchr("(]}NIJKLMFGVXSTUBC)", c, 19);
}

static bool is_old_pickle(const uint8_t *p, size_t n)
{
	if (*p != '(' && *p != ']' && *p != '}')
		return false;
	if (n < 2 || opens_value(p[1]))
		return true;
	if (*p != '(')
		return memchr("qr.p", p[1], 4) != NULL;
	/* Protocol 0: (dp0, (lp0. Text such as "(data" goes on otherwise. */
	return memchr("dlt", p[1], 3) && (n < 3 || opens_value(p[2]) || memchr("pqr.", p[2], 4));
}

static int sniff_pickle(enum container_format *out, const uint8_t *p, size_t n, struct error *err)
{
	if (n >= 2 && p[1] > 5)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
				 "a pickle of protocol %u; protocols 0 to 5 are read", p[1]);
	*out = CONTAINER_PICKLE;
	return 0;
}

static int sniff_json(enum container_format *out, const uint8_t *p, size_t n, struct error *err)
{
	switch (sniff_json_shape(p, n)) {
	case JSON_SHAPE_TRACE:
		*out = CONTAINER_TRACE;
		return 0;
	case JSON_SHAPE_TIMELINE_JSON:
		*out = CONTAINER_TIMELINE_JSON;
		return 0;
	case JSON_SHAPE_TIMELINE_RAW:
		*out = CONTAINER_TIMELINE_RAW;
		return 0;
	case JSON_SHAPE_EXECUTION:
		return refuse(err, "an execution trace, as torch.profiler's "
				   "ExecutionTraceObserver writes it: it holds no memory events; "
				   "the chrome trace of the same run may");
	case JSON_SHAPE_STATS:
		return refuse(err, "the numbers of torch.cuda.memory_stats; " READS);
	case JSON_SHAPE_PYTHON:
		return refuse(err, "a snapshot printed by Python, which is not JSON; write it with "
				   "torch.cuda.memory._dump_snapshot or json.dump");
	case JSON_SHAPE_OPEN:
		break;
	}
	*out = CONTAINER_JSON;
	return 0;
}

static int sniff_markup(enum container_format *out, const uint8_t *p, size_t n, struct error *err)
{
	bool page = contains(p, n, "<html") || contains(p, n, "<HTML");

	if (starts_with(p, n, "<?xml") || starts_with(p, n, "<svg")) {
		if (contains(p, n, "<nvidia_smi_log"))
			return refuse(err, "a report of nvidia-smi -q -x; " READS);
		if (contains(p, n, "<svg"))
			return refuse(err, "an SVG picture; " READS);
		if (!page)
			return refuse(err, "an XML document; " READS);
	}
	*out = CONTAINER_HTML;
	return 0;
}

int sniff_refuse_page(const uint8_t *head, size_t n, struct error *err)
{
	if (contains(head, n, "<title>GPU Memory Timeline"))
		return refuse(err, "a picture of a memory timeline, as torch.profiler's "
				   "export_memory_timeline draws it; " READS);
	return refuse(err, "a web page without an embedded snapshot; " READS);
}

static int refuse_unknown(const uint8_t *p, size_t n, struct error *err)
{
	char hex[8 * 3 + 1] = "";

	if (is_zeros(p, n))
		return refuse(err,
			      "nothing but zero bytes, as a failed copy or a full disk leaves");
	if (is_safetensors(p, n))
		return refuse(err, "tensors in a safetensors file; " READS);
	if (is_text(p, n))
		return refuse(err, "a text file; " READS);
	for (size_t i = 0; i < n && i < 8; i++)
		snprintf(hex + 3 * i, 4, " %02x", p[i]);
	return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
			 "no kind of file that is known (it begins with%s); " READS, hex);
}

int sniff_format(enum container_format *out, const uint8_t *head, size_t n,
		 enum compression compression, struct error *err)
{
	const uint8_t *p = head, *end = head + n;

	if (n == 0 && compression == COMPRESSION_NONE)
		return refuse(err, "an empty file");
	if (n == 0)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET, "%s data of an empty file",
				 compression_word(compression));
	if (compression != COMPRESSION_NONE) {
		enum compression inner = input_compression_of(head, n);
		if (inner != COMPRESSION_NONE)
			return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
					 "%s data inside %s data; undo the outer compression first",
					 compression_word(inner), compression_word(compression));
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct kind *k = &kinds[i];
		if (n >= (size_t)k->offset + k->length &&
		    memcmp(head + k->offset, k->magic, k->length) == 0)
			return refuse(err, k->words);
	}
	if (starts_with(head, n, "VRAMRING")) {
		*out = CONTAINER_RING;
		return 0;
	}
	if (starts_with(head, n, "PK\x03\x04"))
		return refuse_zip(head, n, err);
	if (*head == 0x80 && (n < 2 || head[1] < 32))
		return sniff_pickle(out, head, n, err);
	if (is_old_pickle(head, n)) {
		*out = CONTAINER_PICKLE;
		return 0;
	}
	if (starts_with(p, n, "\xef\xbb\xbf"))
		p += 3;
	while (p < end && memchr(" \t\r\n", *p, 4))
		p++;
	if (p < end && (*p == '{' || *p == '['))
		return sniff_json(out, p, (size_t)(end - p), err);
	if (p < end && *p == '<')
		return sniff_markup(out, p, (size_t)(end - p), err);
	return refuse_unknown(head, n, err);
}
