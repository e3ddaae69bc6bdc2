/*
 * perfmap: names of JIT code, from the lines "START SIZE name" (hexadecimal; blanks or tabs
 * between, and perhaps a CR at the end) that a JIT writes to /tmp/perf-PID.map. Read once, line by
 * line: memory grows with what is wanted, not with the file. If entries overlap, the later line is
 * newer code, and wins.
 */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

struct perfmap_stats {
	uint64_t lines, bad_lines;
	uint64_t first_bad; /* line number, from 1; 0: none */
};

/*
 * Sets names[i] (owned by the caller; NULL or an older name before) for each of the ascending
 * @addresses that an entry covers. Reads @fd from its beginning, up to a limit.
 */
void perfmap_find(int fd, const uint64_t *addresses, size_t n, char **names,
		  struct perfmap_stats *stats);
/* Calls @each with every name, NUL-terminated, valid during the call. */
void perfmap_names(int fd, void (*each)(void *context, const char *name), void *context);

#endif
