/* windows_load(): see reader.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "model/event_cursor.h"
#include "model/splice.h"
#include "store/reader.h"

#define NOT_WHOLE "a window not written whole, left out"

struct windows {
	const char *path;
	int fd;
	size_t at, end; /* where the next one begins; where the file ends */
};

static int open_file(struct windows *w)
{
	struct stat st;

	w->fd = file_open(w->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (w->fd < 0 || fstat(w->fd, &st))
		return err(-errno, "cannot open '%s': %s", w->path, strerror(errno));
	w->end = (size_t)st.st_size;
	return 0;
}

static bool read_all(const struct windows *w, void *to, size_t n)
{
	return pread(w->fd, to, n, (off_t)w->at) == (ssize_t)n;
}

/* The length of the file that begins here; 0: none does. */
static size_t next_bytes(const struct windows *w)
{
	char head[STORE_HEAD_BYTES];

	if (w->at >= w->end || w->end - w->at < sizeof(head) || !read_all(w, head, sizeof(head)))
		return 0;
	return store_image_bytes(head, sizeof(head));
}

/* False: it is not whole. */
static bool load_next(const struct windows *w, size_t n, struct profile **out)
{
	_free_ char *image = NULL;

	if (n > w->end - w->at)
		return false;
	image = mem_zalloc(n, 1);
	return read_all(w, image, n) && !store_load_image(w->path, image, n, out);
}

static int add(struct splice *s, struct profile *next)
{
	int rc = splice_add(s, next);

	profile_free(next);
	return rc;
}

static int load_all(struct windows *w, struct splice *s)
{
	size_t n;
	int rc = 0;

	for (; !rc && (n = next_bytes(w)); w->at += n) {
		struct profile *next = NULL;

		if (!load_next(w, n, &next)) {
			profile_ledger(s->p, LEDGER_FIRST(s->p), LEDGER_NOTE, NOT_WHOLE, 1);
			return 0;
		}
		rc = add(s, next);
	}
	return rc;
}

int windows_load(const char *path, struct profile **p)
{
	struct windows w = {.path = path, .fd = -1};
	struct splice s;
	int rc = open_file(&w);

	if (!rc) {
		w.at = next_bytes(&w);
		if (!w.at || !next_bytes(&w)) {
			file_done(w.fd);
			return 0;
		}
		splice_init(&s);
		rc = events_load(*p);
		if (!rc) {
			rc = add(&s, *p);
			*p = NULL;
		}
		rc = rc ? rc : load_all(&w, &s);
		if (!rc)
			*p = splice_finish(&s);
		splice_release(&s);
	}
	file_done(w.fd);
	/* Sums that fit in each window may overflow together. */
	if (!rc && profile_check(*p))
		rc = err(-EINVAL, "cannot read '%s': %s", path, err_text());
	if (rc) {
		profile_free(*p);
		*p = NULL;
	}
	return rc;
}
