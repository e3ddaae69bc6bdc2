/*
 * answers: finds out whether the file system of a file answers. A network's or FUSE's may never
 * answer, and no signal ends a process that waits for it.
 */
#ifndef BASE_ANSWERS_H
#define BASE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Texts about one that does not. */
#define ANSWERS_SILENT "on a mount that does not answer"
#define ANSWERS_NOT    "lies " ANSWERS_SILENT

/* A child calls stat(2) on @path, and opens nothing. -ETIMEDOUT with a text if that takes more than
 * 10 s. Else 0, also if there is no such file: then *@absent (may be NULL) is true. */
int answers(const char *path, bool *absent);

/* Asks again and again while another process works at the file. Zeroed but for @path, which is
 * borrowed; NULL: nothing is asked. */
struct answers_watch {
	const char *path;
	pid_t child;	 /* the one that asks now; 0: none */
	uint64_t due_ns; /* when the child must have answered, or the next one is started */
};

/* To be called several times a second; never waits. True: no answer came for 10 s. */
bool answers_no_more(struct answers_watch *);
void answers_watch_end(struct answers_watch *);

#endif
