/*
 * allowed: the files that a command line names, and what each may be used for.
 */
#ifndef BROKER_ALLOWED_H
#define BROKER_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

enum allowed_use {
	ALLOWED_READ,	/* a file, read */
	ALLOWED_CHANGE, /* a store, read and changed in place, or made */
	ALLOWED_MAKE,	/* a file, made; replaced where that was asked for */
	ALLOWED_FILL,	/* a folder, in which files are made */
};

struct allowed_file {
	const char *path; /* borrowed */
	enum allowed_use use;
	bool force;    /* may be replaced */
	bool as_owner; /* opened as base/owned.h says */
	bool passing;  /* may be removed again */
};

/* A zeroed one allows nothing but the standard streams. */
struct allowed {
	VEC(struct allowed_file) files;
	bool runs_exporter; /* on what may be read: by two commands of eprof-render alone */
};

/* @path NULL or "-", a standard stream, needs nothing. */
void allowed_read(struct allowed *, const char *path);
void allowed_read_all(struct allowed *, const char *const *paths, size_t n);
/* A file of another user's perhaps, which a privileged eprof wants read. */
void allowed_read_as_owner(struct allowed *, const char *path);
void allowed_change(struct allowed *, const char *path);
void allowed_make(struct allowed *, const char *path, bool force);
/* A file that is made, and removed when it is not needed any more. */
void allowed_make_for_now(struct allowed *, const char *path, bool force);
void allowed_fill(struct allowed *, const char *folder, bool force);
void allowed_release(struct allowed *);

/* The entry that allows @path for one of @uses, a bit of 1 << enum allowed_use each; or NULL. */
const struct allowed_file *allowed_find(const struct allowed *, const char *path, unsigned uses);

#endif
