/*
 * lifebook: the processes of a capture from birth to end, with their command lines. What it holds
 * is bounded by the processes of a window, and by the limits below. For source/processes.c.
 */
#ifndef BOOK_LIFEBOOK_H
#define BOOK_LIFEBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/process.h"

/* Processes and bytes of different command lines, at most, at a time. */
#define LIFEBOOK_ROWS  (64u << 10)
#define LIFEBOOK_BYTES (16u << 20)

/* A process; times are of CLOCK_MONOTONIC, 0 as in struct process. */
struct life {
	uint32_t pid, parent;
	uint64_t born_ns, exec_ns, end_ns;
	uint64_t exit_ns;	  /* when a thread of it last exited */
	uint32_t status, command; /* command: in texts */
	uint64_t command_bytes;
	uint8_t end; /* enum process_end */
	bool cut;
	bool known;	  /* the command line; false: it is to be read */
	bool leader_gone; /* its main thread has exited */
	bool over;	  /* ended, and in the window that is being written, or in none */
};

struct lifebook {
	VEC(struct life) rows;
	struct map latest; /* pid → rows */
	struct intern texts;
	bool no_commands; /* command lines are not asked for */
	/* When counting started: who ended before that, while the capture was being set up, is none
	 * of its processes. UINT64_MAX: it has not. */
	uint64_t start_ns;
	/* Since the start of the capture: */
	uint64_t left_out;	    /* processes without a row */
	uint64_t commands_left_out; /* command lines of those with one */
	uint64_t unread;	    /* processes that ended before their command line was read */
};

void lifebook_release(struct lifebook *);

/* The process that has that pid now; NULL: there is no row. Valid until the next is added. */
struct life *lifebook_living(const struct lifebook *, uint32_t pid);
/* The same, added if there is none; NULL: there is no room. */
struct life *lifebook_add(struct lifebook *, uint32_t pid, uint64_t born_ns);
/* A process that was born. */
void lifebook_birth(struct lifebook *, uint32_t parent, uint32_t pid, uint64_t born_ns);
/* Sets its command line: @text is cleaned (str_clean()). @bytes, @cut: see struct process. */
void lifebook_command(struct lifebook *, struct life *, const char *text, uint64_t bytes, bool cut);
/* It has executed a program whose command line is to be read. */
void lifebook_exec(struct life *, uint64_t time_ns);
/* @unread: its command line had been to be read. */
void lifebook_end(struct lifebook *, struct life *, enum process_end, uint32_t status,
		  uint64_t time_ns);

/* To be called once rows were removed. */
void lifebook_index(struct lifebook *);
/* Forgets processes that are over. */
void lifebook_forget(struct lifebook *);

#endif
