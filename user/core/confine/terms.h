/*
 * terms: what kind of process is confined, and how much it may have.
 */
#ifndef CONFINE_TERMS_H
#define CONFINE_TERMS_H

#include <stdint.h>

/* Each becomes nobody where it may. */
enum confine_kind {
	/* Parses ELF, DWARF, maps and sources: has descriptors and memory. Opens no path, keeps no
	 * file, no lock and no child. */
	CONFINE_READER,
	/* Reads profiles and draws: opens fonts and the like, has threads, packets by @socket. */
	CONFINE_REPORT,
	/* Reads no stranger's byte: takes packets from the loader and forks readers. Opens no path.
	 */
	CONFINE_SERVER,
	/* Another's program that reads a stranger's file: becomes @program by one execveat(2), may
	 * open libraries and @input, has threads, and writes to what it was given. */
	CONFINE_TOOL,
	CONFINE_KINDS,
};

struct confine_terms {
	enum confine_kind kind;
	int socket;	       /* the only one to send and receive packets at; -1: none */
	uint64_t memory_bytes; /* that it may have for data */
	uint64_t file_bytes;   /* up to which it may write into a file */
	unsigned int cpu_s;    /* of CPU time in its life; 0: no limit */
	/* Of a tool: open descriptors, the first behind all others, and with O_CLOEXEC: no file
	 * that it opens later gets that number, so it is the only one to be run. */
	int program, input;
};

#endif
