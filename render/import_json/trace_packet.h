/*
 * trace_packet: a packet of a Perfetto trace (TracePacket), as far as the importer reads it. The
 * numbers of its fields are those of protos/perfetto/trace/trace_packet.proto.
 */
#ifndef IMPORT_TRACE_PACKET_H
#define IMPORT_TRACE_PACKET_H

#include "import/protobuf_fields.h"

/* Messages within it are not read yet; .s is NULL where there is none. */
struct trace_packet {
	uint64_t sequence, timestamp, clock, flags;
	bool timed, cleared;
	struct span clocks, event, interned, defaults, track;
};

/* Takes the next packet from the front of a trace. False: there is none, or the file ends within
 * it.
 * *@damaged: what could be read of it is in @p. */
bool trace_packet_next(struct span *rest, struct trace_packet *p, bool *damaged);

#endif
