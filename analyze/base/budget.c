/* SPDX-License-Identifier: MIT
 * budget.c -- accounting for memory, and the default limit from the machine or its container.
 */
#include "base/budget.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A cgroup without a limit says "max" (v2) or a number near 2^63 (v1). */
static uint64_t read_limit_file(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long value;
	uint64_t limit = UINT64_MAX;

	if (!f)
		return UINT64_MAX;
	if (fscanf(f, "%llu", &value) == 1 && value < (UINT64_C(1) << 60))
		limit = value;
	fclose(f);
	return limit;
}

/* The lowest limit from our own cgroup v2 group up to the root: a parent's limit binds too. */
static uint64_t cgroup_v2_limit(void)
{
	char line[512], path[640];
	uint64_t limit = UINT64_MAX;
	FILE *f = fopen("/proc/self/cgroup", "re");

	if (!f)
		return UINT64_MAX;
	while (fgets(line, sizeof line, f)) {
		if (strncmp(line, "0::/", 4) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		for (char *group = line + 3, *end = group + strlen(group); end;) {
			*end = '\0';
			snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
			uint64_t own = read_limit_file(path);
			if (own < limit)
				limit = own;
			end = strrchr(group, '/');
		}
	}
	fclose(f);
	return limit;
}

uint64_t budget_default_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t limit = UINT64_MAX;
	uint64_t group = cgroup_v2_limit();
	uint64_t v1 = read_limit_file("/sys/fs/cgroup/memory/memory.limit_in_bytes");

	if (pages > 0 && page > 0)
		limit = (uint64_t)pages * (uint64_t)page / 10 * 8;
	if (group < limit)
		limit = group;
	if (v1 < limit)
		limit = v1;
	return limit;
}

int budget_take(struct budget *b, uint64_t bytes, struct error *err)
{
	assert(b->used <= b->limit);
	if (bytes > b->limit - b->used)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "needs more memory than the limit of %llu bytes allows",
				 (unsigned long long)b->limit);
	b->used += bytes;
	return 0;
}

void budget_give(struct budget *b, uint64_t bytes)
{
	assert(bytes <= b->used);
	b->used -= bytes;
}

void *budget_realloc(struct budget *b, void *old, size_t old_bytes, size_t new_bytes,
		     struct error *err)
{
	assert(new_bytes > 0);
	if (new_bytes > old_bytes && budget_take(b, new_bytes - old_bytes, err) < 0)
		return NULL;
	void *p = realloc(old, new_bytes);
	if (!p) {
		if (new_bytes > old_bytes)
			budget_give(b, new_bytes - old_bytes);
		error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory asking for %zu bytes",
			  new_bytes);
		return NULL;
	}
	if (new_bytes < old_bytes)
		budget_give(b, old_bytes - new_bytes);
	return p;
}

void budget_free(struct budget *b, void *p, size_t bytes)
{
	if (!p)
		return;
	budget_give(b, bytes);
	free(p);
}
