/* Starts and ends an opener, and runs its main process, which starts and ends the helpers. That
 * process opens nothing itself, so it never blocks. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/packet.h"
#include "confine/capabilities.h"
#include "confine/confine.h"
#include "process/mounts.h"
#include "process/opener_wire.h"

struct helper {
	struct opener_shared *shared;
	struct opener_slot *slot;
	struct mounts *mounts;
	int requests;
	struct opener_message m;
	int files[PACKET_FDS]; /* of the message: the channel, and a root or -1 */
};

/* False: no process is left that could ask. */
static bool receive(struct helper *h)
{
	size_t n_files;
	const ssize_t n = packet_receive(h->requests, &h->m, sizeof(h->m), h->files, &n_files, 0);

	for (; n_files < 2; n_files++)
		h->files[n_files] = -1;
	h->m.path[sizeof(h->m.path) - 1] = '\0';
	/* A message whose descriptors were lost (-EPROTO) belongs to no channel: ignore it. */
	return n == -EPROTO || n >= (ssize_t)offsetof(struct opener_message, path);
}

/* Whether the asking process still waits: it may have given up, or ended. */
static bool is_awaited(const struct helper *h)
{
	struct pollfd p = {.fd = h->files[0]};
	int gone;

	while ((gone = poll(&p, 1, 0)) < 0 && errno == EINTR)
		;
	return h->files[0] >= 0 && !gone &&
	       clock_ns(CLOCK_MONOTONIC) < h->m.sent_ns + OPENER_WHOLE_NS;
}

/* Puts a long text into a memory file. */
static int text_file(const struct opener_answer *a)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	if (fd >= 0 && !file_put(fd, a->text, a->text_bytes))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* 0 or -errno. */
static int send_reply(const struct helper *h, const struct opener_reply *r, const char *text,
		      size_t n, int file)
{
	const struct iovec parts[2] = {{(void *)(uintptr_t)r, sizeof(*r)},
				       {(void *)(uintptr_t)text, n}};

	return packet_try(h->files[0], parts, 2, &file, file >= 0);
}

static void reply(const struct helper *h, struct opener_answer *a)
{
	const bool in_file = a->text_bytes > OPENER_TEXT;
	const _close_ int text = in_file ? text_file(a) : -1;
	const int rc = in_file && text < 0 ? -ENOMEM : a->rc;
	const struct opener_reply r = {.number = h->m.number,
				       .rc = rc,
				       .is_copy = a->is_copy,
				       .device_major = a->device_major,
				       .device_minor = a->device_minor,
				       .uid = a->uid,
				       .mode = a->mode,
				       .links = a->links,
				       .inode = a->inode,
				       .bytes = a->bytes,
				       .text_bytes = (uint32_t)a->text_bytes,
				       .text_in_file = in_file && text >= 0};
	struct opener_reply none = {.number = h->m.number};

	none.rc = send_reply(h, &r, a->text, in_file ? 0 : a->text_bytes, in_file ? text : a->fd);
	/* Without any reply the asking process would wait until its limit. */
	if (none.rc)
		(void)send_reply(h, &none, NULL, 0, -1);
}

/* Whether the request is still ours to answer: the asking process may have given up just now. */
static bool is_ours(const struct helper *h)
{
	return atomic_load(&h->slot->state) == OPENER_BUSY;
}

static void serve(struct helper *h)
{
	const struct opener_message *m = &h->m;
	const struct opener_request r = {.what = (enum opener_what)m->what,
					 .pid = m->pid,
					 .start = m->start,
					 .end = m->end,
					 .path = m->path,
					 .root_fd = m->root ? m->root : h->files[1],
					 .no_links = m->no_links != 0,
					 .folder = m->folder,
					 .home = m->home[0] ? m->home : NULL,
					 .as = m->has_owner ? &m->owner : NULL,
					 .bytes_most = m->bytes_most};
	const uid_t before = geteuid();
	struct opener_answer a;
	int rest;

	opener_do(h->mounts, &r, h->shared, h->slot, &a, &rest);
	if (!is_ours(h))
		_exit(1);
	reply(h, &a);
	free(a.text);
	/* Close it after the reply: closing may block, too. */
	if (a.fd >= 0)
		close(a.fd);
	if (rest >= 0)
		close(rest);
	if (geteuid() != before)
		_exit(0);
}

static void set_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	for (int i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP)
			signal(i, SIG_DFL);
	/* Ctrl-C is for the asking process to act on. */
	sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Serves requests from @requests as helper @slot; never returns. */
static _Noreturn void opener_helper_run(struct opener_shared *shared, unsigned int slot,
					int requests)
{
	struct helper h = {.shared = shared, .slot = &shared->slots[slot], .requests = requests};
	uint32_t state = OPENER_IDLE;

	set_signals();
	h.mounts = mounts_new();
	atomic_store(&h.slot->since_ns, clock_ns(CLOCK_MONOTONIC));
	while (receive(&h)) {
		atomic_store(&h.slot->device, 0);
		atomic_store(&h.slot->since_ns, clock_ns(CLOCK_MONOTONIC));
		atomic_store(&h.slot->request, (uint64_t)h.m.channel << 32 | h.m.number);
		if (!atomic_compare_exchange_strong(&h.slot->state, &state, OPENER_BUSY))
			_exit(1);
		if (is_awaited(&h))
			serve(&h);
		for (int i = 0; i < 2; i++)
			if (h.files[i] >= 0)
				close(h.files[i]);
		state = OPENER_BUSY;
		if (!atomic_compare_exchange_strong(&h.slot->state, &state, OPENER_IDLE))
			_exit(1);
		state = OPENER_IDLE;
	}
	_exit(0);
}

/* How far the helpers' nice value is below that of the process that started them: everyone waits
 * for them. */
#define NICE_GAIN 10

/* How often ended helpers are looked for, as long as one is stuck. */
#define POLL_MS 200

/* Closes standard streams too: a stuck helper must not keep open a pipe that somebody reads. */
static void close_all(int control, int requests, int parent)
{
	int keep[] = {control, requests, parent};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	confine_close(keep, sizeof(keep) / sizeof(*keep));
	/* Leave the working directory, or its file system could not be unmounted. */
	if (chdir("/"))
		_exit(1);
}

static void start_helper(struct opener_shared *s, int control, int parent, int requests)
{
	unsigned int i = 0;
	pid_t pid;

	while (i < OPENER_HELPERS && atomic_load(&s->slots[i].state) != OPENER_NONE)
		i++;
	if (i == OPENER_HELPERS)
		return;
	atomic_store(&s->slots[i].request, 0);
	atomic_store(&s->slots[i].since_ns, clock_ns(CLOCK_MONOTONIC));
	atomic_store(&s->slots[i].state, OPENER_IDLE);
	pid = child_fork();
	if (pid == 0) {
		close(control);
		close(parent);
		opener_helper_run(s, i, requests);
	}
	atomic_store(&s->slots[i].pid, pid);
	if (pid < 0)
		atomic_store(&s->slots[i].state, OPENER_NONE);
}

static bool has_idle(const struct opener_shared *s)
{
	for (unsigned int i = 0; i < OPENER_HELPERS; i++)
		if (atomic_load(&s->slots[i].state) == OPENER_IDLE)
			return true;
	return false;
}

static void end_helpers(struct opener_shared *s, bool all)
{
	for (unsigned int i = 0; i < OPENER_HELPERS; i++) {
		const uint32_t state = atomic_load(&s->slots[i].state);

		if (state == OPENER_GIVEN_UP || (all && state != OPENER_NONE))
			kill(atomic_load(&s->slots[i].pid), SIGKILL);
	}
}

/* Frees the slots of helpers that have ended. */
static void reap(struct opener_shared *s)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (unsigned int i = 0; i < OPENER_HELPERS; i++)
			if (atomic_load(&s->slots[i].pid) == pid) {
				atomic_store(&s->slots[i].pid, 0);
				atomic_store(&s->slots[i].state, OPENER_NONE);
			}
}

static bool is_any_given_up(const struct opener_shared *s)
{
	for (unsigned int i = 0; i < OPENER_HELPERS; i++)
		if (atomic_load(&s->slots[i].state) == OPENER_GIVEN_UP)
			return true;
	return false;
}

/* Starts and ends helpers until @control closes or process @parent ends; never returns. */
static _Noreturn void run(struct opener_shared *s, int control, int requests, int parent)
{
	struct pollfd p[] = {{.fd = control, .events = POLLIN}, {.fd = parent, .events = POLLIN}};
	sigset_t none;
	ssize_t n = 1;
	char what;

	close_all(control, requests, parent);
	/* Leave the loader's process group: signals of Ctrl-C or the shell are not for us. */
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - NICE_GAIN);
	if (capabilities_keep(CAPABILITIES_OPENER))
		_exit(1);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (n > 0) {
		const int came = poll(p, 2, is_any_given_up(s) ? POLL_MS : -1);

		if (came < 0 && errno == EINTR)
			continue;
		if (came < 0)
			break;
		reap(s);
		if (p[1].revents)
			break;
		if (!p[0].revents)
			continue;
		while ((n = recv(control, &what, 1, 0)) < 0 && errno == EINTR)
			;
		if (n > 0 && what == OPENER_MORE && !has_idle(s))
			start_helper(s, control, parent, requests);
		else if (n > 0 && what == OPENER_END)
			end_helpers(s, false);
	}
	end_helpers(s, true);
	_exit(0);
}

/* --- for callers ------------------------------------------------------------------------------ */

/* All copies together may take this part of the machine's memory. */
#define COPIES_PART 8

/* How long opener_free() waits for the process to end. */
#define END_MS 1000

static bool start(struct opener *o)
{
	_close_ int parent = pidfd_open(getpid(), 0);
	int control[2], requests[2];

	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control))
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests)) {
		close(control[0]);
		close(control[1]);
		return false;
	}
	o->pid = child_fork();
	if (o->pid == 0)
		run(o->shared, control[1], requests[1], parent);
	close(control[1]);
	close(requests[1]);
	o->control = control[0];
	o->requests = requests[0];
	return o->pid > 0;
}

struct opener *opener_new(void)
{
	struct opener *o = mem_zalloc(1, sizeof(*o));

	o->control = o->requests = -1;
	o->shared = mmap(NULL, sizeof(*o->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->shared != MAP_FAILED) {
		o->shared->most_bytes = mem_most() / COPIES_PART;
		if (start(o))
			return o;
	}
	opener_free(o);
	return NULL;
}

/* The main process is never stuck itself, but do not wait for it without a limit. */
static void end_process(const struct opener *o)
{
	/* Our children may still have the socket open. */
	shutdown(o->control, SHUT_RDWR);
	(void)child_await(o->pid, END_MS, NULL, NULL);
}

void opener_free(struct opener *o)
{
	if (!o)
		return;
	if (o->pid > 0)
		end_process(o);
	if (o->mine) {
		close(o->answers);
		close(o->theirs);
	}
	if (o->control >= 0)
		close(o->control);
	if (o->requests >= 0)
		close(o->requests);
	for (size_t i = 0; i < o->asked.n; i++)
		if (o->asked.at[i].answered)
			opener_answer_release(o, &o->asked.at[i].answer);
	vec_release(&o->asked);
	if (o->shared != MAP_FAILED)
		munmap(o->shared, sizeof(*o->shared));
	free(o->room);
	free(o);
}
