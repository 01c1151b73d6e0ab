/* SPDX-License-Identifier: MIT
 * record_python.h -- the Python files of capture/, which the program carries as text.
 */
#ifndef ANALYZE_CLI_RECORD_PYTHON_H
#define ANALYZE_CLI_RECORD_PYTHON_H

extern const char record_vramscope[];     /* vramscope.py */
extern const char record_sitecustomize[]; /* sitecustomize.py */

#endif
