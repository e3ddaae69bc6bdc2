/*
 * callgrind_costs: the costs that callgrind's lines name, added up: per line of each function, and
 * per call from one to another; and the samples that become of them.
 */
#ifndef IMPORT_CALLGRIND_COSTS_H
#define IMPORT_CALLGRIND_COSTS_H

#include "import/builder.h"
#include "import/callgraph.h"
#include "import/scan.h"

#define CALLGRIND_EVENTS (CALLGRAPH_VALUES - 1) /* the last value is of calls */

/* Where costs go: a function's own lines. */
struct own_line {
	uint32_t function, file, line; /* file: string, where it is not the function's */
};

#define CALLGRIND_CALLS "calls"

struct callgrind_costs {
	struct builder *b;
	uint32_t thread;  /* that costs are of, but for what a function "thread NAME" calls */
	bool has_threads; /* eprof wrote it: such functions are threads */
	bool has_calls;	  /* an event is called as the metric of calls would be, and has them */
	struct numbering functions; /* by object, file and name */
	VEC(struct function)
	rows; /* per function, for the profile; .module is a string until then */
	struct numbering own_keys, edge_keys; /* of own, and of the edges of graph */
	VEC(struct own_line) own;
	VEC(int64_t) own_values; /* CALLGRIND_EVENTS each, by metric */
	struct callgraph graph;	 /* its values: CALLGRIND_EVENTS by metric, then calls */
	int64_t totals[CALLGRIND_EVENTS], seen[CALLGRIND_EVENTS]; /* by metric */
};

void callgrind_costs_init(struct callgrind_costs *, struct builder *);
void callgrind_costs_release(struct callgrind_costs *);

/* Strings of its object, its file and its name; returns the function. */
uint32_t callgrind_function(struct callgrind_costs *, uint32_t object, uint32_t file,
			    uint32_t name);
/* @v: CALLGRIND_EVENTS costs of a line. */
void callgrind_add_own(struct callgrind_costs *, const struct own_line *, const int64_t *v);
/* The same of @calls calls of @callee in line @line of @caller, with all below. */
void callgrind_add_calls(struct callgrind_costs *, uint32_t caller, uint32_t line, uint32_t callee,
			 int64_t calls, const int64_t *v);

/* The samples, and the metric CALLGRIND_CALLS of numbers of calls. All other metrics are known. */
void callgrind_costs_put(struct callgrind_costs *);

#endif
