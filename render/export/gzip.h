/* gzip: what is written, compressed, as it comes: a stream of gzip (RFC 1952) into a FILE. */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct gzip {
	z_stream z;
	FILE *out; /* borrowed; the caller checks ferror() */
	unsigned char buf[1 << 16];
};

void gzip_begin(struct gzip *, FILE *out);
void gzip_put(struct gzip *, const void *data, size_t n);
/* Writes what is left, and ends the stream. */
void gzip_end(struct gzip *);

#endif
