#include "capture/source_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "elf/buildid.h"
#include "process/opener.h"
#include "symbol/worker.h"

#define PASSWD_BYTES (1u << 20)
/* Modules that are tried for one file: a header has functions in many. */
#define MODULES_A_FILE 8
/* Stacks of a script's functions that are tried for its interpreter. */
#define STACKS_A_SCRIPT 16

/* A source file from which a module has code. */
struct use {
	uint32_t file, module; /* file: index into the wanted files */
};

/* A module that has code of wanted files, and the folders it was compiled in. Of a script the image
 * is one of the interpreter that ran it, and its files are read from where they are. */
struct compiled {
	uint32_t module;
	bool is_script;
	struct image *image;
	VEC(char *) folders;
};

struct run {
	const struct source_files *of;
	const struct profile *p;
	VEC(struct use) uses; /* by file */
	VEC(struct compiled) modules;
	VEC(struct job) jobs; /* one for each of modules, in order */
};

/* --- which modules ---------------------------------------------------------------------------- */

static bool is_image_of(const struct profile *p, const struct module *m, const struct image *image)
{
	_free_ char *path = NULL;
	char hex[BUILDID_HEX];

	if (!image || image->kind != IMAGE_KIND_FILE || image->is_copy)
		return false;
	path = str_clean(image->path, strlen(image->path));
	return !strcmp(path, profile_text(p, m->path)) &&
	       !strcmp(buildid_hex(image->build_id, image->build_id_bytes, hex),
		       profile_text(p, m->build_id));
}

static struct image *image_of(const struct run *r, uint32_t module)
{
	for (uint32_t i = 0; i < r->of->images->at.n; i++) {
		struct image *image = images_at(r->of->images, i);

		if (is_image_of(r->p, &r->p->modules.at[module], image))
			return image;
	}
	return NULL;
}

/* NULL: the module was not added. */
static struct compiled *compiled_of(struct run *r, uint32_t module)
{
	for (size_t i = 0; i < r->modules.n; i++)
		if (r->modules.at[i].module == module)
			return &r->modules.at[i];
	return NULL;
}

/* The first native code that called what is at @node. */
static struct image *caller_of(const struct run *r, uint32_t node)
{
	for (; node; node = r->p->nodes.at[node].parent) {
		const uint32_t function = r->p->frames.at[r->p->nodes.at[node].frame].function;
		const struct function *f = &r->p->functions.at[function];

		if (f->module && !frame_kind_is_script(f->kind))
			return image_of(r, f->module);
	}
	return NULL;
}

/* NULL: no stack has it. */
static struct image *interpreter_of(const struct run *r, uint32_t module)
{
	struct image *image = NULL;

	for (uint32_t i = 1, tried = 0; i < r->p->nodes.n && tried < STACKS_A_SCRIPT; i++) {
		const uint32_t function = r->p->frames.at[r->p->nodes.at[i].frame].function;

		if (r->p->functions.at[function].module != module)
			continue;
		image = caller_of(r, i);
		if (image)
			break;
		tried++;
	}
	return image;
}

static void add_use(struct run *r, uint32_t file, const struct function *f)
{
	struct compiled c = {.module = f->module, .is_script = frame_kind_is_script(f->kind)};

	vec_push(&r->uses, ((struct use){file, f->module}));
	if (compiled_of(r, f->module))
		return;
	c.image = c.is_script ? interpreter_of(r, f->module) : image_of(r, f->module);
	vec_push(&r->modules, c);
}

static int by_file(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->module > b->module) - (a->module < b->module);
}

static void find_uses(struct run *r, const uint32_t *files, size_t n)
{
	struct map wanted = {0}, seen = {0};
	bool fresh;

	for (size_t i = 0; i < n; i++)
		*map_put(&wanted, files[i], &fresh) = (uint32_t)i;
	for (size_t i = 0; i < r->p->functions.n; i++) {
		const struct function *f = &r->p->functions.at[i];
		const uint32_t *file = f->file ? map_get(&wanted, f->file) : NULL;

		if (!file)
			continue;
		map_put(&seen, (uint64_t)f->file << 32 | f->module, &fresh);
		if (fresh)
			add_use(r, *file, f);
	}
	if (r->uses.n)
		qsort(r->uses.at, r->uses.n, sizeof(*r->uses.at), by_file);
	map_release(&wanted);
	map_release(&seen);
}

/* --- where they were compiled ----------------------------------------------------------------- */

/* @path without "//", "/./" and "/x/../"; NULL if it is not absolute. */
static char *plain_path(const char *path)
{
	char *plain = mem_strdup(path), *end = plain;

	if (path[0] != '/') {
		free(plain);
		return NULL;
	}
	for (const char *at = path; *at;) {
		const size_t n = strcspn(++at, "/");

		if (n == 2 && at[0] == '.' && at[1] == '.') {
			while (end > plain && *--end != '/')
				;
		} else if (n && !(n == 1 && at[0] == '.')) {
			*end++ = '/';
			memmove(end, at, n);
			end += n;
		}
		at += n;
	}
	*end = '\0';
	return plain;
}

static void take_folders(void *context, const struct job *job, const struct answer_view *v)
{
	struct run *r = context;
	struct compiled *c = NULL;

	for (size_t i = 0; i < r->modules.n && !c; i++)
		if (r->modules.at[i].image == job->image && !r->modules.at[i].is_script)
			c = &r->modules.at[i];
	for (uint32_t i = 0; c && i < v->n_folders; i++) {
		char *folder = plain_path(v->text + v->folders[i]);

		if (folder)
			vec_push(&c->folders, folder);
	}
}

static void find_folders(struct run *r)
{
	for (size_t i = 0; i < r->modules.n; i++)
		if (r->modules.at[i].image && !r->modules.at[i].is_script)
			vec_push(&r->jobs, ((struct job){.image = r->modules.at[i].image}));
	worker_run(r->jobs.at, r->jobs.n, r->of->images->patience, take_folders, r);
}

/* --- opening ---------------------------------------------------------------------------------- */

struct reader {
	struct owner as;
	bool is_us;
	char *home;
};

/* The user's home, the sixth field in passwd(5); NULL: there is none. */
static char *home_of(uid_t uid)
{
	_free_ char *text = NULL;
	char *save = NULL;
	size_t n;

	if (file_read("/etc/passwd", PASSWD_BYTES, &text, &n))
		return NULL;
	for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
		char *field[7] = {NULL};

		for (size_t i = 0; i < 7 && row; i++)
			field[i] = strsep(&row, ":");
		if (field[5] && field[2][0] && strtoul(field[2], NULL, 10) == uid)
			return mem_strdup(field[5]);
	}
	return NULL;
}

static struct reader reader_of(const struct image *image)
{
	struct reader r = {.as = owner_reader(&image->mapper), .is_us = !caller_had_rights()};

	r.home = home_of(r.is_us ? caller().uid : r.as.uid);
	return r;
}

static int open_below(const struct compiled *c, const struct reader *reader, const char *path,
		      size_t folder)
{
	const struct opener_request request = {.what = OPENER_SOURCE,
					       .path = path,
					       .folder = (uint32_t)folder,
					       .home = reader->home,
					       .as = reader->is_us ? NULL : &reader->as,
					       .root_fd = c->image->root_fd};
	struct opener_answer a;

	(void)opener_ask(c->image->opener, &request, &a);
	return a.fd;
}

static int try_folder(const struct compiled *c, const struct reader *reader, const char *path,
		      const char *folder)
{
	const size_t n = strlen(folder);

	return !strncmp(path, folder, n) && path[n] == '/' ? open_below(c, reader, path, n) : -1;
}

static int open_absolute(const struct run *r, const struct compiled *c, const struct reader *reader,
			 const char *path)
{
	int fd = -1;

	if (c->is_script)
		fd = open_below(c, reader, path, (size_t)(str_base(path) - path - 1));
	for (size_t i = 0; fd < 0 && i < c->folders.n; i++)
		fd = try_folder(c, reader, path, c->folders.at[i]);
	for (size_t i = 0; fd < 0 && i < r->of->n_folders; i++) {
		_free_ char *folder = plain_path(r->of->folders[i]);

		fd = folder ? try_folder(c, reader, path, folder) : -1;
	}
	return fd;
}

/* For a program that was built with relative paths: looks below --source-dir, or the current
 * folder. */
static int open_relative(const struct run *r, const struct compiled *c, const struct reader *reader,
			 const char *name)
{
	_free_ char *here = getcwd(NULL, 0);
	int fd = -1;

	for (size_t i = 0; fd < 0 && i <= r->of->n_folders; i++) {
		const char *folder = i < r->of->n_folders ? r->of->folders[i] : here;
		_free_ char *path = folder ? mem_printf("%s/%s", folder, name) : NULL;

		if (path && (i < r->of->n_folders || c->image->root_fd < 0))
			fd = open_below(c, reader, path, strlen(folder));
	}
	return fd;
}

static int open_of(const struct run *r, const struct compiled *c, const char *name)
{
	struct reader reader;
	_free_ char *plain = plain_path(name);
	int fd;

	if (!c || !c->image)
		return -1;
	reader = reader_of(c->image);
	fd = plain ? open_absolute(r, c, &reader, plain) : open_relative(r, c, &reader, name);
	free(reader.home);
	return fd;
}

/* --- all -------------------------------------------------------------------------------------- */

static void release(struct run *r)
{
	for (size_t i = 0; i < r->modules.n; i++) {
		for (size_t k = 0; k < r->modules.at[i].folders.n; k++)
			free(r->modules.at[i].folders.at[k]);
		vec_release(&r->modules.at[i].folders);
	}
	vec_release(&r->modules);
	vec_release(&r->uses);
	vec_release(&r->jobs);
}

void source_files_open(void *source_files, const struct profile *p, const uint32_t *files, size_t n,
		       int *fds)
{
	struct run r = {.of = source_files, .p = p};
	uint32_t tried = 0;

	find_uses(&r, files, n);
	find_folders(&r);
	for (size_t i = 0; i < n; i++)
		fds[i] = -1;
	for (size_t i = 0; i < r.uses.n; i++) {
		const struct use *use = &r.uses.at[i];

		tried = i && use->file == use[-1].file ? tried + 1 : 0;
		if (fds[use->file] < 0 && tried < MODULES_A_FILE)
			fds[use->file] = open_of(&r, compiled_of(&r, use->module),
						 profile_text(p, files[use->file]));
	}
	release(&r);
}
