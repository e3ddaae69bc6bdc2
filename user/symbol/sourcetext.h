/*
 * sourcetext: the texts of the source lines in which hot functions were sampled
 * (query/source_listing.h), from the files that DWARF names, into the profile. For eprof --source.
 *
 * A file's name comes from the target, and may be any: who calls says how such are opened. Worker
 * processes read them, confined. What is no plain file, is longer than SOURCETEXT_FILE_BYTES, or
 * holds a zero byte is no source text.
 */
#ifndef SYMBOL_SOURCETEXT_H
#define SYMBOL_SOURCETEXT_H

#include <stddef.h>

#include "model/profile.h"

#define SOURCETEXT_FILES      400	  /* of one profile */
#define SOURCETEXT_FILE_BYTES (16u << 20) /* of a file that is read */
#define SOURCETEXT_LINE_BYTES 400	  /* of a line that is kept */
#define SOURCETEXT_BYTES      (2u << 20)  /* of all lines that are kept */

struct sourcetext_report {
	size_t files, read; /* that were wanted, and of which there are lines now */
	size_t lines;
};

/* Opens @files, strings of the profile, in *@fds; -1: is not there, or may not be read. */
typedef void sourcetext_open(void *context, const struct profile *, const uint32_t *files, size_t n,
			     int *fds);

/* Adds lines to @p, and the part of it. */
void sourcetext_add(struct profile *p, sourcetext_open *, void *context,
		    struct sourcetext_report *);

#endif
