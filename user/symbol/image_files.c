#include "symbol/image_files.h"

#include "elf/debugfile.h"
#include "elf/elffile.h"

static int open_debug_file(const struct image_files *n)
{
	struct elffile f;
	Elf64_Shdr s;
	int fd = -1;

	if (n->fd < 0 || elffile_open(n->fd, &f))
		return -1;
	if (elffile_section(&f, ".debug_info", &s))
		fd = debugfile_open(&f, n->image->path, n->image->root_fd);
	elffile_release(&f);
	return fd < 0 ? -1 : fd;
}

void image_files_open(struct image_files *n, const struct image *image)
{
	*n = (struct image_files){.image = image, .fd = image->fd, .extra_fd = -1};
	if (image->kind == IMAGE_KIND_JIT) {
		n->extra_fd = images_open_perf_map(image);
		return;
	}
	if (n->fd < 0)
		n->fd = images_open_again(image);
	/* Beside a file on a mount that may not answer nothing is looked for. */
	if (!image->is_copy)
		n->extra_fd = open_debug_file(n);
}
