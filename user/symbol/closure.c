#include "symbol/closure.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/needed.h"

/* More objects than any program is linked against; a chain of scripts as long as the kernel takes;
 * a cache of 100,000 libraries. */
#define MAX_OBJECTS	4096
#define MAX_SCRIPTS	4
#define MAX_CACHE_BYTES (16u << 20)

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
	uint64_t hwcap; /* 0: for every processor */
};

#define CACHE_X86_64 0x0303 /* ELF, libc6, 64 bits */

/* /etc/ld.so.cache. */
struct cache {
	char *file;
	const char *at; /* the header */
	size_t bytes;	/* from there */
};

struct search {
	closure *out;
	struct cache cache;
};

/* --- the cache ------------------------------------------------------------------------------ */

static void cache_read(struct cache *c)
{
	size_t n = 0;

	if (file_read("/etc/ld.so.cache", MAX_CACHE_BYTES, &c->file, &n))
		return;
	c->at = memmem(c->file, n, CACHE_MAGIC, strlen(CACHE_MAGIC));
	if (c->at)
		c->bytes = n - (size_t)(c->at - c->file);
}

static const char *cache_text(const struct cache *c, uint32_t offset)
{
	return offset < c->bytes && memchr(c->at + offset, 0, c->bytes - offset) ? c->at + offset
										 : NULL;
}

/* The path for @name, NULL where there is none. */
static const char *cache_find(const struct cache *c, const char *name)
{
	struct cache_header head;
	struct cache_entry e;
	size_t n;

	if (!c->at || c->bytes < sizeof(head))
		return NULL;
	memcpy(&head, c->at, sizeof(head));
	n = (c->bytes - sizeof(head)) / sizeof(e);
	for (size_t i = 0; i < n && i < head.n; i++) {
		const char *text;

		memcpy(&e, c->at + sizeof(head) + i * sizeof(e), sizeof(e));
		text = cache_text(c, e.name);
		if (e.flags == CACHE_X86_64 && !e.hwcap && text && !strcmp(text, name))
			return cache_text(c, e.path);
	}
	return NULL;
}

/* --- objects -------------------------------------------------------------------------------- */

static bool is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* True where it was not there yet. */
static bool add(struct search *s, const char *path)
{
	char real[PATH_MAX];

	if (s->out->n >= MAX_OBJECTS || !is_there(path) || !realpath(path, real))
		return false;
	for (size_t i = 0; i < s->out->n; i++)
		if (!strcmp(s->out->at[i], real))
			return false;
	vec_push(s->out, mem_strdup(real));
	return true;
}

/* Adds @name from one of the folders of @list, which stand between colons; @origin is what $ORIGIN
 * is. True where it is there. */
static bool add_from(struct search *s, const char *list, const char *origin, const char *name)
{
	_free_ char *copy = mem_strdup(list ? list : "");
	char *save = NULL;

	for (char *dir = strtok_r(copy, ":;", &save); dir; dir = strtok_r(NULL, ":;", &save)) {
		const char *rest = str_starts(dir, "$ORIGIN")	  ? dir + 7
				   : str_starts(dir, "${ORIGIN}") ? dir + 9
								  : NULL;
		_free_ char *path = rest ? mem_printf("%s%s/%s", origin, rest, name)
					 : mem_printf("%s/%s", dir, name);

		if (is_there(path)) {
			add(s, path);
			return true;
		}
	}
	return false;
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
	    add_from(s, getenv("LD_LIBRARY_PATH"), origin, name) ||
	    add_from(s, n->runpath, origin, name))
		return;
	cached = cache_find(&s->cache, name);
	if (cached && is_there(cached))
		add(s, cached);
	else
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

	add_words(s, getenv("LD_PRELOAD"));
	if (!file_read("/etc/ld.so.preload", 65536, &list, &n))
		add_words(s, list);
}

/* Adds what the object at @path needs. */
static void follow(struct search *s, const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_free_ char *origin = mem_strdup(path);
	struct needed needed = {0};
	struct elffile f;

	*strrchr(origin, '/') = '\0';
	if (fd < 0 || elffile_open(fd, &f))
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
static char *interpreter_of(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

void closure_of_program(const char *path, closure *out)
{
	struct search s = {.out = out};
	_free_ char *program = mem_strdup(path);

	for (int i = 0; i < MAX_SCRIPTS; i++) {
		char *other = interpreter_of(program);

		if (!other)
			break;
		free(program);
		program = other;
	}
	if (!add(&s, program))
		return;
	cache_read(&s.cache);
	add_preloads(&s);
	/* What is added meanwhile is followed too. */
	for (size_t i = 0; i < out->n; i++)
		follow(&s, out->at[i]);
	free(s.cache.file);
}

char *closure_program(const char *command)
{
	const char *path = getenv("PATH");
	_free_ char *copy = mem_strdup(path ? path : "/bin:/usr/bin");
	char *save = NULL;

	if (strchr(command, '/'))
		return mem_strdup(command);
	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		char *full = mem_printf("%s/%s", dir, command);

		if (is_there(full) && !access(full, X_OK))
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
	closure_of_program(path, out);
	/* A script that names no interpreter: execvp(3) has the shell run it. */
	if (out->n == 1 && !is_elf(out->at[0])) {
		closure_release(out);
		closure_of_program("/bin/sh", out);
	}
}

void closure_release(closure *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i]);
	vec_release(c);
}
