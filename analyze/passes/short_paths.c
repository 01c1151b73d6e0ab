/* SPDX-License-Identifier: MIT
 * short_paths.c -- library code in the paths of a profiler.
 */
#include "passes/short_paths.h"

#include <stddef.h>
#include <string.h>

/* First folders of packages that train, and of the standard library. */
static const char *const folders[] = {
	"torch",
	"torchvision",
	"torchaudio",
	"torchtext",
	"torch_xla",
	"torchao",
	"torchdata",
	"torchmetrics",
	"functorch",
	"triton",
	"numpy",
	"scipy",
	"pandas",
	"PIL",
	"tqdm",
	"transformers",
	"accelerate",
	"datasets",
	"diffusers",
	"peft",
	"trl",
	"timm",
	"lightning",
	"pytorch_lightning",
	"lightning_fabric",
	"deepspeed",
	"apex",
	"xformers",
	"flash_attn",
	"bitsandbytes",
	"fairscale",
	"transformer_engine",
	"megatron",
	"vllm",
	"asyncio",
	"collections",
	"concurrent",
	"ctypes",
	"email",
	"encodings",
	"html",
	"http",
	"importlib",
	"json",
	"logging",
	"multiprocessing",
	"unittest",
	"urllib",
	"xml",
	"zoneinfo",
};

/* Modules of the standard library that training programs pass through. */
static const char *const modules[] = {
	"_collections_abc.py",
	"_weakrefset.py",
	"abc.py",
	"ast.py",
	"bisect.py",
	"codecs.py",
	"contextlib.py",
	"copy.py",
	"dataclasses.py",
	"enum.py",
	"functools.py",
	"gzip.py",
	"heapq.py",
	"inspect.py",
	"linecache.py",
	"operator.py",
	"os.py",
	"pickle.py",
	"posixpath.py",
	"queue.py",
	"random.py",
	"re.py",
	"runpy.py",
	"selectors.py",
	"shutil.py",
	"signal.py",
	"socket.py",
	"socketserver.py",
	"string.py",
	"subprocess.py",
	"tempfile.py",
	"threading.py",
	"timeit.py",
	"tokenize.py",
	"traceback.py",
	"types.py",
	"typing.py",
	"uuid.py",
	"warnings.py",
	"weakref.py",
	"zipfile.py",
};

static bool is_one_of(const char *const *names, size_t n, const char *bytes, size_t length)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(names[i]) == length && memcmp(names[i], bytes, length) == 0)
			return true;
	}
	return false;
}

bool short_path_is_library(const struct str *path)
{
	const char *slash = memchr(path->bytes, '/', path->length);

	if (!slash)
		return is_one_of(modules, sizeof modules / sizeof *modules, path->bytes,
				 path->length);
	return is_one_of(folders, sizeof folders / sizeof *folders, path->bytes,
			 (size_t)(slash - path->bytes));
}
