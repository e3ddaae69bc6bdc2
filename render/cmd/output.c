#include "cmd/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

int output_check(const char *path, bool force, const char *const *inputs, size_t n)
{
	const char *name = is_stdout(path) ? "the standard output" : path;
	struct stat out;

	if (is_stdout(path) ? fstat(STDOUT_FILENO, &out) : stat(path, &out))
		n = 0;
	/* A device may be read and written at once. */
	for (size_t i = 0; i < n && S_ISREG(out.st_mode); i++)
		if (file_is(&out, inputs[i]))
			return err(-EINVAL,
				   "%s is the input '%s', which would be lost: name another "
				   "file for the output",
				   name, inputs[i]);
	return is_stdout(path) ? 0 : file_check_new(path, force);
}

int output_open(struct output *o, const char *path, bool force)
{
	int rc, fd;

	*o = (struct output){.out = stdout};
	if (is_stdout(path))
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
	/* Libraries that draw only say that they could not write. */
	if (rc == 0 || ferror(o->out))
		rc = file_flush(o->out, o->path ? o->path : "stdout");
	if (!o->path)
		return rc;
	fclose(o->out);
	if (rc == 0)
		return file_commit(&o->file);
	file_drop(&o->file);
	return rc;
}
