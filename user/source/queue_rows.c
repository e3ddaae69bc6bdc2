#include "source/queue_rows.h"

#include "model/hist.h"
#include "model/waits.h"
#include "wire_offcpu.h"

_Static_assert((uint64_t)WIRE_OFF_QUEUE_BINS << WIRE_OFF_QUEUE_SHIFT <= HIST_BINS,
	       "each bin of the kernel's has bounds");

static int64_t bound(uint32_t bin)
{
	return hist_low(bin << WIRE_OFF_QUEUE_SHIFT);
}

static void put_cpu(struct assembly *a, const session_cpu_values *waits, uint32_t cpu, size_t cpus)
{
	for (uint32_t bin = 0; bin < WIRE_OFF_QUEUE_BINS; bin++) {
		const struct run_queue row = {
			.cpu = cpu,
			.low_ns = bound(bin),
			.high_ns = bin + 1 < WIRE_OFF_QUEUE_BINS ? bound(bin + 1) : INT64_MAX,
			.waits = (int64_t)waits->at[bin * cpus + cpu]};

		if (row.waits)
			vec_push(&a->p->run_queues, row);
	}
}

void queue_rows_put(struct session *session, struct assembly *a)
{
	session_cpu_values waits = {0}; /* bin by bin */
	size_t cpus;
	int ret = 0;

	for (uint32_t bin = 0; bin < WIRE_OFF_QUEUE_BINS && !ret; bin++)
		ret = session_map_by_cpu(session, "offcpu_queue", bin, &waits);
	cpus = waits.n / WIRE_OFF_QUEUE_BINS;
	for (uint32_t cpu = 0; cpu < cpus && !ret; cpu++)
		put_cpu(a, &waits, cpu, cpus);
	vec_release(&waits);
}
