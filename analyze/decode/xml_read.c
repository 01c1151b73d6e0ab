/* SPDX-License-Identifier: MIT
 * xml_read.c -- a small XML document, read safely into a tree of our own.
 */
#include "decode/xml_read.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <stdbool.h>
#include <string.h>

#include "base/vec.h"

/* Never: NOENT, DTDLOAD, DTDATTR, XINCLUDE, HUGE. */
#define PARSE_OPTIONS (XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_COMPACT)
/* Bytes the parser is given at once. */
#define PIECE_BYTES 4096
/* What libxml2 holds for a byte of a document, about; taken from the budget while it works. */
#define PARSER_BYTES_PER_BYTE 12

struct xml_reader {
	struct input *in;
	struct xml_doc *doc;
	struct budget *budget;
	struct error *err;
	uint64_t max_bytes, max_nodes;
	uint64_t n_bytes, n_nodes;
	uint64_t taken; /* from the budget for libxml2 */
	bool failed;    /* *err is set */
	VEC(char) text; /* of the element being copied */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first failure is the one that counts. */
static void fail(struct xml_reader *x, enum err_code code, int line, const char *words)
{
	size_t n = strlen(words);

	if (x->failed)
		return;
	x->failed = true;
	while (n > 0 && (is_space(words[n - 1]) || words[n - 1] == '.'))
		n--;
	if (line > 0)
		error_set(x->err, code, ERR_NO_OFFSET, "line %d: %.*s", line, (int)n, words);
	else
		error_set(x->err, code, ERR_NO_OFFSET, "%.*s", (int)n, words);
}

/* libxml2 reports here and not on stderr. */
static void report(struct xml_reader *x, xmlErrorPtr e)
{
	if (e->level < XML_ERR_ERROR)
		return;
	if (e->code == XML_ERR_NO_MEMORY)
		fail(x, ERR_NOMEM, 0, "out of memory");
	else
		fail(x, ERR_FORMAT, e->line, e->message ? e->message : "not well-formed");
}

static int on_read(void *ctx, char *buffer, int room)
{
	struct xml_reader *x = ctx;
	size_t n = (size_t)room < PIECE_BYTES ? (size_t)room : PIECE_BYTES;

	if (x->failed)
		return -1;
	if (input_peek(x->in, n, x->err) < 0) {
		x->failed = true;
		return -1;
	}
	if ((size_t)(x->in->end - x->in->at) < n)
		n = (size_t)(x->in->end - x->in->at);
	x->n_bytes += n;
	if (x->n_bytes > x->max_bytes)
		fail(x, ERR_LIMIT, 0, "an XML document is too large");
	else if (budget_take(x->budget, n * PARSER_BYTES_PER_BYTE, x->err) < 0)
		x->failed = true;
	if (x->failed)
		return -1;
	x->taken += n * PARSER_BYTES_PER_BYTE;
	memcpy(buffer, x->in->at, n);
	x->in->at += n;
	return (int)n;
}

static char *keep(struct xml_reader *x, const char *bytes, size_t n)
{
	char *copy = arena_bytes(&x->doc->arena, n + 1, x->err);

	if (!copy) {
		x->failed = true;
		return NULL;
	}
	memcpy(copy, bytes, n);
	copy[n] = '\0';
	return copy;
}

static const char *keep_words(struct xml_reader *x, const xmlChar *words)
{
	return keep(x, words ? (const char *)words : "", words ? strlen((const char *)words) : 0);
}

/* A zeroed thing of the tree, counted. */
static void *keep_node(struct xml_reader *x, size_t bytes, uint32_t line)
{
	void *p;

	if (++x->n_nodes > x->max_nodes) {
		fail(x, ERR_LIMIT, (int)line, "too many elements and attributes");
		return NULL;
	}
	p = arena_alloc(&x->doc->arena, bytes, x->err);
	x->failed |= !p;
	return p;
}

static int append_text(struct xml_reader *x, const xmlChar *words)
{
	size_t n = words ? strlen((const char *)words) : 0;

	if (vec_reserve(&x->text, n, x->budget, x->err) < 0) {
		x->failed = true;
		return -1;
	}
	if (n)
		memcpy(x->text.at + x->text.n, words, n);
	x->text.n += n;
	return 0;
}

/* The value of an attribute or the text of an element: its children that are text. Any entity but
 * the five of XML, which are text by now, is a node of its own. */
static void gather_text(struct xml_reader *x, const xmlNode *first, uint32_t line)
{
	x->text.n = 0;
	for (const xmlNode *n = first; n && !x->failed; n = n->next) {
		if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
			append_text(x, n->content);
		else if (n->type == XML_ENTITY_REF_NODE)
			fail(x, ERR_UNSAFE, (int)line, "entities are not allowed");
	}
}

static void copy_attributes(struct xml_reader *x, struct xml_node *to, const xmlNode *from)
{
	const struct xml_attribute **tail = &to->attributes;

	for (const xmlAttr *a = from->properties; a && !x->failed; a = a->next) {
		struct xml_attribute *copy = keep_node(x, sizeof *copy, to->line);

		if (!copy)
			return;
		gather_text(x, a->children, to->line);
		copy->name = keep_words(x, a->name);
		copy->value = keep(x, x->text.at ? x->text.at : "", x->text.n);
		*tail = copy;
		tail = &copy->next;
	}
}

static void copy_text(struct xml_reader *x, struct xml_node *to, const xmlNode *from)
{
	size_t begin = 0, end;

	gather_text(x, from->children, to->line);
	end = x->text.n;
	while (begin < end && is_space(x->text.at[begin]))
		begin++;
	while (end > begin && is_space(x->text.at[end - 1]))
		end--;
	to->text = end > begin && !x->failed ? keep(x, x->text.at + begin, end - begin) : "";
}

static struct xml_node *copy_element(struct xml_reader *x, struct xml_node *parent,
				     const xmlNode *from)
{
	uint32_t line = (uint32_t)xmlGetLineNo(from);
	struct xml_node *node = keep_node(x, sizeof *node, line);

	if (!node)
		return NULL;
	node->line = line;
	node->parent = parent;
	node->name = keep_words(x, from->name);
	copy_attributes(x, node, from);
	if (!x->failed)
		copy_text(x, node, from);
	if (!parent)
		x->doc->root = node;
	else if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	if (parent)
		parent->last = node;
	return node;
}

static const xmlNode *element_from(const xmlNode *n)
{
	while (n && n->type != XML_ELEMENT_NODE)
		n = n->next;
	return n;
}

/* In document order, without recursion: `depth` steps down and up again. */
static void copy_tree(struct xml_reader *x, const xmlNode *root)
{
	const xmlNode *from = root;
	struct xml_node *parent = NULL;
	unsigned depth = 1;

	while (from && !x->failed) {
		struct xml_node *node = copy_element(x, parent, from);
		const xmlNode *next = element_from(from->children);

		if (next) {
			if (++depth > XML_MAX_DEPTH)
				fail(x, ERR_LIMIT, (int)xmlGetLineNo(next),
				     "elements are nested too deeply");
			parent = node;
			from = next;
			continue;
		}
		while (from && from != root && !(next = element_from(from->next))) {
			from = from->parent;
			parent = parent ? parent->parent : NULL;
			depth--;
		}
		from = from == root ? NULL : next;
	}
}

/* A DTD inside the document defines an entity. */
static void on_entity_decl(void *ctx, const xmlChar *name, int type, const xmlChar *public_id,
			   const xmlChar *system_id, xmlChar *content)
{
	xmlParserCtxtPtr parser = ctx;

	(void)name, (void)type, (void)public_id, (void)system_id, (void)content;
	fail(parser->_private, ERR_UNSAFE, xmlSAX2GetLineNumber(parser),
	     "entities are not allowed");
	xmlStopParser(parser);
}

static void on_parse_error(void *ctx, xmlErrorPtr e)
{
	xmlParserCtxtPtr parser = ctx;

	report(parser->_private, e);
}

static void on_schema_error(void *ctx, xmlErrorPtr e)
{
	report(ctx, e);
}

static xmlDocPtr parse(struct xml_reader *x)
{
	xmlSAXHandler sax = {0};
	xmlParserCtxtPtr parser;
	xmlDocPtr tree;

	if (xmlSAXVersion(&sax, 2) < 0)
		return NULL;
	sax.entityDecl = on_entity_decl;
	sax.serror = on_parse_error;
	parser = xmlCreateIOParserCtxt(&sax, NULL, on_read, NULL, x, XML_CHAR_ENCODING_NONE);
	if (!parser)
		return NULL;
	parser->_private = x;
	xmlCtxtUseOptions(parser, PARSE_OPTIONS);
	xmlParseDocument(parser);
	tree = parser->myDoc;
	parser->myDoc = NULL;
	if (!parser->wellFormed)
		fail(x, ERR_FORMAT, 0, "not well-formed XML");
	xmlFreeParserCtxt(parser);
	return tree;
}

static void validate(struct xml_reader *x, xmlDocPtr tree, const char *schema)
{
	xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt(schema, (int)strlen(schema));
	xmlRelaxNGPtr compiled = NULL;
	xmlRelaxNGValidCtxtPtr validator = NULL;

	if (parser) {
		xmlRelaxNGSetParserStructuredErrors(parser, on_schema_error, x);
		compiled = xmlRelaxNGParse(parser);
		xmlRelaxNGFreeParserCtxt(parser);
	}
	if (compiled)
		validator = xmlRelaxNGNewValidCtxt(compiled);
	if (!validator) {
		fail(x, ERR_FORMAT, 0, "the schema of this document is wrong");
	} else {
		xmlRelaxNGSetValidStructuredErrors(validator, on_schema_error, x);
		if (xmlRelaxNGValidateDoc(validator, tree) != 0)
			fail(x, ERR_FORMAT, 0, "the document does not fit its schema");
		xmlRelaxNGFreeValidCtxt(validator);
	}
	xmlRelaxNGFree(compiled);
}

int xml_read(struct xml_doc **out, struct input *in, const struct xml_options *options,
	     struct error *err)
{
	struct error own;
	struct xml_reader x = {
		.in = in,
		.budget = in->budget,
		.err = err ? err : &own,
		.max_bytes = options->max_bytes ? options->max_bytes : XML_MAX_BYTES,
		.max_nodes = options->max_nodes ? options->max_nodes : XML_MAX_NODES,
	};
	xmlDocPtr tree;

	x.doc = budget_realloc(in->budget, NULL, 0, sizeof *x.doc, x.err);
	if (!x.doc)
		return (int)x.err->code;
	*x.doc = (struct xml_doc){.root = NULL};
	arena_init(&x.doc->arena, in->budget);
	tree = parse(&x);
	if (!tree)
		fail(&x, ERR_FORMAT, 0, "no XML document");
	if (!x.failed && options->schema)
		validate(&x, tree, options->schema);
	if (!x.failed)
		copy_tree(&x, xmlDocGetRootElement(tree));
	xmlFreeDoc(tree);
	vec_release(&x.text, x.budget);
	budget_give(x.budget, x.taken);
	if (x.failed)
		xml_doc_free(x.doc);
	else
		*out = x.doc;
	return x.failed ? (int)x.err->code : 0;
}

void xml_doc_free(struct xml_doc *doc)
{
	struct budget *budget;

	if (!doc)
		return;
	budget = doc->arena.budget;
	arena_release(&doc->arena);
	budget_free(budget, doc, sizeof *doc);
}

static const struct xml_node *named(const struct xml_node *node, const char *name)
{
	while (node && name && strcmp(node->name, name) != 0)
		node = node->next;
	return node;
}

const struct xml_node *xml_child(const struct xml_node *node, const char *name)
{
	return node ? named(node->first, name) : NULL;
}

const struct xml_node *xml_next(const struct xml_node *node, const char *name)
{
	return node ? named(node->next, name) : NULL;
}

const char *xml_node_attr(const struct xml_node *node, const char *name)
{
	if (!node)
		return NULL;
	for (const struct xml_attribute *a = node->attributes; a; a = a->next) {
		if (!strcmp(a->name, name))
			return a->value;
	}
	return NULL;
}

const char *xml_child_text(const struct xml_node *node, const char *name)
{
	const struct xml_node *child = xml_child(node, name);

	return child ? child->text : NULL;
}

void xml_forget(void)
{
	xmlCleanupParser();
}
