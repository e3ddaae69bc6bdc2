/*
 * samefile: whether two descriptors refer to the same inode, as probes and mappings see it. Under
 * overlayfs, in containers, a file of a lower layer has another device number in each mount, and
 * one that was copied up keeps its old number, so stat(2) does not tell. Used by images
 * alone.
 */
#ifndef SYMBOL_SAMEFILE_H
#define SYMBOL_SAMEFILE_H

#include <stdbool.h>

/* By stat(2), or by whether their first bytes are the same page of memory. Where nobody may know
 * that (it takes CAP_SYS_ADMIN), files that overlayfs is about count as one. */
bool samefile(int a, int b);

#endif
