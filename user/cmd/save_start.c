#include "cmd/save_start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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

static int save(const char *path, bool force, const struct render_ends *e)
{
	struct file_new f;
	int rc = file_begin(&f, path, force);

	if (rc)
		return rc;
	rc = copy(&f, e);
	/* Nobody would know of it. */
	if (!rc && child_is_orphan())
		rc = -ESRCH;
	if (rc) {
		file_drop(&f);
		return rc;
	}
	return file_commit(&f);
}

static void settle(const struct render_ends *e)
{
	int keep[] = {e->file, e->out, e->said};

	setpgid(0, 0);
	confine_close(keep, 3);
}

static _Noreturn void end(const struct render_ends *e, int rc)
{
	if (rc)
		dprintf(e->said, "%s\n", err_text());
	else
		tell(e, RENDER_SAVED);
	_exit(rc ? 1 : 0);
}

static int remove_file(const char *path)
{
	return unlink(path) && errno != ENOENT
		       ? err(-errno, "cannot remove '%s': %s", path, strerror(errno))
		       : 0;
}

int save_start(const char *path, bool force, const struct render_ends *e, pid_t *child)
{
	*child = child_fork();
	if (!*child) {
		settle(e);
		end(e, save(path, force, e));
	}
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}

int remove_start(const char *path, const struct render_ends *e, pid_t *child)
{
	*child = child_fork();
	if (!*child) {
		settle(e);
		end(e, remove_file(path));
	}
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}
