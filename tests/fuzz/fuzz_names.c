/* SPDX-License-Identifier: MIT
 * fuzz_names.c -- a line as an expression over names, what follows as names: of files, of sites, and
 * as allocator settings.
 */
#include <stdlib.h>
#include <string.h>

#include "model/alloc_conf.h"
#include "passes/gate_names.h"
#include "passes/name_facts.h"
#include "tests/fuzz/fuzz.h"

#define LONGEST 4096

static void check_facts(const char *pattern, const char *name)
{
	struct name_patterns *p;
	struct name_facts f;
	struct error err = {0};
	int rc = name_patterns_new(&p, pattern, &err);

	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	if (rc < 0)
		return;
	name_facts_of(p, name, &f);
	CHECK(f.rank >= -1 && f.step >= -1);
	CHECK(f.month >= 0 && f.month <= 12);
	CHECK(memchr(f.host, 0, sizeof f.host) && memchr(f.group, 0, sizeof f.group));
	name_patterns_free(p);
}

static void check_names(const char *pattern, const char *name)
{
	char words[LONGEST + 64];
	double d = gate_site_distance(pattern, name);

	CHECK(d >= 0 && d <= 1);
	CHECK(gate_name_distance(name, name) <= 0);
	CHECK(gate_name_fits("*", name) && gate_site_fits(name, name));
	if (gate_name_fits(pattern, name))
		CHECK(gate_site_fits(pattern, name));
	CHECK(strlen(gate_site_unlined(name, words, sizeof words)) <= strlen(name));
	CHECK(gate_site_fits(words, name) || strlen(name) > 2000);
}

static void check_settings(const char *text)
{
	struct alloc_conf c, again;
	struct error err = {0};
	char words[ALLOC_CONF_BUF];

	if (alloc_conf_parse(&c, text, &err) < 0) {
		CHECK(err.code == ERR_USAGE && err.text[0]);
		return;
	}
	alloc_conf_words(words, &c.settings);
	CHECK(alloc_conf_parse(&again, words, &err) == 0);
	CHECK(alloc_settings_equal(&c.settings, &again.settings));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[LONGEST + 1], *name;

	size = size < LONGEST ? size : LONGEST;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	name = strchr(text, '\n');
	if (name)
		*name++ = '\0';
	else
		name = text;
	check_facts(NULL, name);
	check_facts(text, name);
	check_names(text, name);
	check_settings(name);
	return 0;
}
