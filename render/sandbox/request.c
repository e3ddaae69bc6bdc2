#include "sandbox/request.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for one descriptor, aligned as the kernel wants it. */
union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int request_send(int socket, const void *packet, size_t n, int fd)
{
	struct iovec part = {(void *)(uintptr_t)packet, n};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	union control control = {0};
	ssize_t sent;

	if (fd >= 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	do
		sent = sendmsg(socket, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int request_receive(int socket, void *packet, size_t n, int *fd)
{
	struct iovec part = {packet, n};
	union control control = {0};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	const struct cmsghdr *c;
	ssize_t got;

	*fd = -1;
	do
		got = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got < 0 ? -errno : -EPIPE;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if ((size_t)got == n)
		return 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -EPROTO;
}
