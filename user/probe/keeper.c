#include "probe/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "probe/keeper_process.h"

#define WAIT_MS 10

/* The keeper's system calls may never return: of a probe in a file whose mapper holds a lock, which
 * a page of a FUSE mount keeps it in. Honest ones take 1.3 ms a probe, and where the kernel
 * attaches them one by one 100 ms, of 512 at most in a file. After a signal, or the end, nobody
 * waits for these. */
#define PATIENCE_NS	  UINT64_C(10000000000)
#define PATIENCE_PROBE_NS UINT64_C(120000000)
#define PATIENCE_MOST_NS  UINT64_C(70000000000)

#define BUSY_TRIES 3 /* for a lease on a file open for writing */

struct keeper {
	pid_t pid;
	int socket;
	const struct crew_wait *wait;
	clockid_t cpu;
	keeper_untold *untold;
	uint64_t probes; /* that it was asked to attach */
	bool is_silent;	 /* gave no answer in time: none is expected any more */
};

static int gone(const struct keeper *k)
{
	return err(-EPIPE, k->is_silent ? "the process that holds the probes does not answer"
					: "the process that holds the probes was killed");
}

/* How long it may take for all of its probes. */
static uint64_t patience_ns(const struct keeper *k)
{
	const uint64_t most = (PATIENCE_MOST_NS - PATIENCE_NS) / PATIENCE_PROBE_NS;

	return PATIENCE_NS + PATIENCE_PROBE_NS * (k->probes < most ? k->probes : most);
}

/* Waits until it has answered, or takes a request: the kernel takes seconds to attach thousands of
 * probes. False: it is silent. */
static bool await(struct keeper *k, short events)
{
	struct pollfd p = {.fd = k->socket, .events = events};
	uint64_t now = clock_ns(CLOCK_MONOTONIC), until = now + patience_ns(k);
	bool is_over = false;

	while (poll(&p, 1, WAIT_MS) <= 0) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= until) {
			k->is_silent = true;
			return false;
		}
		if (!k->wait->goes_on(k->wait->context) && !is_over) {
			is_over = true;
			until = until < now + PATIENCE_NS ? until : now + PATIENCE_NS;
		}
	}
	return true;
}

static int send_request(struct keeper *k, const struct keeper_request *r, const int *files,
			size_t n)
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
	while (sendmsg(k->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		if (!await(k, POLLOUT))
			return -EPIPE;
	}
	return 0;
}

static int ask(struct keeper *k, const struct keeper_request *r, const int *files, size_t n,
	       struct keeper_reply *reply)
{
	const int rc = k->is_silent ? -EPIPE : send_request(k, r, files, n);
	ssize_t got;

	if (rc && rc != -EPIPE && rc != -ECONNRESET)
		return err(rc, "cannot ask the process that holds the probes: %s", strerror(-rc));
	if (rc || !await(k, POLLIN))
		return gone(k);
	do
		got = recv(k->socket, reply, sizeof(*reply), 0);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*reply)) {
		/* It may come yet, and would be taken for that to the next request. */
		shutdown(k->socket, SHUT_RDWR);
		return gone(k);
	}
	return reply->code < 0 ? err(reply->code, "%s", reply->text) : reply->code;
}

/* Writes @data to an anonymous file, since a large message would block. A descriptor, or -1. */
static int in_a_file(const void *data, size_t bytes)
{
	int fd = memfd_create("list", MFD_CLOEXEC);

	int rc = fd < 0 ? -errno : file_put_at(fd, data, bytes, 0);

	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = -rc;
	return -1;
}

void keeper_lease(struct keeper *k, int fd)
{
	const struct keeper_request r = {.what = ASK_LEASE};
	struct keeper_reply reply;

	for (int i = 0; i < BUSY_TRIES && ask(k, &r, &fd, 1, &reply) == -EAGAIN; i++)
		usleep(WAIT_MS * 1000);
}

void keeper_unlease(struct keeper *k, const struct guard_file *file)
{
	const struct keeper_request r = {.what = ASK_UNLEASE, .read = *file};

	if (!k->is_silent)
		(void)send_request(k, &r, NULL, 0);
}

int keeper_attach(struct keeper *k, enum probe_program program, int fd,
		  const struct guard_file *read, uint32_t pid, const probe_list *list,
		  keeper_links *out)
{
	_close_ int list_fd = in_a_file(list->at, list->n * sizeof(*list->at));
	const int files[2] = {fd, list_fd};
	const struct keeper_request r = {
		.what = ASK_ATTACH, .program = program, .pid = pid, .read = *read, .n = list->n};
	struct keeper_reply reply;
	int ret;

	if (!list->n)
		return 0;
	if (list_fd < 0)
		return err(-errno, "cannot pass the list of probes: %s", strerror(errno));
	k->probes += list->n;
	ret = ask(k, &r, files, 2, &reply);
	if (ret < 0)
		return ret;
	vec_push(out, (uint32_t)ret);
	return 0;
}

void keeper_drop(struct keeper *k, keeper_links *links)
{
	for (size_t i = 0; i < links->n && !k->is_silent; i += MOST_LINKS) {
		struct keeper_request r = {.what = ASK_DROP, .n = links->n - i};

		r.n = r.n < MOST_LINKS ? r.n : MOST_LINKS;
		memcpy(r.links, links->at + i, r.n * sizeof(*r.links));
		(void)send_request(k, &r, NULL, 0);
	}
	vec_release(links);
}

void keeper_watch(struct keeper *k, int fd)
{
	const struct keeper_request r = {.what = ASK_WATCH};

	if (!k->is_silent)
		(void)send_request(k, &r, &fd, 1);
}

bool keeper_has_news(struct keeper *k, struct keeper_news *out)
{
	const struct keeper_request r = {.what = ASK_NEWS};
	struct keeper_reply reply;

	while (atomic_load(k->untold)) {
		if (ask(k, &r, NULL, 0, &reply) < 0)
			break;
		for (size_t i = 0; i < reply.n_starts; i++)
			vec_push(&out->starts, reply.starts[i]);
		for (size_t i = 0; i < reply.n_written; i++)
			vec_push(&out->written, reply.written[i]);
	}
	return out->starts.n || out->written.n;
}

void keeper_news_release(struct keeper_news *news)
{
	vec_release(&news->starts);
	vec_release(&news->written);
}

bool keeper_is_gone(const struct keeper *k)
{
	struct pollfd p = {.fd = k->socket};

	return k->is_silent || poll(&p, 1, 0) > 0;
}

bool keeper_is_silent(const struct keeper *k)
{
	return k->is_silent;
}

int64_t keeper_cpu_ns(const struct keeper *k)
{
	return (int64_t)clock_ns(k->cpu);
}

static int start_process(const struct probes *probes, struct keeper *k)
{
	_close_ int parent = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int ends[2];

	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	k->socket = ends[0];
	k->pid = fork();
	if (k->pid == 0)
		keeper_process_run(probes, ends[1], parent, k->untold);
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

/* Until it has ended, or its time is over: it then goes on by itself. */
static void await_end(const struct keeper *k)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, k->pid, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + (k->is_silent ? 0 : patience_ns(k));
	uint64_t now;

	while (pidfd >= 0 && (now = clock_ns(CLOCK_MONOTONIC)) < end &&
	       poll(&p, 1, (int)((end - now) / 1000000) + 1) < 0 && errno == EINTR)
		;
	waitpid(k->pid, NULL, WNOHANG);
}

void keeper_free(struct keeper *k)
{
	if (!k)
		return;
	/* Our children may still have the socket open. */
	shutdown(k->socket, SHUT_WR);
	close(k->socket);
	if (k->pid > 0)
		await_end(k);
	if (k->untold != MAP_FAILED)
		munmap(k->untold, sizeof(*k->untold));
	free(k);
}
