/*
 * engine_named: finds files to probe before any process maps them: programs that patterns name by
 * path, or that are in PATH or among the command's arguments, and libraries that the dynamic linker
 * would find, or that the command has it load first. A process of the target may run one for less
 * time than it takes to read its symbols.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "elf/elffile.h"
#include "process/closure.h"
#include "process/opener.h"
#include "probe/engine.h"

/* A pattern that matches more libraries matches any. */
#define MAX_LIBRARIES 8

/* Limits, since each argument is compared with each pattern. */
#define MAX_PATTERNS  1000
#define MAX_ARGUMENTS 64

typedef VEC(char *) paths;

/* Whether the target may come to run other programs. */
static bool may_come(const struct target *t)
{
	return engine_is_for_all(t) || (t->inherit && t->kind != TARGET_TID);
}

/* False: no such file. */
static bool find(struct engine *z, const char *path)
{
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = OPENER_OWN_ROOT};
	struct opener *opener = z->in.images->opener;
	struct image_id id = {.path = path};
	struct opener_answer a;
	uint32_t number, image;
	bool is;

	if (opener_ask(opener, &r, &a))
		return false;
	id.dev_major = a.device_major;
	id.dev_minor = a.device_minor;
	id.inode = a.inode;
	is = elffile_is(a.fd);
	opener_answer_release(opener, &a);
	if (!is)
		return false;
	image = images_file(z->in.images, (uint32_t)getpid(), 0, 0, &id);
	if (!probed_process_may_probe(z, image))
		return false;
	/* First, since it may move z->at. */
	number = engine_number_of(z, image);
	z->at.at[number]->named = true;
	return true;
}

static void keep_path(void *context, const char *path)
{
	paths *libraries = context;

	vec_push(libraries, mem_strdup(path));
}

/* Finds libraries whose names, of link or file, @pattern may match. Lists @libraries when first
 * needed. */
static void find_libraries(struct engine *z, size_t pattern, paths *libraries)
{
	const char *which[MAX_LIBRARIES];
	size_t n = 0;

	if (!libraries->n)
		closure_each_library(z->in.images->opener, keep_path, libraries);
	for (size_t i = 0; i < libraries->n; i++) {
		if (!zonepatterns_is_for(z->in.o->patterns, pattern, libraries->at[i]))
			continue;
		if (n == MAX_LIBRARIES)
			return;
		which[n++] = libraries->at[i];
	}
	for (size_t i = 0; i < n; i++) {
		_free_ char *path = closure_path(z->in.images->opener, which[i], NULL);

		if (path && zonepatterns_is_for(z->in.o->patterns, pattern, path))
			(void)find(z, path);
	}
}

/* Finds what env(1), nice(1), taskset(1) and the like would run. */
static bool find_argument(struct engine *z, size_t pattern)
{
	struct opener *opener = z->in.images->opener;
	char *const *argv = z->in.target->kind == TARGET_COMMAND ? z->in.target->argv : NULL;
	bool found = false;

	for (int i = 1; argv && argv[i] && i < MAX_ARGUMENTS; i++) {
		_free_ char *path =
			strchr(argv[i], '/') ? closure_path(opener, argv[i], NULL) : NULL;

		if (path && (zonepatterns_is_for(z->in.o->patterns, pattern, argv[i]) ||
			     zonepatterns_is_for(z->in.o->patterns, pattern, path)))
			found |= find(z, path);
	}
	return found;
}

/* Finds a library, and those that it needs. */
static void find_with_needed(struct engine *z, const char *path)
{
	closure c = {0};

	(void)closure_of_command(z->in.images->opener, path, &c);
	for (size_t i = 0; i < c.n; i++)
		(void)find(z, c.at[i].path);
	closure_release(&c);
}

/* Finds what "env LD_PRELOAD=… PROGRAM" has the dynamic linker load: if its functions had probes
 * only once the program has them mapped, the first calls would be missed. */
static void find_preloads(struct engine *z)
{
	static const char variable[] = "LD_PRELOAD=";
	struct opener *opener = z->in.images->opener;
	char *const *argv = z->in.target->kind == TARGET_COMMAND ? z->in.target->argv : NULL;
	size_t n = 0;

	for (int i = 1; argv && argv[i] && i < MAX_ARGUMENTS; i++) {
		_free_ char *list = str_starts(argv[i], variable)
					    ? mem_strdup(argv[i] + strlen(variable))
					    : NULL;
		char *save = NULL;

		for (char *word = list ? strtok_r(list, ": ", &save) : NULL;
		     word && n < MAX_LIBRARIES; word = strtok_r(NULL, ": ", &save), n++) {
			_free_ char *path = strchr(word, '/') ? closure_path(opener, word, NULL)
							      : closure_library(opener, word);

			if (path)
				find_with_needed(z, path);
		}
	}
}

static void find_all(struct engine *z, paths *libraries)
{
	const struct zonepatterns *patterns = z->in.o->patterns;
	const char *last = "";

	for (size_t i = 0; i < zonepatterns_count(patterns) && i < MAX_PATTERNS; i++) {
		const char *module = zonepatterns_module(patterns, i);
		const char *path = zonepatterns_file(patterns, i);

		if (!module || !strcmp(module, last))
			continue;
		/* Patterns of no user's are not about libraries that nobody runs. */
		if ((!path || !find(z, path)) && !find_argument(z, i) &&
		    !zonepatterns_may_miss(patterns, i))
			find_libraries(z, i, libraries);
		last = module;
	}
}

void engine_named_find(struct engine *z)
{
	paths libraries = {0};

	/* If attached one by one, probes must be few. */
	if (!may_come(z->in.target) || !z->in.session->probes.multi)
		return;
	find_preloads(z);
	find_all(z, &libraries);
	for (size_t i = 0; i < libraries.n; i++)
		free(libraries.at[i]);
	vec_release(&libraries);
}

int engine_named_attach(struct engine *z)
{
	int ret = 0;

	for (uint32_t i = 0; i < z->at.n && !ret; i++)
		if (z->at.at[i]->named)
			ret = engine_attach(z, i);
	return ret;
}
