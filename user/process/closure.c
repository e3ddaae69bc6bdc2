/* Asks the opener, and the search that the opener's helpers run: see closure.h. */

#include "process/closure.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/budget.h"
#include "elf/needed.h"
#include "process/linker_cache.h"
#include "process/opener.h"
#include "process/procfs.h"

/* After so many folders of PATH that do not answer, the search ends. */
#define MOST_SILENT 2

char *closure_absolute(const char *path)
{
	_free_ char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);

	return here ? mem_printf("%s/%s", here, path) : mem_strdup(path);
}

static int ask(struct opener *o, enum opener_what what, const char *path, struct opener_answer *a)
{
	const struct opener_request r = {.what = what, .path = path, .root_fd = OPENER_OWN_ROOT};

	return opener_ask(o, &r, a);
}

char *closure_path(struct opener *o, const char *path, int *rc)
{
	_free_ char *whole = closure_absolute(path);
	struct opener_answer a;
	const int ret = ask(o, OPENER_NAME, whole, &a);

	if (rc)
		*rc = ret;
	return a.text;
}

/* Whether execvp(3) would run the file. */
static int may_run(struct opener *o, const char *path)
{
	struct opener_answer a;
	int rc = ask(o, OPENER_NAME, path, &a);

	if (!rc && (!S_ISREG(a.mode) || !(a.mode & 0111)))
		rc = -EACCES;
	opener_answer_release(o, &a);
	return rc;
}

char *closure_program(struct opener *o, const char *command)
{
	const char *path = environment_given("PATH");
	_free_ char *copy = mem_strdup(path ? path : "/bin:/usr/bin");
	char *save = NULL;
	int silent = 0;

	if (strchr(command, '/'))
		return closure_absolute(command);
	for (char *dir = strtok_r(copy, ":", &save); dir && silent < MOST_SILENT;
	     dir = strtok_r(NULL, ":", &save)) {
		_free_ char *file = mem_printf("%s/%s", dir, command);
		char *whole = closure_absolute(file);
		const int rc = may_run(o, whole);

		if (!rc)
			return whole;
		silent += opener_is_silent(rc);
		free(whole);
	}
	return NULL;
}

/* --- closures --------------------------------------------------------------------------------- */

/* False: the answer is malformed. */
static bool unpack(const struct opener_answer *a, closure *out)
{
	const char *at = a->text, *end = at + a->text_bytes;

	while (at < end) {
		struct closure_file f = {0};
		struct opener_file head;
		const char *zero;

		if ((size_t)(end - at) < sizeof(head))
			return false;
		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		zero = memchr(at, '\0', (size_t)(end - at));
		if (!zero)
			return false;
		f.dev_major = head.device_major;
		f.dev_minor = head.device_minor;
		f.inode = head.inode;
		f.path = mem_strdup(at);
		vec_push(out, f);
		at = zero + 1;
	}
	return true;
}

static int ask_closure(struct opener *o, const struct opener_request *r, closure *out)
{
	struct opener_answer a;
	const int rc = opener_ask(o, r, &a);

	if (!rc && !unpack(&a, out))
		closure_release(out);
	opener_answer_release(o, &a);
	return rc;
}

int closure_of_command(struct opener *o, const char *command, closure *out)
{
	_free_ char *path = closure_program(o, command);
	const struct opener_request r = {
		.what = OPENER_CLOSURE, .path = path, .root_fd = OPENER_OWN_ROOT};

	return path ? ask_closure(o, &r, out) : 0;
}

int closure_of_process(struct opener *o, int root_fd, uint32_t pid, closure *out)
{
	const struct opener_request r = {.what = OPENER_CLOSURE, .pid = pid, .root_fd = root_fd};

	return ask_closure(o, &r, out);
}

/* --- libraries -------------------------------------------------------------------------------- */

static void read_cache(struct opener *o, struct linker_cache *out)
{
	struct opener_answer a;

	(void)ask(o, OPENER_PATH, LINKER_CACHE, &a);
	linker_cache_read(a.fd, out);
	opener_answer_release(o, &a);
}

char *closure_library(struct opener *o, const char *name)
{
	struct linker_cache cache;
	const char *path;
	char *real;

	read_cache(o, &cache);
	path = linker_cache_find(&cache, name);
	real = path ? closure_path(o, path, NULL) : NULL;
	linker_cache_release(&cache);
	return real;
}

struct listing {
	void (*each)(void *context, const char *path);
	void *context;
};

static bool list_one(void *context, const char *name, const char *path)
{
	const struct listing *l = context;

	(void)name;
	l->each(l->context, path);
	return false;
}

void closure_each_library(struct opener *o, void (*each)(void *context, const char *path),
			  void *context)
{
	struct listing listing = {each, context};
	struct linker_cache cache;

	read_cache(o, &cache);
	linker_cache_each(&cache, list_one, &listing);
	linker_cache_release(&cache);
}

/* Limits: more objects than any program is linked against, more opens than they take, and the
 * kernel's limit on chains of scripts. */
#define MAX_OBJECTS	1024
#define MAX_OPENS	(1u << 15)
#define MAX_SCRIPTS	4
#define MAX_ENVIRONMENT (2u << 20)
#define OPEN_STEPS	512

struct search {
	closure *out;
	const struct closure_effort *effort; /* NULL: none */
	int root_fd;
	char *root; /* its path: links to files below it begin with it; owned */
	struct linker_cache cache;
	size_t n_opens;
	struct budget budget;	 /* shared by all files */
	const char *environment; /* of the process; NULL: not known */
	size_t environment_bytes;
};

/* --- files ---------------------------------------------------------------------------------- */

/* The path of the root; "" for our own or the real root; owned. */
static char *root_path(int root_fd)
{
	char *path = root_fd < 0 ? NULL : file_path(root_fd);

	if (path && strcmp(path, "/") != 0)
		return path;
	free(path);
	return mem_strdup("");
}

/* @path relative to @root, if it lies below it. */
static const char *below(const char *path, const char *root)
{
	const size_t n = strlen(root);

	return !strncmp(path, root, n) && path[n] == '/' ? path + n : path;
}

static bool goes_on(const struct search *s)
{
	return !s->effort || s->effort->goes_on(s->effort->context);
}

/* Opens an ELF file or a script for reading; negative: failed, or a limit was reached. */
static int open_file(struct search *s, const char *path)
{
	return s->n_opens++ < MAX_OPENS && budget_steps(&s->budget, OPEN_STEPS) && goes_on(s)
		       ? elffile_open_path(s->root_fd, path)
		       : -EMFILE;
}

/* A small file's content; owned; NULL: it cannot be read. */
static char *read_file(struct search *s, const char *path, size_t max_bytes, size_t *n)
{
	_close_ int fd = open_file(s, path);
	_free_ char *link = mem_printf("/proc/self/fd/%d", fd);
	char *text = NULL;

	return fd < 0 || file_read(link, max_bytes, &text, n) ? NULL : text;
}

static void cache_read(struct search *s)
{
	_close_ int fd = open_file(s, LINKER_CACHE);

	linker_cache_read(fd, &s->cache);
}

/* --- objects -------------------------------------------------------------------------------- */

static bool is_known(const struct search *s, const struct closure_file *f)
{
	for (size_t i = 0; i < s->out->n; i++) {
		const struct closure_file *known = &s->out->at[i];

		if (known->inode == f->inode && known->dev_major == f->dev_major &&
		    known->dev_minor == f->dev_minor)
			return true;
	}
	return false;
}

/* Adds the file at @path, once. False: there is none. */
static bool add(struct search *s, const char *path)
{
	_close_ int fd = open_file(s, path);
	_free_ char *real = fd < 0 ? NULL : file_path(fd);
	struct closure_file f = {0};
	struct stat st;

	if (!real || fstat(fd, &st))
		return false;
	f.dev_major = major(st.st_dev);
	f.dev_minor = minor(st.st_dev);
	f.inode = st.st_ino;
	if (s->out->n < MAX_OBJECTS && !is_known(s, &f)) {
		f.path = mem_strdup(below(real, s->root));
		vec_push(s->out, f);
	}
	return true;
}

/* Adds the build of @name in @folder that has the highest level. True if there is one. */
static bool add_best(struct search *s, const char *folder, const char *name)
{
	for (int level = linker_level(); level > 1; level--) {
		_free_ char *path =
			mem_printf("%s/" LINKER_LEVEL_FOLDER "%d/%s", folder, level, name);

		if (add(s, path))
			return true;
	}
	_free_ char *path = mem_printf("%s/%s", folder, name);

	return add(s, path);
}

/* Adds @name from the first folder of the colon-separated @list that has it; @origin replaces
 * $ORIGIN. False: no folder has it. */
static bool add_from(struct search *s, const char *list, const char *origin, const char *name)
{
	_free_ char *copy = mem_strdup(list ? list : "");
	char *save = NULL;

	for (char *dir = strtok_r(copy, ":;", &save); dir && s->n_opens < MAX_OPENS;
	     dir = strtok_r(NULL, ":;", &save)) {
		const char *rest = str_starts(dir, "$ORIGIN")	  ? dir + 7
				   : str_starts(dir, "${ORIGIN}") ? dir + 9
								  : NULL;
		_free_ char *folder = rest ? mem_printf("%s%s", origin, rest) : mem_strdup(dir);

		if (add_best(s, folder, name))
			return true;
	}
	return false;
}

/* A variable of the process's environment. If that is not known: of ours; NULL for another root,
 * whose programs need not have ours. */
static const char *variable(const struct search *s, const char *name)
{
	const char *at = s->environment, *end = at + s->environment_bytes;
	const size_t n = strlen(name);

	if (!at)
		return s->root_fd < 0 ? environment_given(name) : NULL;
	for (; at < end; at += strlen(at) + 1)
		if (!strncmp(at, name, n) && at[n] == '=')
			return at + n + 1;
	return NULL;
}

/* Searches as ld.so(8) does. */
static void add_needed(struct search *s, const struct needed *n, const char *origin,
		       const char *name)
{
	static const char standard[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
				       "/lib64:/usr/lib64:/lib:/usr/lib";
	const char *cached;

	if (strchr(name, '/')) {
		add(s, name);
		return;
	}
	if (add_from(s, n->rpath, origin, name) ||
	    add_from(s, variable(s, "LD_LIBRARY_PATH"), origin, name) ||
	    add_from(s, n->runpath, origin, name))
		return;
	cached = linker_cache_find(&s->cache, name);
	if (!cached || !add(s, cached))
		add_from(s, standard, origin, name);
}

static void add_words(struct search *s, const char *list)
{
	_free_ char *copy = mem_strdup(list ? list : "");
	struct needed none = {0};
	char *save = NULL;

	for (char *word = strtok_r(copy, ": \t\n", &save); word;
	     word = strtok_r(NULL, ": \t\n", &save))
		add_needed(s, &none, "/", word);
}

static void add_preloads(struct search *s)
{
	_free_ char *list = NULL;
	size_t n;

	add_words(s, variable(s, "LD_PRELOAD"));
	list = read_file(s, "/etc/ld.so.preload", 65536, &n);
	if (list)
		add_words(s, list);
}

/* Adds what the object at @path needs. */
static void follow(struct search *s, const char *path)
{
	_close_ int fd = open_file(s, path);
	_free_ char *origin = mem_strdup(path);
	struct needed needed = {0};
	struct elffile f;

	*strrchr(origin, '/') = '\0';
	if (fd < 0 || elffile_open_within(fd, &s->budget, &f))
		return;
	needed_read(&f, &needed);
	elffile_release(&f);
	if (needed.interpreter)
		add(s, needed.interpreter);
	for (size_t i = 0; i < needed.names.n; i++)
		add_needed(s, &needed, origin, needed.names.at[i]);
	needed_release(&needed);
}

/* The interpreter of the script @path; owned; NULL: it is no script. */
static char *interpreter_of(struct search *s, const char *path)
{
	_close_ int fd = open_file(s, path);
	char line[256];
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	char *word, *save = NULL;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return NULL;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	word = strtok_r(line + 2, " \t", &save);
	return word ? mem_strdup(word) : NULL;
}

static void find_all(struct search *s, const char *path)
{
	_free_ char *program = mem_strdup(path);

	budget_open(NULL, 0, &s->budget);
	for (int i = 0; i < MAX_SCRIPTS; i++) {
		char *other = interpreter_of(s, program);

		if (!other)
			break;
		free(program);
		program = other;
	}
	if (!add(s, program))
		return;
	cache_read(s);
	add_preloads(s);
	/* The list grows while we follow it. */
	for (size_t i = 0; i < s->out->n; i++)
		follow(s, s->out->at[i].path);
	linker_cache_release(&s->cache);
}

void closure_search_program(int root_fd, const char *path, const struct closure_effort *effort,
			    closure *out)
{
	_free_ char *root = root_path(root_fd);
	struct search s = {.out = out, .effort = effort, .root_fd = root_fd, .root = root};

	find_all(&s, path);
}

void closure_search_process(int root_fd, uint32_t pid, const struct closure_effort *effort,
			    closure *out)
{
	_free_ char *link = procfs_path(pid, "exe"), *variables = procfs_path(pid, "environ");
	_free_ char *path = file_link(link), *root = root_path(root_fd), *environment = NULL;
	struct search s = {.out = out, .effort = effort, .root_fd = root_fd, .root = root};

	/* What started it, as env(1), may have changed what is loaded with it. */
	if (!file_read(variables, MAX_ENVIRONMENT, &environment, &s.environment_bytes))
		s.environment = environment;
	if (path)
		find_all(&s, below(path, root));
}

static bool is_elf(const char *path)
{
	_close_ int fd = elffile_open_path(-1, path);
	char magic[SELFMAG];

	return fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

void closure_search_command(const char *path, const struct closure_effort *effort, closure *out)
{
	closure_search_program(-1, path, effort, out);
	/* execvp(3) runs a script that names no interpreter with the shell. */
	if (out->n == 1 && !is_elf(out->at[0].path)) {
		closure_release(out);
		closure_search_program(-1, "/bin/sh", effort, out);
	}
}

void closure_release(closure *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i].path);
	vec_release(c);
}
