#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"
#include "load/cpus.h"
#include "load/event.h"
#include "load/rights.h"
#include "load/sideband.h"
#include "symbol/procfs.h"

/* Per CPU; a power of two of pages. An exec is about ten records of 100 bytes, so that this holds
 * some thousand between two ticks. */
#define RING_BYTES (256u * 1024)

/* The record bits that MMAP2 carries in misc; newer than some headers. */
#define MISC_BUILD_ID  (1 << 14)
#define MISC_COMM_EXEC (1 << 13)

struct side_ring {
	int fd;
	struct perf_event_mmap_page *page; /* the control page; data follows it */
	const uint8_t *data;
	uint64_t size;
};

struct sideband {
	VEC(struct side_ring) rings;
	uint8_t *record; /* one record made contiguous, 64 KiB */
};

void side_records_clear(side_records *records)
{
	for (size_t i = 0; i < records->n; i++)
		free(records->at[i].text);
	records->n = 0;
}

static int open_error(int code)
{
	if (code == EACCES || code == EPERM)
		return err(-code, "no right to capture, one's own processes neither: " RIGHTS_HOW);
	return err(-code, "cannot watch processes: %s", strerror(code));
}

static int open_ring(int cpu, bool by_inode, struct side_ring *ring)
{

	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = !by_inode,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.exclude_kernel = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	long page = sysconf(_SC_PAGESIZE);
	void *map;

	ring->fd = event_syscall(&attr, -1, cpu, -1, 0);
	if (ring->fd < 0 && errno == EINVAL) {
		attr.build_id = 0; /* before 5.12 */
		ring->fd = event_syscall(&attr, -1, cpu, -1, 0);
	}
	if (ring->fd < 0)
		return open_error(errno);
	map = mmap(NULL, (size_t)page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
		   0);
	if (map == MAP_FAILED)
		return err(-errno, "cannot map the kernel's record buffer: %s", strerror(errno));
	ring->page = map;
	ring->data = (uint8_t *)map + page;
	ring->size = RING_BYTES;
	return 0;
}

int sideband_open(bool by_inode, struct sideband **out)
{
	struct sideband *s = mem_zalloc(1, sizeof(*s));
	_free_ int *cpus = NULL;
	int n = cpus_online(&cpus), ret = n < 0 ? n : 0;

	s->record = mem_zalloc(1, 65536);
	for (int i = 0; i < n && !ret; i++) {
		struct side_ring *ring = vec_add(&s->rings);

		ring->fd = -1;
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
	for (size_t i = 0; i < s->rings.n; i++) {
		struct side_ring *ring = &s->rings.at[i];

		if (ring->page)
			munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
		if (ring->fd >= 0)
			close(ring->fd);
	}
	vec_release(&s->rings);
	free(s->record);
	free(s);
}

/* Fields after the header, as perf_event_open(2) lists them under each record type. */
struct raw_mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_size, reserved[3], build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};
struct raw_comm {
	uint32_t pid, tid;
	char comm[];
};
struct raw_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The kernel gives 0 for a process that our PID namespace does not have, and -1 for one that has no
 * number any more. */
static uint32_t number_of(uint32_t raw)
{
	return raw ? raw : PROCFS_OUTSIDE;
}

static void decode_mmap(const struct raw_mmap2 *raw, uint16_t misc, size_t text_max,
			struct side_record *r)
{
	*r = (struct side_record){.kind = SIDE_MMAP,
				  .pid = number_of(raw->pid),
				  .tid = raw->tid,
				  .start = raw->addr,
				  .end = raw->addr + raw->len,
				  .file_offset = raw->pgoff,
				  .text = mem_strndup(raw->filename, text_max)};
	if (misc & MISC_BUILD_ID) {
		r->build_id_bytes = raw->build_id_size <= 20 ? raw->build_id_size : 0;
		memcpy(r->build_id, raw->build_id, sizeof(r->build_id));
	} else {
		r->dev_major = raw->maj;
		r->dev_minor = raw->min;
		r->inode = raw->ino;
	}
}

/* One whole record of @h->size bytes; false for kinds that are not for us. The sample_id behind
 * the fields is TID (8 bytes) and TIME (8). */
static bool decode(const struct perf_event_header *h, struct side_record *r)
{
	const uint8_t *body = (const uint8_t *)(h + 1);
	size_t room = h->size - sizeof(*h) - 16;
	const struct raw_task *task = (const void *)body;

	if (h->type == PERF_RECORD_MMAP2 && room > sizeof(struct raw_mmap2)) {
		decode_mmap((const void *)body, h->misc, room - sizeof(struct raw_mmap2), r);
	} else if (h->type == PERF_RECORD_COMM && room > sizeof(struct raw_comm)) {
		const struct raw_comm *raw = (const void *)body;

		*r = (struct side_record){
			.kind = SIDE_COMM, .pid = number_of(raw->pid), .tid = raw->tid};
		r->exec = h->misc & MISC_COMM_EXEC;
		r->text = mem_strndup(raw->comm, room - sizeof(*raw));
	} else if ((h->type == PERF_RECORD_FORK || h->type == PERF_RECORD_EXIT) &&
		   room >= sizeof(*task)) {
		*r = (struct side_record){.kind = h->type == PERF_RECORD_FORK ? SIDE_FORK
									      : SIDE_EXIT,
					  .pid = number_of(task->pid),
					  .tid = task->tid,
					  .parent_pid = number_of(task->ppid),
					  .parent_tid = task->ptid};
	} else {
		return false;
	}
	memcpy(&r->time_ns, body + h->size - sizeof(*h) - 8, 8);
	return true;
}

/* LOST: u64 id, u64 lost. */
static uint64_t lost_count(const struct perf_event_header *h)
{
	uint64_t fields[2] = {0, 0};

	if (h->type != PERF_RECORD_LOST || h->size < sizeof(*h) + sizeof(fields))
		return 0;
	memcpy(fields, h + 1, sizeof(fields));
	return fields[1];
}

/* Nothing is known of processes outside of our namespace, nor asked. */
static void keep(side_records *records, struct side_record *r)
{
	if (r->pid == PROCFS_OUTSIDE)
		free(r->text);
	else
		vec_push(records, *r);
}

static uint64_t drain_ring(struct sideband *s, struct side_ring *ring, side_records *records)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail, lost = 0;

	while (head - tail >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *h = (const void *)s->record;
		struct side_record r;

		for (size_t done = 0, want = sizeof(*h); done < want; want = h->size) {
			size_t from = (tail + done) & (ring->size - 1), n = want - done;

			n = n < ring->size - from ? n : ring->size - from;
			memcpy(s->record + done, ring->data + from, n);
			done += n;
			if (h->size < sizeof(*h) + 16 && done >= sizeof(*h))
				break;
		}
		if (h->size < sizeof(*h) + 16 || h->size > head - tail)
			break; /* not the kernel's: resynchronise at the head */
		lost += lost_count(h);
		if (decode(h, &r))
			keep(records, &r);
		tail += h->size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return lost;
}

uint64_t sideband_drain(struct sideband *s, side_records *records)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < s->rings.n; i++)
		lost += drain_ring(s, &s->rings.at[i], records);
	return lost;
}

int sideband_watch(struct sideband *s, int epoll_fd)
{
	for (size_t i = 0; i < s->rings.n; i++) {
		struct epoll_event e = {.events = EPOLLIN};

		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, s->rings.at[i].fd, &e))
			return err(-errno, "epoll: %s", strerror(errno));
	}
	return 0;
}
