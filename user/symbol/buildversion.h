/*
 * buildversion: finds the version of a binary, for captures without --version-key, from:
 *
 * 1. the binary's package note (section .note.package, as in
 *    uapi-group.org/specifications/specs/package_metadata_for_executable_files): "version" of
 *    its JSON;
 * 2. dpkg's lists in /var/lib/dpkg: the version of the Debian package that owns the file.
 *
 * Both without an epoch ("1:"). A worker process without any rights reads the binary (crew/crew.h),
 * which is untrusted; dpkg's lists belong to root. A file that is not the build that ran (as with a
 * container's path) is ignored.
 */
#ifndef SYMBOL_BUILDVERSION_H
#define SYMBOL_BUILDVERSION_H

#include "symbol/buildversion_read.h"

/* Fills *@out for the binary @fd (-1: not available) at @path, with build-id @id in hex. @dpkg:
 * dpkg's folder, NULL for the usual one. */
void buildversion_find(int fd, const char *path, const char *id, const char *dpkg,
		       struct buildversion *out);

/* The Debian package that owns @path, "libssl3:amd64": the caller frees it; NULL: none does. @dpkg:
 * as above. Reads nothing but dpkg's lists. */
char *buildversion_package(const char *path, const char *dpkg);

#endif
