/*
 * naming: names the addresses of one image, of which the files are open already. May die of a
 * hostile file: it belongs in a confined process.
 */
#ifndef SYMBOL_NAMING_H
#define SYMBOL_NAMING_H

#include "symbol/answer.h"
#include "symbol/image_files_read.h"

/* Answers no query but where the code was compiled. */
void naming_folders(const struct image_files *, struct answer *);
/* Answers @queries, which ascend by query_lookup(). Every query gets at least one frame. */
void naming_run(const struct image_files *, const struct query *queries, uint32_t n,
		struct answer *);

/* answer_frame() for a function whose readable name is still to be made from @linkage (mangled or
 * not; NULL: @name it is). @suffix follows the name. */
void answer_frame_mangled(struct answer *, const char *linkage, const char *name,
			  const char *suffix, const char *file, uint32_t file_line, uint32_t line,
			  bool inlined);

#endif
