/*
 * profile: a profile in memory, as both programs use it; the store writes it to a file and reads
 * it. Rows refer to rows of other tables by index, to strings by their number in `strings`.
 *
 * Invariants, which the adders here keep and the store checks when it reads a file:
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

/* What a frame is: native code, kernel, JIT code, inlined, a note …; render/query/frame_class.h has
 * how it is shown. Stored, of functions and frames. A function is never KIND_INLINED, KIND_UNNAMED
 * or KIND_THREAD. */
enum frame_kind {
#define FRAME_KIND(NAME, number, ...)	   KIND_##NAME = (number),
#define FRAME_KIND_AS(NAME, number, SHOWN) KIND_##NAME = (number),
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	FRAME_KINDS = 256 /* kinds of newer files, unknown here, are shown as UNNAMED */
};

/* Whether it is a function of a script, of whatever language: what the style SCRIPT has in
 * frame_kinds.def. */
bool frame_kind_is_script(uint8_t kind);

struct profile;
/* The innermost node with such a function from @node on outwards; 0: there is none. */
uint32_t profile_script_node(const struct profile *, uint32_t node);

/* One line of a stack. A function at two lines is two frames, and so is an unnamed one at two
 * addresses. */
struct frame {
	uint32_t function;
	uint32_t line;	 /* line being executed or called from, 0 unknown */
	uint8_t inlined; /* inlined into the frame above it (its parent in the tree) */
	uint8_t guessed; /* found by frame pointer: there was no unwind information */
	uint8_t kind;	 /* enum frame_kind; profile_frame() and the store set it */
	/* In a function without a name: the address that was executed or called from (the byte
	 * before a return address), as symbols and DWARF of its file count, so that `eprof name`
	 * can find function, line and inlined calls later; 0: unknown. */
	uint64_t address;
};

/* A stack is a path from the root: node i's frame is called from its parent's frame. */
struct node {
	uint32_t parent;
	uint32_t frame;
};

/* A thread under one name: after exec or prctl(PR_SET_NAME) it is another entry. */
struct thread {
	uint32_t pid, tid;
	uint32_t name;	   /* the thread's comm */
	uint32_t process;  /* comm of its process's main thread at the end of the capture */
	uint32_t cgroup;   /* v2 path, "" unknown */
	uint64_t start_ns; /* since the start of the capture, 0 if it was there before */
	uint64_t born_ns;  /* the same of its process; with pid it tells processes apart */
};

enum metric_kind {
	METRIC_SUM = 0,	  /* an amount: ns, cycles, bytes */
	METRIC_COUNT = 1, /* a number of events */
	/* Of the values of another metric, in its unit squared; they are no measure by themselves.
	 */
	METRIC_VARIANCE = 2,
};

/* The base of a metric that is time on CPUs. */
#define METRIC_ON_CPU "time on CPU"
/* The metrics of threads off the CPU, in ns, and the sums that users can ask for (measure.h). */
#define METRIC_BLOCKED	"blocked"
#define METRIC_RUNNABLE "runnable"
#define METRIC_OFF_CPU	"off-cpu"
#define METRIC_WALL	"wall"

/* The metrics of a profile of allocations (PART_HEAP): of each the bytes, and the blocks. Sizes are
 * those that the program asked for. */
#define HEAP_METRIC_LIVE	"live" /* at the end of the capture */
#define HEAP_METRIC_LIVE_BLOCKS "live-blocks"
#define HEAP_METRIC_PEAK	"peak" /* when that of the whole target was highest */
#define HEAP_METRIC_PEAK_BLOCKS "peak-blocks"
#define HEAP_METRIC_TOTAL	"total" /* handed out */
#define HEAP_METRIC_ALLOCATIONS "allocations"
#define HEAP_METRIC_LEAKED                                            \
	"leaked" /* never freed: live at the end of their program, or \
		  * of the capture if they are older than its last tenth */
#define HEAP_METRIC_LEAKED_BLOCKS    "leaked-blocks"
#define HEAP_METRIC_TEMPORARY	     "temporary" /* freed by the next call of the same thread */
#define HEAP_METRIC_TEMPORARY_BLOCKS "temporary-blocks"

/* What the values of a metric's samples are over time. */
enum metric_course {
	COURSE_AMOUNT = 0, /* what there was at that time */
	COURSE_LEVEL = 1,  /* how much a level changed then, such as that of live memory */
	COURSE_NONE = 2,   /* known at the end alone */
	COURSE_PEAK = 3,   /* of the moment when a level was highest: captures do not add up */
	COURSES
};

/* A value of samples, declared by the source that takes them. */
struct metric {
	uint32_t name;	 /* the event's name: "cpu-clock", "cycles", "page-faults" */
	uint32_t unit;	 /* "ns", "bytes", "events", … */
	uint8_t kind;	 /* enum metric_kind */
	uint32_t base;	 /* what 100 % is: METRIC_ON_CPU, "time blocked"; "": all events of its name
			  */
	uint32_t ledger; /* the metric, by name, whose ledger has its events; "": its own */
	uint8_t exact;	 /* each event was measured, and a sample's value is that of many */
	uint8_t course;	 /* enum metric_course */
	/* The metric, by name, whose values are the variances of these, which are sums of weighted
	 * events; "": none. */
	uint32_t variance;
};

/* One sample, of the metrics of which its value is not 0. */
struct sample {
	uint64_t time_ns; /* since the start of the capture */
	uint32_t thread;
	uint32_t node;
	uint32_t zone;	  /* row of zone_edges: innermost zone that was open; 0 none */
	uint32_t reason;  /* row of reasons: why the thread was off the CPU; 0 none */
	uint64_t wait_ns; /* length of the wait that was sampled; 0: no wait, or unknown */
};

/* The rows of samples, as any VEC, and for each metric a column of as many values. */
typedef VEC(int64_t) profile_values;
struct samples {
	struct sample *at;
	size_t n, cap;
	VEC(profile_values) values;
};

/* Whether the sample in that row is one of any metric. */
static inline bool sample_has_value(const struct samples *s, size_t row)
{
	for (size_t m = 0; m < s->values.n; m++)
		if (s->values.at[m].at[row])
			return true;
	return false;
}

/*
 * The ledger: where every event went. For each metric the rows of class TAKEN add up to those of
 * KEPT and LOST. NOTE rows say more about kept events (e.g. "stack cut at 512 frames"), and APART
 * rows are of other events (e.g. the profiler's own): both are in no sum. LEDGER_ZONES accounts for
 * calls of zones in the same way, LEDGER_WAITS for waits of threads off the CPU, sampled or not,
 * LEDGER_EVENTS for the events of a timeline.
 */
#define LEDGER_ZONES  UINT32_MAX
#define LEDGER_WAITS  (UINT32_MAX - 1)
#define LEDGER_EVENTS (UINT32_MAX - 2)
#define LEDGER_BESIDE LEDGER_EVENTS /* the least number that is no metric's */
#define LEDGER_FIRST(p) \
	((p)->metrics.n ? profile_ledger_of((p), 0) : LEDGER_ZONES) /* of the whole capture */
enum ledger_class {
	LEDGER_TAKEN = 0,
	LEDGER_KEPT = 1,
	LEDGER_LOST = 2,
	LEDGER_NOTE = 3,
	LEDGER_APART = 4,
	LEDGER_CLASSES
};
#define LEDGER_ALL "counted in all" /* APART: all events, sampled or not, by a counter */
struct ledger_row {
	uint32_t name;	 /* "taken", "kept", "ring full", … */
	uint32_t metric; /* index, or LEDGER_ZONES … */
	uint8_t class;	 /* enum ledger_class */
	int64_t count;
};

/*
 * What a capture cost: "BPF run time", "ns" …, and other facts about its quality. One row for each
 * name and unit.
 */
#define COST_RAN "target's time on CPU" /* ns */
/* What was taken of it, in ns (model/taken.h): "time taken from the target: interrupts and …". */
#define COST_TAKEN	 "time taken from the target: "
#define COST_TAKEN_LEAST "time taken from the target, at least"
#define COST_TAKEN_MOST	 "time taken from the target, at most"
/* Of older versions, in % of an undisturbed run, without probes of zones. */
#define COST_SLOWDOWN  "slowdown by samples: "
#define SLOWDOWN_MOST  900.0			    /* %: of these; a higher one is not known */
#define COST_INTERRUPT "one sampling interrupt of " /* … the event; ns each */
#define COST_SWITCH    "one context switch, beyond the BPF programs" /* ns each */

/* How rows of several windows or captures add up. Stored: append only. */
enum cost_adds {
	COST_UNKNOWN, /* in older files: name and unit tell */
	COST_SUM,
	COST_MEAN, /* over time: shares, in % */
	COST_MOST, /* the greatest: prices of one thing, and memory */
};

struct cost_row {
	uint32_t name, unit;
	double value;
	uint8_t adds;	 /* enum cost_adds */
	exact_sum exact; /* of COST_SUM the value, of COST_MEAN value × ns */
};

/*
 * A capture that a profile was merged from (merge/merge.h); the profile of one capture has no such
 * rows. On the profile's time axis the captures follow each other in the order of these rows: the
 * first begins at 0, each other one where the one before it ended, so that the profile's duration
 * is their sum.
 */
struct origin {
	uint32_t file;		    /* as the merge was given it */
	uint32_t run;		    /* RUN_NAME */
	uint32_t version, platform; /* META_VERSION, META_PLATFORM; "" unknown */
	uint32_t parts;		    /* "samples,zones": what was merged of it */
	int64_t started_unix_ns;    /* of what was merged: with --from later than its own */
	int64_t duration_ns;	    /* of what was merged; not negative */
};

/* A window of the capture. Each ends where the next one begins. */
struct window {
	uint64_t t0_ns, t1_ns; /* [t0, t1), since the start of the capture */
	double hz;	       /* rate of its samples; 0: unknown, or its events are not timed */
};

/* A line of a source file at the time of the capture (eprof --source): lines of hot functions with
 * samples, and some around them. One row for each file and line. */
struct source_line {
	uint32_t file; /* the same text as struct function's */
	uint32_t line; /* from 1 */
	uint32_t text; /* without its end; tabs are blanks */
};

/* The text of a line that differs between captures (merge/merge.h). */
#define SOURCE_DIFFERS "[another text in each of the captures]"

/* An attribute of the run or of the machine; meta.h lists the keys. */
struct attr {
	uint32_t key, text;
};
typedef VEC(struct attr) profile_attrs;

struct timed_event;
/* How far a walk is: rows of the source, and the time of the last one. */
struct event_place {
	size_t row;
	uint64_t time_ns;
};

/* Where the events are read from that are not in memory. */
struct event_source {
	size_t n; /* events in all */
	uint64_t first_ns, last_ns;
	size_t most; /* events that are read at once */
	/* Reads the next events to @to, as they were checked, and goes on by these. *@n: how many;
	 * 0 at the end. A negative errno with a text. */
	int (*read)(struct event_source *, struct event_place *, struct timed_event *to, size_t *n);
	void (*free)(struct event_source *);
};

struct profile {
	struct intern strings;
#define TABLE(name, row)  VEC(struct row) name;
#define VALUED(name, row) struct name name;
#include "model/tables.def"
#undef TABLE
#undef VALUED
	uint32_t parts; /* enum profile_part, as bits */
	/* Of events that are not in the table, but all in here; NULL: the table has them. */
	struct event_source *events_left;

	profile_attrs meta; /* of the machine and the build: attributes of /…/meta */
	profile_attrs run;  /* of this run: attributes of /…/profiles/<name> */
	int64_t started_unix_ns;
	int64_t duration_ns;
	bool running; /* a window of schema 5 or older: see struct table. Not stored */
	double hz;    /* the rate that was asked for; 0: the event is not timed */

	/* By table, where its rows are by their keys: for the adders below (model/row.h); not
	 * stored. */
	struct row_index {
		struct map rows;
		size_t n; /* rows in the index */
	} index[TABLES];
};

/* The number of the string "root", the name of trees' roots, in every profile. */
#define PROFILE_ROOT_NAME 1

/* A profile with its none entries, owned by the caller. */
struct profile *profile_new(void);
void profile_free(struct profile *);

/* A hash, the same for all rows of a thread, whatever its names were. */
uint64_t thread_key(const struct thread *);
/* The same for all threads of a process. */
uint64_t process_key(const struct thread *);
static inline const char *profile_text(const struct profile *p, uint32_t string)
{
	return intern_text(&p->strings, string);
}

/* Its duration in ns; 0 if a file has a negative one. */
static inline uint64_t profile_length(const struct profile *p)
{
	return p->duration_ns > 0 ? (uint64_t)p->duration_ns : 0;
}

/* The module's name for people: its file's name, preceded by as many folders as tell it from other
 * modules of that name. A part of its path. */
const char *profile_module_name(const struct profile *, uint32_t module);

/* The module of the command's program; 0: no module has its name. */
uint32_t profile_main_module(const struct profile *);

void profile_add_part(struct profile *, enum profile_part);
/* Whether the profile has the part; true of PART_ANY. */
bool profile_has(const struct profile *, enum profile_part);
/* The names of the profile's parts, "samples,zones"; freed by the caller. */
char *profile_parts(const struct profile *);
/* Adds the parts of such a list. Parts of newer programs, unknown here, become the run's attribute
 * RUN_UNKNOWN_PARTS. */
void profile_add_parts(struct profile *, const char *names);

/* These return the index of the row with equal keys (model/table.h), and add it if there is none.
 */
uint32_t profile_module(struct profile *, const char *path, const char *build_id);
uint32_t profile_function(struct profile *, const struct function *e);
uint8_t profile_frame_kind(const struct profile *, const struct frame *);
uint32_t profile_frame(struct profile *, const struct frame *e);
uint32_t profile_node(struct profile *, uint32_t parent, uint32_t frame);
uint32_t profile_reason(struct profile *, const struct reason *e);
struct process;
uint32_t profile_process(struct profile *, const struct process *e);

/* These always add. */
uint32_t profile_thread(struct profile *, const struct thread *e);
uint32_t profile_metric(struct profile *, const char *name, const char *unit, enum metric_kind);
/* Sets what 100 % of a metric is. */
void profile_metric_base(struct profile *, uint32_t metric, const char *base);
/* Adds one row; @values has one entry per metric. All metrics must be added before. The caller sets
 * zone, reason and wait_ns in the row. */
void profile_sample(struct profile *, uint64_t time_ns, uint32_t thread, uint32_t node,
		    const int64_t *values);
void profile_ledger(struct profile *, uint32_t metric, enum ledger_class, const char *name,
		    int64_t count);
/* Adds a note about the capture as a whole; nothing if @n is 0. */
void profile_note(struct profile *, const char *name, uint64_t n);
/* The metric whose ledger has the events of @metric: as a rule itself. Others than metrics stay
 * what they are. */
uint32_t profile_ledger_of(const struct profile *, uint32_t metric);
/* The metric's name, or "calls of zones", "waits off the CPU". */
const char *profile_ledger_name(const struct profile *, uint32_t metric);
/* Moves @n of the metric's kept events to the lost ones; nothing if @n is 0 or less. */
void profile_ledger_lose(struct profile *, uint32_t metric, const char *name, int64_t n);
/* Adds a sum; of unit "%" a mean over time; of "bytes" a maximum. */
void profile_cost(struct profile *, const char *name, const char *unit, double value);
/* Adds what one thing costs: windows differ only by how it was measured. */
void profile_price(struct profile *, const char *name, const char *unit, double value);
/* The value of the row of that name; 0 if there is none. */
double profile_cost_of(const struct profile *, const char *name);

/* Zones (zone.h). The first always adds, and finds or adds the function if @e has none. The next
 * two return the row with that key, or a new empty one, for the caller to add to:
 * p->zone_edges.at[row].counts += n. The last two add to the row themselves. */
uint32_t profile_zone(struct profile *, const struct zone *e);
uint32_t profile_zone_edge(struct profile *, uint32_t parent, uint32_t zone);
uint32_t profile_zone_thread(struct profile *, uint32_t zone, uint32_t thread);
uint32_t profile_zone_hist(struct profile *, uint32_t zone, uint32_t bin, uint64_t count);
uint32_t profile_zone_value(struct profile *, uint32_t zone, const char *name, int64_t value);

/* Copies the attributes of machine and run, start and duration; but not the result of a comparison
 * (model/regression.h). */
void profile_copy_attributes(const struct profile *from, struct profile *to);

/* Attributes: set replaces; get returns NULL if there is none. */
void profile_set_meta(struct profile *, const char *key, const char *text);
void profile_set_run(struct profile *, const char *key, const char *text);
const char *profile_meta(const struct profile *, const char *key);
const char *profile_run(const struct profile *, const char *key);

/*
 * Checks what could harm a reader; -EINVAL with a text that names the table and row. For profiles
 * from files, and for tests. Checks the invariants above, and that all numbers are finite, fit
 * int64_t and can be negated, and that no sum over a column can overflow, so views need not check.
 * A ledger that does not add up, or a count below 0, passes: contradictions_text() (model/check.h)
 * tells it, and reports show it.
 */
int profile_check(const struct profile *);

#endif
