/*
 * buildversion: which version a binary is of, by what stands in it or beside it. For captures
 * without --version-key.
 *
 * Without an epoch, "1:".
 *
 * 1. The binary's package note (section .note.package, as uapi-group.org/specifications/specs/
 *    package_metadata_for_executable_files has it): "version" of its JSON.
 * 2. The version of the Debian package that the file is of, by dpkg's own lists in /var/lib/dpkg,
 *    without its epoch.
 *
 * A worker process reads the binary, without any right (crew/crew.h): it is a stranger's. dpkg's
 * lists are root's own. A file that is not the build that ran, as in a container, says nothing.
 */
#ifndef SYMBOL_BUILDVERSION_H
#define SYMBOL_BUILDVERSION_H

#include "symbol/buildversion_read.h"

/* The binary @fd (-1: it cannot be had) at @path, of build-id @id in hex. @dpkg: dpkg's folder,
 * NULL for the usual one. */
void buildversion_find(int fd, const char *path, const char *id, const char *dpkg,
		       struct buildversion *out);

#endif
