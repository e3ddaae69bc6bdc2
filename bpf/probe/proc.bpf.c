/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/proc.h"

/* pid → what is known of the process. Written by the loader, and by thread.bpf.c at fork and exec;
 * read when a thread is first met and when probe_epoch has grown. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct wire_probe_proc);
} probe_procs SEC(".maps");

/* pid, news → told. LRU: a lost entry only repeats the news. */
struct told {
	__u32 pid, news;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct told);
	__type(value, __u8);
} probe_told SEC(".maps");

struct probe_counters_map probe_counters SEC(".maps");

/* Atomic, since one program on a probe can preempt another on the same CPU. */
void probe_tell(enum wire_probe_counter counter)
{
	__u32 key = counter;
	__u64 *value = bpf_map_lookup_elem(&probe_counters, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
}

bool probe_news(enum wire_news news, __u32 number, __u32 code)
{
	__u64 both = ids_current();
	struct wire_probe_news record = {.kind = WIRE_PROBES,
					 .pid = both >> 32,
					 .tid = both,
					 .time_ns = bpf_ktime_get_ns(),
					 .news = news,
					 .number = number,
					 .code = code};

	if (news == WIRE_NEWS_THREAD)
		return send(&record, sizeof(record));
	return send_now(&record, sizeof(record));
}

void probe_news_once(enum wire_news news)
{
	struct told key = {ids_current_process(), news};
	__u8 one = 1;

	if (bpf_map_update_elem(&probe_told, &key, &one, BPF_NOEXIST))
		return;
	/* If the ring is full, the next call tells again. */
	if (!probe_news(news, 0, 0))
		bpf_map_delete_elem(&probe_told, &key);
}

void probe_news_forget(__u32 pid)
{
	struct told foreign = {pid, WIRE_NEWS_FOREIGN}, unknown = {pid, WIRE_NEWS_PROC};

	bpf_map_delete_elem(&probe_told, &foreign);
	bpf_map_delete_elem(&probe_told, &unknown);
}

struct wire_probe_proc *probe_proc(__u32 pid)
{
	return bpf_map_lookup_elem(&probe_procs, &pid);
}

void probe_proc_set(__u32 pid, const struct wire_probe_proc *proc)
{
	bpf_map_update_elem(&probe_procs, &pid, proc, BPF_ANY);
}

void probe_proc_forget(__u32 pid)
{
	bpf_map_delete_elem(&probe_procs, &pid);
}

void probe_changed(void)
{
	/* Skips 0, which is the epoch of an unknown thread. */
	if (!(__u32)(1 + __sync_fetch_and_add(&probe_epoch, 1)))
		__sync_fetch_and_add(&probe_epoch, 1);
}
