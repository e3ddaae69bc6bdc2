/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/stacks.h"
#include "sample/stack_hash.h"
#include "wire_call.h"

/* Hash of a stack → its second hash, which reveals a collision of the first. Written and read by
 * the sampling programs only. A forgotten stack costs bandwidth, not samples: it is sent again when
 * it recurs. 64 Ki stacks are minutes of a busy machine, in about 6 MiB; for low rates the loader
 * sets fewer. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u64);
} known_stacks SEC(".maps");

/* Drawn at random by the loader. */
const volatile __u64 config_hash_keys[STACK_HASH_WORDS][2];

struct hashing {
	struct two_hashes h;
	const struct stack_buffer *buffer;
	__u32 depth;
};

/* Frames per round of bpf_loop(). A plain loop over all frames would make the verifier follow every
 * length: a third of its work. */
#define CHUNK 16

static long mix_chunk(__u32 chunk, struct hashing *hashing)
{
	struct two_hashes h = hashing->h;
	__u32 i, at = chunk * CHUNK;

	for (i = 0; i < CHUNK && at < hashing->depth; i++, at++) {
		const __u32 frame = at & (WIRE_USER_FRAMES - 1);

		stack_hash_mix(&h, config_hash_keys[STACK_HASH_HEAD + frame],
			       hashing->buffer->frames[frame]);
	}
	hashing->h = h;
	return i < CHUNK;
}

static bool is_values(const struct stack_buffer *buffer)
{
	return buffer->head.kernel == WIRE_CALL_VALUES;
}

static struct two_hashes hash_stack(const struct stack_buffer *buffer)
{
	__u32 depth = buffer->head.depth;
	struct hashing hashing = {{0}, buffer, depth};
	struct two_hashes *h = &hashing.h;

	/* Values of arguments are the same in all processes and at all times. */
	stack_hash_mix(h, config_hash_keys[0],
		       (__u64)buffer->head.pid << 32 | (is_values(buffer) ? 0 : stack_epoch));
	stack_hash_mix(h, config_hash_keys[1],
		       (__u64)(depth + buffer->head.left_out) << 32 | buffer->head.end << 8 |
			       buffer->head.kernel << 1 | buffer->head.syscall);
	/* After an exec the same addresses are other code. */
	if (!buffer->head.kernel)
		stack_hash_mix(h, config_hash_keys[2], BPF_CORE_READ(current_task(), self_exec_id));
	bpf_loop(WIRE_USER_FRAMES / CHUNK, mix_chunk, &hashing, 0);
	h->key = stack_hash_finish(h->key) & config_hash_mask;
	h->check = stack_hash_finish(h->check);
	/* 0 means "no stack" in a sample. */
	h->key = h->key ?: 1;
	return *h;
}

int stack_publish(struct stack_buffer *buffer, __u32 event, __u64 now_ns)
{
	struct two_hashes h;
	__u64 *check, depth;

	/* For the verifier, which checks this function once for all callers. */
	if (!buffer)
		return STACK_NO_ROOM;
	h = hash_stack(buffer);
	check = bpf_map_lookup_elem(&known_stacks, &h.key);
	depth = buffer->head.depth;
	buffer->head.hash = h.key;
	buffer->head.check = h.check;
	if (check && *check == h.check)
		return STACK_OK;
	if (check)
		return STACK_COLLISION;
	buffer->head.kind = is_values(buffer) ? WIRE_PROBE_stack : WIRE_STACK;
	buffer->head.time_ns = now_ns;
	if (depth > WIRE_USER_FRAMES)
		depth = WIRE_USER_FRAMES;
	if (!send(buffer, sizeof(buffer->head) + depth * sizeof(__u64)))
		return STACK_NO_ROOM;
	if (bpf_map_update_elem(&known_stacks, &h.key, &h.check, BPF_NOEXIST))
		count(event, WIRE_NOTE_RESENT, 1);
	return STACK_OK;
}
