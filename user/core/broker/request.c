#include "broker/request.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/packet.h"

int request_send(int socket, const void *packet, size_t n, const int *fds, size_t n_fds)
{
	return packet_send(socket, packet, n, fds, n_fds);
}

int request_receive(int socket, void *packet, size_t n, int *fds, size_t most)
{
	int came[PACKET_FDS];
	size_t n_came;
	const ssize_t got = packet_receive(socket, packet, n, came, &n_came);
	const bool good = got == (ssize_t)n && n_came <= most;

	for (size_t i = 0; i < most; i++)
		fds[i] = good && i < n_came ? came[i] : -1;
	if (good)
		return 0;
	for (size_t i = 0; i < n_came; i++)
		close(came[i]);
	if (got <= 0)
		return got < 0 ? (int)got : -EPIPE;
	return -EPROTO;
}
