/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/pace.h"

const volatile struct wire_pace config_pace[WIRE_PACED];

/* Stream → the CPU's sampling state. Written by the programs that take samples; read by the loader
 * when it makes a profile. Programs on probes can be preempted by others on the same CPU, so the
 * numbers that sums depend on are changed atomically. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_STREAMS);
	__type(key, __u32);
	__type(value, struct wire_step);
} steps SEC(".maps");

/* Hits up to the next sample. Random unless @every is given, so that samples do not fall into step
 * with the target. */
static __u64 next_step(const struct wire_step *s, __u64 every)
{
	if (every)
		return every;
	return s->mean < 2 ? 1 : 1 + bpf_get_prandom_u32() % (2 * s->mean - 1);
}

#define MEAN_MOST (1 << 20)

/* After each sample: lengthens the steps while a window has too many samples, the faster the more
 * there are; shortens them to fit after a window that had too few. */
static void keep_pace(struct wire_step *s, __u32 stream, __u64 now_ns)
{
	const volatile struct wire_pace *pace = &config_pace[STREAM_OF(stream)];
	__u64 most = pace->most, took_ns = now_ns - s->window_ns, fitting;

	s->in_window++;
	if (took_ns < pace->window_ns) {
		if (s->in_window >= most && s->in_window % (most / 16 ?: 1) == 0)
			s->mean = s->mean < MEAN_MOST ? 2 * (s->mean ?: 1) : s->mean;
		return;
	}
	fitting = s->in_window * s->mean * pace->window_ns / took_ns / most;
	if (2 * fitting < s->mean)
		s->mean = fitting;
	s->window_ns = now_ns;
	s->in_window = 0;
}

__u64 pace_step(__u32 stream, __u64 *now_ns)
{
	struct wire_step *s = bpf_map_lookup_elem(&steps, &stream);
	__u64 every = config_pace[STREAM_OF(stream)].every;

	if (!s)
		return 0;
	__sync_fetch_and_add(&s->seen, 1);
	__sync_fetch_and_add(&s->since, 1);
	if (!s->left)
		s->left = next_step(s, every);
	if (__sync_fetch_and_add(&s->left, -1) != 1)
		return 0;
	*now_ns = s->last_ns = bpf_ktime_get_ns();
	if (!every)
		keep_pace(s, stream, s->last_ns);
	s->left = next_step(s, every);
	return __sync_lock_test_and_set(&s->since, 0);
}
