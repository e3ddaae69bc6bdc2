#include "perf/perf_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

int perf_ring_map(struct perf_ring *r, int fd, uint64_t bytes)
{
	void *map = mmap(NULL, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*r = (struct perf_ring){.fd = fd};
	if (map == MAP_FAILED)
		return -errno;
	r->page = map;
	r->data = (uint8_t *)map + page_bytes();
	r->bytes = bytes;
	return 0;
}

void perf_ring_release(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, page_bytes() + r->bytes);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct perf_ring){.fd = -1};
}

void perf_rings_release(perf_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++)
		perf_ring_release(&rings->at[i]);
	vec_release(rings);
}

/* Copies bytes that may wrap around the ring's end. */
static void copy(const struct perf_ring *r, uint64_t from, void *to, size_t bytes)
{
	size_t at = from & (r->bytes - 1), first = r->bytes - at;

	first = first < bytes ? first : bytes;
	memcpy(to, r->data + at, first);
	memcpy((uint8_t *)to + first, r->data, bytes - first);
}

static void give_back(struct perf_ring *r, uint64_t tail)
{
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

uint64_t perf_ring_drain(struct perf_ring *r, uint64_t most_bytes, void *scratch, perf_ring_fn fn,
			 void *context)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail, first = tail;
	struct perf_event_header h;

	while (head - tail >= sizeof(h) && tail - first < most_bytes) {
		copy(r, tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail) {
			tail = head; /* not written by the kernel: resynchronise at the head */
			break;
		}
		copy(r, tail, scratch, h.size);
		tail += h.size;
		give_back(r, tail);
		fn(context, scratch);
	}
	give_back(r, tail);
	return tail - first;
}
