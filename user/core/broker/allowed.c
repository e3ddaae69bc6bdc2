#include "broker/allowed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void allowed_add(struct allowed *s, enum allowed_use use, const char *path, bool force)
{
	if (path && strcmp(path, "-") != 0)
		vec_push(&s->files, ((struct allowed_file){path, use, force}));
}

void allowed_read_all(struct allowed *s, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		allowed_add(s, ALLOWED_READ, paths[i], false);
}

void allowed_release(struct allowed *s)
{
	vec_release(&s->files);
}

/* Whether the entry is for @path; a store's is also for the path that its links lead to. */
static bool is_path(const struct allowed_file *f, const char *path)
{
	_free_ char *real = NULL;

	if (!strcmp(f->path, path))
		return true;
	real = f->use == ALLOWED_CHANGE ? realpath(f->path, NULL) : NULL;
	return real && !strcmp(real, path);
}

/* Whether @path is a name directly in @folder. */
static bool is_in(const char *folder, const char *path)
{
	const size_t n = strlen(folder);

	return !strncmp(folder, path, n) && path[n] == '/' && path[n + 1] && path[n + 1] != '.' &&
	       !strchr(path + n + 1, '/');
}

const struct allowed_file *allowed_find(const struct allowed *a, const char *path, unsigned uses)
{
	for (size_t i = 0; i < a->files.n; i++) {
		const struct allowed_file *f = &a->files.at[i];

		if (uses & 1u << f->use &&
		    (f->use == ALLOWED_FILL ? is_in(f->path, path) : is_path(f, path)))
			return f;
	}
	return NULL;
}
