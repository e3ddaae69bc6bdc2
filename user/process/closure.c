/* What asks the opener: see closure.h. */
#include "process/closure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/linker_cache.h"
#include "process/opener.h"

/* So many folders of PATH that do not answer are waited for. */
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

/* False: it makes no sense. */
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
