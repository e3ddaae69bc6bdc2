/*
 * buildversion_read: what buildversion.h says, read in this process: only for one without rights.
 */
#ifndef SYMBOL_BUILDVERSION_READ_H
#define SYMBOL_BUILDVERSION_READ_H

#include <stdint.h>

#define BUILDVERSION_BYTES 128

struct buildversion {
	char version[BUILDVERSION_BYTES]; /* "" unknown */
	char origin[BUILDVERSION_BYTES];  /* "package note", "Debian package sqlite3" */
	uint32_t is_there;		  /* the file at the path is that build */
};

/* Of the binary @fd, negative: of none, which is at @path; the other arguments are those of
 * buildversion_find(). */
void buildversion_read(int fd, const char *path, const char *id, const char *dpkg,
		       struct buildversion *out);

#endif
