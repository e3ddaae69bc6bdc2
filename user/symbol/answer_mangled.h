/*
 * answer_mangled: frames of functions whose readable names are still to be made. Parses a
 * stranger's string: for processes that may die of it.
 */
#ifndef SYMBOL_ANSWER_MANGLED_H
#define SYMBOL_ANSWER_MANGLED_H

#include "symbol/answer.h"

/* answer_frame() for a function whose readable name is still to be made from @linkage (mangled or
 * not; NULL: @name it is). @suffix follows the name. */
void answer_frame_mangled(struct answer *, const char *linkage, const char *name,
			  const char *suffix, const char *file, uint32_t file_line, uint32_t line,
			  bool inlined);

#endif
