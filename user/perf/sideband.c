#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "perf/cpus.h"
#include "perf/event.h"
#include "perf/perf_ring.h"
#include "perf/rights.h"
#include "perf/sideband.h"

/* Per CPU; a power of two of pages. An exec makes about ten records of 100 bytes, so this holds
 * some thousand records between two ticks. */
#define RING_BYTES (256u * 1024)

struct sideband {
	perf_rings rings;
	VEC(int) cpus;	  /* of the rings */
	bool by_inode;	  /* as it was opened */
	int epoll_fd;	  /* -1: none yet */
	uint8_t *scratch; /* room for one record */
	/* Read or fed, and not handed out yet. */
	side_records records;
	uint64_t lost;
};

static int open_error(int code)
{
	if (code == EACCES || code == EPERM)
		return err(-code, "no permission to watch all processes: " RIGHTS_HOW);
	return err(-code, "cannot watch processes: %s", strerror(code));
}

static int open_ring(int cpu, bool by_inode, struct perf_ring *ring)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1};
	int fd, ret;

	side_ask(&attr, by_inode, RING_BYTES / 2);
	fd = event_syscall(&attr, -1, cpu, -1, 0);
	if (fd < 0 && errno == EINVAL) {
		attr.build_id = 0; /* before 5.12 */
		fd = event_syscall(&attr, -1, cpu, -1, 0);
	}
	if (fd < 0)
		return open_error(errno);
	ret = perf_ring_map(ring, fd, RING_BYTES);
	return ret ? err(ret, "cannot map the kernel's record buffer: %s", strerror(-ret)) : 0;
}

struct sideband *sideband_new(void)
{
	struct sideband *s = mem_zalloc(1, sizeof(*s));

	s->scratch = mem_zalloc(1, PERF_RING_RECORD);
	s->epoll_fd = -1;
	return s;
}

int sideband_open(bool by_inode, struct sideband **out)
{
	struct sideband *s = sideband_new();
	_free_ int *cpus = NULL;
	int n = cpus_online(&cpus), ret = n < 0 ? n : 0;

	s->by_inode = by_inode;
	for (int i = 0; i < n && !ret; i++) {
		struct perf_ring *ring = vec_add(&s->rings);

		ring->fd = -1;
		vec_push(&s->cpus, cpus[i]);
		ret = open_ring(cpus[i], by_inode, ring);
	}
	if (ret) {
		sideband_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

void sideband_close(struct sideband *s)
{
	if (!s)
		return;
	perf_rings_release(&s->rings);
	vec_release(&s->cpus);
	side_records_clear(&s->records);
	vec_release(&s->records);
	free(s->scratch);
	free(s);
}

void sideband_feed(struct sideband *s, const struct side_record *r)
{
	vec_push(&s->records, *r);
}

void sideband_lose(struct sideband *s, uint64_t n)
{
	s->lost += n;
}

static void take(void *context, const struct perf_event_header *h)
{
	struct sideband *s = context;
	struct side_record r;

	s->lost += side_lost(h, NULL);
	if (side_decode(h, SIDE_TRAILER, &r))
		vec_push(&s->records, r);
}

uint64_t sideband_drain(struct sideband *s, side_records *records)
{
	uint64_t lost;

	for (size_t i = 0; i < s->rings.n; i++)
		perf_ring_drain(&s->rings.at[i], UINT64_MAX, s->scratch, take, s);
	for (size_t i = 0; i < s->records.n; i++)
		vec_push(records, s->records.at[i]);
	s->records.n = 0;
	lost = s->lost;
	s->lost = 0;
	return lost;
}

static int watch(const struct sideband *s, const struct perf_ring *ring)
{
	struct epoll_event e = {.events = EPOLLIN};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, ring->fd, &e)
		       ? err(-errno, "epoll: %s", strerror(errno))
		       : 0;
}

int sideband_watch(struct sideband *s, int epoll_fd)
{
	int ret = 0;

	s->epoll_fd = epoll_fd;
	for (size_t i = 0; i < s->rings.n && !ret; i++)
		ret = watch(s, &s->rings.at[i]);
	return ret;
}

static struct perf_ring *ring_of(struct sideband *s, int cpu)
{
	for (size_t i = 0; i < s->cpus.n; i++)
		if (s->cpus.at[i] == cpu)
			return &s->rings.at[i];
	vec_push(&s->cpus, cpu);
	return vec_add(&s->rings);
}

static void renew(struct sideband *s, int cpu)
{
	struct perf_ring now = {.fd = -1}, *ring;

	if (open_ring(cpu, s->by_inode, &now)) {
		perf_ring_release(&now);
		return;
	}
	ring = ring_of(s, cpu);
	if (ring->page) {
		perf_ring_drain(ring, UINT64_MAX, s->scratch, take, s);
		perf_ring_release(ring);
	}
	*ring = now;
	if (s->epoll_fd >= 0)
		(void)watch(s, ring);
	s->lost++;
}

void sideband_renew(struct sideband *s, const int *cpus, int n)
{
	for (int i = 0; i < n; i++)
		renew(s, cpus[i]);
}
