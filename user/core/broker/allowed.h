/*
 * allowed: lists the files that a command line names, and what each may be used for.
 */
#ifndef BROKER_ALLOWED_H
#define BROKER_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

enum allowed_use {
	ALLOWED_READ,	       /* a file, read */
	ALLOWED_READ_AS_OWNER, /* the same, perhaps another user's: opened as base/owned.h says */
	ALLOWED_CHANGE,	       /* a store, read and changed in place, or made; opened likewise */
	ALLOWED_MAKE,	       /* a file, made; replaced if that was asked for */
	ALLOWED_MAKE_FOR_NOW,  /* the same; removed when it is not needed any more */
	ALLOWED_FILL,	       /* a folder, in which files are made */
};

/* Uses as bits. */
#define ALLOWED_TO_READ	  (1u << ALLOWED_READ | 1u << ALLOWED_READ_AS_OWNER)
#define ALLOWED_TO_CHANGE (1u << ALLOWED_CHANGE)
#define ALLOWED_TO_MAKE	  (1u << ALLOWED_MAKE | 1u << ALLOWED_MAKE_FOR_NOW)

struct allowed_file {
	const char *path; /* borrowed */
	enum allowed_use use;
	bool force; /* may be replaced */
};

/* A zeroed one allows nothing but the standard streams. */
struct allowed {
	VEC(struct allowed_file) files;
	bool runs_exporter; /* on files that may be read: by two commands of eprof-render */
};

/* A @path of NULL or "-", a standard stream, is not added. */
void allowed_add(struct allowed *, enum allowed_use, const char *path, bool force);
/* Adds @n files to be read. */
void allowed_read_all(struct allowed *, const char *const *paths, size_t n);
void allowed_release(struct allowed *);

/* The entry that allows @path for one of @uses, as bits; or NULL. */
const struct allowed_file *allowed_find(const struct allowed *, const char *path, unsigned uses);

#endif
