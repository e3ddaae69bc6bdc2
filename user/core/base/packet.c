#include "base/packet.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(PACKET_FDS * sizeof(int))];
};

static int send_parts(int socket, const struct iovec *parts, size_t n_parts, const int *fds,
		      size_t n_fds, int flags)
{
	union control control = {0};
	struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = n_parts};

	if (n_fds > PACKET_FDS)
		return -EMFILE;
	if (n_fds) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
						.cmsg_type = SCM_RIGHTS,
						.cmsg_len = CMSG_LEN(n_fds * sizeof(int))};
		memcpy(CMSG_DATA(&control.head), fds, n_fds * sizeof(int));
	}
	while (sendmsg(socket, &m, MSG_NOSIGNAL | flags) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int packet_send(int socket, const void *bytes, size_t n, const int *fds, size_t n_fds)
{
	const struct iovec part = {(void *)(uintptr_t)bytes, n};

	return send_parts(socket, &part, 1, fds, n_fds, 0);
}

int packet_try(int socket, const struct iovec *parts, size_t n_parts, const int *fds, size_t n_fds)
{
	return send_parts(socket, parts, n_parts, fds, n_fds, MSG_DONTWAIT);
}

/* Takes all descriptors of the packet, so that none stays open. */
static size_t take_descriptors(struct msghdr *m, int *fds)
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t many = 0;

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			many = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < many && n < PACKET_FDS; i++)
			memcpy(&fds[n++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
	}
	return n;
}

static void close_all(const int *fds, size_t *n_fds)
{
	while (*n_fds)
		close(fds[--*n_fds]);
}

ssize_t packet_receive(int socket, void *bytes, size_t n, int *fds, size_t *n_fds, int flags)
{
	struct iovec part = {bytes, n};
	union control control;
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	ssize_t got;

	*n_fds = 0;
	while ((got = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | flags)) < 0)
		if (errno != EINTR)
			return -errno;
	*n_fds = take_descriptors(&m, fds);
	if (!(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return got;
	close_all(fds, n_fds);
	return -EPROTO;
}

int packet_receive_whole(int socket, void *bytes, size_t n, int *fds, size_t most)
{
	int came[PACKET_FDS];
	size_t n_came;
	const ssize_t got = packet_receive(socket, bytes, n, came, &n_came, 0);
	const bool good = got == (ssize_t)n && n_came <= most;

	for (size_t i = 0; i < most; i++)
		fds[i] = good && i < n_came ? came[i] : -1;
	if (good)
		return 0;
	close_all(came, &n_came);
	return got < 0 ? (int)got : got ? -EPROTO : -EPIPE;
}
