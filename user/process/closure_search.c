#include "process/closure.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "process/procfs.h"

/* More objects than any program is linked against, and more places than they are looked for in; a
 * chain of scripts as long as the kernel takes. */
#define MAX_OBJECTS 1024
#define MAX_OPENS   (1u << 15)
#define MAX_SCRIPTS 4
#define OPEN_STEPS  512

struct search {
	closure *out;
	const struct closure_effort *effort; /* NULL: none */
	int root_fd;
	char *root; /* its path, as links to files below it begin */
	struct linker_cache cache;
	size_t n_opens;
	struct budget budget; /* of all files together */
};

/* --- files ---------------------------------------------------------------------------------- */

/* What the link of /proc says; owned; NULL: there is none. */
static char *read_link(const char *link)
{
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	return mem_strdup(path);
}

static char *link_of(int fd)
{
	_free_ char *link = mem_printf("/proc/self/fd/%d", fd);

	return read_link(link);
}

/* "" for one that is everything, ours included. */
static char *root_path(int root_fd)
{
	char *path = root_fd < 0 ? NULL : link_of(root_fd);

	if (path && strcmp(path, "/") != 0)
		return path;
	free(path);
	return mem_strdup("");
}

/* @path as seen from below @root; within it. */
static const char *below(const char *path, const char *root)
{
	const size_t n = strlen(root);

	return !strncmp(path, root, n) && path[n] == '/' ? path + n : path;
}

static bool goes_on(const struct search *s)
{
	return !s->effort || s->effort->goes_on(s->effort->context);
}

/* An ELF file or a script, for reading; or negative. */
static int open_file(struct search *s, const char *path)
{
	return s->n_opens++ < MAX_OPENS && budget_steps(&s->budget, OPEN_STEPS) && goes_on(s)
		       ? elffile_open_path(s->root_fd, path)
		       : -EMFILE;
}

/* A whole small file; owned; NULL: there is none. */
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

/* True where it is there. */
static bool add(struct search *s, const char *path)
{
	_close_ int fd = open_file(s, path);
	_free_ char *real = fd < 0 ? NULL : link_of(fd);
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

/* Adds @name from one of the folders of @list, which stand between colons; @origin is what $ORIGIN
 * is. True where it is there. */
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

/* Of our own environment, which others need not have. */
static const char *variable(const struct search *s, const char *name)
{
	return s->root_fd < 0 ? environment_given(name) : NULL;
}

/* As ld.so(8) searches. */
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

/* The interpreter of the script @path, owned; NULL: it is none. */
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
	/* What is added meanwhile is followed too. */
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
	_free_ char *link = procfs_path(pid, "exe");
	_free_ char *path = read_link(link), *root = root_path(root_fd);

	if (path)
		closure_search_program(root_fd, below(path, root), effort, out);
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
	/* A script that names no interpreter: execvp(3) has the shell run it. */
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
