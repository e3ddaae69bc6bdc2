/*
 * sourcetext: adds the source lines in which hot functions were sampled (core/select) to the
 * profile, from the files that DWARF names. For eprof --source.
 *
 * The target chooses a file's path, so it may be any: the caller says how to open it. Confined
 * worker processes read the files. A file that is not regular, is longer than
 * SOURCETEXT_FILE_BYTES, or holds a zero byte is not source text.
 */
#ifndef SYMBOL_SOURCETEXT_H
#define SYMBOL_SOURCETEXT_H

#include <stddef.h>

#include "model/profile.h"

#define SOURCETEXT_FILES      400	  /* in one profile */
#define SOURCETEXT_FILE_BYTES (16u << 20) /* in one file */
#define SOURCETEXT_LINE_BYTES 400	  /* kept of one line */
#define SOURCETEXT_BYTES      (2u << 20)  /* kept of all lines */

struct sourcetext_report {
	size_t files, read; /* files that were wanted, and those of which lines were read */
	size_t lines;
};

/* Opens @files, which are strings of the profile; fds[i] is -1 if it does not exist, or may not be
 * read. */
typedef void sourcetext_open(void *context, const struct profile *, const uint32_t *files, size_t n,
			     int *fds);

/* Adds lines to @p, and their part. */
void sourcetext_add(struct profile *p, sourcetext_open *, void *context,
		    struct sourcetext_report *);

#endif
