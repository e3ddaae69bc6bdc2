/*
 * v8_profile: what V8's sampling profiler took of one thread (js_protocol.pdl, Profiler.Profile):
 * nodes of a call tree, the node of each sample, and the µs between samples. For the importers of
 * .cpuprofile files and of Chrome's traces, which have it in pieces.
 */
#ifndef IMPORT_V8_PROFILE_H
#define IMPORT_V8_PROFILE_H

#include "import/builder.h"
#include "import_json/json_tape.h"
#include "import_json/stack_rows.h"

struct v8_node {
	uint32_t at; /* of a nested one: where the document has it */
	uint8_t what;
};

struct v8_profile {
	struct map ids; /* V8's number of a node → row */
	VEC(struct v8_node) nodes;
	struct stack_rows stacks; /* one a node */
	VEC(int64_t) samples, deltas_ns;
	int64_t start_ns, end_ns; /* 0: unknown */
};

/* Adds what an object has of "nodes", "samples", "timeDeltas", "startTime" and "endTime". */
void v8_profile_read(struct v8_profile *, struct builder *, const struct json_tape *,
		     uint32_t object);
/* Adds nodes that hold their children, as older V8 and heap profiles have them. */
void v8_profile_read_nested(struct v8_profile *, struct builder *, const struct json_tape *,
			    uint32_t head);
/* Its samples, each as long as it takes to the next one; returns how many there were. end_ns is
 * then when the last one ended. */
size_t v8_profile_put(struct v8_profile *, struct builder *, uint32_t thread);
void v8_profile_release(struct v8_profile *);

#endif
