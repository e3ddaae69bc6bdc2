/*
 * answers: whether the file system of a file answers at all. One on the network, or a server of
 * somebody's (FUSE), may never do so, and who waits for it can be ended by no signal.
 */
#ifndef BASE_ANSWERS_H
#define BASE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is said of one that does not. */
#define ANSWERS_SILENT "on a mount that does not answer"
#define ANSWERS_NOT    "lies " ANSWERS_SILENT

/* Asks in a child what @path is, and opens nothing. -ETIMEDOUT with a text: that took more than
 * 10 s. Else 0, also where there is no such file; @absent, which may be NULL, says that. */
int answers(const char *path, bool *absent);

/* The same again and again, while another process works at the file. Zeroed but for @path, which is
 * borrowed; NULL: nothing is asked. */
struct answers_watch {
	const char *path;
	pid_t child;	 /* that asks just now; 0: none */
	uint64_t due_ns; /* when it has to have an answer, or the next one asks */
};

/* To be called several times a second. True: there was no answer for 10 s. Waits for nothing. */
bool answers_no_more(struct answers_watch *);
void answers_watch_end(struct answers_watch *);

#endif
