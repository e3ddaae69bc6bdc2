#include "probe/keeper_file.h"

#include <sys/stat.h>

bool keeper_file_is(const struct keeper_file *a, const struct keeper_file *b)
{
	return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
	       a->modified_ns == b->modified_ns;
}

struct keeper_file keeper_file_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return (struct keeper_file){0};
	return (struct keeper_file){.dev = st.st_dev,
				    .inode = st.st_ino,
				    .size = st.st_size,
				    .modified_ns =
					    st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
}
