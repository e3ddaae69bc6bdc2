/*
 * as_owner: runs what parses a file that others may have written in a child with that file's
 * owner's rights and no capabilities: what a hostile file makes of the library that reads it cannot
 * become more than its owner is. A crash of the child is an error like any other.
 */
#ifndef CMD_AS_OWNER_H
#define CMD_AS_OWNER_H

#include "base/str.h"

/*
 * Calls @fn with @path and @arg, and returns what it returns, with its text. A file that is not
 * there yet is trusted: @fn is called in this process. -EIO with a text where the child dies. What
 * @fn changes in memory is not seen here.
 */
int cmd_as_owner(const char *path, int (*fn)(const char *path, const void *arg), const void *arg);

/*
 * The same for what only reads the file, and has something to tell: the bytes that @fn adds to
 * @out, at most AS_OWNER_BYTES, are added to @out here. They are the child's word, and to be
 * trusted no more than the file.
 */
#define AS_OWNER_BYTES (64u << 20)
typedef int as_owner_read(const char *path, const void *arg, struct str *out);
int cmd_read_as_owner(const char *path, as_owner_read *fn, const void *arg, struct str *out);

#endif
