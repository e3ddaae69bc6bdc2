#include "probe/keeper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "probe/own_process.h"
#include "process/confine.h"

/* Descriptors kept free: without one the kernel would refuse the start that it asks us about. */
#define SPARE_FILES 64

struct held {
	struct probe_link link;
	struct keeper_file file;
	uint32_t pid; /* 0: for all processes */
	bool used;
};

/* A file that nobody can open for writing unnoticed. */
struct leased {
	struct keeper_file file;
	int fd;
};

struct watched {
	dev_t dev;
	ino_t inode;
	uint32_t tag;
};

struct process {
	struct probes probes;
	int socket, fan, parent; /* parent becomes readable when the loader ends */
	int breaks;		 /* becomes readable when a process waits for a lease */
	keeper_untold *untold;
	VEC(struct held) links;
	VEC(struct watched) files;
	VEC(struct leased) leases;
	keeper_starts starts;
	keeper_files written;
};

static bool is_same(const struct keeper_file *a, const struct keeper_file *b)
{
	return a->dev == b->dev && a->inode == b->inode;
}

static void take_away(struct process *k, uint32_t pid, bool all)
{
	for (size_t i = 0; i < k->links.n; i++)
		if (all || !k->links.at[i].pid || k->links.at[i].pid == pid)
			probe_link_close(&k->links.at[i].link);
}

static uint32_t tag_of(const struct process *k, int fd)
{
	struct stat st;

	for (size_t i = 0; !fstat(fd, &st) && i < k->files.n; i++)
		if (k->files.at[i].dev == st.st_dev && k->files.at[i].inode == st.st_ino)
			return k->files.at[i].tag;
	return k->files.at[0].tag; /* the kernel reports only watched files */
}

/* Tells the loader first: from then on it can attach nothing that it decided on earlier. */
static void let_start(struct process *k, const struct fanotify_event_metadata *e)
{
	struct fanotify_response yes = {.fd = e->fd, .response = FAN_ALLOW};
	struct keeper_start start = {.time_ns = clock_ns(CLOCK_MONOTONIC),
				     .pid = (uint32_t)e->pid,
				     .tag = tag_of(k, e->fd)};

	vec_push(&k->starts, start);
	atomic_fetch_add(k->untold, 1);
	take_away(k, start.pid, false);
	/* The process may have been killed meanwhile. */
	if (write(k->fan, &yes, sizeof(yes)) != sizeof(yes))
		errno = 0;
	close(e->fd);
}

static void take_starts(struct process *k)
{
	struct fanotify_event_metadata events[MOST_STARTS], *e = events;
	ssize_t n = read(k->fan, events, sizeof(events));

	for (; n > 0 && FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n))
		if (e->fd >= 0)
			let_start(k, e);
}

/* Whether @fd leaves too few free descriptors. */
static bool is_last(int fd)
{
	struct rlimit most = {.rlim_cur = RLIM_INFINITY};

	getrlimit(RLIMIT_NOFILE, &most);
	return (rlim_t)fd + SPARE_FILES > most.rlim_cur;
}

static bool leaves_none_to_spare(const struct probe_link *link)
{
	for (size_t i = 0; i < link->fds.n; i++)
		if (is_last(link->fds.at[i]))
			return true;
	return false;
}

/* -EAGAIN: the file is open for writing. */
static int lease(struct process *k, int file)
{
	struct leased l = {.file = keeper_file_of(file)};
	char path[32];

	for (size_t i = 0; i < k->leases.n; i++)
		if (is_same(&k->leases.at[i].file, &l.file))
			return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	/* A descriptor of our own, closed with this process. Does not wait for another's lease. */
	l.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (l.fd < 0)
		return 0;
	if (is_last(l.fd) || fcntl(l.fd, F_SETLEASE, F_RDLCK)) {
		bool busy = !is_last(l.fd) && errno == EAGAIN;

		close(l.fd);
		return busy ? -EAGAIN : 0;
	}
	l.file = keeper_file_of(l.fd);
	vec_push(&k->leases, l);
	return 0;
}

/* Tells the loader first, as for a start. */
static void let_write(struct process *k, size_t at)
{
	const struct leased l = k->leases.at[at];

	k->leases.at[at] = k->leases.at[--k->leases.n];
	vec_push(&k->written, l.file);
	atomic_fetch_add(k->untold, 1);
	for (size_t i = 0; i < k->links.n; i++)
		if (is_same(&k->links.at[i].file, &l.file))
			probe_link_close(&k->links.at[i].link);
	close(l.fd);
}

static void take_breaks(struct process *k)
{
	struct signalfd_siginfo signals[8];

	while (read(k->breaks, signals, sizeof(signals)) > 0)
		;
	for (size_t i = k->leases.n; i-- > 0;)
		if (fcntl(k->leases.at[i].fd, F_GETLEASE) != F_RDLCK)
			let_write(k, i);
}

static uint32_t keep(struct process *k, const struct held *what)
{
	const struct held held = *what;

	for (size_t i = 0; i < k->links.n; i++) {
		if (!k->links.at[i].used) {
			k->links.at[i] = held;
			return (uint32_t)i;
		}
	}
	vec_push(&k->links, held);
	return (uint32_t)k->links.n - 1;
}

static int hang(struct process *k, const struct keeper_request *r, int file, int list_fd)
{
	_free_ struct probe *at = mem_zalloc(r->n + 1, sizeof(*at));
	const probe_list list = {.at = at, .n = r->n};
	struct held held = {.file = r->read, .pid = r->pid, .used = true};
	size_t bytes = r->n * sizeof(*at);
	struct keeper_file is;
	int ret;

	if (k->starts.n || k->written.n)
		return -EAGAIN;
	if (pread(list_fd, at, bytes, 0) != (ssize_t)bytes)
		return err(-EIO, "the list of probes is truncated");
	is = keeper_file_of(file);
	if (!keeper_file_is(&is, &r->read))
		return err(-ESTALE, "the file was written to after it was read");
	ret = probes_attach(&k->probes, r->program, file, r->pid, &list, &held.link);
	if (!ret && leaves_none_to_spare(&held.link))
		ret = err(-EMFILE, "the kernel refused a probe: %s", strerror(EMFILE));
	if (!ret)
		return (int)keep(k, &held);
	probe_link_close(&held.link);
	return ret == -EAGAIN ? -EBUSY : ret;
}

static void drop(struct process *k, const struct keeper_request *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct held *held = &k->links.at[r->links[i]];

		probe_link_close(&held->link);
		held->used = false;
	}
}

static void watch(struct process *k, const struct keeper_request *r, int file)
{
	struct watched w = {.tag = r->tag};
	struct stat st;

	if (k->fan < 0 || fstat(file, &st) ||
	    fanotify_mark(k->fan, FAN_MARK_ADD, FAN_OPEN_EXEC_PERM, file, NULL))
		return;
	w.dev = st.st_dev;
	w.inode = st.st_ino;
	vec_push(&k->files, w);
}

/* Moves up to @most of the @n items at @at, @bytes each, to @to. Returns how many. */
static size_t move_first(void *to, size_t most, void *at, size_t *n, size_t bytes)
{
	size_t moved = *n < most ? *n : most;

	if (!moved)
		return 0;
	memcpy(to, at, moved * bytes);
	*n -= moved;
	memmove(at, (char *)at + moved * bytes, *n * bytes);
	return moved;
}

static void tell_news(struct process *k, struct keeper_reply *reply)
{
	reply->n_starts = move_first(reply->starts, MOST_STARTS, k->starts.at, &k->starts.n,
				     sizeof(*reply->starts));
	reply->n_written = move_first(reply->written, MOST_FILES, k->written.at, &k->written.n,
				      sizeof(*reply->written));
	atomic_fetch_sub(k->untold, (uint32_t)(reply->n_starts + reply->n_written));
}

static void serve(struct process *k, const struct keeper_request *r, const int files[2])
{
	struct keeper_reply reply = {0};

	if (r->what == ASK_DROP)
		drop(k, r);
	else if (r->what == ASK_WATCH)
		watch(k, r, files[0]);
	else if (r->what == ASK_LEASE)
		reply.code = lease(k, files[0]);
	else if (r->what == ASK_HANG)
		reply.code = hang(k, r, files[0], files[1]);
	else
		tell_news(k, &reply);
	if (r->what == ASK_DROP || r->what == ASK_WATCH)
		return;
	if (reply.code < 0)
		snprintf(reply.text, sizeof(reply.text), "%s", err_text());
	(void)send(k->socket, &reply, sizeof(reply), MSG_NOSIGNAL);
}

/* The files that came with a message; -1 for missing ones. */
static void files_of(struct msghdr *m, int files[2])
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);

	files[0] = files[1] = -1;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len <= CMSG_LEN(2 * sizeof(int)))
		memcpy(files, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
}

/* Handles a request. False: the loader closed the socket. */
static bool take_request(struct process *k)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct keeper_request r;
	struct iovec part = {&r, sizeof(r)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(k->socket, &m, MSG_CMSG_CLOEXEC);
	int files[2];

	if (n != sizeof(r))
		return n < 0 && errno == EINTR;
	files_of(&m, files);
	serve(k, &r, files);
	for (int i = 0; i < 2; i++)
		if (files[i] >= 0)
			close(files[i]);
	return true;
}

/* Starts and writes are served before requests. */
static void __attribute__((noreturn)) run(struct process *k)
{
	struct pollfd p[] = {{.fd = k->fan, .events = POLLIN},
			     {.fd = k->parent, .events = POLLIN},
			     {.fd = k->breaks, .events = POLLIN},
			     {.fd = k->socket, .events = POLLIN}};
	bool goes_on = true;

	while (goes_on) {
		if (poll(p, sizeof(p) / sizeof(*p), -1) < 0)
			continue;
		if (p[0].revents)
			take_starts(k);
		else if (p[1].revents)
			break;
		else if (p[2].revents)
			take_breaks(k);
		else if (p[3].revents)
			goes_on = take_request(k);
	}
	/* Before the last fanotify descriptor is closed, which lets waiting starts continue. */
	take_away(k, 0, true);
	_exit(0);
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

void keeper_process_run(const struct probes *probes, int socket, int parent, keeper_untold *untold)
{
	struct process k = {
		.probes = *probes, .socket = socket, .parent = parent, .untold = untold};
	int keep_open[PROBE_PROGRAMS + 2], n = 0;

	/* Ends with the loader, not by signals to its process group. */
	own_process_leave();
	/* Starts wait for this process, so it must not wait for others. */
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 10);
	for (int i = 0; i < PROBE_PROGRAMS; i++)
		if (k.probes.program_fds[i] >= 0)
			keep_open[n++] = k.probes.program_fds[i];
	keep_open[n++] = k.socket;
	keep_open[n++] = k.parent;
	confine_close(keep_open, (size_t)n);
	k.fan = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK,
			      O_RDONLY | O_CLOEXEC | O_LARGEFILE);
	k.breaks = await_breaks();
	run(&k);
}
