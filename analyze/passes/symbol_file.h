/* SPDX-License-Identifier: MIT
 * symbol_file.h -- one program or library on disk: which function and line is at an address.
 *
 * By elfutils' libdw; nothing is asked of the network. Addresses are those of the file itself, as
 * its headers have them. What libdw allocates is outside the budget.
 *
 * A path may come from a stranger's snapshot: only regular files are opened, and libdw sees them
 * only once their build id, read here, is the one asked for.
 */
#ifndef ANALYZE_PASSES_SYMBOL_FILE_H
#define ANALYZE_PASSES_SYMBOL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/error.h"

#define BUILD_ID_MAX 64

struct build_id {
	size_t n; /* bytes; 0: not known */
	unsigned char bytes[BUILD_ID_MAX];
};

/* Was the program built with libdw? Without it nothing can be opened. */
bool symbol_files_supported(void);

enum symbol_trust {
	SYMBOL_TRUSTED, /* named by the user */
	SYMBOL_FOUND,   /* named by a snapshot: also its owner must be root or the user, and nobody
			 * else may write to it */
};

enum symbol_found {
	SYMBOL_FILE_NONE,  /* no such file, none that may be opened, or no ELF file */
	SYMBOL_FILE_OTHER, /* another build */
	SYMBOL_FILE_OPEN,
};

struct symbol_file;

/* `id`: what the file must have; with n = 0 any will do. SYMBOL_FILE_OPEN: symbol_file_free it.
 * Sets *err, and tells SYMBOL_FILE_NONE, when memory runs out; err->code is 0 otherwise. */
enum symbol_found symbol_file_open(struct symbol_file **out, const char *path,
				   const struct build_id *id, enum symbol_trust trust,
				   struct budget *budget, struct error *err);
void symbol_file_free(struct symbol_file *f);

#define SYMBOL_LINES_MAX 16

/* A function that an instruction belongs to; all but the last were inlined. */
struct symbol_line {
	char *function;   /* demangled; owned: symbol_lines_release */
	const char *file; /* weak: the file's; NULL: not known */
	int line;         /* 0: not known */
};

/* What is at `addr`, innermost first; 0: nothing is known. */
size_t symbol_file_lines(struct symbol_file *f, uint64_t addr,
			 struct symbol_line out[SYMBOL_LINES_MAX]);
void symbol_lines_release(struct symbol_line *lines, size_t n);

/* Is `addr` inside a function of this (demangled) name, as the dynamic linker would say? */
bool symbol_file_has(struct symbol_file *f, uint64_t addr, const char *name);

#endif
