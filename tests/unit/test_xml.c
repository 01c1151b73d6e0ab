/* SPDX-License-Identifier: MIT
 * test_xml.c -- no text can become markup, and the page's policy names exactly its style.
 */
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "reports/clean.h"
#include "reports/sha256.h"
#include "reports/xml.h"
#include "tests/lib/tap.h"

#define FFFD "\xef\xbf\xbd"

/* --- clean.h ----------------------------------------------------------------------------------- */

static void is_clean(const char *bytes, size_t n, const char *want, const char *what)
{
	char got[256], one[CLEAN_MAX];
	const char *at = bytes;
	size_t used = 0;

	while (at < bytes + n) {
		size_t k = clean_next(&at, bytes + n, one);

		memcpy(got + used, one, k);
		used += k;
	}
	got[used] = '\0';
	is_str(got, want, "%s", what);
}

static void test_clean(void)
{
	is_clean("a\tb\nc", 5, "a\tb\nc", "tab and line feed stay");
	is_clean("a\0b\rc\x1b[1m\x7f", 10, "a" FFFD "b" FFFD "c" FFFD "[1m" FFFD,
		 "other controls, NUL included, are replaced");
	is_clean("\xc2\x85\xc2\x9f", 4, FFFD FFFD, "C1 controls too");
	is_clean("\xff\xc0\xaf", 3, FFFD FFFD FFFD, "bytes that are no UTF-8, one by one");
	is_clean("\xe2\x82", 2, FFFD FFFD, "a character cut at the end");
	is_clean("\xed\xa0\x80", 3, FFFD FFFD FFFD, "a surrogate");
	is_clean("\xf4\x90\x80\x80", 4, FFFD FFFD FFFD FFFD, "beyond U+10FFFF");
	is_clean("\xef\xbf\xbe\xef\xbf\xbf", 6, FFFD FFFD, "U+FFFE and U+FFFF");
	is_clean("\xef\xb7\x90", 3, FFFD, "U+FDD0");
	is_clean("\xf0\x9f\xbf\xbe", 4, FFFD, "U+1FFFE");
	is_clean("a\xe2\x80\xae"
		 "b",
		 5, "a\\u202eb", "a turning mark is shown");
	is_clean("\xe2\x80\xa8\xef\xbb\xbf", 6, "\\u2028\\ufeff",
		 "line separator, byte order mark");
	is_clean("\xf3\xa0\x80\x81", 4, "\\ue0001", "a tag character");
	is_clean("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x8d", 14,
		 "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x8d", "ordinary characters stay");
}

static void test_elide(void)
{
	char buf[11 * CLEAN_MAX], long_name[5000];

	is_str(clean_elide(buf, sizeof buf, "0123456789", 10, 10), "0123456789", "it fits");
	is_str(clean_elide(buf, sizeof buf, "0123456789a", 11, 10),
	       "0123\xe2\x80\xa6"
	       "6789a",
	       "the middle goes");
	is_str(clean_elide(buf, sizeof buf, "", 0, 10), "", "empty");
	memset(long_name, '\xff', sizeof long_name);
	clean_elide(buf, sizeof buf, long_name, sizeof long_name, 10);
	is_u64(strlen(buf), 30, "characters are counted, not bytes");
}

/* --- sha256.h ---------------------------------------------------------------------------------- */

static void is_digest(const char *text, size_t n, const char *want)
{
	uint8_t digest[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];

	sha256(text, n, digest);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	is_str(hex, want, "SHA-256 of %zu bytes", n);
}

/* The examples of FIPS 180-4, and the lengths around a block's end (from sha256sum). */
static void test_sha256(void)
{
	char a[200], base64[SHA256_BASE64], *many = malloc(1000000);

	if (!many)
		abort();
	memset(a, 'a', sizeof a);
	memset(many, 'a', 1000000);
	is_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	is_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	is_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	is_digest(a, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	is_digest(a, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	is_digest(a, 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
	/* Long ones go another way on processors with instructions for it. */
	is_digest(many, 1000000,
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	is_digest(many, 8191, "d691798dcd3bab9099e84b4cbc484caef67262d1ef5dca83330d07f5ce4740dd");
	is_digest(many, 8192, "dd4e6730520932767ec0a9e33fe19c4ce24399d6eba4ff62f13013c9ed30ef87");
	is_digest(many + 1, 8260,
		  "e07591ac59a47bf11e73f5a8c9f6609d60e559b037d2b46d6fb6d7102d8d0eda");
	free(many);
	is_str(sha256_base64("", 0, base64),
	       "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "base64 of the digest");
}

/* --- xml.h ------------------------------------------------------------------------------------- */

struct sheet {
	struct out *out;
	struct xml *xml;
};

static struct sheet sheet_begin(enum xml_dialect dialect)
{
	struct sheet s = {0};
	struct error err = {0};

	if (out_open_memory(&s.out, &err) < 0 || xml_new(&s.xml, dialect, s.out, &err) < 0)
		diag("%s", err.text);
	return s;
}

/* What was written; valid until sheet_end. */
static const char *sheet_text(struct sheet *s, size_t *n)
{
	struct error err = {0};

	if (xml_free(s->xml, &err) < 0)
		diag("%s", err.text);
	s->xml = NULL;
	return out_memory(s->out, n);
}

static void sheet_end(struct sheet *s)
{
	out_abandon(s->out);
}

static void test_dialects(void)
{
	struct sheet s = sheet_begin(XML_PLAIN);
	size_t n;

	xml_open(s.xml, "a");
	xml_attr(s.xml, "b", "1 < 2");
	xml_attr_i64(s.xml, "c", -5);
	xml_element(s.xml, "d", "");
	is_str(sheet_text(&s, &n),
	       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"1 &lt; 2\" "
	       "c=\"-5\"><d/></a>\n",
	       "XML, what is open is closed");
	sheet_end(&s);
	s = sheet_begin(XML_HTML);
	xml_open(s.xml, "p");
	xml_void(s.xml, "br", (const char *const[]){NULL});
	xml_open(s.xml, "i");
	xml_close(s.xml);
	xml_void(s.xml, "meta", (const char *const[]){"name", "a\"b", "content", "<&>", NULL});
	xml_close(s.xml);
	is_str(sheet_text(&s, &n),
	       "<!DOCTYPE html>\n<p><br><i></i><meta name=\"a&quot;b\" content=\"&lt;&amp;&gt;\">"
	       "</p>\n",
	       "HTML: full end tags, void elements bare");
	sheet_end(&s);
}

static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	"\" onload=\"alert(1)",
	"' onload='alert(1)",
	"]]>",
	"<!--<script>",
	"-->",
	"<![CDATA[",
	"&lt;b&gt; &#60;",
	"<?xml version='1.1'?>",
	"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
	"\xff\xfe<b>\x01\x02",
	"\xe2\x80\xae\xe2\x80\xa8",
	"javascript:alert(1)",
	"",
};

/* The text cleaned, as a parser must give it back. */
static void clean_whole(char *to, const char *text)
{
	const char *at = text, *end = text + strlen(text);

	while (at < end)
		to += clean_next(&at, end, to);
	*to = '\0';
}

/* One element whose attribute and content are the text, and nothing else. */
static void round_trip(const char *text, const char *what)
{
	struct sheet s = sheet_begin(XML_PLAIN);
	char *want = calloc(strlen(text) + 1, CLEAN_MAX);
	const char *doc;
	size_t n;
	xmlDocPtr tree;
	xmlNodePtr root;
	xmlChar *content, *attr;

	xml_open(s.xml, "r");
	xml_attr(s.xml, "a", text);
	xml_text(s.xml, text);
	doc = sheet_text(&s, &n);
	clean_whole(want, text);
	tree = xmlReadMemory(doc, (int)n, "t.xml", NULL,
			     XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	if (ok(tree != NULL, "%s: well-formed", what)) {
		root = xmlDocGetRootElement(tree);
		content = xmlNodeGetContent(root);
		attr = xmlGetProp(root, BAD_CAST "a");
		is_str((const char *)content, want, "%s: content comes back", what);
		is_str((const char *)attr, want, "%s: attribute comes back", what);
		ok(xmlChildElementCount(root) == 0 && root->properties && !root->properties->next,
		   "%s: one element, one attribute", what);
		xmlFree(content);
		xmlFree(attr);
	}
	xmlFreeDoc(tree);
	free(want);
	sheet_end(&s);
}

static void test_hostile(void)
{
	char *big = malloc(5001), *bad = malloc(5001), *wide = malloc(5001);

	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		char what[32];

		snprintf(what, sizeof what, "hostile text %zu", i);
		round_trip(hostile[i], what);
	}
	memset(big, '<', 5000);
	memset(bad, '\xff', 5000);
	/* Characters of three bytes: none may be cut where the wrapper's chunks end. */
	for (size_t i = 0; i < 5000; i++)
		wide[i] = "\xe2\x82\xac"[i % 3];
	big[5000] = bad[5000] = wide[4998] = '\0';
	round_trip(big, "5,000 tags");
	round_trip(bad, "5,000 bytes that are no UTF-8");
	round_trip(wide, "1,666 wide characters");
	free(big);
	free(bad);
	free(wide);
}

static void test_policy(void)
{
	static const char style[] = "p{color:red}\na>b{color:blue}\n";
	struct sheet s = sheet_begin(XML_HTML);
	char hash[SHA256_BASE64], want[600];
	const char *doc;
	size_t n;

	xml_open(s.xml, "head");
	xml_page_policy(s.xml, style, NULL);
	xml_raw_element(s.xml, "style", style);
	doc = sheet_text(&s, &n);
	snprintf(want, sizeof want,
		 "content=\"default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; "
		 "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'\"",
		 sha256_base64(style, strlen(style), hash));
	ok(strstr(doc, want) != NULL, "the policy names the style's hash and allows nothing else");
	snprintf(want, sizeof want, "<style>%s</style>", style);
	ok(strstr(doc, want) != NULL, "the style is written byte by byte as it was hashed");
	ok(!strstr(doc, "script-src"), "no script, no word of it");
	sheet_end(&s);
	s = sheet_begin(XML_HTML);
	xml_page_policy(s.xml, style, "f()");
	snprintf(want, sizeof want, "script-src 'sha256-%s'", sha256_base64("f()", 3, hash));
	ok(strstr(sheet_text(&s, &n), want) != NULL, "a script is allowed by its hash");
	sheet_end(&s);
}

int main(void)
{
	test_clean();
	test_elide();
	test_sha256();
	test_dialects();
	test_hostile();
	test_policy();
	return done_testing();
}
