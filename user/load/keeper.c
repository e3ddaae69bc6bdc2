#include "load/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "symbol/confine.h"

/* Without a descriptor to spare the kernel would refuse the start that it asks us about. */
#define SPARE_FILES 64

#define WAIT_MS 10

#define MOST_STARTS 64 /* told at once */
#define MOST_LINKS  64 /* dropped at once */

/* To the keeper, as one message; with it goes a file, and another with what does not fit in. */
struct request {
	enum { ASK_HANG, ASK_DROP, ASK_WATCH, ASK_STARTED } what;
	enum probe_program program;
	uint32_t pid, tag;
	size_t n; /* probes, links */
	uint32_t links[MOST_LINKS];
};

/* Back, for those that are waited for. */
struct reply {
	int code;	/* a link, how many starts, or a negative errno */
	char text[512]; /* of an error */
	struct keeper_start starts[MOST_STARTS];
};

struct keeper {
	pid_t pid;
	int socket;
	const struct crew_wait *wait;
	clockid_t cpu;
	_Atomic uint32_t *untold; /* starts that were not asked for; shared with the process */
};

/* --- the process ---------------------------------------------------------------------------- */

struct held {
	struct probe_link link;
	uint32_t pid; /* 0: it is for all */
	bool used;
};

struct watched {
	dev_t dev;
	ino_t inode;
	uint32_t tag;
};

struct process {
	struct probes probes;
	int socket, fan, parent; /* the last one tells when the loader is gone */
	_Atomic uint32_t *untold;
	VEC(struct held) links;
	VEC(struct watched) files;
	keeper_starts starts;
};

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
	return k->files.at[0].tag; /* the kernel tells of none but these */
}

/* The loader is told first: from then on it gets nothing hung that it decided on before. */
static void let_start(struct process *k, const struct fanotify_event_metadata *e)
{
	struct fanotify_response yes = {.fd = e->fd, .response = FAN_ALLOW};
	struct keeper_start start = {.time_ns = clock_ns(CLOCK_MONOTONIC),
				     .pid = (uint32_t)e->pid,
				     .tag = tag_of(k, e->fd)};

	vec_push(&k->starts, start);
	atomic_fetch_add(k->untold, 1);
	take_away(k, start.pid, false);
	/* It may have been killed meanwhile. */
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

static uint32_t keep(struct process *k, const struct probe_link *link, uint32_t pid)
{
	const struct held held = {.link = *link, .pid = pid, .used = true};

	for (size_t i = 0; i < k->links.n; i++) {
		if (!k->links.at[i].used) {
			k->links.at[i] = held;
			return (uint32_t)i;
		}
	}
	vec_push(&k->links, held);
	return (uint32_t)k->links.n - 1;
}

static bool leaves_none_to_spare(const struct probe_link *link)
{
	struct rlimit most = {.rlim_cur = RLIM_INFINITY};

	getrlimit(RLIMIT_NOFILE, &most);
	for (size_t i = 0; i < link->fds.n; i++)
		if ((rlim_t)link->fds.at[i] + SPARE_FILES > most.rlim_cur)
			return true;
	return false;
}

static int hang(struct process *k, const struct request *r, int file, int list_fd)
{
	_free_ struct probe *at = mem_zalloc(r->n + 1, sizeof(*at));
	const probe_list list = {.at = at, .n = r->n};
	struct probe_link link = {0};
	size_t bytes = r->n * sizeof(*at);
	int ret;

	if (k->starts.n)
		return -EAGAIN;
	if (pread(list_fd, at, bytes, 0) != (ssize_t)bytes)
		return err(-EIO, "a list of probes was cut");
	ret = probes_attach(&k->probes, r->program, file, r->pid, &list, &link);
	if (!ret && leaves_none_to_spare(&link))
		ret = err(-EMFILE, "the kernel refused a probe: %s", strerror(EMFILE));
	if (!ret)
		return (int)keep(k, &link, r->pid);
	probe_link_close(&link);
	return ret == -EAGAIN ? -EBUSY : ret;
}

static void drop(struct process *k, const struct request *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct held *held = &k->links.at[r->links[i]];

		probe_link_close(&held->link);
		held->used = false;
	}
}

static void watch(struct process *k, const struct request *r, int file)
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

static int tell_starts(struct process *k, struct reply *reply)
{
	size_t n = k->starts.n < MOST_STARTS ? k->starts.n : MOST_STARTS;

	memcpy(reply->starts, k->starts.at, n * sizeof(*reply->starts));
	k->starts.n -= n;
	memmove(k->starts.at, k->starts.at + n, k->starts.n * sizeof(*reply->starts));
	atomic_fetch_sub(k->untold, (uint32_t)n);
	return (int)n;
}

static void serve(struct process *k, const struct request *r, const int files[2])
{
	struct reply reply = {0};

	if (r->what == ASK_DROP)
		drop(k, r);
	else if (r->what == ASK_WATCH)
		watch(k, r, files[0]);
	else
		reply.code = r->what == ASK_HANG ? hang(k, r, files[0], files[1])
						 : tell_starts(k, &reply);
	if (r->what == ASK_DROP || r->what == ASK_WATCH)
		return;
	if (reply.code < 0)
		snprintf(reply.text, sizeof(reply.text), "%s", err_text());
	(void)send(k->socket, &reply, sizeof(reply), MSG_NOSIGNAL);
}

/* The files that came with a message; -1 where there are fewer. */
static void files_of(struct msghdr *m, int files[2])
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);

	files[0] = files[1] = -1;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len <= CMSG_LEN(2 * sizeof(int)))
		memcpy(files, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
}

/* False: the loader has ended it. */
static bool take_request(struct process *k)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct request r;
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

/* What is to start comes before what is to be hung. */
static void __attribute__((noreturn)) run(struct process *k)
{
	struct pollfd p[] = {{.fd = k->fan, .events = POLLIN},
			     {.fd = k->parent, .events = POLLIN},
			     {.fd = k->socket, .events = POLLIN}};
	bool goes_on = true;

	while (goes_on) {
		if (poll(p, 3, -1) < 0)
			continue;
		if (p[0].revents)
			take_starts(k);
		else if (p[1].revents)
			break;
		else if (p[2].revents)
			goes_on = take_request(k);
	}
	/* Before the kernel lets go on what waits: with the last descriptor of fanotify. */
	take_away(k, 0, true);
	_exit(0);
}

/* It ends with the loader, whatever is sent to all of its kind, and is in nobody's way. */
static void leave_session(void)
{
	static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,	 SIGQUIT, SIGTSTP,
				      SIGTTIN, SIGTTOU, SIGPIPE, SIGUSR1, SIGUSR2};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	setsid();
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}

static void __attribute__((noreturn)) become(struct process *k)
{
	int keep_open[PROBE_PROGRAMS + 2], n = 0;

	leave_session();
	/* What it is waited for by must not wait for others. */
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 10);
	for (int i = 0; i < PROBE_PROGRAMS; i++)
		if (k->probes.program_fds[i] >= 0)
			keep_open[n++] = k->probes.program_fds[i];
	keep_open[n++] = k->socket;
	keep_open[n++] = k->parent;
	confine_close(keep_open, (size_t)n);
	k->fan = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK,
			       O_RDONLY | O_CLOEXEC | O_LARGEFILE);
	run(k);
}

/* --- the loader's side ---------------------------------------------------------------------- */

static int send_request(struct keeper *k, const struct request *r, const int *files, size_t n)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct iovec part = {(void *)r, sizeof(*r)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (n) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(&control.head), files, n * sizeof(int));
	}
	return sendmsg(k->socket, &m, MSG_NOSIGNAL) == sizeof(*r) ? 0 : -EPIPE;
}

static int gone(void)
{
	return err(-EPIPE, "the process that holds the probes was killed");
}

/* Until the answer is there: the kernel takes seconds to hang thousands of probes. */
static void await(const struct keeper *k)
{
	struct pollfd p = {.fd = k->socket, .events = POLLIN};

	while (poll(&p, 1, WAIT_MS) <= 0)
		(void)k->wait->goes_on(k->wait->context);
}

static int ask(struct keeper *k, const struct request *r, const int *files, size_t n,
	       struct reply *reply)
{
	ssize_t got;

	if (send_request(k, r, files, n))
		return gone();
	await(k);
	do
		got = recv(k->socket, reply, sizeof(*reply), 0);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*reply))
		return gone();
	return reply->code < 0 ? err(reply->code, "%s", reply->text) : reply->code;
}

/* A file with @bytes of @data: a message would wait for room. A descriptor, or -1. */
static int in_a_file(const void *data, size_t bytes)
{
	int fd = memfd_create("list", MFD_CLOEXEC);

	if (fd >= 0 && pwrite(fd, data, bytes, 0) == (ssize_t)bytes)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int keeper_hang(struct keeper *k, enum probe_program program, int fd, uint32_t pid,
		const probe_list *list, keeper_links *out)
{
	_close_ int list_fd = in_a_file(list->at, list->n * sizeof(*list->at));
	const int files[2] = {fd, list_fd};
	const struct request r = {.what = ASK_HANG, .program = program, .pid = pid, .n = list->n};
	struct reply reply;
	int ret;

	if (!list->n)
		return 0;
	if (list_fd < 0)
		return err(-errno, "cannot tell which probes to hang: %s", strerror(errno));
	ret = ask(k, &r, files, 2, &reply);
	if (ret < 0)
		return ret;
	vec_push(out, (uint32_t)ret);
	return 0;
}

void keeper_drop(struct keeper *k, keeper_links *links)
{
	for (size_t i = 0; i < links->n; i += MOST_LINKS) {
		struct request r = {.what = ASK_DROP, .n = links->n - i};

		r.n = r.n < MOST_LINKS ? r.n : MOST_LINKS;
		memcpy(r.links, links->at + i, r.n * sizeof(*r.links));
		(void)send_request(k, &r, NULL, 0);
	}
	vec_release(links);
}

void keeper_watch(struct keeper *k, int fd, uint32_t tag)
{
	const struct request r = {.what = ASK_WATCH, .tag = tag};

	(void)send_request(k, &r, &fd, 1);
}

bool keeper_started(struct keeper *k, keeper_starts *out)
{
	const struct request r = {.what = ASK_STARTED};
	struct reply reply;

	while (atomic_load(k->untold)) {
		int n = ask(k, &r, NULL, 0, &reply);

		for (int i = 0; i < n; i++)
			vec_push(out, reply.starts[i]);
		if (n <= 0)
			break;
	}
	return out->n > 0;
}

bool keeper_is_gone(const struct keeper *k)
{
	struct pollfd p = {.fd = k->socket};

	return poll(&p, 1, 0) > 0;
}

int64_t keeper_cpu_ns(const struct keeper *k)
{
	return (int64_t)clock_ns(k->cpu);
}

static int start_process(const struct probes *probes, struct keeper *k)
{
	struct process process = {.probes = *probes, .fan = -1, .untold = k->untold};
	_close_ int parent = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int ends[2];

	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	process.parent = parent;
	process.socket = ends[1];
	k->socket = ends[0];
	k->pid = fork();
	if (k->pid == 0)
		become(&process);
	close(ends[1]);
	return k->pid < 0 ? -errno : -clock_getcpuclockid(k->pid, &k->cpu);
}

int keeper_new(const struct probes *probes, const struct crew_wait *wait, struct keeper **out)
{
	struct keeper *k = mem_zalloc(1, sizeof(*k));
	int ret = 0;

	k->wait = wait;
	k->socket = -1;
	k->untold = mmap(NULL, sizeof(*k->untold), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (k->untold == MAP_FAILED)
		ret = -errno;
	else
		ret = start_process(probes, k);
	if (!ret) {
		*out = k;
		return 0;
	}
	keeper_free(k);
	return err(ret, "cannot start a process to hold the probes: %s", strerror(-ret));
}

void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	/* Children of ours may have it still. */
	shutdown(k->socket, SHUT_WR);
	close(k->socket);
	if (k->pid > 0)
		waitpid(k->pid, NULL, 0);
	if (k->untold != MAP_FAILED)
		munmap(k->untold, sizeof(*k->untold));
	free(k);
}
