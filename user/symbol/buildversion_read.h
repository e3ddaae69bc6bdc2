/*
 * buildversion_read: what buildversion.h says, read in this process: only for one without rights.
 */
#ifndef SYMBOL_BUILDVERSION_READ_H
#define SYMBOL_BUILDVERSION_READ_H

#include <stddef.h>
#include <stdint.h>

#define BUILDVERSION_BYTES 128

struct buildversion {
	char version[BUILDVERSION_BYTES]; /* "" unknown */
	char origin[BUILDVERSION_BYTES];  /* "package note", "Debian package sqlite3" */
	uint32_t is_there;		  /* the file at the path is that build */
};

/* Of the binary @fd, negative: of none; @id: its build-id in hex. */
void buildversion_read(int fd, const char *id, struct buildversion *out);

/* Takes a version of @n bytes without its epoch, "1:", which orders packages and is no part of what
 * people call a version; nothing where it is too long. */
void buildversion_put(struct buildversion *out, const char *version, size_t n);

#endif
