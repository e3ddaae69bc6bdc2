/*
 * perf_map: opens the file in which a process names the code that it made at run time. It lies in a
 * folder for all, or in one that the process has mounted itself, so that it may lead anywhere.
 */
#ifndef PROCESS_PERF_MAP_H
#define PROCESS_PERF_MAP_H

#include <stdint.h>

/* The user who started @pid, whatever it did to /proc since. UINT32_MAX: it has ended. */
uint32_t perf_map_user(uint32_t pid);

/*
 * /tmp/perf-PID.map below @root_fd (-1: our own root) of the process that calls itself @pid and is
 * @user's; -1: none. Only a regular file with one name that is no link, and that @user may read:
 * his own, or root's if all may read it (agents write such).
 */
struct opener;
int perf_map_open(struct opener *, int root_fd, uint32_t pid, uint32_t user);

#endif
