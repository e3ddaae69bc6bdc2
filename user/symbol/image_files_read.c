#include "symbol/image_files_read.h"

#include "elf/debugfile.h"
#include "elf/elffile.h"

/* Candidates of one kind. */
struct candidates {
	const int *fds;
	size_t n;
};

static int find_fitting(int of, const struct candidates *c,
			bool (*fits)(const struct elffile *, int fd))
{
	struct elffile f;
	int found = -1;

	if (of < 0 || !c->n || elffile_open(of, &f))
		return -1;
	for (size_t i = 0; i < c->n && found < 0; i++)
		if (c->fds[i] >= 0 && fits(&f, c->fds[i]))
			found = c->fds[i];
	elffile_release(&f);
	return found;
}

/* Finds the files of each kind in the order's; false: there are not as many. */
static bool sort_files(const struct crew_request *r, const struct image_files_head *head,
		       struct candidates *of)
{
	size_t at = 0;

	for (size_t i = 0; i < IMAGE_FILES_KINDS; i++) {
		if (head->n[i] > r->n_fds - at)
			return false;
		of[i] = (struct candidates){r->fds + at, head->n[i]};
		at += head->n[i];
	}
	return of[IMAGE_FILES_OWN].n == 1;
}

const char *image_files_take(const struct crew_request *r, struct image *image,
			     struct image_files *files)
{
	const struct image_files_head *head = r->bytes;
	char *path = (char *)(uintptr_t)(head + 1);
	struct candidates of[IMAGE_FILES_KINDS];
	const struct candidates *debug = &of[IMAGE_FILES_DEBUG];

	if (r->n < sizeof(*head) || !sort_files(r, head, of))
		return NULL;
	*image = (struct image){
		.kind = (enum image_kind)head->kind, .path = path, .fd = r->fds[0], .root_fd = -1};
	*files = (struct image_files){.image = image,
				      .fd = r->fds[0],
				      .extra_fd = -1,
				      .alt_fd = -1,
				      .split = of[IMAGE_FILES_DWO].fds,
				      /* The packages follow. */
				      .n_split = of[IMAGE_FILES_DWO].n + of[IMAGE_FILES_DWP].n,
				      .has_package = of[IMAGE_FILES_DWP].n,
				      .is_debug = head->is_debug != 0};
	if (image->kind == IMAGE_KIND_JIT)
		files->extra_fd = debug->n ? debug->fds[0] : -1;
	else if (!files->is_debug)
		files->extra_fd = find_fitting(files->fd, debug, debugfile_fits);
	files->alt_fd = find_fitting(files->extra_fd >= 0 ? files->extra_fd : files->fd,
				     &of[IMAGE_FILES_ALT], debugfile_alt_fits);
	return path + head->path_bytes + head->padding;
}
