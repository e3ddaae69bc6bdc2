#include "capture/sink_file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "capture/sinks.h"
#include "store/store.h"

struct file {
	const struct window_place *place;
	VEC(struct sink_window) windows; /* one behind the other */
	uint64_t end;			 /* of what is whole */
};

static void *new_file(const void *options)
{
	struct file *f = mem_zalloc(1, sizeof(*f));

	f->place = options;
	return f;
}

static void free_file(void *state)
{
	struct file *f = state;

	vec_release(&f->windows);
	free(f);
}

static int put(void *state, const struct sink_window *w, int signal_fd)
{
	const struct file *f = state;

	return f->place->put(f->place, w->image, w->n, f->end, signal_fd);
}

static void keep(void *state, const struct sink_window *w)
{
	struct file *f = state;

	vec_push(&f->windows, *w);
	f->end += w->n;
}

static int read_window(const struct file *f, const struct sink_window *w, uint64_t at,
		       struct splice *to)
{
	const char *path = f->place->path;
	_free_ char *image = mem_zalloc(w->n, 1);
	struct profile *p = NULL;
	int ret = f->place->get(f->place, image, w->n, at, -1);

	if (!ret && hash_seeded(image, w->n, w->seed) != w->hash)
		ret = err(-EIO, "'%s' is not what was written to it", path);
	if (!ret)
		ret = store_load_image(path, image, w->n, &p);
	if (!ret)
		ret = splice_add(to, p);
	profile_free(p);
	return ret;
}

static int read_windows(const void *state, struct splice *to)
{
	const struct file *f = state;
	uint64_t at = 0;
	int ret = 0;

	for (size_t i = 0; i < f->windows.n && !ret; i++) {
		ret = read_window(f, &f->windows.at[i], at, to);
		at += f->windows.at[i].n;
	}
	return ret;
}

const struct sink file_sink = {
	.new = new_file, .free = free_file, .put = put, .keep = keep, .read = read_windows};
