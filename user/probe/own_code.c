#include "probe/own_code.h"

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "process/procfs.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u /* since Linux 6.3 */
#endif

static void note_file(void *context, const struct procfs_mapping *m)
{
	struct own_code *own = context;
	struct own_file file = {m->dev_major, m->dev_minor, m->inode};

	if (m->inode)
		vec_push(&own->files, file);
}

static bool is_same(const struct own_file *f, const struct stat *st)
{
	return f->inode == st->st_ino && f->dev_major == major(st->st_dev) &&
	       f->dev_minor == minor(st->st_dev);
}

/* Whether this program still runs the file; removes it from the list. */
static bool take_out(struct own_code *own, const struct stat *st)
{
	bool found = false;

	for (size_t i = own->files.n; i-- > 0;) {
		if (!is_same(&own->files.at[i], st))
			continue;
		own->files.at[i] = own->files.at[--own->files.n];
		found = true;
	}
	return found;
}

int own_code_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_EXEC);

	/* Under vm.memfd_noexec, try without: the kernel decides what may be mapped. */
	return fd < 0 ? memfd_create(name, MFD_CLOEXEC) : fd;
}

/* Copies by reading, since mapped code may hold breakpoints of others. A descriptor, or -1. */
static int copy_of(int fd, const struct stat *st)
{
	int copy = own_code_file("own-code");
	off_t at = 0;

	while (copy >= 0 && at < st->st_size) {
		if (sendfile(copy, fd, &at, (size_t)(st->st_size - at)) > 0)
			continue;
		close(copy);
		copy = -1;
	}
	return copy;
}

struct exchange {
	const struct stat *st;
	int copy;
};

/* This function itself may be in the mapping: the kernel replaces it at once, by the same contents.
 * On failure nothing has changed. */
static void exchange_one(void *context, const struct procfs_mapping *m)
{
	const struct exchange *e = context;
	const struct own_file file = {m->dev_major, m->dev_minor, m->inode};

	if (is_same(&file, e->st))
		(void)mmap((void *)(uintptr_t)m->start, m->end - m->start, PROT_READ | PROT_EXEC,
			   MAP_PRIVATE | MAP_FIXED, e->copy, (off_t)m->file_offset);
}

void own_code_leave(struct own_code *own, int fd)
{
	struct exchange e = {.copy = -1};
	struct stat st;

	if (!own->known)
		(void)procfs_maps((uint32_t)getpid(), note_file, own);
	own->known = true;
	if (fstat(fd, &st) || !take_out(own, &st))
		return;
	e.st = &st;
	e.copy = copy_of(fd, &st);
	if (e.copy < 0)
		return;
	(void)procfs_maps((uint32_t)getpid(), exchange_one, &e);
	close(e.copy);
}

void own_code_release(struct own_code *own)
{
	vec_release(&own->files);
}
