/* SPDX-License-Identifier: MIT
 * native_frame.c -- whose code a native frame of a recording is.
 */
#include "passes/native_frame.h"

#include <string.h>

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

str_id native_module(const struct model *m, frame_id frame)
{
	str_id file = m->stacks.frames.at[frame.i].file;
	const struct str *s = strtab_get(&m->strings, file);

	if (!m->capture_value)
		return STR_NONE;
	if (frame.i < m->frame_modules.n && m->frame_modules.at[frame.i].i != STR_NONE.i)
		return m->frame_modules.at[frame.i];
	if (s->length == 0 || s->bytes[0] == '<' || s->bytes[0] == '?')
		return STR_NONE;
	if (s->length > 3 && !memcmp(s->bytes + s->length - 3, ".py", 3))
		return STR_NONE;
	return file;
}

static bool is_plumbing_library(const char *base)
{
	static const char *const names[] = {
		"ld-linux",    "libc-",        "libc.so",       "libc10.so",     "libc10_cuda",
		"libcuda.so",  "libcudart",    "libcupti",      "libdl.so",      "libgcc_s",
		"libjemalloc", "libnvidia-",   "libpthread",    "librmm",        "libstdc++",
		"libtcmalloc", "libunwind.so", "libvramscope-", "linux-vdso.so",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (starts_with(base, names[i]))
			return true;
	return false;
}

/* Static runtimes lie inside programs: "cudaMalloc", "__cudart123". */
static bool is_plumbing_name(const char *name)
{
	bool runtime = starts_with(name, "cuda") && name[4] >= 'A' && name[4] <= 'Z';

	return runtime || starts_with(name, "__cudart") || starts_with(name, "cudart::") ||
	       starts_with(name, "cuMem");
}

bool native_path_is_library(const char *path)
{
	static const char *const roots[] = {"/usr/", "/lib", "/opt/", "/nix/", "/gnu/", "/snap/"};
	static const char *const folders[] = {"/site-packages/", "/dist-packages/", "/lib/",
					      "/lib64/", "/include/"};

	if (*path != '/')
		return true;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (starts_with(path, roots[i]))
			return true;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strstr(path, folders[i]))
			return true;
	return false;
}

static bool is_recorded_program(const struct model *m, str_id path)
{
	const struct value *v = value_member(m->capture_value, &m->strings, "program");

	return v && v->kind == VALUE_STR && v->str.i == path.i;
}

enum native_code native_code_of(const struct model *m, frame_id frame)
{
	const struct frame *f = &m->stacks.frames.at[frame.i];
	str_id module = native_module(m, frame);
	const char *path = model_str(m, module), *base = path_base(path);

	if (module.i == STR_NONE.i)
		return NATIVE_NOT;
	if (is_plumbing_library(base) || is_plumbing_name(model_str(m, f->name)))
		return NATIVE_PLUMBING;
	if (starts_with(base, "python") || starts_with(base, "libpython"))
		return NATIVE_LIBRARY;
	if (native_path_is_library(path) && !is_recorded_program(m, module))
		return NATIVE_LIBRARY;
	/* Templates of somebody else's, in the user's program. */
	if (f->file.i != module.i && native_path_is_library(model_str(m, f->file)) &&
	    *model_str(m, f->file) == '/')
		return NATIVE_LIBRARY;
	return NATIVE_USER;
}
