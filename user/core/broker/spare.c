#include "broker/spare.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_new.h"
#include "base/mem.h"
#include "base/str.h"

/* How long a killed process may stay in a system call. */
#define GONE_MS 10000

struct note {
	bool is_begun; /* written last, cleared first: the first broker may end at any time */
	bool force, keeps_owner;
	dev_t dev;
	ino_t ino;
	char path[PATH_MAX];
	char temp[64]; /* its name in the folder of path */
};

struct spare_notes {
	struct note files[BROKER_FILES];
};

struct spare_notes *spare_notes_new(void)
{
	return mem_shared(1, sizeof(struct spare_notes));
}

void spare_notes_release(struct spare_notes *n)
{
	munmap(n, sizeof(*n));
}

/* --- the first -------------------------------------------------------------------------------- */

void spare_note(struct spare_notes *n, int i, const struct file_new *f)
{
	struct note *note = n ? &n->files[i] : NULL;
	struct stat st;

	if (!note || fstat(f->fd, &st))
		return;
	note->force = f->force;
	note->keeps_owner = f->keeps_owner;
	note->dev = st.st_dev;
	note->ino = st.st_ino;
	snprintf(note->path, sizeof(note->path), "%s", f->path);
	snprintf(note->temp, sizeof(note->temp), "%s", str_base(f->temp));
	__atomic_store_n(&note->is_begun, true, __ATOMIC_RELEASE);
}

void spare_forget(struct spare_notes *n, int i)
{
	if (n)
		__atomic_store_n(&n->files[i].is_begun, false, __ATOMIC_RELEASE);
}

/* --- the spare -------------------------------------------------------------------------------- */

/* Also kills a first broker that is stopped: if continued it would work at the same files. */
static void end_first(struct spare *s, int ms)
{
	struct pollfd p = {.fd = s->first_fd, .events = POLLIN};

	if (poll(&p, 1, ms) <= 0) {
		(void)pidfd_send_signal(s->first_fd, SIGKILL, NULL, 0);
		while (poll(&p, 1, GONE_MS) < 0 && errno == EINTR)
			;
	}
	close(s->first_fd);
	s->first_fd = 0;
}

static void take_file(struct spare *s, struct file_new *f, int i)
{
	struct note *n = &s->notes->files[i];
	struct stat st;

	if (!__atomic_load_n(&n->is_begun, __ATOMIC_ACQUIRE))
		return;
	if (!file_take_over(f, n->path, n->temp, n->force, n->keeps_owner)) {
		/* Others who may write to the folder may have put another file there. */
		if (!fstat(f->fd, &st) && st.st_dev == n->dev && st.st_ino == n->ino)
			return;
		close(f->fd);
		file_forget(f);
	}
	s->committed[i] = !lstat(n->path, &st) && st.st_dev == n->dev && st.st_ino == n->ino;
	spare_forget(s->notes, i);
}

void spare_take_over(struct spare *s, struct file_new *files, int ms)
{
	if (!s->first_fd)
		return;
	end_first(s, ms);
	for (int i = 0; i < BROKER_FILES; i++)
		take_file(s, &files[i], i);
}

bool spare_was_committed(struct spare *s, int i)
{
	if (i < 0 || i >= BROKER_FILES || !s->committed[i])
		return false;
	s->committed[i] = false;
	return true;
}
