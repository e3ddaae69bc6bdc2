#include "crew/open_as.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "crew/packet.h"

/* A file that never answers is given up, with those behind it. */
#define PATIENCE_MS 3000

/* A FIFO that nobody writes to and a terminal are not waited for. */
static int open_plain(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static _Noreturn void open_all(int (*become)(void), const char *const *paths, size_t n, int socket)
{
	if (become())
		_exit(1);
	for (size_t i = 0; i < n; i++) {
		const int fd = open_plain(paths[i]);

		if (packet_send(socket, &i, sizeof(i), &fd, fd >= 0))
			_exit(1);
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

/* False: no more come. */
static bool take_one(int socket, size_t n, int *fds)
{
	struct pollfd p = {.fd = socket, .events = POLLIN};
	int came[PACKET_FDS];
	size_t i, n_came;

	if (poll(&p, 1, PATIENCE_MS) <= 0 ||
	    packet_receive(socket, &i, sizeof(i), came, &n_came) != sizeof(i))
		return false;
	if (n_came && i < n)
		fds[i] = came[0];
	return true;
}

void open_as(int (*become)(void), const char *const *paths, size_t n, int *fds)
{
	int ends[2];
	pid_t pid;

	for (size_t i = 0; i < n; i++)
		fds[i] = -1;
	if (!n || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	pid = child_fork();
	if (!pid)
		open_all(become, paths, n, ends[1]);
	close(ends[1]);
	while (pid > 0 && take_one(ends[0], n, fds))
		;
	close(ends[0]);
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
