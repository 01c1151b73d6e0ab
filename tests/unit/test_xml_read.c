/* SPDX-License-Identifier: MIT
 * test_xml_read.c -- XML is read as it is, and nothing of what it asks for is done.
 */
#include "decode/xml_read.h"
#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_MAX};

static int read_text(struct xml_doc **doc, const char *text, const struct xml_options *o,
		     struct error *err)
{
	struct input *in;
	int rc = input_open_bytes(&in, text, strlen(text), &budget, err);

	if (rc < 0)
		return rc;
	rc = xml_read(doc, in, o, err);
	input_close(in);
	return rc;
}

static void test_tree(void)
{
	static const char text[] = "<?xml version='1.0'?>\n"
				   "<!DOCTYPE a SYSTEM \"file:///etc/passwd\">\n"
				   "<a x='1' y='&lt;&#65;&quot;'>\n"
				   "  <b/> one <!-- not this --><![CDATA[<two>]]>\n"
				   "  <c><d>deep</d></c>\n"
				   "  <b n='2'>text</b>\n"
				   "</a>";
	const struct xml_options none = {.schema = NULL};
	struct xml_doc *doc;
	struct error err;
	const struct xml_node *b;

	if (!is_i64(read_text(&doc, text, &none, &err), 0, "read"))
		return;
	is_str(doc->root->name, "a", "the root");
	is_u64(doc->root->line, 3, "its line");
	is_str(xml_node_attr(doc->root, "x"), "1", "an attribute");
	is_str(xml_node_attr(doc->root, "y"), "<A\"", "characters by name and number");
	is_str(xml_node_attr(doc->root, "z"), NULL, "one that is not there");
	is_str(doc->root->text, "one <two>", "text, without comments");
	b = xml_child(doc->root, "b");
	is_str(b->text, "", "an empty element");
	is_str(xml_next(b, NULL)->name, "c", "the next one");
	is_str(xml_node_attr(xml_next(b, "b"), "n"), "2", "the next of that name");
	ok(!xml_next(xml_next(b, "b"), "b"), "there are no more");
	is_str(xml_child_text(xml_child(doc->root, "c"), "d"), "deep", "text of a child");
	is_str(xml_child_text(NULL, "d"), NULL, "nothing has no children");
	ok(xml_child(doc->root, "c")->parent == doc->root, "the way up");
	xml_doc_free(doc);
}

static void refuses(const char *text, enum err_code code, const char *words, const char *what)
{
	const struct xml_options none = {.schema = NULL};
	struct xml_doc *doc = NULL;
	struct error err = {0};
	int rc = read_text(&doc, text, &none, &err);

	is_i64(rc, code, "%s: refused", what);
	is_str(err.text, words, "%s: why", what);
	ok(!doc, "%s: nothing comes out", what);
}

static void test_hostile(void)
{
	char deep[4096] = "";

	refuses("<!DOCTYPE a [<!ENTITY x 'y'><!ENTITY z '&x;&x;'>]><a b='&z;'/>", ERR_UNSAFE,
		"line 1: entities are not allowed", "entities in attributes");
	refuses("<!DOCTYPE a [\n<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", ERR_UNSAFE,
		"line 2: entities are not allowed", "a file");
	refuses("<!DOCTYPE a [<!ENTITY % p 'x'> %p;]><a/>", ERR_UNSAFE,
		"line 1: entities are not allowed", "parameter entities");
	refuses("<a>&nobody;</a>", ERR_FORMAT, "line 1: Entity 'nobody' not defined", "unknown");
	refuses("<a>\n<b></a>", ERR_FORMAT,
		"line 2: Opening and ending tag mismatch: b line 2 and a", "a wrong end");
	refuses("", ERR_FORMAT, "line 1: Document is empty", "nothing");
	for (int i = 0; i < XML_MAX_DEPTH + 1; i++)
		memcpy(deep + 3 * i, "<a>", 4);
	for (int i = 0; i < XML_MAX_DEPTH + 1; i++)
		memcpy(deep + 3 * (XML_MAX_DEPTH + 1) + 4 * i, "</a>", 5);
	refuses(deep, ERR_LIMIT, "line 1: elements are nested too deeply", "too deep");
}

static void test_limits(void)
{
	static const char text[] = "<a><b x='1'/><b/></a>";
	struct xml_options o = {.max_nodes = 3};
	struct xml_doc *doc;
	struct error err;
	uint64_t limit = budget.limit;

	is_i64(read_text(&doc, text, &o, &err), ERR_LIMIT, "too many nodes");
	o.max_nodes = 4;
	is_i64(read_text(&doc, text, &o, &err), 0, "enough");
	xml_doc_free(doc);
	o.max_bytes = sizeof text - 2;
	is_i64(read_text(&doc, text, &o, &err), ERR_LIMIT, "too many bytes");
	is_str(err.text, "an XML document is too large", "and why");
	budget.limit = budget.used + 400;
	o.max_bytes = 0;
	is_i64(read_text(&doc, text, &o, &err), ERR_LIMIT, "more than the budget");
	budget.limit = limit;
}

static void test_schema(void)
{
	static const char schema[] =
		"<element name='a' xmlns='http://relaxng.org/ns/structure/1.0'>"
		"<attribute name='n'><choice><value>1</value><value>2</value></choice></attribute>"
		"<zeroOrMore><element name='b'><text/></element></zeroOrMore></element>";
	struct xml_options o = {.schema = schema};
	struct xml_doc *doc;
	struct error err;

	is_i64(read_text(&doc, "<a n='2'><b>x</b><b/></a>", &o, &err), 0, "fits its schema");
	xml_doc_free(doc);
	is_i64(read_text(&doc, "<a n='2'>\n<c/></a>", &o, &err), ERR_FORMAT, "an unknown element");
	is_str(err.text, "line 2: Did not expect element c there", "and where");
	is_i64(read_text(&doc, "<a n='3'/>", &o, &err), ERR_FORMAT, "a wrong value");
	o.schema = "<element xmlns='http://relaxng.org/ns/structure/1.0'/>";
	is_i64(read_text(&doc, "<a/>", &o, &err), ERR_FORMAT, "a wrong schema");
}

int main(void)
{
	test_tree();
	test_hostile();
	test_limits();
	test_schema();
	is_u64(budget.used, 0, "all memory was given back");
	xml_forget();
	return done_testing();
}
