/*
 * guard: protects processes from probes. A probe is a breakpoint in a file and thus in every
 * process that maps the file, in the target or not. It would crash
 *
 * - programs that a binary translator runs (valgrind, qemu's user mode, DynamoRIO, Pin, box64). The
 *   translator reads the code of a program and runs a translated copy; it would translate the
 *   breakpoint too, and the program would die by SIGTRAP. While a translator runs, no library has
 *   probes for all processes, since the translator may load any, and no program that it maps has;
 *   for a while after its start, when it maps what it will run, no file at all has. If the
 *   translator's file was found at the start of the capture, or has been run since, its start waits
 *   until the probes are gone (fanotify(7), permission events for this file only: no other start
 *   waits). Any other start is seen a moment afterwards, which may be too late. A file that others
 *   than root and our caller can write to is a translator only when it is seen to make code: else
 *   whoever calls his program box64 would keep probes away.
 * - programs whose code is written into a probed file. The kernel keeps running the instruction
 *   that was at a probe's place when it was attached, even when the file holds other code. Whoever
 *   opens the file for writing waits until the probes are gone (fcntl(2), leases), if the file
 *   system has leases, the file was not open for writing before, and it is ours or we have
 *   CAP_LEASE.
 *
 * The loader uses the first half of this header, to know which translators run. The keeper, which
 * holds the probes, uses the second: it lets starts and writers wait.
 */
#ifndef PROBE_GUARD_H
#define PROBE_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

/* The start of a translator that had to wait. */
struct guard_start {
	uint64_t time_ns; /* CLOCK_MONOTONIC, before the keeper let it continue */
	uint32_t pid;	  /* 0: outside our PID namespace */
	int translator;	  /* guard_translator_of() its file */
};
typedef VEC(struct guard_start) guard_starts;

/* Identifies a file and its contents, which stay the same until it is written to. */
struct guard_file {
	dev_t dev;
	ino_t inode;
	off_t size;
	int64_t modified_ns;
};
typedef VEC(struct guard_file) guard_writes;

/* All 0 if the kernel does not tell. */
struct guard_file guard_file_of(int fd);
bool guard_file_is(const struct guard_file *, const struct guard_file *);

/* --- translators as files (guard_installed.c) ------------------------------------------------- */

/* The number of the translator whose program file has the base name of @path; -1: none. */
int guard_translator_of(const char *path);
/* "valgrind". */
const char *guard_translator_name(int number);
/* Whether its name can be believed: nobody but root and our caller can write to the file, which is
 * on a local mount. */
struct opener;
struct opener_answer;
bool guard_is_trusted(const struct opener_answer *);
/* Calls @each with the file of every translator installed, of a name that can be believed, below
 * @root_fd (-1: our own root), in the usual folders and, below our own root, those of our PATH.
 * What is on mounts that do not answer is not found. */
void guard_each_installed(struct opener *, int root_fd, void (*each)(void *context, int fd),
			  void *context);

/* --- in the loader: translators that run (guard.c) -------------------------------------------- */

struct guard;
/* @watch asks the keeper to call guard_watch_start(). The opener is borrowed. Never NULL. */
struct guard *guard_new(struct opener *, void (*watch)(void *context, int fd), void *context);
void guard_free(struct guard *);

/* Call at the start of a capture: finds the translators that are installed and those that run. */
void guard_begin(struct guard *);
/* As roots_of() for @pid; watches the translators below a root that is met for the first time. */
int guard_root_of(struct guard *, uint32_t pid);

/* Events of processes, in the target or not. @pid will run @command; has exec'd another program;
 * had to wait before it did; was forked from @parent; has ended. guard_tick() reads again which
 * files translators map. True: guard_reader() may give other answers than before. */
bool guard_command(struct guard *, uint32_t pid, const char *command);
bool guard_exec(struct guard *, uint32_t pid, uint64_t time_ns);
bool guard_started(struct guard *, const struct guard_start *);
bool guard_born(struct guard *, uint32_t parent, uint32_t pid);
bool guard_exit(struct guard *, uint32_t pid, uint64_t time_ns);
bool guard_tick(struct guard *);

/* A translator that runs. */
struct guard_reader {
	uint32_t pid;
	int translator;
};
/* Which translator would read the probes in the file with @inode, a program or a library, if they
 * are for process @pid only (0: for all processes). NULL: none. Valid until the next event. */
const struct guard_reader *guard_reader(const struct guard *, uint64_t inode, bool is_program,
					uint32_t pid);

/* --- in the keeper: who waits (guard_watch.c) ------------------------------------------------- */

struct guard_leased {
	struct guard_file file;
	int fd;
};
struct guard_watch {
	int starts, writers; /* poll(2) these; -1: the kernel does not permit watching */
	VEC(struct guard_leased) leases;
	/* Detach the probes; called before the waiting process continues. */
	void (*starting)(void *context, const struct guard_start *);
	void (*writing)(void *context, const struct guard_file *);
	void *context;
};

/* Opens what is polled. The caller has set the callbacks. Closed when the process ends. */
void guard_watch_open(struct guard_watch *);
/* From then on the start of the program in the file @fd waits. */
void guard_watch_start(const struct guard_watch *, int fd);
/* From then on a process that opens the file @fd for writing waits. -EAGAIN without a text: one has
 * it open for writing. */
int guard_watch_lease(struct guard_watch *, int fd);
/* From then on it does not wait. */
void guard_watch_unlease(struct guard_watch *, const struct guard_file *);
/* Call when readable: calls back for each waiting process, and lets it continue. */
void guard_watch_let_start(const struct guard_watch *);
void guard_watch_let_write(struct guard_watch *);
/* Whether @fd leaves too few free descriptors: without one the kernel would refuse the start that
 * it asks us about. */
bool guard_watch_is_last(int fd);

#endif
