/* SPDX-License-Identifier: MIT
 * xml_read.h -- a small XML document, read safely into a tree of our own.
 *
 * libxml2 parses; nothing of it shows here. It never opens a file or the network: a DOCTYPE's
 * external part is not loaded, entities but the five of XML and characters by number are refused.
 * Size, depth and number of nodes are bounded, and the work takes from the budget.
 *
 *     if (xml_read(&doc, in, &(struct xml_options){.schema = rng}, err) < 0) ...
 *     for (const struct xml_node *r = xml_child(doc->root, "rule"); r; r = xml_next(r, "rule"))
 *             xml_node_attr(r, "id") ...
 *
 * Errors are ERR_FORMAT with "line N: " before the words, also where a document does not fit its
 * schema.
 */
#ifndef ANALYZE_DECODE_XML_READ_H
#define ANALYZE_DECODE_XML_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/input.h"

#define XML_MAX_DEPTH 64
/* The default limits of a document; callers may set others. */
#define XML_MAX_BYTES ((uint64_t)8 << 20)
#define XML_MAX_NODES ((uint64_t)1 << 20)

struct xml_attribute {
	const char *name, *value;
	const struct xml_attribute *next;
};

/* An element. Text directly inside it is joined in `text`, "" when there is none, without white
 * space at both ends. Names are local: prefixes and namespaces are dropped. */
struct xml_node {
	const char *name, *text;
	const struct xml_attribute *attributes; /* in order of the document */
	struct xml_node *parent, *first, *last, *next;
	uint32_t line;
};

struct xml_doc {
	struct arena arena;
	struct xml_node *root;
};

struct xml_options {
	/* RELAX NG in its XML form that the document must fit, NUL-terminated, or NULL. A schema
	 * that is itself wrong is a mistake of ours: ERR_FORMAT that says so. */
	const char *schema;
	uint64_t max_bytes, max_nodes; /* 0: the defaults above */
};

/* Errors: ERR_FORMAT; ERR_UNSAFE for entities of its own; ERR_LIMIT for a limit above or the
 * budget; ERR_NOMEM; those of input_need. `in` stays the caller's. */
int xml_read(struct xml_doc **out, struct input *in, const struct xml_options *options,
	     struct error *err);
/* NULL is a no-op. */
void xml_doc_free(struct xml_doc *doc);

/* First child of this name (any when name is NULL), the next sibling of this name, or NULL. A NULL
 * node has neither. */
const struct xml_node *xml_child(const struct xml_node *node, const char *name);
const struct xml_node *xml_next(const struct xml_node *node, const char *name);
/* The value, or NULL. */
const char *xml_node_attr(const struct xml_node *node, const char *name);
/* The text of the first child of this name, or NULL. */
const char *xml_child_text(const struct xml_node *node, const char *name);

/* Give back what libxml2 keeps for the whole process; once, at the end of a program, for leak
 * checkers. Nothing of libxml2 may be in use in any thread. */
void xml_forget(void);

#endif
