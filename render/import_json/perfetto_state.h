/*
 * perfetto_state: what packets of a Perfetto trace say of the packets behind them: clocks, numbers
 * for names, and tracks. For perfetto.c. Numbers of fields are in perfetto.c, too.
 *
 * Sequences have a state of their own; it ends where a packet says so. Memory grows with what
 * the file holds, each entry of which takes some bytes there.
 */
#ifndef IMPORT_PERFETTO_STATE_H
#define IMPORT_PERFETTO_STATE_H

#include "import/builder.h"
#include "import/protobuf_fields.h"

/* Clocks from 64 to 127 are a sequence's own; others are the whole trace's. */
#define PERFETTO_BOOTTIME 6

struct perfetto_clock {
	uint64_t unit_ns;
	int64_t base;	 /* its time at the snapshot, in units */
	int64_t base_ns; /* the trace's time then */
	int64_t last;	 /* of the packet before, if it is incremental */
	bool incremental;
};

struct perfetto_sequence {
	uint32_t epoch; /* a number of its own for each state that it had */
	uint32_t clock; /* of packets that name none */
	uint64_t track; /* likewise */
};

/* What is interned. */
enum perfetto_interned {
	PERFETTO_CATEGORY = 1,
	PERFETTO_NAME = 2,
	PERFETTO_NOTE = 3,
};

struct trace_track {
	uint64_t parent;
	uint32_t pid, tid; /* where it has a thread or process */
	uint32_t name;	   /* string; of a thread or a process theirs */
	uint8_t kind;	   /* enum perfetto_track_kind */
};
enum perfetto_track_kind { PERFETTO_TRACK, PERFETTO_PROCESS, PERFETTO_THREAD, PERFETTO_COUNTERS };

struct perfetto_state {
	struct builder *b;
	struct map by_sequence; /* number → place in sequences */
	VEC(struct perfetto_sequence) sequences;
	uint32_t epochs;
	struct map by_clock; /* sequence or none, and id → place in clocks */
	VEC(struct perfetto_clock) clocks;
	struct map names;    /* epoch, kind and number → string */
	struct map by_track; /* uuid → place in tracks */
	VEC(struct trace_track) tracks;
};

/* The sequence of that number; valid until the next call. */
struct perfetto_sequence *perfetto_sequence(struct perfetto_state *, uint64_t number);
/* Its names and clocks are forgotten. */
void perfetto_clear(struct perfetto_state *, struct perfetto_sequence *);

/* The fields of messages ClockSnapshot, InternedData and TrackDescriptor. */
void perfetto_read_clocks(struct perfetto_state *, const struct perfetto_sequence *, struct span);
void perfetto_read_interned(struct perfetto_state *, const struct perfetto_sequence *, struct span);
void perfetto_read_track(struct perfetto_state *, struct span);

/* The time, in ns of the trace's clock, that a packet's timestamp tells; clock 0: the sequence's.
 */
int64_t perfetto_time(struct perfetto_state *, const struct perfetto_sequence *, uint64_t timestamp,
		      uint64_t clock);
/* The string of an interned name; 0: unknown. */
uint32_t perfetto_text(const struct perfetto_state *, const struct perfetto_sequence *,
		       enum perfetto_interned, uint64_t iid);
/* NULL: nothing told of it. */
const struct trace_track *perfetto_track(const struct perfetto_state *, uint64_t uuid);

void perfetto_state_release(struct perfetto_state *);

#endif
