/*
 * zonelist_split: functions whose debug information is in .dwo files (gcc -gsplit-dwarf): which
 * files are read for those whose arguments are asked for. For zonelist_read.
 */
#ifndef FUNCTION_ZONELIST_SPLIT_H
#define FUNCTION_ZONELIST_SPLIT_H

#include "function/zonelist.h"
#include "symbol/image_files.h"

/* A file is read once more with IMAGE_FILES_SPLIT of its .dwo files, at most so often: each is of
 * one source file. */
#define ZONELIST_SPLIT_ROUNDS 16

/* .dwo files of one file; the names are the list's. */
struct zonelist_split {
	struct split_file files[IMAGE_FILES_SPLIT];
	size_t n;
};

/* Chooses some that functions of the list need and that were not looked for. False: there are none.
 */
bool zonelist_split_choose(struct zonelist *, struct zonelist_split *out);
/* Takes over from @again, the list of the same file as read with these, what they tell. */
void zonelist_split_take(struct zonelist *, struct zonelist *again);

#endif
