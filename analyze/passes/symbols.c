/* SPDX-License-Identifier: MIT
 * symbols.c -- functions and lines for frames that name only a place in a library.
 */
#include "passes/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "passes/native_frame.h"
#include "passes/symbols_private.h"

/* More libraries than any process has are a file made to waste time. */
#define MODULES_MAX 4096

/* A frame that names a place. */
struct place {
	frame_id frame;
	uint32_t module; /* row of symbols.modules */
	uint32_t next;   /* row + 1 of the next place of the module; 0: none */
	uint64_t addr;
	bool named;                 /* the frame has the function, too */
	size_t first_line, n_lines; /* rows of resolver.lines; 0: stays as it is */
};

struct resolver {
	struct symbols out;
	struct model *m;
	const struct symbols_options *options;
	struct budget *budget;         /* weak */
	struct hashmap recorded, rows; /* path to its item in capture.modules, to its module */
	VEC(struct place) places;      /* by frame */
	VEC(struct frame) lines;
	VEC(uint32_t) of_frame; /* row of places + 1; 0: not one */
	VEC(uint32_t) first;    /* of each module the row + 1 of its last place */
};

/* ---- which frames ---- */

static const struct value *recorded_modules(const struct model *m)
{
	const struct value *list = value_member(m->capture_value, &m->strings, "modules");

	return list && list->kind == VALUE_LIST ? list : NULL;
}

static int find_recorded(struct resolver *r, struct error *err)
{
	const struct value *list = recorded_modules(r->m);
	int rc = 0;

	for (size_t i = 0; list && i < list->items.n && rc == 0; i++) {
		const struct value *p = value_member(&list->items.at[i], &r->m->strings, "path");

		if (p && p->kind == VALUE_STR && !hashmap_get(&r->recorded, p->str.i))
			rc = hashmap_put(&r->recorded, p->str.i, i, err);
	}
	return rc;
}

static struct build_id recorded_build_id(const struct resolver *r, str_id path)
{
	const uint64_t *row = hashmap_get(&r->recorded, path.i);
	const struct value *list = recorded_modules(r->m), *v;
	struct build_id id = {0};
	const char *hex;

	if (!row)
		return id;
	v = value_member(&list->items.at[*row], &r->m->strings, "build_id");
	hex = v && v->kind == VALUE_STR ? model_str(r->m, v->str) : "";
	for (; id.n < BUILD_ID_MAX && hex[0] && hex[1]; hex += 2) {
		char pair[3] = {hex[0], hex[1], '\0'}, *end;

		id.bytes[id.n++] = (unsigned char)strtoul(pair, &end, 16);
		if (*end)
			return (struct build_id){0};
	}
	return id;
}

/* "libx.so.1", but not "x.sources" */
static bool is_library_name(const char *path)
{
	const char *so = strstr(path_base(path), ".so");

	return *path == '/' && so && (so[3] == '\0' || so[3] == '.');
}

/* "libx.so+0x1234" of a file /y/libx.so: a return address, one behind its call. */
static bool parse_offset(const char *name, const char *path, uint64_t *addr)
{
	const char *base = path_base(path);
	size_t n = strlen(base);
	char *end;

	if (n == 0 || strncmp(name, base, n) != 0 || strncmp(name + n, "+0x", 3) != 0)
		return false;
	*addr = strtoull(name + n + 3, &end, 16);
	if (*end || *addr == 0)
		return false;
	--*addr;
	return true;
}

static bool find_place(const struct resolver *r, frame_id frame, struct place *out)
{
	const struct model *m = r->m;
	const struct frame *f = &m->stacks.frames.at[frame.i];
	const char *name = model_str(m, f->name), *path = model_str(m, f->file);

	*out = (struct place){.frame = frame};
	if (f->file.i == STR_NONE.i || *path != '/')
		return false;
	if (f->line <= 0)
		return parse_offset(name, path, &out->addr);
	if (m->capture_value ? !hashmap_get(&r->recorded, f->file.i) : !is_library_name(path))
		return false;
	out->addr = (uint64_t)f->line;
	out->named = *name && strcmp(name, "??") != 0;
	return true;
}

/* The module's row; MODULES_MAX: there are too many. */
static int module_row(struct resolver *r, str_id path, uint32_t *row, struct error *err)
{
	const uint64_t *known = hashmap_get(&r->rows, path.i);
	int rc;

	*row = known ? (uint32_t)*known : (uint32_t)r->out.modules.n;
	if (known || *row == MODULES_MAX)
		return 0;
	if ((rc = vec_push(&r->out.modules, ((struct symbols_module){.path = path}), r->budget,
			   err)) < 0 ||
	    (rc = vec_push(&r->first, 0, r->budget, err)) < 0)
		return rc;
	return hashmap_put(&r->rows, path.i, *row, err);
}

static int find_places(struct resolver *r, struct error *err)
{
	size_t n = r->m->stacks.frames.n;
	int rc;

	if ((rc = vec_reserve(&r->of_frame, n, r->budget, err)) < 0)
		return rc;
	for (uint32_t f = 0; f < n; f++) {
		struct place p;

		r->of_frame.at[r->of_frame.n++] = 0;
		if (f == 0 || !find_place(r, (frame_id){f}, &p))
			continue;
		rc = module_row(r, r->m->stacks.frames.at[f].file, &p.module, err);
		if (rc == 0 && p.module == MODULES_MAX)
			continue;
		if (rc == 0) {
			p.next = r->first.at[p.module];
			rc = vec_push(&r->places, p, r->budget, err);
		}
		if (rc < 0)
			return rc;
		r->of_frame.at[f] = r->first.at[p.module] = (uint32_t)r->places.n;
		r->out.modules.at[p.module].frames++;
		r->out.frames++;
	}
	return 0;
}

/* ---- names ---- */

/* Without a build id: does the file have each function where the recording has it? */
static bool agrees(struct resolver *r, uint32_t module, struct symbol_file *file)
{
	uint64_t agreed = 0;

	for (uint32_t i = r->first.at[module]; i; i = r->places.at[i - 1].next) {
		const struct place *p = &r->places.at[i - 1];
		str_id name = r->m->stacks.frames.at[p->frame.i].name;

		if (!p->named)
			continue;
		if (!symbol_file_has(file, p->addr, model_str(r->m, name)))
			return false;
		agreed++;
	}
	return agreed > 0;
}

static void drop_disagreeing(struct resolver *r, uint32_t module, struct module_files *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->n; i++) {
		if (agrees(r, module, files->at[i])) {
			files->at[kept++] = files->at[i];
			continue;
		}
		symbol_file_free(files->at[i]);
		files->other_build = true;
	}
	files->n = kept;
}

static int push_line(struct resolver *r, const struct symbol_line *l, str_id module,
		     struct error *err)
{
	struct frame f = {.file = module, .line = l->line};
	int rc = strtab_add(&r->m->strings, l->function, strlen(l->function), &f.name, err);

	if (rc == 0 && l->file)
		rc = strtab_add(&r->m->strings, l->file, strlen(l->file), &f.file, err);
	return rc < 0 ? rc : vec_push(&r->lines, f, r->budget, err);
}

static int name_place(struct resolver *r, struct place *p, struct module_files *files,
		      struct error *err)
{
	struct symbols_module *module = &r->out.modules.at[p->module];
	struct symbol_line lines[SYMBOL_LINES_MAX];
	size_t n = module_files_lines(files, p->addr, lines);
	int rc = 0;

	p->first_line = r->lines.n;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = push_line(r, &lines[i], module->path, err);
	p->n_lines = r->lines.n - p->first_line;
	module->resolved += p->n_lines > 0;
	r->out.resolved += p->n_lines > 0;
	symbol_lines_release(lines, n);
	return rc;
}

static int name_module(struct resolver *r, uint32_t row, struct error *err)
{
	str_id path = r->out.modules.at[row].path;
	struct build_id id = recorded_build_id(r, path);
	struct module_files files = {0};
	int rc;

	rc = module_files_open(&files, model_str(r->m, path), &id, r->options, r->budget, err);
	if (rc < 0)
		return rc;
	if (!id.n)
		drop_disagreeing(r, row, &files);
	r->out.modules.at[row].other_build = files.other_build && files.n == 0;
	for (uint32_t i = r->first.at[row]; i && rc == 0 && files.n; i = r->places.at[i - 1].next)
		rc = name_place(r, &r->places.at[i - 1], &files, err);
	module_files_close(&files);
	return rc;
}

/* ---- the model ---- */

struct rewrite {
	struct resolver *r;
	struct stacks stacks;
	VEC(frame_id) frames;   /* of the stack being made */
	VEC(str_id) modules;    /* of the new frames */
	VEC(stack_id) of_stack; /* of the old ones */
};

static int add_frame(struct rewrite *w, struct frame f, str_id module, struct error *err)
{
	struct budget *budget = w->r->budget;
	frame_id id;
	int rc;

	if ((rc = stacks_add_frame(&w->stacks, f, &id, err)) < 0 ||
	    (rc = vec_push(&w->frames, id, budget, err)) < 0)
		return rc;
	while (w->modules.n <= id.i)
		if ((rc = vec_push(&w->modules, STR_NONE, budget, err)) < 0)
			return rc;
	if (module.i != f.file.i)
		w->modules.at[id.i] = module;
	return 0;
}

static int rewrite_stack(struct rewrite *w, stack_id old, stack_id *out, struct error *err)
{
	struct resolver *r = w->r;
	const struct stacks *s = &r->m->stacks;
	size_t depth = stacks_depth(s, old);
	int rc = 0;

	w->frames.n = 0;
	for (size_t k = 0; k < depth && rc == 0; k++) {
		frame_id f = s->pool.at[s->start.at[old.i] + k];
		const struct place *p =
			r->of_frame.at[f.i] ? &r->places.at[r->of_frame.at[f.i] - 1] : NULL;
		struct frame frame = s->frames.at[f.i];

		if (!p || !p->n_lines)
			rc = add_frame(w, frame, frame.file, err);
		for (size_t i = 0; p && i < p->n_lines && rc == 0; i++)
			rc = add_frame(w, r->lines.at[p->first_line + i],
				       r->out.modules.at[p->module].path, err);
	}
	return rc < 0 ? rc : stacks_add(&w->stacks, w->frames.at, w->frames.n, out, err);
}

static void use_stacks(struct rewrite *w)
{
	struct model *m = w->r->m;

	for (size_t i = 0; i < m->events.stack.n; i++)
		m->events.stack.at[i] = w->of_stack.at[m->events.stack.at[i].i];
	for (size_t i = 0; i < m->attrs.n; i++)
		m->attrs.at[i].forward_stack = w->of_stack.at[m->attrs.at[i].forward_stack.i];
	for (size_t i = 0; i < m->segments.n; i++)
		m->segments.at[i].stack = w->of_stack.at[m->segments.at[i].stack.i];
	for (size_t i = 0; i < m->blocks.n; i++)
		m->blocks.at[i].stack = w->of_stack.at[m->blocks.at[i].stack.i];
	stacks_release(&m->stacks);
	m->stacks = w->stacks;
	w->stacks = (struct stacks){0};
	vec_release(&m->frame_modules, m->budget);
	m->frame_modules.at = w->modules.at;
	m->frame_modules.n = w->modules.n;
	m->frame_modules.cap = w->modules.cap;
	w->modules.at = NULL;
	w->modules.n = w->modules.cap = 0;
}

static int rewrite_model(struct resolver *r, struct error *err)
{
	struct rewrite w = {.r = r};
	size_t n = r->m->stacks.start.n - 1;
	int rc;

	if ((rc = stacks_init(&w.stacks, r->budget, err)) < 0)
		return rc;
	if ((rc = vec_reserve(&w.of_stack, n, r->budget, err)) < 0)
		goto out;
	w.of_stack.at[0] = STACK_ABSENT;
	w.of_stack.at[1] = STACK_EMPTY;
	for (uint32_t s = 2; s < n && rc == 0; s++)
		rc = rewrite_stack(&w, (stack_id){s}, &w.of_stack.at[s], err);
	if (rc == 0)
		use_stacks(&w);
out:
	stacks_release(&w.stacks);
	vec_release(&w.frames, r->budget);
	vec_release(&w.modules, r->budget);
	vec_release(&w.of_stack, r->budget);
	return rc;
}

int symbols_resolve(struct symbols *out, struct model *m, const struct symbols_options *options,
		    struct error *err)
{
	struct resolver r = {
		.out = {.budget = m->budget}, .m = m, .options = options, .budget = m->budget};
	int rc;

	hashmap_init(&r.recorded, r.budget);
	hashmap_init(&r.rows, r.budget);
	if ((rc = find_recorded(&r, err)) == 0)
		rc = find_places(&r, err);
	for (uint32_t i = 0; i < r.out.modules.n && rc == 0 && symbol_files_supported(); i++)
		rc = name_module(&r, i, err);
	if (rc == 0 && r.out.resolved)
		rc = rewrite_model(&r, err);
	vec_release(&r.places, r.budget);
	vec_release(&r.lines, r.budget);
	vec_release(&r.of_frame, r.budget);
	vec_release(&r.first, r.budget);
	hashmap_release(&r.recorded);
	hashmap_release(&r.rows);
	if (rc < 0)
		symbols_release(&r.out);
	else
		*out = r.out;
	return rc;
}

void symbols_release(struct symbols *s)
{
	if (s && s->budget)
		vec_release(&s->modules, s->budget);
}
