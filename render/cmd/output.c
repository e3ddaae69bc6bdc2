#include "cmd/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

int output_take(void *field, const char *text)
{
	*(const char **)field = is_stdout(text) ? NULL : text;
	return 0;
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

static const char *const page_names[PAGE_FILES] = {"style.css", "script.js", "data.js",
						   "page.html"};

int page_folder_check(const char *folder, bool force, const char *input)
{
	struct stat st;
	int rc = 0;

	if (!folder || !strcmp(folder, "-"))
		return err(-EINVAL, "--folder needs a folder to write to: -o DIR");
	if (stat(folder, &st))
		return 0; /* mkdir(2) says what hinders it */
	if (!S_ISDIR(st.st_mode))
		return err(-ENOTDIR, "'%s' is no folder, as --folder makes one: name another",
			   folder);
	for (size_t i = 0; i < PAGE_FILES && !rc; i++) {
		_free_ char *path = mem_printf("%s/%s", folder, page_names[i]);

		rc = output_check(path, force, &input, 1);
	}
	return rc;
}

int page_folder_make(const char *folder)
{
	const int rc = file_make_folder(folder);

	return rc && rc != -EEXIST
		       ? err(rc, "cannot make the folder '%s': %s", folder, strerror(-rc))
		       : 0;
}

int page_folder_open(struct page_folder *f, const char *folder, bool force)
{
	int rc = 0;

	*f = (struct page_folder){0};
	while (!rc && f->n < PAGE_FILES) {
		f->paths[f->n] = mem_printf("%s/%s", folder, page_names[f->n]);
		rc = output_open(&f->files[f->n], f->paths[f->n], force);
		f->n += rc == 0;
	}
	f->assets = (struct format_assets){
		.style = f->files[0].out, .script = f->files[1].out, .data = f->files[2].out};
	return rc;
}

FILE *page_folder_page(const struct page_folder *f)
{
	return f->files[PAGE_FILES - 1].out;
}

int page_folder_close(struct page_folder *f, int rc)
{
	for (size_t i = 0; i < f->n; i++)
		rc = output_close(&f->files[i], rc);
	for (size_t i = 0; i < PAGE_FILES; i++)
		free(f->paths[i]);
	return rc;
}
