#include "cmd/hand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "cmd/render_run.h"
#include "confine/confine.h"

#define PIECE_BYTES (1u << 20)

static void tell(const struct render_ends *e, char what)
{
	(void)!write(e->out, &what, 1);
}

/* --- the whole profile ------------------------------------------------------------------------ */

static int copy(struct file_new *f, const struct render_ends *e)
{
	static char piece[PIECE_BYTES];
	uint64_t at = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = file_get_at(e->file, piece, sizeof(piece), at)) > 0) {
		rc = file_write(f, piece, (size_t)n);
		at += (uint64_t)n;
		tell(e, '.');
	}
	if (!rc && n < 0)
		rc = err((int)n, "cannot write '%s': %s", f->path, strerror((int)-n));
	return rc;
}

static bool is_saved(const struct hand *h)
{
	const struct window_file *s = h->saved;
	struct stat st;

	return s->is_made && !lstat(h->path, &st) && st.st_dev == s->dev && st.st_ino == s->ino;
}

static int save(const struct hand *h, const struct render_ends *e)
{
	struct file_new f;
	struct stat st;
	int rc;

	if (is_saved(h))
		return 0;
	rc = file_begin(&f, h->path, h->force);
	if (rc)
		return rc;
	rc = copy(&f, e);
	if (!rc && !fstat(f.fd, &st))
		*h->saved = (struct window_file){true, st.st_dev, st.st_ino};
	/* Nobody would know of it. */
	if (!rc && child_is_orphan())
		rc = -ESRCH;
	if (rc) {
		file_drop(&f);
		return rc;
	}
	return file_commit(&f);
}

/* --- windows ---------------------------------------------------------------------------------- */

/* The bytes that are handed over. */
static int map(const struct hand *h, const struct render_ends *e, int rights, void **bytes,
	       size_t *n)
{
	struct stat st;

	*bytes = MAP_FAILED;
	if (!fstat(e->file, &st) && st.st_size > 0)
		*bytes = mmap(NULL, (size_t)st.st_size, rights,
			      rights & PROT_WRITE ? MAP_SHARED : MAP_PRIVATE, e->file, 0);
	*n = (size_t)st.st_size;
	return *bytes != MAP_FAILED ? 0 : err(-EINVAL, "cannot get at the bytes of '%s'", h->path);
}

static int put(const struct hand *h, const struct render_ends *e)
{
	void *bytes;
	size_t n;
	const int rc = map(h, e, PROT_READ, &bytes, &n);

	if (rc)
		return rc;
	return child_is_orphan() ? -ESRCH : window_file_put(h->windows, h->path, bytes, n, h->at);
}

static int get(const struct hand *h, const struct render_ends *e)
{
	void *bytes;
	size_t n;
	const int rc = map(h, e, PROT_READ | PROT_WRITE, &bytes, &n);

	return rc ? rc : window_file_get(h->windows, h->path, bytes, n, h->at);
}

/* --- the process ------------------------------------------------------------------------------ */

static int remove_file(const struct hand *h)
{
	return unlink(h->path) && errno != ENOENT
		       ? err(-errno, "cannot remove '%s': %s", h->path, strerror(errno))
		       : 0;
}

static int work(const struct hand *h, const struct render_ends *e)
{
	switch (h->what) {
	case RECORD_SAVE:
		return save(h, e);
	case RECORD_PUT:
		return put(h, e);
	case RECORD_GET:
		return get(h, e);
	case RECORD_REMOVE:
		return remove_file(h);
	default:
		return err(-EACCES, "there is no such work");
	}
}

static _Noreturn void run(const struct hand *h, const struct render_ends *e)
{
	int keep[] = {e->file, e->out, e->said};
	int rc;

	setpgid(0, 0);
	confine_close(keep, 3);
	rc = work(h, e);
	if (rc)
		dprintf(e->said, "%s\n", err_text());
	else
		tell(e, RENDER_SAVED);
	_exit(rc ? 1 : 0);
}

int hand_start(const struct hand *h, const struct render_ends *e, pid_t *child)
{
	*child = child_fork();
	if (!*child)
		run(h, e);
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}
