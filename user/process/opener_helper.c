/* A helper of the opener: takes requests one by one, each from whoever sent it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/mounts.h"
#include "process/opener_wire.h"

struct helper {
	struct opener_shared *shared;
	struct opener_slot *slot;
	struct mounts *mounts;
	int requests;
	struct opener_message m;
	int files[2]; /* of the message: the channel, and a root or -1 */
};

static void take_files(struct msghdr *m, int files[2])
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);

	files[0] = files[1] = -1;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len <= CMSG_LEN(2 * sizeof(int)))
		memcpy(files, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
}

/* False: there is nobody any more who could ask. */
static bool receive(struct helper *h)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct iovec part = {&h->m, sizeof(h->m)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	ssize_t n;

	while ((n = recvmsg(h->requests, &m, MSG_CMSG_CLOEXEC)) < 0)
		if (errno != EINTR)
			return false;
	take_files(&m, h->files);
	if (n < (ssize_t)offsetof(struct opener_message, path))
		return false;
	h->m.path[sizeof(h->m.path) - 1] = '\0';
	return true;
}

/* Whether who asked still waits: it may have given up, or ended. */
static bool is_awaited(const struct helper *h)
{
	struct pollfd p = {.fd = h->files[0]};
	int gone;

	while ((gone = poll(&p, 1, 0)) < 0 && errno == EINTR)
		;
	return h->files[0] >= 0 && !gone &&
	       clock_ns(CLOCK_MONOTONIC) < h->m.sent_ns + OPENER_QUEUE_NS;
}

/* A long text goes into a file. */
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
	struct iovec parts[2] = {{(void *)(uintptr_t)r, sizeof(*r)}, {(void *)(uintptr_t)text, n}};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};

	if (file >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.room);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &file, sizeof(int));
	}
	while (sendmsg(h->files[0], &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
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
	/* Who asked would wait for it. */
	if (none.rc)
		(void)send_reply(h, &none, NULL, 0, -1);
}

/* Whether it is still for us to answer. Who asked may have given up just now. */
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
	/* Closing may block as well: the answer is there by then. */
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
	/* Ctrl-C is for who asks to act on. */
	sigprocmask(SIG_SETMASK, &all, NULL);
}

_Noreturn void opener_helper_run(struct opener_shared *shared, unsigned int slot, int requests)
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
