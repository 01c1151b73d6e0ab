/* SPDX-License-Identifier: MIT
 * record_torch.h -- the private folder that has Python start vramscope.py in a program.
 */
#ifndef ANALYZE_CLI_RECORD_TORCH_H
#define ANALYZE_CLI_RECORD_TORCH_H

#define RECORD_FOLDER_BUF 300

/* Make a folder with vramscope.py and sitecustomize.py and put it first on PYTHONPATH. Returns the
 * exit status, after one line on stderr when it is not STATUS_DONE; nothing is left then. */
int record_torch_begin(char folder[RECORD_FOLDER_BUF]);
/* Remove the folder and what Python compiled in it. */
void record_torch_end(const char *folder);

#endif
