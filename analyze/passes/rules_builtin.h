/* SPDX-License-Identifier: MIT
 * rules_builtin.h -- the rules and their schema as text inside the program; made by embed_text.awk.
 */
#ifndef ANALYZE_PASSES_RULES_BUILTIN_H
#define ANALYZE_PASSES_RULES_BUILTIN_H

extern const char budget_rng[];
extern const char oom_messages_xml[];
extern const char rules_xml[];
extern const char rules_rng[];

#endif
