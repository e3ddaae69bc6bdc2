/*
 * procfs: what /proc says of one process: its executable mappings, threads, names, cgroup. Used
 * by procs. The texts are the target's own to choose (names may hold anything).
 */
#ifndef PROCESS_PROCFS_H
#define PROCESS_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

#define PROCFS_COMM 16

/* No process's number: stands for one that our PID namespace does not have. */
#define PROCFS_OUTSIDE UINT32_MAX

/* One line of /proc/PID/maps. */
struct procfs_mapping {
	uint64_t start, end, file_offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *path; /* unescaped; "" for anonymous memory; valid during the call */
	bool executable;
};

/* The number by which /proc tells of @pid's memory, files and namespaces: its own or, where its
 * first thread has exited before the others, that of one which lives. */
uint32_t procfs_living(uint32_t pid);
/* "/proc/NUMBER/FILE" with that number; the caller's to free. */
char *procfs_path(uint32_t pid, const char *file);

/* Of a process that answers, as this one does; see mappings.h for others. Calls @each for every
 * executable mapping, in order of address. -ESRCH (no text) when it cannot
 * be read; lines that make no sense are passed over; reading ends after 16 MiB. */
int procfs_maps(uint32_t pid, void (*each)(void *context, const struct procfs_mapping *),
		void *context);
/* The mapping of one line of such a text, which is overwritten; false: it makes no sense. */
bool procfs_parse_mapping(char *line, struct procfs_mapping *out);

/* Calls @each for every thread. -ESRCH (no text). */
int procfs_threads(uint32_t pid, void (*each)(void *context, uint32_t tid), void *context);
/* Calls @each for every process. */
int procfs_processes(void (*each)(void *context, uint32_t pid), void *context);

/* Whether our PID namespace is the first: not so in a container, where processes have other numbers
 * than the kernel's own. */
bool procfs_in_first_namespace(void);
/* Whether /proc shows processes by the numbers that they have in our PID namespace. */
bool procfs_is_own(void);

/* Its number in its own PID namespace. */
uint32_t procfs_namespace_pid(uint32_t pid);
/* All of /proc/PID/status, the caller's to free; NULL: the process is gone. */
char *procfs_status(uint32_t pid);
/* What stands behind @key and a tab in such a text, and all that follows; NULL: nothing. */
const char *procfs_field(const char *status, const char *key);
/* The thread's name, "" where it is gone. */
void procfs_comm(uint32_t pid, uint32_t tid, char comm[PROCFS_COMM]);
/* The v2 cgroup path, "" unknown; the caller's to free. */
char *procfs_cgroup(uint32_t pid);

#endif
