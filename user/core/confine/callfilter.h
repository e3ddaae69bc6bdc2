/*
 * callfilter: limits the system calls of a confined process by seccomp(2). Used by confine, and to
 * say what a kernel offers.
 *
 * It is a list of allowed calls by kind of process: those that the C library, libelf, libdw, HDF5,
 * zlib, cairo, pango, glib and fontconfig of Debian 12 make, as strace(1) showed for all commands
 * and formats, and similar ones that other releases make instead. Limits are read and not set (but
 * a reader sets the soft one of CPU time), signals go to the process itself, and no memory is
 * executable, both shared and anonymous, or of huge pages.
 *
 * All other calls fail with ENOSYS: a newer library that tries a new call takes the kernel for an
 * old one and does without, where killing the process would make every update a crash.
 */
#ifndef CONFINE_CALLFILTER_H
#define CONFINE_CALLFILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Each becomes nobody if it may. */
enum confine_kind {
	/* Parses ELF, DWARF, maps and sources: has descriptors and memory. Opens no path, keeps no
	 * file, no lock and no child. */
	CONFINE_READER,
	/* Reads profiles and draws: opens fonts and the like, has threads, packets by @socket. */
	CONFINE_REPORT,
	/* Reads no stranger's byte: takes packets from the loader and forks readers. Opens no path.
	 */
	CONFINE_SERVER,
	/* Another program that reads a stranger's file: becomes @program by one execveat(2), may
	 * open libraries and @input, has threads, and writes to the descriptors it was given. */
	CONFINE_TOOL,
	CONFINE_KINDS,
};

struct confine_terms {
	enum confine_kind kind;
	int socket;	       /* the only one to send and receive packets at; -1: none */
	uint64_t memory_bytes; /* most data */
	uint64_t file_bytes;   /* most bytes of a file that it writes */
	unsigned int cpu_s;    /* most CPU time in its life; 0: no limit */
	/* Of a tool: open descriptors. @program has the highest number and O_CLOEXEC: no file that
	 * the tool opens later gets that number, so it can run nothing else. */
	int program, input;
};

/* Whether this kernel has seccomp. */
bool callfilter_is_there(void);

/* Allows only these calls from now on, packets only at the process's socket, and to a tool its
 * program. 0, also without seccomp, or -errno with a text. Needs PR_SET_NO_NEW_PRIVS. */
int callfilter_set(const struct confine_terms *);

#endif
