#include "probe/keeper_process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "confine/capabilities.h"
#include "confine/confine.h"
#include "probe/own_process.h"

struct held {
	struct probe_link link;
	struct guard_file file;
	uint32_t pid; /* 0: for all processes */
	bool used;
};

struct process {
	struct probes probes;
	struct guard_watch watch;
	int socket, parent; /* parent becomes readable when the loader ends */
	keeper_untold *untold;
	VEC(struct held) links;
	guard_starts starts;
	guard_writes written;
};

static void take_away(struct process *k, uint32_t pid, bool all)
{
	for (size_t i = 0; i < k->links.n; i++)
		if (all || !k->links.at[i].pid || k->links.at[i].pid == pid)
			probe_link_close(&k->links.at[i].link);
}

/* Tells the loader first: from then on it can attach nothing that it decided on earlier. */
static void starting(void *context, const struct guard_start *start)
{
	struct process *k = context;

	vec_push(&k->starts, *start);
	atomic_fetch_add(k->untold, 1);
	take_away(k, start->pid, false);
}

/* Tells the loader first, as for a start. */
static void writing(void *context, const struct guard_file *file)
{
	struct process *k = context;

	vec_push(&k->written, *file);
	atomic_fetch_add(k->untold, 1);
	for (size_t i = 0; i < k->links.n; i++)
		if (k->links.at[i].file.dev == file->dev &&
		    k->links.at[i].file.inode == file->inode)
			probe_link_close(&k->links.at[i].link);
}

static bool leaves_none_to_spare(const struct probe_link *link)
{
	for (size_t i = 0; i < link->fds.n; i++)
		if (guard_watch_is_last(link->fds.at[i]))
			return true;
	return false;
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

static int attach(struct process *k, const struct keeper_request *r, int file, int list_fd)
{
	_free_ struct probe *at = mem_zalloc(r->n + 1, sizeof(*at));
	const probe_list list = {.at = at, .n = r->n};
	struct held held = {.file = r->read, .pid = r->pid, .used = true};
	size_t bytes = r->n * sizeof(*at);
	struct guard_file is;
	int ret;

	if (k->starts.n || k->written.n)
		return -EAGAIN;
	if (file_get_at(list_fd, at, bytes, 0) != (ssize_t)bytes)
		return err(-EIO, "the list of probes is truncated");
	is = guard_file_of(file);
	if (!guard_file_is(&is, &r->read))
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
		guard_watch_start(&k->watch, files[0]);
	else if (r->what == ASK_UNLEASE)
		guard_watch_unlease(&k->watch, &r->read);
	else if (r->what == ASK_LEASE)
		reply.code = guard_watch_lease(&k->watch, files[0]);
	else if (r->what == ASK_ATTACH)
		reply.code = attach(k, r, files[0], files[1]);
	else
		tell_news(k, &reply);
	if (r->what == ASK_DROP || r->what == ASK_WATCH || r->what == ASK_UNLEASE)
		return;
	if (reply.code < 0)
		snprintf(reply.text, sizeof(reply.text), "%s", err_text());
	while (send(k->socket, &reply, sizeof(reply), MSG_NOSIGNAL) < 0) {
		if (errno == EINTR)
			continue;
		/* The loader would wait for it, as long as for all probes: it learns that we are
		 * gone, and so are the probes. */
		shutdown(k->socket, SHUT_RDWR);
		break;
	}
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
	ssize_t n;
	int files[2];

	while ((n = recvmsg(k->socket, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (n != sizeof(r))
		return false;
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
	struct pollfd p[] = {{.fd = k->watch.starts, .events = POLLIN},
			     {.fd = k->parent, .events = POLLIN},
			     {.fd = k->watch.writers, .events = POLLIN},
			     {.fd = k->socket, .events = POLLIN}};
	bool goes_on = true;

	while (goes_on) {
		if (poll(p, sizeof(p) / sizeof(*p), -1) < 0)
			continue;
		if (p[0].revents)
			guard_watch_let_start(&k->watch);
		else if (p[1].revents)
			break;
		else if (p[2].revents)
			guard_watch_let_write(&k->watch);
		else if (p[3].revents)
			goes_on = take_request(k);
	}
	/* Before the last fanotify descriptor is closed, which lets waiting starts continue. */
	take_away(k, 0, true);
	_exit(0);
}

void keeper_process_run(const struct probes *probes, int socket, int parent, keeper_untold *untold)
{
	struct process k = {.probes = *probes,
			    .watch = {.starting = starting, .writing = writing, .context = &k},
			    .socket = socket,
			    .parent = parent,
			    .untold = untold};
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
	/* To watch starts takes CAP_SYS_ADMIN once, at its beginning. */
	guard_watch_open(&k.watch);
	if (capabilities_keep(probes->multi ? CAPABILITIES_KEEPER : CAPABILITIES_KEEPER_BY_EVENTS))
		_exit(1);
	run(&k);
}
