/*
 * tree: the call tree of a selection, by function. Built from a profile's nodes; what every
 * view and export of stacks reads. The first level is the thread's name ("command name" of the
 * flame graph tools), below it the functions, root first. Lines are merged: a function called
 * from two lines of its caller is one node.
 *
 * Nodes stand in an array, parents before children; no walk recurses.
 */
#ifndef QUERY_TREE_H
#define QUERY_TREE_H

#include "query/measure.h"
#include "model/profile.h"
#include "query/selection.h"
#include "query/spread.h"
#include "model/waits.h"

struct tree_node {
	uint32_t parent;       /* smaller than the node's own index; the root is its own */
	uint32_t first_child;  /* 0: none */
	uint32_t next_sibling; /* 0: last. Siblings stand in order of name, then index */
	uint32_t function;     /* index in the profile; 0 for the root and the first level */
	uint32_t name;	       /* string: thread name on the first level, else the function's */
	uint32_t depth;	       /* root 0, threads 1 */
	uint8_t inlined;       /* at every place that was merged into this node */
	uint8_t reason;	       /* enum reason_kind of most of its total; none too is one */
	int64_t self;	       /* value of the samples that end here */
	int64_t total;	       /* self plus all below it (dask's count) */
	int64_t self_samples;  /* rows, not values */
	int64_t total_samples;
};

/* One function's or module's share of a tree: recursion counted once in total. */
struct top_row {
	union {
		uint32_t key;
		uint32_t function; /* 0: of threads and the root */
		uint32_t module;   /* 0: of functions of no known one */
	};
	int64_t self, total, self_samples, total_samples;
	double self_margin, total_margin; /* see spread.h */
};
struct top {
	VEC(struct top_row) rows; /* by self, then total, then name; all of the tree */
};

/* A path: stacks that a reader would call the same. Those of several threads, those that differ in
 * the depth of a direct recursion, and those whose leaf is inlined into the same function. */
struct tree_path {
	int64_t self;	  /* of all its stacks */
	int64_t heaviest; /* self of the stack that stands for them */
	uint32_t leaf;	  /* that stack's leaf, the function that holds it when it is inlined */
	uint32_t thread;  /* node of the first level */
	bool threads;	  /* under several of those */
};
struct tree_paths {
	VEC(struct tree_path) all;
	size_t in_order; /* so many at its front: by self, then the leaf's name */
	bool made;
};

struct tree_tables {
	struct top functions, modules;
	bool has_top;
	struct tree_paths paths;
};

struct diff; /* diff/diff.h */

struct tree {
	const struct profile *profile; /* borrowed */
	/* Borrowed: the diff whose joined tree this is; NULL: the tree of one profile. */
	const struct diff *diff;
	VEC(struct tree_node) nodes; /* [0] is the root, named "root" */
	struct measure measure;
	char *base; /* what 100 % is: measure_base(); owned, may be NULL */
	uint32_t max_depth;
	int64_t samples; /* rows that the selection took */
	const char *unit;
	bool has_reasons;      /* samples have reasons: it is of waits */
	uint32_t *sample_node; /* owned: per sample the node that it ends in, 0: none; of zones NULL
				*/
	struct spread *spread; /* owned: of its samples; NULL: values are exact */
	struct tree_tables *tables; /* owned: each made when it is first asked for */
	bool by_name;		    /* the call tree as text is in order of names, not of totals */
	/* See zone_tree_build(). */
	bool of_zones;
	bool net;	   /* less the cost of the probes */
	int64_t margin_ns; /* then: the margin of the sum of its values */
};

/* More nodes are -EFBIG: only a forged file comes near. */
#define TREE_MAX_NODES (1u << 23)

/* Errors of filter_init() and filter_check_any(). Without samples of the metric the tree is its
 * root alone. Owned by the caller; the profile must outlive it. */
int tree_build(const struct profile *, const struct selection *, struct tree **out);
void tree_free(struct tree *);

/*
 * The call tree of zones: values are exact ns, less the cost of the probes where that is known and
 * smaller. It has no level of threads, nodes have the names of zones, and self_samples and
 * total_samples both are the calls at a node, which do not add up. --zone leaves the zones that it
 * means, what they call, and the callers above them; no other option applies. Errors of
 * tree_build().
 */
int zone_tree_build(const struct profile *, const struct selection *, struct tree **out);

/* For code that builds trees: tree_add() adds a node below @parent (the first one is the root), and
 * tree_finish() fills totals and siblings. */
struct tree *tree_new(const struct profile *);
uint32_t tree_add(struct tree *, uint32_t parent, uint32_t function, uint32_t name);
void tree_finish(struct tree *);

/* The node after @node in a walk, parents before children and siblings in their order; 0 at the
 * end. Not @enter: leaves out what is below @node. */
static inline uint32_t tree_next(const struct tree *t, uint32_t node, bool enter)
{
	const struct tree_node *n = &t->nodes.at[node];

	if (enter && n->first_child)
		return n->first_child;
	while (node && !t->nodes.at[node].next_sibling)
		node = t->nodes.at[node].parent;
	return t->nodes.at[node].next_sibling;
}

/* Per node the margin of its total; freed by the caller. */
double *tree_margins(const struct tree *);

/* Its tables, made when first asked for; they live as long as the tree. */
const struct top *tree_functions(const struct tree *);
const struct top *tree_modules(const struct tree *);
/* The first @most of them, or all if there are fewer, are in order. */
const struct tree_paths *tree_paths(const struct tree *, size_t most);

/* One thread's or process's share. */
struct thread_row {
	uint32_t pid, tid; /* tid 0 where it stands for the whole process */
	uint32_t name, cgroup;
	uint64_t born_ns; /* with pid: its row in the table of processes */
	int64_t value, samples;
	int64_t active;		  /* of the value: on a CPU, ready for one, or held up */
	double margin;		  /* of the value: see spread.h */
	struct thread_wait spent; /* of the whole capture, where the profile tells; else 0 */
};
struct thread_rows {
	VEC(struct thread_row) rows; /* by active, then value, samples, pid, tid */
};
/* @by_process: one row a process, with the process's name. Threads with samples have rows; where
 * the selection does not choose by stack or time, so have those of which the profile has totals
 * alone.
 * @known: the tree of the same selection, if there is one already. */
int threads_build(const struct profile *, const struct selection *, const struct tree *known,
		  bool by_process, struct thread_rows *out);
void threads_release(struct thread_rows *);

#endif
