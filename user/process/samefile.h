/*
 * samefile: whether two open files are one to the kernel, as probes and mappings see it. Through
 * overlayfs, as containers have it, a file of a lower layer has a device of its own in each mount,
 * and one that was copied up keeps its old number: what stat(2) says does not tell. Used by images
 * alone.
 */
#ifndef SYMBOL_SAMEFILE_H
#define SYMBOL_SAMEFILE_H

#include <stdbool.h>

/* By stat(2), or by whether their first bytes are the same page of memory. Where nobody may know
 * that (it takes CAP_SYS_ADMIN), files that overlayfs is about count as one. */
bool samefile(int a, int b);

#endif
