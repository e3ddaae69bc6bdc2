#include "cmd/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"

/* Which name is whose. */
static const struct ending {
	const char *ending, *kind;
	enum backend backend;
} endings[] = {
	{".h5", NULL, BACKEND_EPROF},
	{".csv", "tracy-csv", BACKEND_TRACY},
	{".tracy", "tracy", BACKEND_TRACY},
	{".prof", "cprofile", BACKEND_CPROFILE},
};

enum backend backend_find(const char *name)
{
	static const char *const names[BACKENDS] = {
		[BACKEND_AUTO] = "auto",
		[BACKEND_EPROF] = "eprof",
		[BACKEND_TRACY] = "tracy",
		[BACKEND_CPROFILE] = "cprofile",
	};
	int b = 0;

	while (b < BACKENDS && strcmp(names[b], name) != 0)
		b++;
	return (enum backend)b;
}

static const struct ending *ending_of(const char *name, enum backend backend)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(dot, endings[i].ending) &&
		    (backend == BACKEND_AUTO || backend == endings[i].backend))
			return &endings[i];
	return NULL;
}

/* A folder still to be read. */
struct pending {
	char *path;
	int depth;
};

struct search {
	enum backend backend;
	struct stat except;
	bool has_except;
	VEC(struct pending) pending;
	struct folder *out;
};

static int take(struct search *s, const char *path, const char *name, const struct stat *st,
		int depth)
{
	const struct ending *e = ending_of(name, s->backend);

	if (S_ISDIR(st->st_mode)) {
		if (depth == FOLDER_DEPTH_MOST)
			return err(-EFBIG, "'%s' is more than %d folders deep", path,
				   FOLDER_DEPTH_MOST);
		vec_push(&s->pending, ((struct pending){mem_strdup(path), depth + 1}));
		return 0;
	}
	if (!S_ISREG(st->st_mode) || !e)
		return 0;
	if (s->has_except && st->st_dev == s->except.st_dev && st->st_ino == s->except.st_ino)
		return 0;
	if (s->out->files.n == FOLDER_FILES_MOST)
		return err(-EFBIG, "more than %d profiles: name a smaller folder",
			   FOLDER_FILES_MOST);
	vec_push(&s->out->files, ((struct folder_file){mem_strdup(path), e->kind}));
	return 0;
}

/* A file that has vanished since is passed over. A link to a file counts as that file; a link to a
 * folder might lead in a circle. */
static int visit(struct search *s, const struct pending *at, const char *name)
{
	_free_ char *path = mem_printf("%s/%s", at->path, name);
	struct stat st;

	if (name[0] == '.' || lstat(path, &st))
		return 0;
	if (S_ISLNK(st.st_mode) && (stat(path, &st) || S_ISDIR(st.st_mode)))
		return 0;
	return take(s, path, name, &st, at->depth);
}

static int read_pending(struct search *s, const struct pending *at)
{
	DIR *dir = opendir(at->path);
	const struct dirent *e;
	int rc = 0;

	if (!dir)
		return err(-errno, "cannot read the folder '%s': %s", at->path, strerror(errno));
	while (!rc && (e = readdir(dir)))
		rc = visit(s, at, e->d_name);
	closedir(dir);
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct folder_file *)a)->path, ((const struct folder_file *)b)->path);
}

int folder_find(const char *path, enum backend backend, const char *except, struct folder *out)
{
	struct search s = {.backend = backend, .out = out};
	int rc = 0;

	*out = (struct folder){0};
	s.has_except = except && !stat(except, &s.except);
	vec_push(&s.pending, ((struct pending){mem_strdup(path), 0}));
	for (size_t i = 0; i < s.pending.n && !rc; i++) {
		const struct pending at = s.pending.at[i]; /* the list grows */

		rc = read_pending(&s, &at);
	}
	for (size_t i = 0; i < s.pending.n; i++)
		free(s.pending.at[i].path);
	vec_release(&s.pending);
	vec_sort(&out->files, by_path);
	return rc;
}

void folder_release(struct folder *f)
{
	for (size_t i = 0; i < f->files.n; i++)
		free(f->files.at[i].path);
	vec_release(&f->files);
}
