/*
 * naming: names the addresses of one image whose files are open. A hostile file may crash it: call
 * it only in a confined process.
 */
#ifndef SYMBOL_NAMING_H
#define SYMBOL_NAMING_H

#include "symbol/answer.h"
#include "symbol/image_files_read.h"

/* Answers no query, but lists the folders that the code was compiled in. */
void naming_folders(const struct image_files *, struct answer *);
/* Answers @queries, in ascending order of query_lookup(). Each query gets at least one frame. */
void naming_run(const struct image_files *, const struct query *queries, uint32_t n,
		struct answer *);

/* answer_frame() for a function whose readable name is @linkage demangled, or @linkage itself if it
 * is not mangled, or @name if @linkage is NULL. @suffix is appended. */
void answer_frame_mangled(struct answer *, const char *linkage, const char *name,
			  const char *suffix, const char *file, uint32_t file_line, uint32_t line,
			  bool inlined);

#endif
