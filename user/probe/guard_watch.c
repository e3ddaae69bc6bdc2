/*
 * guard_watch: lets translators that start and processes that write to probed files wait, in the
 * keeper.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/fanotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "probe/guard.h"

/* Descriptors kept free. */
#define SPARE_FILES 64

#define MOST_STARTS 64 /* in one read */

struct guard_file guard_file_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return (struct guard_file){0};
	return (struct guard_file){.dev = st.st_dev,
				   .inode = st.st_ino,
				   .size = st.st_size,
				   .modified_ns =
					   st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
}

bool guard_file_is(const struct guard_file *a, const struct guard_file *b)
{
	return a->dev == b->dev && a->inode == b->inode && a->size == b->size &&
	       a->modified_ns == b->modified_ns;
}

bool guard_watch_is_last(int fd)
{
	struct rlimit most = {.rlim_cur = RLIM_INFINITY};

	getrlimit(RLIMIT_NOFILE, &most);
	return (rlim_t)fd + SPARE_FILES > most.rlim_cur;
}

/* A descriptor that becomes readable on SIGIO. */
static int await_breaks(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGIO);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

void guard_watch_open(struct guard_watch *w)
{
	w->starts = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK,
				  O_RDONLY | O_CLOEXEC | O_LARGEFILE);
	w->writers = await_breaks();
}

/* --- starts --------------------------------------------------------------------------------- */

void guard_watch_start(const struct guard_watch *w, int fd)
{
	if (w->starts >= 0)
		(void)fanotify_mark(w->starts, FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, fd, NULL);
}

static int translator_in(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return guard_translator_of(path);
}

static void let_start(const struct guard_watch *w, const struct fanotify_event_metadata *e)
{
	const struct fanotify_response yes = {.fd = e->fd, .response = FAN_ALLOW};
	const struct guard_start start = {.time_ns = clock_ns(CLOCK_MONOTONIC),
					  .pid = (uint32_t)e->pid,
					  .translator = translator_in(e->fd)};

	w->starting(w->context, &start);
	/* The process may have been killed meanwhile. */
	while (write(w->starts, &yes, sizeof(yes)) < 0 && errno == EINTR)
		;
	close(e->fd);
}

void guard_watch_let_start(const struct guard_watch *w)
{
	struct fanotify_event_metadata events[MOST_STARTS], *e = events;
	ssize_t n = read(w->starts, events, sizeof(events));

	for (; n > 0 && FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n))
		if (e->fd >= 0)
			let_start(w, e);
}

/* --- writers -------------------------------------------------------------------------------- */

static struct guard_leased *find_lease(const struct guard_watch *w, const struct guard_file *file)
{
	for (size_t i = 0; i < w->leases.n; i++)
		if (w->leases.at[i].file.dev == file->dev &&
		    w->leases.at[i].file.inode == file->inode)
			return &w->leases.at[i];
	return NULL;
}

int guard_watch_lease(struct guard_watch *w, int fd)
{
	struct guard_leased l = {.file = guard_file_of(fd)};
	char path[32];

	/* Where nothing tells of a writer, it would wait until the kernel takes the lease away. */
	if (w->writers < 0 || find_lease(w, &l.file))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* A descriptor of our own, closed with this process. Does not wait for another's lease. */
	l.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (l.fd < 0)
		return 0;
	if (guard_watch_is_last(l.fd) || fcntl(l.fd, F_SETLEASE, F_RDLCK)) {
		bool busy = !guard_watch_is_last(l.fd) && errno == EAGAIN;

		close(l.fd);
		return busy ? -EAGAIN : 0;
	}
	l.file = guard_file_of(l.fd);
	vec_push(&w->leases, l);
	return 0;
}

void guard_watch_unlease(struct guard_watch *w, const struct guard_file *file)
{
	struct guard_leased *l = find_lease(w, file);

	if (!l)
		return;
	close(l->fd);
	*l = w->leases.at[--w->leases.n];
}

void guard_watch_let_write(struct guard_watch *w)
{
	struct signalfd_siginfo signals[8];

	while (read(w->writers, signals, sizeof(signals)) > 0)
		;
	for (size_t i = w->leases.n; i-- > 0;) {
		const struct guard_leased l = w->leases.at[i];

		if (fcntl(l.fd, F_GETLEASE) == F_RDLCK)
			continue;
		w->leases.at[i] = w->leases.at[--w->leases.n];
		w->writing(w->context, &l.file);
		close(l.fd);
	}
}
