/*
 * opener_source: opens a file that a target's debug information names as source text. The target
 * chooses the name and the folder, so what they lead to is looked at, not what they are called.
 */
#ifndef PROCESS_OPENER_SOURCE_H
#define PROCESS_OPENER_SOURCE_H

#include <stddef.h>

/*
 * An O_PATH descriptor of @path below @root_fd (-1: our own root), whose first @folder bytes are
 * the folder that it must lie in when links are resolved. -EACCES: it does not, has not the suffix
 * of a source file, a name on the way to it begins with a dot, or the folder is one of the
 * system's, or of a user's whole home (@home, in that root; may be NULL), or holds that. Other
 * negative errnos of open(2). No text.
 */
int opener_source(int root_fd, const char *path, size_t folder, const char *home);

#endif
