#include "cmd/page_folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

static const char *const names[PAGE_FILES] = {"style.css", "script.js", "data.js", "page.html"};

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
		_free_ char *path = mem_printf("%s/%s", folder, names[i]);

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
		f->paths[f->n] = mem_printf("%s/%s", folder, names[f->n]);
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
