#include "store/lock.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"

#define POLL_MS 2

static bool has_changed(int fd, struct stat *before)
{
	struct stat now;
	bool changed;

	if (fstat(fd, &now))
		return false;
	changed = now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		  now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
	*before = now;
	return changed;
}

/* Asked again and again: a wait in flock(2) has no end, and no way out but a signal. */
int lock_take(int fd, int how, int patience_ms)
{
	uint64_t since = clock_ns(CLOCK_MONOTONIC);
	struct stat before = {0};

	while (flock(fd, how | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (has_changed(fd, &before))
			since = clock_ns(CLOCK_MONOTONIC);
		if (clock_ns(CLOCK_MONOTONIC) - since > (uint64_t)patience_ms * 1000000)
			return -EAGAIN;
		nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000}, NULL);
	}
	return 0;
}
