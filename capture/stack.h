/* SPDX-License-Identifier: MIT
 * stack.h -- the calling thread's native stack, and what code is where.
 *
 * All take locks of the dynamic linker, so none may be called with the recorder's lock held.
 */
#ifndef CAPTURE_STACK_H
#define CAPTURE_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"

#define STACK_MAX 128

/* Find an unwinder, and use it once: the first use loads libraries. */
void stack_prepare(void);
/* Leave out frames of the library that has this code, when they come first. */
void stack_hide(const void *code);
/* Return addresses, innermost first, without frames of this library. Returns how many. */
uint32_t stack_native(uint64_t pcs[STACK_MAX]);

/* The mapped stretch [start, end) of a library that `inside` lies in. */
struct stack_range {
	uintptr_t inside, start, end;
};
/* Fill in start and end; they stay as they are when nothing mapped holds `inside`. */
void stack_find_range(struct stack_range *r);

struct stack_module {
	struct arena_module module; /* path: 0 */
	char path[400];
};

/* Changes whenever a library was loaded or unloaded. */
uint64_t stack_generation(void);
/* Call `take` for each stretch of code in the process, under the linker's lock. */
void stack_modules(void (*take)(void *ctx, const struct stack_module *m), void *ctx);

#endif
