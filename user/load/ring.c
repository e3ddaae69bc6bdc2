#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "load/ring.h"
#include "wire.h"
#include "wire_call.h"
#include "wire_fields.h"
#include "wire_process.h"
#include "wire_script.h"

/* The read or write position of the ring, at the start of a page of its own: linux/bpf.h. */
struct ring_page {
	uint64_t position;
};

struct ring {
	struct ring_buffer *records;
	struct ring_page *consumer, *producer; /* NULL: not mapped */

	ring_record_fn fn; /* of the current drain */
	void *context;
	uint64_t left; /* bytes that it may still take */
};

/* What follows a record of a source. */
static size_t room_behind(const void *data, size_t bytes)
{
	const struct wire_process *p = data;

	if (p->kind == WIRE_SAMPLE && bytes == sizeof(struct wire_labelled))
		return bytes - sizeof(struct wire_sample);
	if (bytes < sizeof(*p) || p->kind != WIRE_PROCESSES || p->text_bytes > p->room)
		return 0;
	return p->room;
}

/* A stack's record, whatever its words mean. */
static bool is_whole_stack(const void *data, size_t bytes)
{
	const struct wire_stack *stack = data;

	return bytes >= sizeof(*stack) && bytes == sizeof(*stack) + stack->depth * sizeof(uint64_t);
}

/* Of an action whose records have @size; those of stack may be values. */
static bool is_whole_action(const void *data, size_t bytes, size_t size)
{
	const struct wire_head *head = data;

	return head->kind == WIRE_PROBE_stack && wire_call_is_values(data)
		       ? is_whole_stack(data, bytes)
		       : bytes == size;
}

/* Whether a record has the length of its kind. */
static bool is_whole(const void *data, size_t bytes)
{
	const struct wire_head *head = data;
	const struct wire_slice *slice = data;

	switch (bytes < sizeof(*head) ? 0 : head->kind) {
#define SOURCE(name, KIND, number, size, streams) \
	case KIND:                                \
		return bytes == (size) + room_behind(data, bytes);
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, size, streams) \
	case WIRE_PROBE_##name:                   \
		return is_whole_action(data, bytes, size);
#include "actions.def"
#undef ACTION
	case WIRE_STACK:
	case WIRE_CHAIN:
		return is_whole_stack(data, bytes);
	case WIRE_WANT:
		return bytes == sizeof(struct wire_want);
	case WIRE_SCRIPT:
		return bytes == sizeof(struct wire_script) + WIRE_SCRIPT_SMALL ||
		       bytes == sizeof(struct wire_script) + WIRE_SCRIPT_LARGE;
	case WIRE_SLICE:
		return bytes >= sizeof(struct wire_slice) && slice->pieces <= WIRE_SLICE_PIECES &&
		       bytes == sizeof(*slice) + (size_t)slice->pieces * WIRE_SLICE_PIECE;
	default:
		return false;
	}
}

/* The bytes of a slice up to the last piece that it has. */
static size_t slice_bytes(const struct wire_slice *slice)
{
	int n = slice->present ? WIRE_SLICE_PIECES - __builtin_clzll(slice->present) : 0;

	return (size_t)n * WIRE_SLICE_PIECE;
}

/* A record's size in the ring, with header and padding: linux/bpf.h. */
static uint64_t room_of(size_t bytes)
{
	return (BPF_RINGBUF_HDR_SZ + bytes + 7) / 8 * 8;
}

/* Ends the drain (negative) after the last record that it may take. */
static int on_record(void *context, void *data, size_t bytes)
{
	struct ring *r = context;
	const struct wire_slice *slice = data;
	uint64_t room = room_of(bytes);

	if (is_whole(data, bytes)) {
		if (slice->sample.kind == WIRE_SLICE)
			bytes = sizeof(*slice) + slice_bytes(slice);
		r->fn(r->context, data, bytes);
	}
	r->left -= room < r->left ? room : r->left;
	return r->left ? 0 : -ECANCELED;
}

static struct ring_page *map_position(int fd, long page)
{
	long bytes = sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, page * bytes);

	return at == MAP_FAILED ? NULL : at;
}

int ring_open(int map_fd, struct ring **out)
{
	struct ring *r = mem_zalloc(1, sizeof(*r));
	int ret;

	r->records = ring_buffer__new(map_fd, on_record, r, NULL);
	r->consumer = map_position(map_fd, 0);
	r->producer = map_position(map_fd, 1);
	if (!r->records || !r->consumer || !r->producer) {
		ret = err(-errno, "cannot map the ring buffer: %s", strerror(errno));
		ring_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

void ring_close(struct ring *r)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!r)
		return;
	ring_buffer__free(r->records);
	if (r->consumer)
		munmap(r->consumer, bytes);
	if (r->producer)
		munmap(r->producer, bytes);
	free(r);
}

int ring_drain(struct ring *r, uint64_t most_bytes, ring_record_fn fn, void *context)
{
	int n;

	r->fn = fn;
	r->context = context;
	r->left = __atomic_load_n(&r->producer->position, __ATOMIC_ACQUIRE) -
		  __atomic_load_n(&r->consumer->position, __ATOMIC_ACQUIRE);
	r->left = r->left < most_bytes ? r->left : most_bytes;
	n = r->left ? ring_buffer__consume(r->records) : 0;
	return n < 0 && n != -ECANCELED ? err(n, "cannot read the ring buffer: %s", strerror(-n))
					: 0;
}

int ring_fd(const struct ring *r)
{
	return ring_buffer__epoll_fd(r->records);
}
