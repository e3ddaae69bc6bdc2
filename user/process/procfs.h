/*
 * procfs: what /proc says about one process: its executable mappings, threads, names, cgroup. Used
 * by procs. The target chooses the texts (names may hold anything).
 */
#ifndef PROCESS_PROCFS_H
#define PROCESS_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCFS_COMM 16

/* No real pid: stands for processes outside of our PID namespace. */
#define PROCFS_OUTSIDE UINT32_MAX

/* One line of /proc/PID/maps. */
struct procfs_mapping {
	uint64_t start, end, file_offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *path; /* unescaped; "" for anonymous memory; valid during the call */
	bool executable;
};

/* The number under which /proc shows @pid's memory, files and namespaces: its own, or, if its main
 * thread has exited, that of a thread that still lives. */
uint32_t procfs_living(uint32_t pid);
/* "/proc/NUMBER/FILE" with that number; the caller's to free. */
char *procfs_path(uint32_t pid, const char *file);

/* For processes that cannot block us, like this one; see mappings_read() for others. Calls @each
 * for every executable mapping, in order of address. -ESRCH (no text) if it cannot be read;
 * malformed lines are skipped; reading ends after 16 MiB. */
int procfs_maps(uint32_t pid, void (*each)(void *context, const struct procfs_mapping *),
		void *context);
/* Parses one line of /proc/PID/maps, and overwrites it; false: it is malformed. */
bool procfs_parse_mapping(char *line, struct procfs_mapping *out);

/* Calls @each for every thread. -ESRCH (no text). */
int procfs_threads(uint32_t pid, void (*each)(void *context, uint32_t tid), void *context);
/* The number of its threads; 0: it has ended. */
size_t procfs_count_threads(uint32_t pid);
/* Calls @each for every process. */
int procfs_processes(void (*each)(void *context, uint32_t pid), void *context);

/* False in a container, where processes have other numbers than in the kernel's records. */
bool procfs_in_first_namespace(void);
/* Whether /proc shows processes by their numbers in our PID namespace. */
bool procfs_is_own(void);

/* The process's number in its own PID namespace. */
uint32_t procfs_namespace_pid(uint32_t pid);
/* The process of a thread; 0: it is gone. */
uint32_t procfs_process_of(uint32_t tid);
/* The text of /proc/PID/status; the caller frees it; NULL: the process is gone. */
char *procfs_status(uint32_t pid);
/* What follows @key and a tab in such a text, to its end; NULL: the key is missing. */
const char *procfs_field(const char *status, const char *key);
/* The thread's name; "" if it is gone. */
void procfs_comm(uint32_t pid, uint32_t tid, char comm[PROCFS_COMM]);
/* The path of its v2 cgroup, "" if unknown; the caller frees it. */
char *procfs_cgroup(uint32_t pid);

#endif
