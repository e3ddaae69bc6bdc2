/*
 * profile: what a profile is, in memory. Both programs use it; the store turns it into a file
 * and back. Everything refers to everything else by index, strings by their number in `strings`.
 *
 * Invariants, kept by the adders here and checked by the store when it reads a file:
 * - index 0 of modules, functions, frames and nodes is "none": an empty entry (node 0 is the
 *   root of all stacks); threads and metrics start at 0 without one;
 * - a node's parent has a smaller index than the node;
 * - every sample has one value per metric, a zone and a reason, either of which may be none;
 * - reasons is empty, or has a none entry as row 0;
 * - zone_edges has its root as row 0, and a parent has a smaller row than its child; the other
 *   tables of zones start at 0 without a none entry.
 */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/exact.h"
#include "model/frame_kind.h"
#include "model/reason.h"
#include "model/table.h"
#include "model/zone.h"

struct module {
	uint32_t path;	   /* as the target sees it; "[kernel]", "[vdso]", "//anon" */
	uint32_t build_id; /* lower-case hex, "" where there is none */
};

struct function {
	uint32_t name;	  /* demangled, for people; "module+0x1f30" where there is no name */
	uint32_t linkage; /* as in the symbol table where it differs from name, else "" */
	uint32_t file;	  /* source file, "" unknown */
	uint32_t line;	  /* where the function is declared, 0 unknown */
	uint32_t module;
	uint8_t kind;  /* enum frame_kind */
	uint8_t named; /* false: the name is only module and offset, or an address */
};

/* One line of a stack. The same function at two lines is two frames, and so is one without a name
 * at two addresses. */
struct frame {
	uint32_t function;
	uint32_t line;	 /* line being executed or called from, 0 unknown */
	uint8_t inlined; /* inlined into the frame above it (its parent in the tree) */
	uint8_t guessed; /* found by frame pointer, for want of unwind information */
	uint8_t kind;	 /* enum frame_kind; profile_frame() and the store set it */
	/* Of a function without a name: the address in its file, as symbols and DWARF count, that
	 * was executed or called from (of a return address the byte before it), so that `eprof
	 * name` can tell function, line and inlined calls later; 0 where that is not known. */
	uint64_t address;
};

/* A stack is a path from the root: node i's frame is called from its parent's frame. */
struct node {
	uint32_t parent;
	uint32_t frame;
};

/* A thread under one name: exec and prctl(PR_SET_NAME) start another entry. */
struct thread {
	uint32_t pid, tid;
	uint32_t name;	   /* the thread's comm */
	uint32_t process;  /* comm of the process: of its main thread, at the end of the capture */
	uint32_t cgroup;   /* v2 path, "" unknown */
	uint64_t start_ns; /* since the start of the capture, 0 if it was there before */
	uint64_t born_ns;  /* the process; the same. With pid it tells processes apart */
};

enum metric_kind {
	METRIC_SUM = 0,	  /* an amount: ns, cycles, bytes */
	METRIC_COUNT = 1, /* a number of events */
};

/* What 100 % is of a metric that is time on CPUs. */
#define METRIC_ON_CPU "time on CPU"
/* The metrics of threads off the CPU, in ns, and the sums that can be asked for (measure.h). */
#define METRIC_BLOCKED	"blocked"
#define METRIC_RUNNABLE "runnable"
#define METRIC_OFF_CPU	"off-cpu"
#define METRIC_WALL	"wall"

/* What the values of samples are: a source's, which names it. */
struct metric {
	uint32_t name; /* the event's name: "cpu-clock", "cycles", "page-faults" */
	uint32_t unit; /* "ns", "bytes", "events", … */
	uint8_t kind;  /* enum metric_kind */
	uint32_t base; /* what its sum, 100 %, is: METRIC_ON_CPU, "time blocked"; "": all events of
			* that name */
};

/* One sample; of metric m where its value of that is not 0. */
struct sample {
	uint64_t time_ns; /* since the start of the capture */
	uint32_t thread;
	uint32_t node;
	uint32_t zone;	  /* row of zone_edges: innermost zone that was open; 0 none */
	uint32_t reason;  /* row of reasons: why the thread was off the CPU; 0 none */
	uint64_t wait_ns; /* length of the wait that was sampled; 0: of none, unknown */
};

/* The rows of samples, as any VEC, and beside them columns of as many values, one a metric. */
typedef VEC(int64_t) profile_values;
struct samples {
	struct sample *at;
	size_t n, cap;
	VEC(profile_values) values;
};

/*
 * The ledger: where every event went. Per metric the rows of class TAKEN equal the sum of those
 * of class KEPT and LOST; NOTE rows tell more about kept ones (e.g. "stack cut at 512 frames")
 * and are in no sum. APART rows are of events that are none of the taken ones (e.g. the profiler's
 * own), in no sum either. Calls of zones are accounted for in the same way, under LEDGER_ZONES, and
 * waits of threads off the CPU, sampled or not, under LEDGER_WAITS.
 */
#define LEDGER_ZONES  UINT32_MAX
#define LEDGER_WAITS  (UINT32_MAX - 1)
#define LEDGER_BESIDE LEDGER_WAITS /* the first that is no metric */
enum ledger_class {
	LEDGER_TAKEN = 0,
	LEDGER_KEPT = 1,
	LEDGER_LOST = 2,
	LEDGER_NOTE = 3,
	LEDGER_APART = 4,
	LEDGER_CLASSES
};
struct ledger_row {
	uint32_t name;	 /* "taken", "kept", "ring full", … */
	uint32_t metric; /* index, LEDGER_ZONES or LEDGER_WAITS */
	uint8_t class;	 /* enum ledger_class */
	int64_t count;
};

/*
 * What a capture cost: "BPF run time", "ns" … Also facts of quality that are no events. A row for
 * each name and unit.
 */
#define COST_SLOWDOWN  "slowdown by samples: " /* … and what it holds; % of an undisturbed run */
#define COST_INTERRUPT "interrupt of a sample of " /* … the event; ns each */
#define COST_SWITCH    "a switch of a thread, beside the programs there" /* ns each */

/* How rows of several windows or captures add up. Stored: append only. */
enum cost_adds {
	COST_UNKNOWN, /* of a file of before it was told: by name and unit */
	COST_SUM,
	COST_MEAN, /* over time: shares, in % */
	COST_MOST, /* the greatest: prices of one thing, and memory, which is not held twice */
};

struct cost_row {
	uint32_t name, unit;
	double value;
	uint8_t adds;	 /* enum cost_adds */
	exact_sum exact; /* of COST_SUM the value, of COST_MEAN value × ns */
};

/*
 * One of the captures that a profile was merged from (merge/merge.h). A profile that is of one
 * capture alone has no such rows. The captures stand one behind the other on the profile's axis of
 * time, in the order of these rows: the first begins at 0, each other one where the one before it
 * ended, so that the profile's duration is their sum.
 */
struct origin {
	uint32_t file;		    /* as it was named to the merge */
	uint32_t run;		    /* RUN_NAME */
	uint32_t version, platform; /* META_VERSION, META_PLATFORM; "" unknown */
	uint32_t parts;		    /* "samples,zones": what of it was merged */
	int64_t started_unix_ns;    /* of what was merged of it: with --from later than its own */
	int64_t duration_ns;	    /* the same; not negative */
};

/* The spans of time in which the rows of a profile were captured. Each ends where the next one
 * begins; what was captured in it was written then. */
struct window {
	uint64_t t0_ns, t1_ns; /* [t0, t1), since the start of the capture */
	double hz;	       /* of its samples; 0: unknown, or its events are not timed */
};

/* A line of a source file as it stood there when the profile was captured (eprof --source): of hot
 * functions, the lines in which samples were taken and some around them. A row a file and line. */
struct source_line {
	uint32_t file; /* the same text as struct function's */
	uint32_t line; /* from 1 */
	uint32_t text; /* without its end; tabs are blanks */
};

/* The text of a line that is another one in several captures (merge/merge.h). */
#define SOURCE_DIFFERS "[another text in each of the captures]"

/* Attribute of the run or of the machine: key and text. Keys are listed in meta.h. */
struct attr {
	uint32_t key, text;
};

struct profile {
	struct intern strings;
#define TABLE(name, row)  VEC(struct row) name;
#define VALUED(name, row) struct name name;
#include "model/tables.def"
#undef TABLE
#undef VALUED
	uint32_t parts; /* enum profile_part, as bits */

	VEC(struct attr) meta; /* of the machine and the build: attributes of /…/meta */
	VEC(struct attr) run;  /* of this run: attributes of /…/profiles/<name> */
	int64_t started_unix_ns;
	int64_t duration_ns;
	/* A window of a file of schema 5 or before: see struct table. Not stored. */
	bool running;
	double hz; /* asked for, 0 where the event is not timed */

	/* For the adders below; not stored. Of each table, where its rows are, by their keys: see
	 * model/row.h. */
	struct row_index {
		struct map rows;
		size_t n; /* rows that it knows */
	} index[TABLES];
};

/* The number of the string "root", which every profile has: trees name their root by it. */
#define PROFILE_ROOT_NAME 1

/* A profile with the none entries in place. Owned by the caller. */
struct profile *profile_new(void);
void profile_free(struct profile *);

static inline const char *profile_text(const struct profile *p, uint32_t string)
{
	return intern_text(&p->strings, string);
}

/* Its duration in ns, 0 where a file says that it is less. */
static inline uint64_t profile_length(const struct profile *p)
{
	return p->duration_ns > 0 ? (uint64_t)p->duration_ns : 0;
}

/* What people call the module: its file's name, and before it as many folders as tell it from the
 * other modules of that name. Within its path. */
const char *profile_module_name(const struct profile *, uint32_t module);

/* The module that the command runs; 0: none is called so. */
uint32_t profile_main_module(const struct profile *);

/* Says that the profile is of that part, and whether it is: true of PART_ANY. */
void profile_add_part(struct profile *, enum profile_part);
bool profile_has(const struct profile *, enum profile_part);
/* The names of the profile's parts, "samples,zones"; freed by the caller. */
char *profile_parts(const struct profile *);
/* Adds the parts of such a list, a newer program's perhaps: what is not known here becomes the
 * run's attribute RUN_UNKNOWN_PARTS. */
void profile_add_parts(struct profile *, const char *names);

/* The adders return the index of the entry equal to @e, adding it where there is none yet. The
 * function's identity is (name, file, line, module, kind); all else comes from the first. */
uint32_t profile_module(struct profile *, const char *path, const char *build_id);
uint32_t profile_function(struct profile *, const struct function *e);
uint8_t profile_frame_kind(const struct profile *, const struct frame *);
uint32_t profile_frame(struct profile *, const struct frame *e);
uint32_t profile_node(struct profile *, uint32_t parent, uint32_t frame);
uint32_t profile_reason(struct profile *, const struct reason *e);

/* These always add. */
uint32_t profile_thread(struct profile *, const struct thread *e);
uint32_t profile_metric(struct profile *, const char *name, const char *unit, enum metric_kind);
/* Says what 100 % is of one. */
void profile_metric_base(struct profile *, uint32_t metric, const char *base);
/* One row, in no zone, without a reason; @values has one entry per metric. All metrics must be
 * there before the first one. */
void profile_sample(struct profile *, uint64_t time_ns, uint32_t thread, uint32_t node,
		    const int64_t *values);
/* Says in which zone sample @row was: a row of zone_edges, which may still be to come. */
void profile_sample_zone(struct profile *, size_t row, uint32_t edge);
/* Says why the thread of sample @row was off the CPU: a row of reasons. */
void profile_sample_reason(struct profile *, size_t row, uint32_t reason);
/* Says how long the wait was that sample @row is of. */
void profile_sample_wait(struct profile *, size_t row, uint64_t wait_ns);
void profile_ledger(struct profile *, uint32_t metric, enum ledger_class, const char *name,
		    int64_t count);
/* What a ledger is of: the metric's name, "calls of zones", "waits off the CPU". */
const char *profile_ledger_name(const struct profile *, uint32_t metric);
/* @n of the kept ones of @metric are lost after all; nothing where that is 0 or less. */
void profile_ledger_lose(struct profile *, uint32_t metric, const char *name, int64_t n);
/* A sum, or, of unit "%", a mean over time, or, of "bytes", what was held at most. */
void profile_cost(struct profile *, const char *name, const char *unit, double value);
/* What one thing costs, which is the same in all windows but for how it was measured. */
void profile_price(struct profile *, const char *name, const char *unit, double value);
/* The value of the row of that name; 0 where there is none. */
double profile_cost_of(const struct profile *, const char *name);

/* Zones (zone.h). The first always adds, with a function of that name and place where @e has
 * none; the next three return the row of that key, adding an
 * empty one where there is none yet, for the caller to add to: p->zone_edges.at[row].counts += n.
 * The last two add to what is there. */
uint32_t profile_zone(struct profile *, const struct zone *e);
uint32_t profile_zone_edge(struct profile *, uint32_t parent, uint32_t zone);
uint32_t profile_zone_thread(struct profile *, uint32_t zone, uint32_t thread);
uint32_t profile_zone_hist(struct profile *, uint32_t zone, uint32_t bin, uint64_t count);
uint32_t profile_zone_value(struct profile *, uint32_t zone, const char *name, int64_t value);

/* Sets the attributes of the machine and the run, and when it was, to those of @from; but not what
 * a comparison of @from found (model/regression.h). */
void profile_copy_attributes(const struct profile *from, struct profile *to);

/* Attributes: set replaces; get returns NULL where there is none. */
void profile_set_meta(struct profile *, const char *key, const char *text);
void profile_set_run(struct profile *, const char *key, const char *text);
const char *profile_meta(const struct profile *, const char *key);
const char *profile_run(const struct profile *, const char *key);

/*
 * Checks all that could lead a reader astray; -EINVAL with a text that names the table and row. For
 * what was read from a file, and for tests. These are the invariants above; and all numbers are
 * finite, fit int64_t, may be negated, and no sum over a column can overflow, so views need not
 * look again. What contradicts itself, a ledger that does not add up or a count below 0, is not
 * refused here: contradictions_text() (model/check.h) tells it, and reports show it.
 */
int profile_check(const struct profile *);

#endif
