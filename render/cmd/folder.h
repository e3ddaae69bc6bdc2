/*
 * folder: the profiles in a folder and those below it: of eprof, or what other tools wrote.
 */
#ifndef CMD_FOLDER_H
#define CMD_FOLDER_H

#include <stdbool.h>

#include "base/vec.h"
#include "import/import.h"

/* Who wrote the files that are wanted. */
enum backend { BACKEND_AUTO, BACKEND_EPROF, BACKEND_TRACY, BACKEND_CPROFILE, BACKENDS };
/* "auto", "eprof" …; BACKENDS for another name. */
enum backend backend_find(const char *name);

struct folder_file {
	char *path;	  /* owned: the folder's name and what is below it */
	const char *kind; /* name of the import that reads it; NULL: a profile of eprof */
};

/* By name, byte by byte, so that a folder is read in the same order everywhere. */
struct folder {
	VEC(struct folder_file) files;
};

#define FOLDER_FILES_MOST 10000
#define FOLDER_DEPTH_MOST 32

/*
 * Those files whose names end in what the backend writes: .h5; .csv and .tracy; .prof. Of
 * BACKEND_AUTO all. Hidden ones and links to folders are passed over, and so is the file @except
 * (may be NULL). -ENOENT, -ENOTDIR, -EACCES … with a text; -EFBIG beyond the bounds. To be released
 * in either case.
 */
int folder_find(const char *path, enum backend, const char *except, struct folder *out);
void folder_release(struct folder *);

#endif
