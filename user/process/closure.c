#include "process/closure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/budget.h"
#include "elf/needed.h"
#include "process/procfs.h"

/* More objects than any program is linked against, and more places than they are looked for in; a
 * chain of scripts as long as the kernel takes; a cache of 25,000 libraries. */
#define MAX_OBJECTS	1024
#define MAX_OPENS	(1u << 15)
#define MAX_SCRIPTS	4
#define OPEN_STEPS	512
#define MAX_CACHE_BYTES (4u << 20)

/* The form that glibc has written since 2.32, and after an older part before; see ldconfig(8) and
 * glibc's elf/dl-cache.h. */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_header {
	char magic[20];
	uint32_t n, text_bytes;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path; /* texts, from the header on */
	uint32_t os_version;
	uint64_t hwcap; /* not read: the path says for which processors the file is */
};

#define CACHE_X86_64 0x0303 /* ELF, libc6, 64 bits */

/* /etc/ld.so.cache. */
struct cache {
	char *file;
	const char *at;	    /* the header */
	size_t bytes;	    /* from there */
	struct map by_name; /* hash of a name → offset of the path */
};

struct search {
	closure *out;
	int root_fd;
	char *root; /* its path, as links to files below it begin */
	struct cache cache;
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

/* An ELF file or a script, for reading; or negative. */
static int open_file(struct search *s, const char *path)
{
	return s->n_opens++ < MAX_OPENS && budget_steps(&s->budget, OPEN_STEPS)
		       ? elffile_open_path(s->root_fd, path)
		       : -EMFILE;
}

/* --- glibc-hwcaps --------------------------------------------------------------------------- */

/* A library may exist in several builds; the dynamic linker loads the one for the highest level of
 * x86-64 that the processor has. Levels 2 to 4 have folders of their own; all else is level 1. */
#define LEVEL_FOLDER "glibc-hwcaps/x86-64-v"

static int level_of_processor(void)
{
	if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
		return 1;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") ||
	    !__builtin_cpu_supports("fma"))
		return 2;
	if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512cd") ||
	    !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
		return 3;
	return 4;
}

/* "/usr/lib/glibc-hwcaps/x86-64-v3/libz.so.1" → 3 */
static int level_of(const char *path)
{
	const char *folder = strstr(path, "/" LEVEL_FOLDER);

	return folder ? atoi(folder + strlen("/" LEVEL_FOLDER)) : 1;
}

/* --- the cache ------------------------------------------------------------------------------ */

/* A whole small file; owned; NULL: there is none. */
static char *read_file(struct search *s, const char *path, size_t max_bytes, size_t *n)
{
	_close_ int fd = open_file(s, path);
	_free_ char *link = mem_printf("/proc/self/fd/%d", fd);
	char *text = NULL;

	return fd < 0 || file_read(link, max_bytes, &text, n) ? NULL : text;
}

/* NULL if it does not end within the length of a path: many entries may share one text. */
static const char *cache_text(const struct cache *c, uint32_t offset)
{
	size_t left = offset < c->bytes ? c->bytes - offset : 0;

	left = left < PATH_MAX ? left : PATH_MAX;
	return left && memchr(c->at + offset, 0, left) ? c->at + offset : NULL;
}

/* Calls @each, until it returns true, with the name and the path of every library for us. */
static void cache_each(const struct cache *c,
		       bool (*each)(void *context, const char *name, const char *path),
		       void *context)
{
	struct cache_header head;
	struct cache_entry e;
	size_t n;

	if (!c->at || c->bytes < sizeof(head))
		return;
	memcpy(&head, c->at, sizeof(head));
	n = (c->bytes - sizeof(head)) / sizeof(e);
	for (size_t i = 0; i < n && i < head.n; i++) {
		const char *name, *path;

		memcpy(&e, c->at + sizeof(head) + i * sizeof(e), sizeof(e));
		name = cache_text(c, e.name);
		path = cache_text(c, e.path);
		if (e.flags == CACHE_X86_64 && name && path && each(context, name, path))
			return;
	}
}

/* If several entries have one name, the first of the highest level counts. */
static bool add_name(void *context, const char *name, const char *path)
{
	struct cache *c = context;
	const int level = level_of(path);
	bool fresh;
	uint32_t *at;

	if (level > level_of_processor())
		return false;
	at = map_put(&c->by_name, hash_bytes(name, strlen(name)), &fresh);
	if (fresh || level > level_of(c->at + *at))
		*at = (uint32_t)(path - c->at);
	return false;
}

static void cache_read(struct search *s)
{
	struct cache *c = &s->cache;
	size_t n = 0;

	c->file = read_file(s, "/etc/ld.so.cache", MAX_CACHE_BYTES, &n);
	if (!c->file)
		return;
	c->at = memmem(c->file, n, CACHE_MAGIC, strlen(CACHE_MAGIC));
	if (c->at)
		c->bytes = n - (size_t)(c->at - c->file);
	cache_each(c, add_name, c);
}

static void cache_release(struct cache *c)
{
	map_release(&c->by_name);
	free(c->file);
}

/* The path for @name, NULL where there is none. */
static const char *cache_find(const struct cache *c, const char *name)
{
	const uint32_t *at = map_get(&c->by_name, hash_bytes(name, strlen(name)));

	return at ? c->at + *at : NULL;
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
	for (int level = level_of_processor(); level > 1; level--) {
		_free_ char *path = mem_printf("%s/" LEVEL_FOLDER "%d/%s", folder, level, name);

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
	cached = cache_find(&s->cache, name);
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
	cache_release(&s->cache);
}

void closure_of_program(int root_fd, const char *path, closure *out)
{
	_free_ char *root = root_path(root_fd);
	struct search s = {.out = out, .root_fd = root_fd, .root = root};

	find_all(&s, path);
}

void closure_of_process(int root_fd, uint32_t pid, closure *out)
{
	_free_ char *link = procfs_path(pid, "exe");
	_free_ char *path = read_link(link), *root = root_path(root_fd);
	struct search s = {.out = out, .root_fd = root_fd, .root = root};

	if (path)
		find_all(&s, below(path, root));
}

char *closure_program(const char *command)
{
	const char *path = environment_given("PATH");
	_free_ char *copy = mem_strdup(path ? path : "/bin:/usr/bin");
	char *save = NULL;
	struct stat st;

	if (strchr(command, '/'))
		return mem_strdup(command);
	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *full = mem_printf("%s/%s", dir, command);

		if (!stat(full, &st) && S_ISREG(st.st_mode) && !access(full, X_OK))
			return full;
		free(full);
	}
	return NULL;
}

static bool is_elf(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[SELFMAG];

	return fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

void closure_of_command(const char *command, closure *out)
{
	_free_ char *path = closure_program(command);

	if (!path)
		return;
	closure_of_program(-1, path, out);
	/* A script that names no interpreter: execvp(3) has the shell run it. */
	if (out->n == 1 && !is_elf(out->at[0].path)) {
		closure_release(out);
		closure_of_program(-1, "/bin/sh", out);
	}
}

void closure_release(closure *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i].path);
	vec_release(c);
}

char *closure_library(const char *name)
{
	struct search s = {.root_fd = -1};
	const char *path;
	char *real;

	budget_open(NULL, 0, &s.budget);
	cache_read(&s);
	path = cache_find(&s.cache, name);
	real = path ? realpath(path, NULL) : NULL;
	cache_release(&s.cache);
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

void closure_each_library(void (*each)(void *context, const char *path), void *context)
{
	struct search s = {.root_fd = -1};
	struct listing listing = {each, context};

	budget_open(NULL, 0, &s.budget);
	cache_read(&s);
	cache_each(&s.cache, list_one, &listing);
	cache_release(&s.cache);
}
