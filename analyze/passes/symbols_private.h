/* SPDX-License-Identifier: MIT
 * symbols_private.h -- between symbols.c and symbols_find.c.
 */
#ifndef ANALYZE_PASSES_SYMBOLS_PRIVATE_H
#define ANALYZE_PASSES_SYMBOLS_PRIVATE_H

#include "passes/symbol_file.h"
#include "passes/symbols.h"

/* A library beside its separate debug information, and one more. */
#define MODULE_FILES 3

/* Files of one module, best first. */
struct module_files {
	size_t n;
	struct symbol_file *at[MODULE_FILES];
	bool other_build;
};

/* Find and open all files of `path` (as recorded) with this build id; module_files_close it. */
int module_files_open(struct module_files *out, const char *path, const struct build_id *id,
		      const struct symbols_options *options, struct budget *budget,
		      struct error *err);
void module_files_close(struct module_files *f);

/* The best that any of them knows: lines before names. */
size_t module_files_lines(struct module_files *f, uint64_t addr,
			  struct symbol_line out[SYMBOL_LINES_MAX]);

#endif
