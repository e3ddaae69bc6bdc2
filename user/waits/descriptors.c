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

/* Adds a part of a path as the kernel sent it, in @n bytes; one that fills them was cut. */
static void part_add(struct str *s, const wire_u8 *part, size_t n)
{
	const size_t length = strnlen((const char *)part, n - 1);
	_free_ char *clean = str_clean((const char *)part, length);

	str_addf(s, "%s%s", clean, length == n - 1 ? "…" : "");
}

/* "…/lib/x", of a file that nobody can be asked for any more. */
static uint32_t end_of_path(struct intern *texts, const struct wire_reason *r)
{
	struct str s = {0};
	uint32_t text;

	if (!r->folder[0] || !r->name[0])
		return 0;
	str_add(&s, r->folder[0] == '/' ? "…" : "…/");
	part_add(&s, r->folder, sizeof(r->folder));
	str_add(&s, r->folder[0] == '/' ? "" : "/");
	part_add(&s, r->name, sizeof(r->name));
	text = intern_add(texts, s.s);
	free(s.s);
	return text;
}

/* Pipes and sockets are named by their inodes, which need no look. */
static uint32_t name(struct intern *texts, uint32_t pid, const struct wire_reason *r)
{
	const char *kind = S_ISFIFO(r->mode) ? "pipe" : S_ISSOCK(r->mode) ? "socket" : NULL;
	uint32_t text = S_ISSOCK(r->mode) ? 0 : look_up(texts, pid, r->arguments[0], r->inode);
	char known[64];

	if (text)
		return text;
	if (!kind)
		return end_of_path(texts, r);
	snprintf(known, sizeof(known), "%s:[%" PRIu64 "]", kind, (uint64_t)r->inode);
	return intern_add(texts, known);
}

uint32_t descriptors_name(struct descriptors *d, struct intern *texts, uint32_t pid,
			  const struct wire_reason *r)
{
	const uint64_t place = (uint64_t)pid << 32 | (uint32_t)r->arguments[0];
	uint32_t *text;
	bool fresh;

	if (d->by_place.n >= MOST)
		map_release(&d->by_place);
	text = map_put(&d->by_place,
		       hash_two(hash_two(place, r->inode), hash_bytes(r->name, sizeof(r->name))),
		       &fresh);
	if (fresh)
		*text = name(texts, pid, r);
	return *text;
}
