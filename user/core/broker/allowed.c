#include "broker/allowed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void add(struct allowed *s, struct allowed_file f)
{
	if (f.path && strcmp(f.path, "-") != 0)
		vec_push(&s->files, f);
}

void allowed_read(struct allowed *s, const char *path)
{
	add(s, (struct allowed_file){.path = path, .use = ALLOWED_READ});
}

void allowed_read_as_owner(struct allowed *s, const char *path)
{
	add(s, (struct allowed_file){.path = path, .use = ALLOWED_READ, .as_owner = true});
}

void allowed_read_all(struct allowed *s, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		allowed_read(s, paths[i]);
}

void allowed_change(struct allowed *s, const char *path)
{
	add(s, (struct allowed_file){.path = path, .use = ALLOWED_CHANGE, .as_owner = true});
}

void allowed_make(struct allowed *s, const char *path, bool force)
{
	add(s, (struct allowed_file){.path = path, .use = ALLOWED_MAKE, .force = force});
}

void allowed_make_for_now(struct allowed *s, const char *path, bool force)
{
	add(s, (struct allowed_file){
		       .path = path, .use = ALLOWED_MAKE, .force = force, .passing = true});
}

void allowed_fill(struct allowed *s, const char *folder, bool force)
{
	add(s, (struct allowed_file){.path = folder, .use = ALLOWED_FILL, .force = force});
}

void allowed_release(struct allowed *s)
{
	vec_release(&s->files);
}

/* A store is also known by the name that links lead to. */
static bool is_path(const struct allowed_file *f, const char *path)
{
	_free_ char *real = NULL;

	if (!strcmp(f->path, path))
		return true;
	real = f->use == ALLOWED_CHANGE ? realpath(f->path, NULL) : NULL;
	return real && !strcmp(real, path);
}

/* Whether @path is a name right in @folder. */
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
