/*
 * process: the processes of a capture, and what each one executed; and which system calls their
 * threads made. A thread (model/profile.h) belongs to the process with its pid and born_ns.
 */
#ifndef MODEL_PROCESS_H
#define MODEL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct profile;

/* How a process ended. Stored: append only. */
enum process_end {
	PROCESS_LIVES,	/* it had not ended when the capture did */
	PROCESS_EXITED, /* status: what it exited with */
	PROCESS_KILLED, /* status: the number of the signal */
	PROCESS_ENDED,	/* it is unknown how */
	PROCESS_ENDS
};

/* A process from its birth to its end. All times are ns since the start of the capture. */
struct process {
	uint32_t pid;
	uint32_t parent;  /* pid of the process that it was forked from, or, of one that was there
			     before the capture, that it belonged to then; 0: unknown, or none */
	uint64_t born_ns; /* 0: it was there before the capture */
	uint64_t exec_ns; /* when it executed `command`; 0: before the capture, or it never did and
			     has the command of its parent */
	uint64_t end_ns;  /* 0: it lived, or it is unknown when it ended */
	uint8_t end;	  /* enum process_end */
	uint32_t status;
	/* The last command line, or the title that the process gave itself: arguments with spaces
	 * between them, as str_clean() makes it; a kernel thread's name in brackets. "": unknown.
	 */
	uint32_t command;
	uint64_t command_bytes; /* the length of all arguments: longer than `command` if that was
				   cut; 0: unknown */
	uint8_t cut;		/* `command` is only the beginning */
};

/* How often a thread made which system call, how long these took, and how they failed. */
struct syscall_sum {
	uint32_t thread;  /* row of threads */
	uint32_t call;	  /* its name, a string: "read"; of i386 "read (i386)"; "syscall 999" */
	uint32_t error;	  /* errno; 0: it succeeded */
	int64_t calls;	  /* that returned … */
	int64_t untimed;  /* … of which these had begun before the capture */
	int64_t total_ns; /* from entry to return, of those that were timed */
	int64_t most_ns;  /* the longest */
	/* Calls that did not return: in which the thread was at the end, or ended; and their time
	 * until then. */
	int64_t open, open_ns;
};

/* Finds the processes of a profile, which is borrowed and must not change meanwhile. */
struct process_index {
	const struct profile *p;
	struct map rows;
};

void process_index_init(struct process_index *, const struct profile *);
void process_index_release(struct process_index *);
/* The process of a thread; NULL: the profile does not have it. */
const struct process *process_find(const struct process_index *, uint32_t pid, uint64_t born_ns);

/* The command line for people: "cc1 -O2 x.c", of one that was cut with "…" behind it. Freed by the
 * caller. */
char *process_command(const struct profile *, const struct process *);

#endif
