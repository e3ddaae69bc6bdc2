#include "symbol/image_files_read.h"

#include "elf/debugfile.h"
#include "elf/elffile.h"

static int find_fitting(const struct crew_request *r)
{
	struct elffile f;
	int found = -1;

	if (r->n_fds < 2 || r->fds[0] < 0 || elffile_open(r->fds[0], &f))
		return -1;
	for (size_t i = 1; i < r->n_fds && found < 0; i++)
		if (r->fds[i] >= 0 && debugfile_fits(&f, r->fds[i]))
			found = r->fds[i];
	elffile_release(&f);
	return found;
}

const char *image_files_take(const struct crew_request *r, struct image *image,
			     struct image_files *files)
{
	const struct image_files_head *head = r->bytes;
	char *path = (char *)(uintptr_t)(head + 1);

	if (r->n < sizeof(*head) || !r->n_fds)
		return NULL;
	*image = (struct image){
		.kind = (enum image_kind)head->kind, .path = path, .fd = r->fds[0], .root_fd = -1};
	*files = (struct image_files){
		.image = image, .fd = r->fds[0], .extra_fd = -1, .is_debug = head->is_debug != 0};
	if (image->kind == IMAGE_KIND_JIT)
		files->extra_fd = r->n_fds > 1 ? r->fds[1] : -1;
	else if (!files->is_debug)
		files->extra_fd = find_fitting(r);
	return path + head->path_bytes + head->padding;
}
