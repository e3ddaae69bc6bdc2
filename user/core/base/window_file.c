#include "base/window_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/str.h"

static int failed(const char *path, int rc)
{
	return err(rc, "cannot write '%s': %s", path, strerror(-rc));
}

static int make(struct window_file *w, const char *path, const void *bytes, size_t n)
{
	struct file_new f;
	struct stat st;
	int rc = file_begin(&f, path, true);

	if (rc)
		return rc;
	rc = file_write(&f, bytes, n);
	if (!rc && fstat(f.fd, &st))
		rc = failed(path, -errno);
	if (rc) {
		file_drop(&f);
		return rc;
	}
	*w = (struct window_file){.is_made = true, .dev = st.st_dev, .ino = st.st_ino};
	return file_commit(&f);
}

static int open_it(const struct window_file *w, const char *path, struct file_new *f)
{
	struct stat st;
	int rc = w->is_made ? file_take_over(f, path, str_base(path), true, false) : -ENOENT;

	if (rc)
		return err(rc, "cannot open '%s': %s", path, strerror(-rc));
	/* It may belong to a stranger, and so may its folder. */
	if (!fstat(f->fd, &st) && st.st_dev == w->dev && st.st_ino == w->ino)
		return 0;
	close(f->fd);
	file_forget(f);
	return err(-EIO, "'%s' is not what was written to it", path);
}

static int append(int fd, const char *path, const void *bytes, size_t n, uint64_t at)
{
	int rc;

	if (ftruncate(fd, (off_t)at) || lseek(fd, (off_t)at, SEEK_SET) < 0)
		return failed(path, -errno);
	rc = file_put(fd, bytes, n);
	if (!rc && fdatasync(fd) && errno != EINVAL)
		rc = -errno;
	if (!rc)
		return 0;
	(void)!ftruncate(fd, (off_t)at);
	return failed(path, rc);
}

int window_file_put(struct window_file *w, const char *path, const void *bytes, size_t n,
		    uint64_t at)
{
	struct file_new f;
	int rc;

	if (!at)
		return make(w, path, bytes, n);
	rc = open_it(w, path, &f);
	if (rc)
		return rc;
	rc = append(f.fd, path, bytes, n, at);
	close(f.fd);
	file_forget(&f);
	return rc;
}

int window_file_get(const struct window_file *w, const char *path, void *bytes, size_t n,
		    uint64_t at)
{
	struct file_new f;
	int rc = open_it(w, path, &f);

	if (rc)
		return rc;
	if (file_get_at(f.fd, bytes, n, at) != (ssize_t)n)
		rc = err(-EIO, "'%s' is not what was written to it", path);
	close(f.fd);
	file_forget(&f);
	return rc;
}
