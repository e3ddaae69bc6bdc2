/*
 * confine: drops, irrevocably, all rights of this process with which it could do harm, before it
 * parses an untrusted file.
 */
#ifndef SYMBOL_CONFINE_H
#define SYMBOL_CONFINE_H

#include <stddef.h>
#include <stdint.h>

/* Closes all descriptors but 0 to 2 and the @n in @keep, which it sorts. */
void confine_close(int *keep, size_t n);

/*
 * No capabilities, no user but nobody (where the kernel lets us), no new privileges, no children,
 * no core file, no descriptor but the @n in @keep (sorted here), at most @memory_bytes of memory
 * and @output_bytes of any file. Dies with its parent; leaves ending to it (SIGINT is ignored).
 * 0, or a negative errno (no text): then go no further.
 */
int confine(int *keep, size_t n, uint64_t memory_bytes, uint64_t output_bytes);

/* From now on @seconds of CPU time, then SIGXCPU ends the process. */
void confine_cpu(unsigned int seconds);

#endif
