/*
 * assembly: builds the profile from what a capture has: names all places once, then gives nodes and
 * threads to the event sources that add their rows.
 */
#ifndef STACK_ASSEMBLY_H
#define STACK_ASSEMBLY_H

#include <stdint.h>

#include "model/profile.h"
#include "process/procs.h"
#include "stack/stackbook.h"
#include "symbol/namebook.h"

#define ASSEMBLY_ENDS WIRE_ENDS

#define PROBE_ENTRIES 6

/* The frames of the kernel's handling of a probe: samples taken there while zones are captured are
 * the capture's own cost. Zeroed: there are none. */
struct probe_frames {
	bool on;
	uint32_t page;			 /* path of the module, a string of the profile */
	uint32_t entries[PROBE_ENTRIES]; /* names of functions, strings of the profile */
};

struct assembly {
	struct profile *p; /* borrowed, as are all up to named */
	const struct stackbook *stacks;
	const struct procs *procs;
	uint64_t start_ns; /* of the capture, CLOCK_MONOTONIC */
	struct named named;
	struct probe_frames probes;
	uint32_t mark[ASSEMBLY_ENDS]; /* frames, made when first used; 0 before */
	uint32_t probe_mark;	      /* the same */
	struct map node_of;	      /* user stack and kernel stack → node */
	VEC(uint32_t) threads; /* by number in procs → in the profile; UINT32_MAX: not added yet */
};

int assembly_init(struct assembly *, struct profile *, const struct stackbook *, struct images *,
		  const struct procs *, uint64_t start_ns, struct namebook *);
void assembly_release(struct assembly *);

/* The node of a kernel stack above a user stack; either may be NO_STACK. Below a user stack that
 * does not reach the thread's first frame stands a mark that says why. */
uint32_t assembly_node(struct assembly *, uint32_t user, uint32_t kernel);
/* The same, without the frames of our BPF program that took the kernel stack on a tracepoint. */
uint32_t assembly_node_traced(struct assembly *, uint32_t user, uint32_t kernel);
/* For stacks that a source composes. Each adds to @node and returns the new node: a frame of @kind
 * without an image, such as a script's; a mark, "[woken by]"; or the frames of a stack from @from
 * up to, but without, @to (0: up to the outermost), counted from the innermost. */
uint32_t assembly_frame(struct assembly *, uint32_t node, enum frame_kind, const char *name);
uint32_t assembly_mark(struct assembly *, uint32_t node, const char *text);
uint32_t assembly_frames(struct assembly *, uint32_t node, uint32_t stack, uint32_t from,
			 uint32_t to);
/* From now on frames of the kernel's handling of a probe get a mark above them. */
void assembly_mark_probes(struct assembly *);
/* Whether the stacks are of such handling. */
bool assembly_is_probe(const struct assembly *, uint32_t user, uint32_t kernel);
/* The profile's thread for entry @number of procs. */
uint32_t assembly_thread(struct assembly *, uint32_t number);
uint64_t assembly_time(const struct assembly *, uint64_t time_ns);
/* The ledger's note for a stack that ended so; NULL: it is complete. */
const char *assembly_end_note(uint8_t end);

#endif
