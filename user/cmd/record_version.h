/*
 * record_version: finds a capture's version if the user gave none: see buildversion.h; else the
 * output of `git describe` in the program's folder; else the profile keeps the program's build-id.
 *
 * git runs as the user behind sudo, never as root, and works only in repositories of that user.
 */
#ifndef CMD_RECORD_VERSION_H
#define CMD_RECORD_VERSION_H

#include "model/profile.h"

struct opener;
struct buildversion;

/* What is known of the file at @path, if it is the build @id, on a local file system that answers.
 */
void record_version_find(struct opener *, const char *path, const char *id,
			 struct buildversion *out);
/* Sets the profile's version and its origin, if found. */
void record_version_set(struct profile *, struct opener *);

#endif
