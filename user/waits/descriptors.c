#include "waits/descriptors.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/procfs.h"

/* What is known, at most: then all is looked up again. */
#define MOST 16384
/* /proc/PID/fdinfo/N begins with lines of all files; what locks and the like add comes behind. */
#define INFO_BYTES 256

void descriptors_release(struct descriptors *d)
{
	map_release(&d->by_place);
}

/* The inode's number as the kernel has it; stat(2) says another one on some file systems. 0: not
 * known. */
static uint64_t inode_of(uint32_t pid, uint64_t fd)
{
	_free_ char *file = mem_printf("fdinfo/%" PRIu64, fd);
	_free_ char *path = procfs_path(pid, file);
	_close_ int info = open(path, O_RDONLY | O_CLOEXEC);
	char text[INFO_BYTES + 1];
	ssize_t n = info < 0 ? -1 : read(info, text, INFO_BYTES);
	const char *at;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strstr(text, "\nino:");
	return at ? strtoull(at + strlen("\nino:"), NULL, 10) : 0;
}

/* "" where there is none. */
static void read_link(uint32_t pid, uint64_t fd, char link[PATH_MAX])
{
	_free_ char *file = mem_printf("fd/%" PRIu64, fd);
	_free_ char *path = procfs_path(pid, file);
	ssize_t n = readlink(path, link, PATH_MAX - 1);

	link[n > 0 ? n : 0] = '\0';
}

/* What only exists as a descriptor shares one inode, and fdinfo of an epoll lists all that it
 * watches: it is not asked for these. */
static uint32_t look_up(struct intern *texts, uint32_t pid, uint64_t fd, uint64_t inode)
{
	char link[PATH_MAX];
	_free_ char *clean = NULL;

	read_link(pid, fd, link);
	if (!str_starts(link, "anon_inode:") && inode_of(pid, fd) != inode)
		return 0;
	clean = str_clean(link, strlen(link));
	return intern_add(texts, clean);
}

/* Pipes and sockets are named by their inodes, which need no look. */
static uint32_t name(struct intern *texts, uint32_t pid, uint64_t fd, uint64_t inode, uint32_t mode)
{
	const char *kind = S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : NULL;
	uint32_t text = S_ISSOCK(mode) ? 0 : look_up(texts, pid, fd, inode);
	char known[64];

	if (text || !kind)
		return text;
	snprintf(known, sizeof(known), "%s:[%" PRIu64 "]", kind, inode);
	return intern_add(texts, known);
}

uint32_t descriptors_name(struct descriptors *d, struct intern *texts, uint32_t pid, uint64_t fd,
			  uint64_t inode, uint32_t mode)
{
	uint32_t *text;
	bool fresh;

	if (d->by_place.n >= MOST)
		map_release(&d->by_place);
	text = map_put(&d->by_place, hash_two((uint64_t)pid << 32 | (uint32_t)fd, inode), &fresh);
	if (fresh)
		*text = name(texts, pid, fd, inode, mode);
	return *text;
}
