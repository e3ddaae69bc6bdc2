/*
 * record_version: the version of a capture whose user named none: see buildversion.h; else what
 * `git describe` says of the folder that holds the program; else its build-id, which the profile
 * has already.
 *
 * git runs as the user behind sudo, never as root, and by itself only in repositories of that user.
 */
#ifndef CMD_RECORD_VERSION_H
#define CMD_RECORD_VERSION_H

#include "model/profile.h"

/* Sets the profile's version and where it is from, if it is found. */
struct opener;
void record_version_set(struct profile *, struct opener *);

#endif
