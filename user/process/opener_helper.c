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
#include "base/packet.h"
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

/* False: there is nobody any more who could ask. */
static bool receive(struct helper *h)
{
	size_t n_files;
	const ssize_t n = packet_receive(h->requests, &h->m, sizeof(h->m), h->files, &n_files, 0);

	for (; n_files < 2; n_files++)
		h->files[n_files] = -1;
	h->m.path[sizeof(h->m.path) - 1] = '\0';
	/* Without its descriptors, -EPROTO, it is one that nobody waits for. */
	return n == -EPROTO || n >= (ssize_t)offsetof(struct opener_message, path);
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
