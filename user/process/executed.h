/*
 * executed: the path by which a process's program was executed, where the kernel knows the file by
 * another: redis-server is a link to redis-check-rdb. For images alone.
 */
#ifndef PROCESS_EXECUTED_H
#define PROCESS_EXECUTED_H

#include <stdint.h>

#include "process/identity.h"

struct opener;

/* What is known of a program: a file that a process has mapped. */
struct executed_file {
	uint32_t pid;
	int root_fd;	  /* of the process, or -1: ours */
	const char *path; /* as the kernel has it */
	const char *comm; /* of the process */
	struct identity id;
};

/* The path by which @pid executed it, if that is the same file and has another name: owned by the
 * caller; NULL: the name is the same, or not known, or this is no program. */
char *executed_path(struct opener *, const struct executed_file *);

#endif
