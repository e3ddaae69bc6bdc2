/*
 * zone_state: what the zones of a capture keep in mind. For probe/ and the source of zones.
 */
#ifndef PROBE_ZONE_STATE_H
#define PROBE_ZONE_STATE_H

#include "base/hash.h"
#include "base/vec.h"
#include "elf/translator.h"
#include "probe/keeper.h"
#include "probe/own_code.h"
#include "probe/zone_governor.h"
#include "probe/zones.h"

/* A process of the target. */
struct zone_process {
	uint32_t pid;
	uint32_t flags;		   /* WIRE_PROC_…, as the kernel has them */
	VEC(uint32_t) images;	   /* numbers in zones.at: whose code it maps */
	bool foreign;		   /* runs calls off its threads' stacks */
	bool dirty;		   /* to be looked at */
	bool told;		   /* the kernel knows it */
	uint32_t code_seen;	   /* of its code: see wire_zone_proc */
	uint32_t code_told;	   /* as the kernel has it */
	bool before_exec;	   /* its images are those of the program that it will run */
	uint64_t unknown_until_ns; /* its code may not all be known before that: CLOCK_MONOTONIC */
	uint32_t wants;	 /* flags as last decided, whether the kernel has them yet or not */
	bool leaderless; /* its first thread has exited; it is looked whether others run */
	bool ended;
	bool missed;  /* it was noted that calls may be missing */
	bool refused; /* it was said that it cannot have what --zone-exit asks for */
};

/* A part of a file that a translator reads as code. */
struct zone_reads {
	uint64_t inode, from, to;
};

/* A process, of the target or not, that translates the code of the program it runs. */
struct zone_translator {
	uint32_t pid;
	const struct translator *is;
	uint64_t begun_ns; /* the program: CLOCK_MONOTONIC; 0: before the capture */
	uint64_t held_ns;  /* its start waited for us then; 0: it did not */
	VEC(struct zone_reads) reads;
};

/* Where translators' files were looked for. */
struct zone_watch {
	struct roots *roots;
	struct map folders; /* hashes of root and folder */
};

/* Of what cannot be told in a row. */
struct zone_note {
	char *text; /* owned */
	uint64_t n;
};

/* What zones cost the target, and what is done about it. */
struct zone_limit {
	struct governor governor;
	VEC(struct governed) zones; /* by number */
	bool told;		    /* what they cost */
	bool warned;
	unsigned int over, said; /* judgements above what is warned of, on end; lines said */
};

struct zones {
	struct zones_input in;
	struct probe_request request; /* of the session */
	struct keeper *keeper;	      /* of the probes; NULL before they are attached */
	struct own_code own;
	struct zone_tools tools;	      /* these, and the session's maps */
	VEC(struct zone_image *) at;	      /* owned */
	struct map by_image;		      /* number in images → in at */
	VEC(struct zone_process *) processes; /* that run */
	VEC(struct zone_process *) met;	      /* all, owned; of one pid the last */
	struct map by_pid;		      /* → in met */
	bool unsettled;			      /* processes are dirty */
	bool counting;			      /* the capture has begun */
	VEC(uint32_t) thread_of; /* number of a thread in the kernel → in procs; NO_THREAD */
	VEC(struct zone_note) notes;
	VEC(struct zone_translator) translators;
	VEC(const struct translator *) judged; /* programs; NULL: none */
	struct map programs;		       /* file → in judged */
	struct zone_watch watch;
	struct zone_limit limit;
	char *forbidden;   /* the first thing that they forbade; owned */
	uint32_t used;	   /* zone numbers given out */
	uint64_t too_many; /* zones that found no number */
	int64_t attach_ns; /* wall time spent on it */
	bool keeper_gone;  /* and it was said */
};
#define NO_THREAD UINT32_MAX

/* zones: for the ledger; counts how often it is said. */
void zone_note(struct zones *, const char *text);

/* zone_settle: reads new images, decides how calls end in each process, attaches probes. What
 * cannot be attached is noted: only at the start (@first) are errors returned, and patterns that
 * match nothing. */
int zone_settle_all(struct zones *, bool first);
/* The process has, or will have, calls off its threads' stacks. */
void zone_runs_coroutines(struct zones *, struct zone_process *);

/* zone_named: finds the files that patterns name, and hangs their probes. */
void zone_named_find(struct zones *);
int zone_named_hang(struct zones *);

/* Hangs what should hang in image @number. Errors with a text, but for -EAGAIN: news of translators
 * come first. */
int zone_hang(struct zones *, uint32_t number);
/* The same after those. */
int zone_hang_anew(struct zones *, uint32_t number);

/* zone_process: */
/* The image's number in zones.at; it is made, unread, where it is new. */
uint32_t zone_number_of(struct zones *, uint32_t image);
struct zone_process *zone_process_of(struct zones *, uint32_t pid);
/* Adds the files that it maps now to its images. */
void zone_process_gather(struct zones *, struct zone_process *);
/* All code of @pid is known that it got before the kernel counted to @code. */
void zone_process_saw_code(struct zones *, uint32_t pid, uint32_t code);
/* Notes, of what runs meanwhile, that its first calls may be missing. */
void zone_process_ran_before(struct zones *, struct zone_process *);
/* Of the images that were read. */
bool zone_process_has_zones(const struct zones *, const struct zone_process *);

/* zone_read: whether there may be zones in the image. */
bool zone_read_wants(const struct zones *, const struct zone_image *);
/* Reads the images of dirty processes that were not read yet. */
void zone_read_new(struct zones *);
/* Patterns that nothing matches are an error while nothing is captured yet. With a text. */
int zone_read_check(struct zones *);
/* That a pattern asks for a module which no process has mapped so far; NULL: none does. The caller
 * owns it. */
char *zone_read_waiting(const struct zones *);

/* zone_watch: before what runs is looked at. */
void zone_watch_init(struct zones *);
/* Looks where @pid looks for programs; @runs: also where others with its root were seen already. */
void zone_watch_process(struct zones *, uint32_t pid, bool runs);
void zone_watch_release(struct zones *);

/* zone_guard: the translators that run now. */
void zone_guard_find(struct zones *);
/* The start of the program in the file @fd is to wait where it is a translator. */
void zone_guard_watch(struct zones *, int fd);
/* Takes in which translators have started, and which files are written to, as of now. */
void zone_guard_heed(struct zones *);
/* The image's file holds something else, or will: it gets no probes any more; noted. */
void zone_guard_written(struct zones *, struct zone_image *);
/* @pid will run @command. */
void zone_guard_command(struct zones *, uint32_t pid, const char *command);
void zone_guard_tick(struct zones *);
/* Whether what @want says must not hang in the image; noted. */
bool zone_guard_forbids(struct zones *, struct zone_image *, const struct zone_hanging *want);
void zone_guard_release(struct zones *);

/* zone_decide: why return addresses in @p cannot be hijacked, a clause for the caller to free;
 * NULL: they can. */
char *zone_decide_objection(const struct zones *, const struct zone_process *);
/* Whether it is to be taken for one that runs coroutines before it does. */
bool zone_decide_coroutines(const struct zones *, const struct zone_process *);
/* WIRE_PROC_… for a process by what is known of its code. */
uint32_t zone_decide_flags(const struct zones *, const struct zone_process *);
/* What should hang in image @number, once processes have the flags that are decided on. */
struct zone_hanging zone_decide_probes(struct zones *, uint32_t number);
/* Its processes are not named one by one. */
bool zone_is_for_all(const struct target *);

#endif
