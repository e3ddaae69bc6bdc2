/*
 * assembly: the making of a profile out of what a capture has: names all places once, then hands
 * out nodes and threads to the event sources that add their rows.
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

/* Which frames of a stack are the kernel's handling of a probe: while zones are captured, what is
 * sampled there is the capture's own cost. A zeroed one knows of none. */
struct probe_frames {
	bool on;
	uint32_t page;			 /* path of the module, of a profile's strings */
	uint32_t entries[PROBE_ENTRIES]; /* names of functions, of them */
};

struct assembly {
	struct profile *p; /* borrowed, as all that follows until named */
	const struct stackbook *stacks;
	const struct procs *procs;
	uint64_t start_ns; /* of the capture, CLOCK_MONOTONIC */
	struct named named;
	struct probe_frames probes;
	uint32_t mark[ASSEMBLY_ENDS]; /* frames, made when first used */
	uint32_t probe_mark;	      /* the same */
	struct map node_of;	      /* user stack, kernel stack → node */
	VEC(uint32_t) threads;	      /* of procs → of the profile; UINT32_MAX: not there yet */
};

int assembly_init(struct assembly *, struct profile *, const struct stackbook *, struct images *,
		  const struct procs *, uint64_t start_ns, struct namebook *);
void assembly_release(struct assembly *);

/* The node of a user stack with a kernel stack upon it; either may be NO_STACK. A user stack that
 * does not reach the thread's first frame stands upon a mark that says why. */
uint32_t assembly_node(struct assembly *, uint32_t user, uint32_t kernel);
/* The same for a kernel stack that a program of ours on a tracepoint took, which is left out. */
uint32_t assembly_node_traced(struct assembly *, uint32_t user, uint32_t kernel);
/* For stacks that a source puts together. Each adds to @node and returns the new node: a frame of
 * @kind that no image has, such as one of a script; a mark, "[woken by]"; the frames @from to @to
 * (excluded; 0: the outermost) of a stack, counted from the innermost one. */
uint32_t assembly_frame(struct assembly *, uint32_t node, enum frame_kind, const char *name);
uint32_t assembly_mark(struct assembly *, uint32_t node, const char *text);
uint32_t assembly_frames(struct assembly *, uint32_t node, uint32_t stack, uint32_t from,
			 uint32_t to);
/* From now on what is the kernel's handling of a probe stands upon a mark that says so. */
void assembly_mark_probes(struct assembly *);
/* The stacks are such. */
bool assembly_is_probe(const struct assembly *, uint32_t user, uint32_t kernel);
/* The profile's thread for @number of procs. */
uint32_t assembly_thread(struct assembly *, uint32_t number);
uint64_t assembly_time(const struct assembly *, uint64_t time_ns);
/* How the ledger says that a stack ended like that; NULL where it is whole. */
const char *assembly_end_note(uint8_t end);

#endif
