/* SPDX-License-Identifier: MIT
 * redact_library.c -- which parts of a library's frame say nothing about who ran it.
 */
#include "reports/redact_library.h"

#include <string.h>

#include "passes/short_paths.h"

/* ---- paths ---- */

static bool starts_with(const char *text, size_t n, const char *prefix)
{
	const size_t k = strlen(prefix);

	return n >= k && !memcmp(text, prefix, k);
}

/* The last folder of this name with something behind it: where it begins; `n` when there is none. */
static size_t last_folder(const struct str *path, const char *folder, size_t *behind)
{
	const size_t k = strlen(folder);
	size_t found = path->length;

	for (size_t i = 0; i + k < path->length; i++) {
		if ((i > 0 && path->bytes[i - 1] != '/' && path->bytes[i - 1] != '\\') ||
		    memcmp(path->bytes + i, folder, k) != 0 ||
		    (path->bytes[i + k] != '/' && path->bytes[i + k] != '\\'))
			continue;
		found = i;
		*behind = i + k + 1;
	}
	return found;
}

/* Packages that rules know beside those of short_paths.h. */
static bool is_known_package(const char *rest, size_t n)
{
	static const char *const more[] = {"dion/",         "galore_torch/",      "heavyball/",
					   "lion_pytorch/", "prodigyopt/",        "safetensors/",
					   "schedulefree/", "pytorch_optimizer/", NULL};
	const struct str s = {.bytes = rest, .length = (uint32_t)n};

	for (size_t i = 0; more[i]; i++)
		if (starts_with(rest, n, more[i]))
			return true;
	return short_path_is_library(&s);
}

/* Folders that are the same on every machine. */
static bool is_plain_root(const char *text, size_t n)
{
	static const char *const roots[] = {"/usr/", "/usr/local/", "/opt/conda/", "/", "", NULL};

	for (size_t i = 0; roots[i]; i++)
		if (strlen(roots[i]) == n && !memcmp(roots[i], text, n))
			return true;
	return false;
}

static void keep(struct redact_path *p, size_t from, size_t to)
{
	p->stays[p->n].from = from;
	p->stays[p->n].to = to;
	p->n++;
}

/* /tmp/torchinductor_alice/ab/cabc.py: the folder is called after its user. */
static bool inductor_path(struct redact_path *p, const struct str *path)
{
	static const char word[] = "torchinductor_";
	const char *at = memmem(path->bytes, path->length, word, strlen(word));
	const char *end = path->bytes + path->length, *slash;

	if (!at)
		return false;
	slash = memchr(at, '/', (size_t)(end - at));
	keep(p, (size_t)(at - path->bytes), (size_t)(at - path->bytes) + strlen(word));
	if (slash)
		keep(p, (size_t)(slash - path->bytes), path->length);
	p->is_public = true;
	return true;
}

/* <frozen importlib._bootstrap>, <attrs generated init a.b.C> and their like. */
static void pseudo_path(struct redact_path *p, const struct str *path)
{
	static const char attrs[] = "<attrs generated";

	p->is_public = true;
	if (starts_with(path->bytes, path->length, attrs))
		keep(p, 0, strlen(attrs));
	else
		keep(p, 0, path->length);
}

/* python3.N of lib/python3.N/: where `lib` begins. */
static size_t python_lib(const struct str *path, size_t *behind)
{
	static const char word[] = "lib/python3.";
	const size_t k = strlen(word);
	size_t found = path->length;

	for (size_t i = 0; i + k < path->length; i++) {
		size_t end = i + k;

		if ((i > 0 && path->bytes[i - 1] != '/') || memcmp(path->bytes + i, word, k) != 0)
			continue;
		while (end < path->length && path->bytes[end] >= '0' && path->bytes[end] <= '9')
			end++;
		if (end == i + k || end == path->length || path->bytes[end] != '/')
			continue;
		found = i;
		*behind = end + 1;
		break;
	}
	return found;
}

struct redact_path redact_library_path(const struct str *path)
{
	const size_t n = path->length;
	struct redact_path p = {0};
	size_t behind = 0, behind_site = 0, behind_dist = 0;
	size_t from = python_lib(path, &behind);
	const size_t site = last_folder(path, "site-packages", &behind_site);
	const size_t dist = last_folder(path, "dist-packages", &behind_dist);

	if (n > 0 && path->bytes[0] == '<') {
		pseudo_path(&p, path);
		return p;
	}
	if (site < n || dist < n) {
		const bool is_site = dist == n || (site < n && site > dist);
		const size_t folder = is_site ? site : dist;

		from = from < folder ? from : folder;
		behind = is_site ? behind_site : behind_dist;
		p.is_public = is_known_package(path->bytes + behind, n - behind);
	} else if (from < n) {
		p.is_public = true; /* the standard library */
	} else {
		(void)inductor_path(&p, path);
		return p;
	}
	if (is_plain_root(path->bytes, from))
		from = 0;
	keep(&p, from, p.is_public ? n : behind);
	return p;
}

/* ---- native code ---- */

static bool is_identifier_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (c & 0x80);
}

static bool is_public_namespace(const char *text, size_t n)
{
	static const char *const names[] = {"at",       "c10",           "c10d",
					    "c10_npu",  "torch",         "std",
					    "pybind11", "caffe2",        "cutlass",
					    "cute",     "cub",           "thrust",
					    "cuda",     "nccl",          "cudnn",
					    "cublas",   "__gnu_cxx",     "fmt",
					    "gloo",     "xla",           "tensorpipe",
					    "onnx",     "dnnl",          "fbgemm",
					    "triton",   "__cxxabiv1",    "jit",
					    "native",   "functorch",     "ska",
					    "sdp",      "pytorch_flash", "DynamicLibrary",
					    NULL};

	for (size_t i = 0; names[i]; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], text, n))
			return true;
	return false;
}

/* A name of C: Python's, the C library's, CUDA's. What an extension calls its entry is its own. */
static bool is_public_c_name(const char *text, size_t n)
{
	static const char *const prefixes[] = {
		"Py",           "_Py",       "THP",      "THC",      "__libc_",
		"_start",       "clone",     "__clone",  "pthread",  "__pthread",
		"start_thread", "cuda",      "cudnn",    "cublas",   "nccl",
		"dynamo_",      "_dl_",      "__GI_",    "decltype", "unknown",
		"lambda",       "type_call", "slot_tp_", "object_",  "method_",
		"function_",    "builtin_",  "gc_",      "subtype_", "frame_",
		"list_",        "dict_",     "tuple_",   "partial_", NULL};

	if (starts_with(text, n, "PyInit_"))
		return false;
	for (size_t i = 0; prefixes[i]; i++)
		if (starts_with(text, n, prefixes[i]))
			return true;
	return false;
}

/* Every namespace that is named from its root must be public; without any, the first name. */
bool redact_symbol_is_public(const struct str *name)
{
	const char *s = name->bytes;
	const size_t n = name->length;
	size_t first = 0, first_end;
	bool any = false;

	for (size_t i = 0; i + 1 < n; i++) {
		size_t from = i;

		if (s[i] != ':' || s[i + 1] != ':')
			continue;
		while (from > 0 && is_identifier_char(s[from - 1]))
			from--;
		i++;
		/* Not a root: behind another ::, or of something without a name. */
		if (from == i - 1 || (from >= 2 && s[from - 1] == ':' && s[from - 2] == ':'))
			continue;
		if (!is_public_namespace(s + from, i - 1 - from))
			return false;
		any = true;
	}
	if (any)
		return true;
	while (first < n && !is_identifier_char(s[first]))
		first++;
	for (first_end = first; first_end < n && is_identifier_char(s[first_end]);)
		first_end++;
	return first == n || is_public_c_name(s + first, first_end - first);
}
