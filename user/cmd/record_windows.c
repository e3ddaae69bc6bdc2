#include "cmd/record_windows.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "cmd/record_program.h"
#include "cmd/render_run.h"

static int put(const struct window_place *w, const void *bytes, size_t n, uint64_t at,
	       int signal_fd)
{
	struct render_file f;
	int rc = render_file_make(&f, bytes, n);

	if (!rc)
		rc = render_have_saved(RECORD_PUT, w->path, at, &f, signal_fd);
	render_file_close(&f);
	return rc;
}

static int get(const struct window_place *w, void *bytes, size_t n, uint64_t at, int signal_fd)
{
	struct render_file f;
	int rc = render_file_room(&f, n);

	if (!rc)
		rc = render_have_saved(RECORD_GET, w->path, at, &f, signal_fd);
	if (!rc && file_get_at(f.fd, bytes, n, 0) != (ssize_t)n)
		rc = err(-EIO, "cannot read '%s'", w->path);
	render_file_close(&f);
	return rc;
}

struct window_place record_windows(const char *path)
{
	return (struct window_place){.path = path, .put = put, .get = get};
}
