/*
 * perfetto_packets: the packets of a Perfetto trace, which are written one after the other, each a
 * message TracePacket. Numbers of fields are those of protos/perfetto/trace of
 * github.com/google/perfetto.
 *
 * Packets of one sequence share a state: a clock of which each packet has only how much later it
 * is than the one before, numbers for names, and the track. Packets of a sequence are in order of
 * time; readers sort sequences into each other.
 */
#ifndef EXPORT_PERFETTO_PACKETS_H
#define EXPORT_PERFETTO_PACKETS_H

#include <stdio.h>

#include "export/protobuf.h"
#include "model/profile.h"

enum perfetto_type {
	PERFETTO_SLICE_BEGIN = 1,
	PERFETTO_SLICE_END = 2,
	PERFETTO_INSTANT = 3,
	PERFETTO_COUNTER = 4,
};

enum perfetto_unit {
	PERFETTO_UNIT_NONE = 0,
	PERFETTO_UNIT_COUNT = 2,
	PERFETTO_UNIT_BYTES = 3,
};

/* A track; uuid and all numbers but 0 are written. */
struct perfetto_track {
	uint64_t uuid, parent;
	const char *name;	      /* NULL: none */
	const struct thread *process; /* it is the process's own; NULL: not */
	const struct thread *thread;  /* it is the thread's own; NULL: not */
	bool counter;
	enum perfetto_unit unit;
};

/* One event; what is 0 or NULL is left out. */
struct perfetto_event {
	enum perfetto_type type;
	uint64_t time_ns; /* since the start of the capture */
	uint64_t track;	  /* 0: the sequence's */
	uint32_t name;	  /* string of the profile; 0: name_text */
	const char *name_text;
	uint32_t module; /* of the profile */
	bool of_c;	 /* the category "c_call" besides */
	const char *arguments, *ended_by;
	const int64_t *returned;
	uint64_t flow;
	bool flow_ends;
	const int64_t *count;  /* of a counter */
	const double *measure; /* the same */
};

struct packet_sequence {
	uint32_t number;
	bool notes;	/* knows the names of those */
	uint64_t at_ns; /* of its last packet */
};

struct perfetto_packets {
	FILE *out;
	const struct profile *p;
	uint32_t sequences;
	struct packet_sequence tracks; /* where these are told */
	/* Per string and module: the last sequence that used it; and all that know it. */
	uint32_t *names, *modules;
	struct map names_known, modules_known;
	const char **module_names;
	struct protobuf packet, event, interned, inner;
};

void perfetto_begin(struct perfetto_packets *, const struct profile *, FILE *out);
void perfetto_end(struct perfetto_packets *);
/* Begins a sequence of events, whose packets may stand between those of others; @track 0: each
 * event names its own. */
void perfetto_open(struct perfetto_packets *, struct packet_sequence *, uint64_t track);
void perfetto_put_track(struct perfetto_packets *, const struct perfetto_track *);
void perfetto_put(struct perfetto_packets *, struct packet_sequence *,
		  const struct perfetto_event *);

#endif
