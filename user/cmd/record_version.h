/*
 * record_version: finds a capture's version if the user gave none: see buildversion.h; else the
 * output of `git describe` in the program's folder; else the profile keeps the program's build-id.
 *
 * git runs as the user behind sudo, never as root, and works only in repositories of that user.
 */
#ifndef CMD_RECORD_VERSION_H
#define CMD_RECORD_VERSION_H

#include "model/profile.h"

/* Sets the profile's version and its origin, if found. */
struct opener;
void record_version_set(struct profile *, struct opener *);

#endif
