/*
 * record_packages: which debug packages would name the functions that a capture could not: see
 * RUN_DEBUG_PACKAGES.
 */
#ifndef CMD_RECORD_PACKAGES_H
#define CMD_RECORD_PACKAGES_H

#include "base/str.h"
#include "model/profile.h"

/* "libssl3-dbgsym" for the Debian package "libssl3:amd64". */
void packages_add_debug(struct str *, const char *package);

struct opener;
void record_packages_set(struct profile *, struct opener *);

#endif
