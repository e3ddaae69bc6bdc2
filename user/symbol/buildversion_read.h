/*
 * buildversion_read: reads a binary's package note in this process, which must have no rights.
 */
#ifndef SYMBOL_BUILDVERSION_READ_H
#define SYMBOL_BUILDVERSION_READ_H

#include <stddef.h>
#include <stdint.h>

#define BUILDVERSION_BYTES 128

struct buildversion {
	char version[BUILDVERSION_BYTES]; /* "": unknown */
	char origin[BUILDVERSION_BYTES];  /* "package note", "Debian package sqlite3" */
	uint32_t is_there;		  /* the file at the path is the build that ran */
};

/* Reads the binary @fd; negative: none. @id: the build-id in hex. */
void buildversion_read(int fd, const char *id, struct buildversion *out);

/* Stores a version of @n bytes without its epoch ("1:"), which orders packages and is not what
 * people call the version; ignored if too long. */
void buildversion_put(struct buildversion *out, const char *version, size_t n);

#endif
