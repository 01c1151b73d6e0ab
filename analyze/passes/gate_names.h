/* SPDX-License-Identifier: MIT
 * gate_names.h -- does a name of a budget mean this site, this annotation; and which come near.
 *
 * A name may have * for any run of bytes. A site "DIR/FILE.py:12 function" is meant by its end, with
 * or without its line and its function:
 *
 *     train.py:12 step      train.py step      src/train.py:12      train.py      *.py step
 */
#ifndef ANALYZE_PASSES_GATE_NAMES_H
#define ANALYZE_PASSES_GATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

bool gate_name_fits(const char *pattern, const char *name);
bool gate_site_fits(const char *pattern, const char *site);

/* The site without its line: "DIR/FILE.py function"; into buf, cut at its end, returned. */
const char *gate_site_unlined(const char *site, char *buf, size_t size);

/* How far `name` is from what was asked for: edits as a share of the longer one, 0 .. 1. A site is
 * compared in the form that `pattern` has. Small and capital letters are alike, and names are looked
 * at up to 256 bytes. */
double gate_name_distance(const char *pattern, const char *name);
double gate_site_distance(const char *pattern, const char *site);

#endif
