/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oncpu: the source that turns hits of perf events into samples with stacks. One program per event,
 * since a hit does not say which event it belongs to: children inherit an event without its cookie.
 */
#include "sample/pace.h"
#include "sample/sample.h"
#include "in_target.h"
#include "wire_fields.h"

/* Records are too large for BPF's stack: Linux 6.1 counts that of all calls together. */
struct sample_room {
	struct walk walk;
	struct wire_labelled record; /* or its first part alone */
};

/* Scratch of the sampling programs alone: a sample may interrupt a probe, which has its own. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample_room);
} sample_scratch SEC(".maps");

const volatile __u32 config_mode[WIRE_EVENTS];
const volatile struct wire_fields config_fields[WIRE_EVENTS];

/* Reads a number from the record of a tracepoint. The verifier wants sizes that are constants. */
static __always_inline __u64 read_number(const void *record, __u16 offset, __u16 bytes)
{
	__u64 value = 0;

	record += offset;
	if (bytes == 8)
		bpf_probe_read_kernel(&value, 8, record);
	else if (bytes == 4)
		bpf_probe_read_kernel(&value, 4, record);
	else if (bytes == 2)
		bpf_probe_read_kernel(&value, 2, record);
	else
		bpf_probe_read_kernel(&value, 1, record);
	return value;
}

static __always_inline void read_field(const void *record, const volatile struct wire_field *f,
				       __u64 *words)
{
	const __u16 offset = f->offset, bytes = f->bytes;

	if (f->kind == WIRE_FIELD_NUMBER)
		words[0] = read_number(record, offset, bytes);
	else if (f->kind == WIRE_FIELD_TEXT)
		bpf_probe_read_kernel_str(words, 8 * WIRE_LABEL_WORDS, record + offset);
	else if (f->kind == WIRE_FIELD_FAR)
		bpf_probe_read_kernel_str(words, 8 * WIRE_LABEL_WORDS,
					  record + (read_number(record, offset, 4) & 0xffff));
}

static bool is_labelled(__u32 event)
{
	const volatile struct wire_fields *f = &config_fields[EVENT_OF(event)];

	return f->labels[0].kind || f->sum.kind;
}

/* Reads the fields that the event asks for from the record of a tracepoint. */
static __always_inline void read_fields(const void *record, __u32 event, struct wire_labelled *to)
{
	const volatile struct wire_fields *f = &config_fields[EVENT_OF(event)];

	__builtin_memset(to->labels, 0, sizeof(to->labels));
	to->sum = 0;
	for (__u32 i = 0; i < WIRE_LABELS; i++)
		read_field(record, &f->labels[i], to->labels[i]);
	if (f->sum.kind)
		to->sum = read_number(record, f->sum.offset, f->sum.bytes);
}

static void take(void *ctx, struct pt_regs *now, __u32 event, __u64 now_ns, __u64 weight)
{
	__u32 zero = 0;
	struct sample_room *room = bpf_map_lookup_elem(&sample_scratch, &zero);
	struct wire_sample *sample;

	if (!room)
		return;
	sample = &room->record.sample;
	*sample = (struct wire_sample){
		.kind = WIRE_SAMPLE, .event = event, .time_ns = now_ns, .weight = weight};
	if (is_labelled(event)) {
		read_fields(ctx, event, &room->record);
		sample_take(ctx, NULL, &room->walk, sample, sizeof(room->record));
	} else {
		sample_take(ctx, now, &room->walk, sample, sizeof(*sample));
	}
}

/* Whether the hit is in a mode, user or kernel, that was not requested. The event itself passes
 * such hits where its count must cover both modes. */
static bool is_left_out(struct pt_regs *now, __u32 event)
{
	__u32 mode = config_mode[EVENT_OF(event)];

	if (!now || !(mode & (WIRE_MODE_NO_USER | WIRE_MODE_NO_KERNEL)))
		return false;
	return mode & (now->cs & 3 ? WIRE_MODE_NO_USER : WIRE_MODE_NO_KERNEL);
}

/* A hit that is_target() accepts. False: it is the loader's. */
static bool offer(void *ctx, struct pt_regs *now, __u32 event, __u64 weight)
{
	bool stepped = pace_is_stepped(event);
	__u64 now_ns = stepped ? 0 : bpf_ktime_get_ns();

	if (is_current_loader()) {
		count(event, WIRE_OWN, 1);
		return false;
	}
	if (is_left_out(now, event)) {
		count(event, WIRE_OTHER_MODE, 1);
		return true;
	}
	if (stepped)
		weight = pace_step(event, &now_ns);
	if (weight)
		take(ctx, now, event, now_ns, weight);
	return true;
}

/* Handles a hit, if it is the target's, and times itself if requested. Process 0 is the idle
 * loop. */
static void hit(void *ctx, struct pt_regs *now, __u32 event, __u64 weight)
{
	__u64 start_ns = config_self_time ? bpf_ktime_get_ns() : 0;
	bool idle = !(bpf_get_current_pid_tgid() >> 32);
	enum wire_counter whose = WIRE_RUN_OTHERS_NS;

	if ((!idle || config_mode[EVENT_OF(event)] & WIRE_MODE_IDLE) && is_target(event) &&
	    offer(ctx, now, event, weight))
		whose = WIRE_RUN_NS;
	if (config_self_time)
		count(event, whose, bpf_ktime_get_ns() - start_ns);
}

/* trace_n() returns 1: 0 would hide the hit from the tracepoint's other users. */
#define EVENT(n)                                                           \
	SEC("?perf_event") int sample_##n(struct bpf_perf_event_data *ctx) \
	{                                                                  \
		hit(ctx, &ctx->regs, n, ctx->sample_period);               \
		return 0;                                                  \
	}                                                                  \
	SEC("?tracepoint") int trace_##n(void *ctx)                        \
	{                                                                  \
		hit(ctx, NULL, n, 1);                                      \
		return 1;                                                  \
	}

EVENT(0)
EVENT(1)
EVENT(2)
EVENT(3)
EVENT(4)
EVENT(5)
EVENT(6)
EVENT(7)
_Static_assert(WIRE_EVENTS == 8, "one program an event");
