/*
 * zoneword: a word that must stand in the linker's name of every function whose readable name
 * matches a glob: so that not all names of a large library need be made readable. Used by
 * zonepattern alone.
 */
#ifndef FUNCTION_ZONEWORD_H
#define FUNCTION_ZONEWORD_H

/* The longest such word of @glob, whatever its wildcards stand for, the caller's to free; NULL:
 * there is none. Behind a bracket or a backslash nothing is sure. */
char *zoneword_find(const char *glob);

#endif
