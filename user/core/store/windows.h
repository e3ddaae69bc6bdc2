/*
 * windows: the files of later windows that stand behind the first one in one file. For
 * store_load().
 */
#ifndef STORE_WINDOWS_H
#define STORE_WINDOWS_H

#include "model/profile.h"

/* Takes the profile of the first, in *@p, for that of all: itself where there are no others. A
 * window that is not whole is the last one, as of a capture that was killed while it wrote; it is
 * left out, and the ledger says so. Where it fails, *@p is freed. */
int windows_load(const char *path, struct profile **p);

#endif
