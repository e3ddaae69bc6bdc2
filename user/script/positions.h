/*
 * positions: finds the line of a position in a script's file, for interpreters that keep positions.
 * The program names the file, so it may be any: it is opened below the root and with the rights of
 * the process that runs it, and nothing of it is kept but where its lines begin.
 */
#ifndef SCRIPT_POSITIONS_H
#define SCRIPT_POSITIONS_H

#include <stdint.h>

struct opener;
struct roots;

/* Both are borrowed; @opener: see process/opener.h. */
struct positions *positions_new(struct opener *, struct roots *);
void positions_free(struct positions *);
/* Forgets all files, which may be others later. NULL: there are none. */
void positions_forget(struct positions *);

/* The line, from 1, of @position, in characters of UTF-16 from the beginning of @path, as process
 * @pid sees it; 0: unknown, as of files that cannot be read, or are shorter. NULL knows none. */
uint32_t positions_line(struct positions *, uint32_t pid, const char *path, uint32_t position);

#endif
