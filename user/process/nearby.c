#include "process/nearby.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

int nearby_open(int root_fd, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS |
					  (root_fd >= 0 ? RESOLVE_IN_ROOT : 0u)};
	_close_ int path_fd = (int)syscall(SYS_openat2, root_fd >= 0 ? root_fd : AT_FDCWD, path,
					   &how, sizeof(how));
	char link[32];
	struct stat st;
	int fd;

	if (path_fd < 0)
		return -errno;
	/* A device or a pipe must not even be opened: that alone may have effects, or block. */
	if (fstat(path_fd, &st) || !S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}
