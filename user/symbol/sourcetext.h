/*
 * sourcetext: the texts of the source lines in which hot functions were sampled
 * (query/source_lines.h), from the files that DWARF names, into the profile. For eprof --source.
 *
 * A file's name comes from the target, and may be any: so worker processes read them, each of which
 * takes the rights of the user first who may see the result, and then is confined. What is no plain
 * file, is longer than SOURCETEXT_FILE_BYTES, or holds a zero byte is no source text. A name that
 * is relative is looked for from the current folder.
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

/* Adds lines to @p, and the part of it. @become is called in each worker process before it opens a
 * file: it gives up rights for good; a negative errno where it could not, and nothing is read. */
void sourcetext_add(struct profile *p, int (*become)(void), struct sourcetext_report *);

#endif
