/*
 * heap_tiers: chooses how many allocations are followed, so that the target is slowed down by no
 * more than a limit: all, samples, or none. A choice is judged by what probes took of the target's
 * CPU time since the last one. Where they take most of it, what is left is known by samples of
 * where its threads were, rather than by the price of a probe. Reads no clock and touches no probe.
 * For the action alloc.
 */
#ifndef HEAP_HEAP_TIERS_H
#define HEAP_HEAP_TIERS_H

#include <stdbool.h>
#include <stdint.h>

enum heap_tier { HEAP_EXACT, HEAP_SAMPLED, HEAP_NONE, HEAP_TIERS };

/* Since the start of the capture. */
struct heap_use {
	uint64_t cpu_ns; /* of the target; decreases when a process ends */
	double hits_ns;	 /* taken by probes at entries */
	double more_ns;	 /* taken by following calls to their end, and by stacks */
	uint64_t calls;	 /* followed or not */
	double each_ns; /* what following a call takes as a rule, known stacks, without the entry */
	/* Samples of where the target's threads are, and those that were in probes; 0: none are
	 * taken. */
	uint64_t samples, in_probes;
};

/* Of a program that takes 1.25 s instead of 1 s it is 0.25. */
struct heap_slowdown {
	double likely, least, most; /* most: INFINITY if it is not known */
};

struct heap_tiers {
	double limit; /* highest slowdown, as in probe/governor.h; 0: none, and nothing changes */
	enum heap_tier tier;
	bool trial; /* a tier that is only tried: the first judgement may choose a dearer one */
	/* Of the last judgement. */
	struct heap_slowdown slowdown[HEAP_TIERS]; /* as it is or would be in each tier */
	double calls_a_second;			   /* of the target's own CPU time */
	bool begun;
	double dearness; /* what probes took by samples, in relation to their price; 0: not known */
	struct heap_use seen;
	uint64_t cpu_ns;   /* since the last judgement */
	unsigned int over; /* judgements in a row */
};

/* True: the tier has changed, or (when it was tried) is kept. The first one only notes what was
 * before. Nothing is judged before the target has used HEAP_TIERS_CPU_NS. */
bool heap_tiers_tick(struct heap_tiers *, const struct heap_use *now);
#define HEAP_TIERS_CPU_NS 5000000u
/* So many samples of one judgement show what a probe takes in real work. */
#define HEAP_TIERS_SAMPLES 50
/* What the target has used since the last judgement, @cpu_ns being its whole time now. */
uint64_t heap_tiers_cpu_ns(const struct heap_tiers *, uint64_t cpu_ns);

#endif
