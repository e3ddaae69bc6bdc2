#include "process/perf_map.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

/* Not the owner of /proc/PID, which is root for a process that forbade its core files. */
uint32_t perf_map_user(uint32_t pid)
{
	uint32_t user = UINT32_MAX;
	char path[32], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (str_starts(line, "Uid:")) {
			user = (uint32_t)strtoul(line + 4, NULL, 10);
			break;
		}
	}
	if (f)
		fclose(f);
	return user;
}

static bool may_read(const struct stat *st, uint32_t user)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	       (st->st_uid == user || (st->st_uid == 0 && st->st_mode & S_IROTH));
}

/* Looks at the file before it is opened: opening a device has effects. */
int perf_map_open(int root_fd, uint32_t pid, uint32_t user)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	_close_ int place = -1;
	char path[48], link[32];
	struct stat st;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	if (root_fd < 0)
		place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	else
		place = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	if (place < 0 || fstat(place, &st) || !may_read(&st, user))
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	return open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}
