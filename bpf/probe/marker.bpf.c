/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marker: the action that counts calls of functions of scripts, at the static markers (USDT) that
 * their interpreters pass for each.
 */
#include "probe/actions.h"
#include "probe/cookie.h"
#include "sample/script_maps.h"
#include "wire_marker.h"

/* Function number of a marker → where its texts are. Written by the loader before the marker has a
 * probe; read at each hit. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_MARKERS);
	__type(key, __u32);
	__type(value, struct wire_marker);
} probe_marker_values SEC(".maps");

/* Hash of a script's function → its calls. Written at each hit; read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WIRE_MARKER_FUNCTIONS);
	__type(key, __u64);
	__type(value, struct wire_marker_calls);
} probe_marker_calls SEC(".maps");

/* enum wire_marker_sum → its value. Written by programs, read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_MARKER_SUMS);
	__type(key, __u32);
	__type(value, __u64);
} probe_marker_sums SEC(".maps");

static __noinline int sum(__u32 which, __u64 n)
{
	__u64 *to = bpf_map_lookup_elem(&probe_marker_sums, &which);

	if (to)
		__sync_fetch_and_add(to, n);
	return 0;
}

/* A read that the compiler leaves at its constant place in the context. */
#define READ(number, field)                                                                \
	case number:                                                                       \
		asm volatile("%0 = *(u64 *)(%1 + %2)"                                      \
			     : "=r"(value)                                                 \
			     : "r"(regs), "i"(__builtin_offsetof(struct pt_regs, field))); \
		break

static __noinline __u64 register_of(struct pt_regs *regs, __u32 number)
{
	__u64 value = 0;

	switch (number) {
		READ(0, rax);
		READ(1, rcx);
		READ(2, rdx);
		READ(3, rbx);
		READ(4, rsp);
		READ(5, rbp);
		READ(6, rsi);
		READ(7, rdi);
		READ(8, r8);
		READ(9, r9);
		READ(10, r10);
		READ(11, r11);
		READ(12, r12);
		READ(13, r13);
		READ(14, r14);
		READ(15, r15);
	}
	return value;
}

/* 0: not known. */
static __always_inline __u64 text_at(struct pt_regs *regs, const struct wire_marker_value *v)
{
	__u64 at;

	if (!v->known)
		return 0;
	at = register_of(regs, v->reg);
	if (v->in_memory && bpf_probe_read_user(&at, sizeof(at), (void *)(at + (__s32)v->offset)))
		return 0;
	return at;
}

/* Pieces of a file's name, of all but the end. */
#define PIECES 30

/* Reads the text at @at, or its end if it is longer. Its bytes, or negative. */
static __noinline long read_end(char *to, __u64 at)
{
	long n = bpf_probe_read_user_str(to, WIRE_MARKER_FILE, (void *)at);
	__u64 last = at;

	for (int i = 0; i < PIECES && n == WIRE_MARKER_FILE; i++) {
		last += WIRE_MARKER_FILE - 1;
		n = bpf_probe_read_user_str(to, WIRE_MARKER_FILE, (void *)last);
	}
	if (n > 0 && last != at)
		n = bpf_probe_read_user_str(to, WIRE_MARKER_FILE,
					    (void *)(last - (WIRE_MARKER_FILE - n)));
	return n;
}

static __always_inline __u64 key_of(const struct wire_marker_calls *c)
{
	const __u64 *words = (const __u64 *)c;
	struct two_hashes h = {0};

	for (__u32 i = 1; i < sizeof(*c) / 8; i++)
		stack_hash_mix(&h, config_hash_keys[i], words[i]);
	return stack_hash_finish(h.key) + h.check;
}

static __noinline int add(const struct wire_marker_calls *c)
{
	__u64 key = key_of(c);
	struct wire_marker_calls *known = bpf_map_lookup_elem(&probe_marker_calls, &key);

	/* Another thread may add it meanwhile. */
	if (!known && bpf_map_update_elem(&probe_marker_calls, &key, c, BPF_NOEXIST))
		known = bpf_map_lookup_elem(&probe_marker_calls, &key);
	else if (!known)
		return 0;
	if (known)
		__sync_fetch_and_add(&known->calls, 1);
	else
		sum(WIRE_MARKER_FULL, 1);
	return 0;
}

static __noinline int take(struct pt_regs *regs, const struct wire_marker *m)
{
	struct wire_marker_calls c = {.calls = 1};
	__u64 file, name, class;

	c.language = m->language;
	file = text_at(regs, &m->file);
	name = text_at(regs, &m->name);
	class = text_at(regs, &m->class);
	if (class)
		bpf_probe_read_user_str(c.class, sizeof(c.class), (void *)class);
	if (!file || !name || bpf_probe_read_user_str(c.name, sizeof(c.name), (void *)name) < 0 ||
	    read_end(c.file, file) < 0)
		sum(WIRE_MARKER_UNREAD, 1);
	else
		add(&c);
	return 0;
}

void probe_marker_hit(struct pt_regs *regs, __u64 cookie)
{
	__u32 function = function_of(cookie);
	const struct wire_marker *m = bpf_map_lookup_elem(&probe_marker_values, &function);
	__u64 start_ns = bpf_ktime_get_ns();

	if (!m)
		return;
	take(regs, m);
	sum(WIRE_MARKER_HITS, 1);
	sum(WIRE_MARKER_RUN_NS, bpf_ktime_get_ns() - start_ns);
}
