#include "cmd/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

int output_open(struct output *o, const char *path, bool force)
{
	int rc, fd;

	*o = (struct output){.out = stdout};
	if (!path || !strcmp(path, "-"))
		return 0;
	o->path = path;
	rc = file_begin(&o->file, path, force);
	if (rc < 0)
		return rc;
	fd = dup(o->file.fd);
	o->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!o->out) {
		rc = err(-errno, "cannot write '%s': %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		file_drop(&o->file);
	}
	return rc;
}

int output_close(struct output *o, int rc)
{
	if (rc == 0)
		rc = file_flush(o->out, o->path ? o->path : "stdout");
	if (!o->path)
		return rc;
	fclose(o->out);
	if (rc == 0)
		return file_commit(&o->file);
	file_drop(&o->file);
	return rc;
}
