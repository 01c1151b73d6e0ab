/* SPDX-License-Identifier: MIT
 * man_render.h -- the manual pages inside the program, and a plain rendering of them.
 */
#ifndef ANALYZE_CLI_MAN_RENDER_H
#define ANALYZE_CLI_MAN_RENDER_H

#include <stdbool.h>

#include "reports/out.h"

struct man_page {
	const char *name; /* "vramscope-info" */
	const char *text; /* the .1 file */
};

/* All pages, ended by one without a name. Made from the .1 files when the program is built. */
extern const struct man_page man_pages[];

/* Render the macros that these pages use (TH SH SS PP TP IP RS RE EX EE nf fi B I BR IR RB RI BI)
 * as text of 80 columns; bold and underlined with `colour`. */
void man_render(struct out *o, const char *text, bool colour);

#endif
