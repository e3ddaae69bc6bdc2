/*
 * engine: everything about probes in user space, whatever is done at them: which functions of which
 * processes get probes, at which sites; how the ends of calls are seen; what they cost, and whom
 * they must not harm. The functions below the state are each file's of this room, for the others of
 * it. For probe/, and for the sources of what is done at probes.
 */
#ifndef PROBE_ENGINE_H
#define PROBE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "load/probe_session.h"
#include "load/target.h"
#include "model/profile.h"
#include "probe/calibrate.h"
#include "probe/guard.h"
#include "probe/keeper.h"
#include "probe/own_code.h"
#include "probe/governor.h"
#include "probe/probed_image.h"
#include "process/images.h"
#include "process/procs.h"

struct engine_options {
	struct zonepatterns *patterns;
	uint32_t actions;	       /* bits: actions of any pattern */
	uint32_t leaves;	       /* bits: those whose functions are leaves: probed_image.h */
	uint32_t keep_limit;	       /* bits: those that keep to max_slowdown by themselves */
	uint32_t joins[WIRE_ACTIONS];  /* of each: functions of these actions get it, too; bits */
	const void *own[WIRE_ACTIONS]; /* of each action: what its own options gave; NULL: none */
	uint64_t every;		       /* samples of calls: every Nth; 0: up to a rate, all */
	uint32_t max;		       /* number of zones */
	const char *const *switches;   /* names of functions that switch stacks */
	size_t n_switches;
	enum call_ends ends;
	uint32_t clocks;   /* WIRE_CLOCK_… */
	const char *clock; /* as the user wrote it; NULL: no option, wall clock */
	struct event events[WIRE_ZONE_EVENTS];
	size_t n_events;
	double max_slowdown; /* 0.1: zones may take a tenth of the target's own time; 0: no limit */
	bool one_by_one, no_session; /* as on older kernels, for tests: see load/probe_session.h */
};

/* What is done at functions: as their patterns say, but that zones are only counted where nothing
 * is timed, and that calls of functions that are no zones are counted too, for what they cost. Bits
 * by enum wire_action. */
static inline uint32_t engine_actions(const struct engine_options *o)
{
	const uint32_t zone = 1u << WIRE_ACTION_zone, count = 1u << WIRE_ACTION_count;

	if (o->clocks & WIRE_CLOCK_NONE)
		return (o->actions & ~zone) | count;
	return o->actions & ~zone ? o->actions | count : o->actions;
}

/* Streams of the samples of these actions, as bits. */
static inline uint32_t engine_streams(const struct engine_options *o)
{
	uint32_t streams = 0;

#define ACTION(name, number, sees, bytes, n) \
	if (o->actions >> (number)&1)        \
		streams |= ((1u << (n)) - 1) << WIRE_PROBE_STREAM_##name;
#include "actions.def"
#undef ACTION
	return streams;
}

/* All borrowed while the zones live, except the calibration. */
struct engine_input {
	const struct engine_options *o;
	struct calibration *calibration;
	struct session *whole;
	struct probe_session *session; /* of the session */
	struct images *images;
	struct procs *procs;
	const struct target *target;
	const struct crew_wait *wait;			    /* called while code is read */
	void (*say)(const void *context, const char *text); /* as in source_services */
	const void *context;
	double (*beside_ns)(const void *capture); /* as beside_probes_ns there; may be NULL */
	const void *capture;
	struct allowance *allowance; /* of those whose code it is; owned */
};

/* A process of the target. */
struct probed_process {
	uint32_t pid;
	uint32_t flags;		   /* WIRE_PROC_…, as the kernel has them */
	VEC(uint32_t) images;	   /* numbers in zones.at, of the code it maps */
	bool foreign;		   /* runs calls off its threads' stacks */
	bool dirty;		   /* must be looked at */
	bool told;		   /* known to the BPF programs */
	uint32_t code_seen;	   /* of its code as read: see wire_probe_proc */
	uint32_t code_told;	   /* as the BPF programs have it */
	bool before_exec;	   /* its images are those of the program it will exec */
	uint64_t unknown_until_ns; /* may map unknown code before that: CLOCK_MONOTONIC */
	uint32_t wants;		   /* flags as last decided, set in the kernel or not */
	bool leaderless;	   /* its first thread has exited; others may run */
	bool ended;
	bool missed;  /* noted that calls may be missing */
	bool refused; /* reported that it cannot have what --zone-exit demands */
};

/* A note for the ledger that fits no other row. */
struct engine_note {
	char *text; /* owned */
	uint64_t n;
};

/* A row of generations that nobody uses. */
struct engine_slot {
	uint32_t slot;
	uint8_t generation; /* of the last one that did */
};

/* The cost of probes for the target, and the limit on it. */
struct cost_limit {
	struct governor governor;
	VEC(struct governed) zones; /* functions, by number */
	uint32_t dropped;	    /* actions whose functions have no probes any more, bits */
	bool told;		    /* the cost was reported */
	bool warned;
	unsigned int over, said; /* judgements in a row above the warning level; messages */
};

/* Who is told of functions before they get probes. */
struct engine_watcher {
	uint32_t actions; /* of functions that have one of these, bits */
	/* Whether they are wanted for function @k of its file's; NULL: always. @pattern: as below.
	 */
	bool (*wants)(const struct zonelist *, size_t k, const char *pattern);
	/* @pattern: that selected the function first, as it was written; of @argument, if that was
	 * named. NULL: need not be told. */
	void (*found)(void *context, uint32_t number, const struct zone_def *, const char *pattern,
		      uint32_t argument);
	void *context;
};

struct engine {
	struct engine_input in;
	struct probe_request request; /* to the session */
	struct keeper *keeper;	      /* holds the probes; NULL before they are attached */
	struct guard *guard;	      /* knows who must not meet them; NULL like the keeper */
	struct own_code own;
	struct probe_tools tools;		/* the keeper, and the session's maps */
	VEC(struct probed_image *) at;		/* owned */
	struct map by_image;			/* number in images → index in at */
	uint32_t slots;				/* that were ever given to images */
	VEC(struct engine_slot) unused_slots;	/* that these gave back */
	VEC(struct probed_process *) processes; /* running ones */
	VEC(struct probed_process *) met;	/* all, owned; the last one of each pid counts */
	struct map by_pid;			/* → index in met */
	bool unsettled;				/* some processes are dirty */
	bool counting;				/* the capture has begun */
	VEC(uint32_t) thread_of; /* thread number in the kernel → index in procs; NO_THREAD */
	VEC(struct engine_note) notes;
	VEC(struct engine_watcher) watchers;
	struct cost_limit limit;
	char *remote;	   /* a file that is not probed for its mount; owned; NULL: there is none */
	char *forbidden;   /* the first thing that translators forbade; owned */
	uint32_t used;	   /* zone numbers in use */
	uint64_t too_many; /* zones without a number */
	int64_t attach_ns; /* wall time spent attaching */
	bool keeper_gone;  /* reported that the keeper was killed */
};
#define NO_THREAD UINT32_MAX

/* zones: adds a note to the ledger; counts repetitions. */
void engine_note(struct engine *, const char *text);
/* That of a program or library which may have called zones before they had probes. */
#define ENGINE_NOTE_BEFORE "programs and libraries that ran before their probes were attached: "
/* Tells the user, if somebody listens. */
static inline void engine_say(const struct engine *z, const char *text)
{
	if (z->in.say)
		z->in.say(z->in.context, text);
}

/* cost_limit: judges what the probes cost, and stays below the limit. Call at each tick while calls
 * count, and when they start to. */
void cost_limit_tick(struct engine *);

/* engine_settle: reads new images, decides how calls end in each process, attaches probes. Notes
 * what cannot be attached. Only at the start (@first) it returns errors, also for patterns that
 * match nothing. */
int engine_settle_all(struct engine *, bool first);
/* The process makes, or will make, calls off its threads' stacks. */
void engine_runs_coroutines(struct engine *, struct probed_process *);

/* engine_named: finds the files that patterns name, and attaches their probes. */
void engine_named_find(struct engine *);
int engine_named_attach(struct engine *);

/* Attaches the probes that image @number should have. Errors with a text, except -EAGAIN: handle
 * news of translators first. */
int engine_attach(struct engine *, uint32_t number);
/* The same, after handling that news. */
int engine_attach_again(struct engine *, uint32_t number);

/* probed_process: */
/* The image's number in zones.at; adds it, unread, if it is new. */
uint32_t engine_number_of(struct engine *, uint32_t image);
struct probed_process *engine_process_of(struct engine *, uint32_t pid);
/* It has ended: its place among the running ones is another's. */
void probed_process_end(struct engine *, size_t at);
/* Adds how calls end in it to what the image remembers. */
void probed_process_keep_past(const struct probed_process *, struct probed_image *);
/* Whether the image is a file that may have probes; noted where its mount forbids it. */
bool probed_process_may_probe(struct engine *, uint32_t image);
/* Adds the files that it maps now to its images. */
void probed_process_gather(struct engine *, struct probed_process *);
/* All code of @pid is known that it mapped before the kernel's counter reached @code. */
void probed_process_saw_code(struct engine *, uint32_t pid, uint32_t code);
/* Notes that a running process may lack its first calls. */
void probed_process_ran_before(struct engine *, struct probed_process *);
/* Considers only images that were read. */
bool probed_process_has_zones(const struct engine *, const struct probed_process *);

/* engine_forget: lets go of what nobody runs any more. Of images with zones, the rows stay; others
 * are gone. Marks the images that are left, one byte each. */
void engine_forget(struct engine *, uint8_t *used);
/* Takes over the zones of the same functions from an image that nobody runs any more. False: there
 * is none. */
bool engine_forget_revive(struct engine *, struct probed_image *);
/* The file of the image, or what is left of it. */
const struct image *engine_file(const struct engine *, const struct probed_image *);

/* engine_read: whether the image may contain zones. */
bool engine_read_wants(const struct engine *, const struct probed_image *);
/* Reads the unread images of dirty processes. */
void engine_read_new(struct engine *);
/* An error with a text if nothing matches a pattern and the capture has not begun. */
int engine_read_check(struct engine *);
/* Says that a pattern names a module which no process has mapped so far; NULL: none does. Owned by
 * the caller. */
char *engine_read_waiting(const struct engine *);

/* engine_guard: creates the guard (guard.h); after the keeper. */
void engine_guard_init(struct engine *);
/* Handles starts of translators and writes to files that have happened so far. */
void engine_guard_heed(struct engine *);
/* The image's file was or will be written to: it gets no probes any more; noted. */
void engine_guard_written(struct engine *, struct probed_image *);
/* @pid will run @command. */
void engine_guard_command(struct engine *, uint32_t pid, const char *command);
void engine_guard_tick(struct engine *);
/* Whether probes of @want are forbidden in the image; noted. */
bool engine_guard_forbids(struct engine *, struct probed_image *, const struct probe_set *want);
void engine_guard_release(struct engine *);

/* cost_limit: */
void cost_limit_release(struct engine *);

/* engine_decide: why return addresses in @p cannot be hijacked, as a clause owned by the caller;
 * NULL: they can. */
char *engine_decide_objection(const struct engine *, const struct probed_process *);
/* Whether to treat it as a process with coroutines before it runs any. */
bool engine_decide_coroutines(const struct engine *, const struct probed_process *);
/* WIRE_PROC_… for a process, from what is known of its code. */
uint32_t engine_decide_flags(const struct engine *, const struct probed_process *);
/* The probes for image @number, given the flags decided for its processes. */
struct probe_set engine_decide_probes(struct engine *, uint32_t number);
/* Whether the target is more than a list of processes. */
bool engine_is_for_all(const struct target *);

/* --- engine: the capture --- */

struct engine *engine_new(const struct engine_options *);
void engine_free(struct engine *);
/* Before engine_open(). */
static inline void engine_watch(struct engine *z, struct engine_watcher watcher)
{
	vec_push(&z->watchers, watcher);
}
/* What the session must load. */
const struct probe_request *engine_request(struct engine *);
/* The target's processes are known: attaches the probes. Errors with a text. */
int engine_open(struct engine *);
/* Calls count from here on. */
void engine_start(struct engine *);
/* Takes news from the programs. */
void engine_take(struct engine *, const struct wire_probe_news *);
/* No program runs any more, and the last record was taken. */
void engine_drained(struct engine *);

/* @pid's code may have changed: look at it when the zones are settled next. */
void engine_process(struct engine *, uint32_t pid);
/* @child was forked from @pid and has its code. */
void engine_fork(struct engine *, uint32_t pid, uint32_t child);
/* @pid will exec @command, whose code, as far as predictable, counts as @pid's from then on. */
void engine_command(struct engine *, uint32_t pid, const char *command);
/* The first thread of @pid has exited; unless it has other threads, so has the process. */
void engine_leader_exit(struct engine *, uint32_t pid);
/* @pid runs another program. */
void engine_exec(struct engine *, uint32_t pid);
/* A process, in the target or not, has exec'd another program; was forked from @pid; has ended.
 * Some programs are harmed by probes in others' files: see guard.h. */
void engine_program(struct engine *, uint32_t pid, uint64_t time_ns);
void engine_born(struct engine *, uint32_t pid, uint32_t child);
void engine_end(struct engine *, uint32_t pid, uint64_t time_ns);
/* Call at each tick. */
void engine_tick(struct engine *);

/* Whether there is something to settle. */
bool engine_unsettled(const struct engine *);
/* The number of functions with probes. */
size_t engine_count(const struct engine *);
/* Time that probes took from the target so far, with what is done at them, in ns. */
double engine_taken_ns(const struct engine *);

#endif
