/*
 * gperftools: profiles of gperftools and its kin before they wrote protocol buffers: of the CPU, in
 * binary words, and of the heap, its growth, contention for locks, and of Go's goroutines, as text.
 * Stacks are addresses; a list at the end tells which modules they are in, or of Java and Go which
 * functions. As `go tool pprof` reads them (github.com/google/pprof, profile/legacy_profile.go and
 * legacy_java_profile.go). What the files of this reader share.
 */
#ifndef IMPORT_GPERFTOOLS_H
#define IMPORT_GPERFTOOLS_H

#include "import/builder.h"
#include "import/scan.h"

#define GPERFTOOLS_FRAMES_MOST 4096 /* of a stack; what calls these is left out */

/* A part of a module that may be executed: [low, high) in memory. */
struct gperftools_mapping {
	uint64_t low, high, offset;
	uint32_t module;
};

/* A function that the file itself names. */
struct gperftools_name {
	struct span name, file;
	uint32_t line;
};

struct gperftools {
	struct input *in;
	struct builder *b;
	struct span data; /* all of it */
	VEC(struct gperftools_mapping) mappings;
	struct map by_address; /* row of names */
	VEC(struct gperftools_name) names;
	struct map frames;   /* by address: row of frames */
	VEC(uint64_t) stack; /* leaf first */
	uint32_t metrics[4];
	bool java;    /* addresses are numbers of names */
	int64_t rate; /* of a heap: a sample stands for so many bytes, by chance; 0: each is counted
		       */
	double ns_per_value; /* of contention */
	int64_t period;	     /* of contention: every such event was sampled; of the CPU: µs */
};

/* gperftools_places.c: reads the mappings and the names of functions that stand in @text. */
void gperftools_mappings(struct gperftools *, struct span text);
void gperftools_names(struct gperftools *, struct span text);
/* The node of the stack. */
uint32_t gperftools_node(struct gperftools *);
void gperftools_sample(struct gperftools *, uint32_t node, int64_t count,
		       const struct builder_value *, size_t n);

/* gperftools_text.c. */
bool gperftools_is_text(struct span head);
int gperftools_text(struct gperftools *);

/* gperftools_threads.c: whether a first line is of the stacks of threads; and these. */
bool gperftools_is_threads(struct span line);
int gperftools_threads(struct gperftools *, struct span text);

#endif
