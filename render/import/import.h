/*
 * import: an import reads what another tool wrote and makes a profile of it. To add one: a file
 * import/x.c that exports one `const struct import x_import`, and a row in import/imports.def.
 *
 * What it reads is from strangers: every number and length is checked, nothing recurses on the
 * data, and memory stays within a small multiple of the input's size. What a line or row cannot be
 * read for is either refused with the place (input_bad()), or left out and counted in the ledger.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <stdbool.h>

#include "base/input.h"
#include "import/builder.h"

/* So many bytes of a file are looked at to tell its format. */
#define IMPORT_HEAD_BYTES 4096

struct import {
	const char *name;      /* for --from-format */
	const char *extension; /* of the files' names; NULL: none of its own */
	const char *about;     /* one line for --help */
	/* Whether a file that begins so is of the format; NULL: content does not tell. Asked in the
	 * order of the rows: that of the surest signs first. */
	bool (*is)(struct span head);
	/* Reads all of the input into the profile under construction, which may hold what was read
	 * of files before. 0, or a negative errno with a text that names the file. */
	int (*read)(struct input *, struct builder *);
};

/* NULL-terminated. */
extern const struct import *const imports[];

/* By name; NULL where there is none. */
const struct import *import_find(const char *name);
/* By what the file begins with, else by its name's extension; NULL where neither tells. */
const struct import *import_recognise(const char *path, struct span head);

/* Reads the @n files, all of one format, into one profile: samples add up, zones of the same name
 * and place too. @format NULL: each is recognised; two formats are -EINVAL. The profile has passed
 * profile_check(). */
int import_files(const char *const *paths, size_t n, const struct import *format,
		 struct profile **out);

/* What tells of an imported profile's version and platform; all borrowed. */
struct import_names {
	const char *version, *platform; /* as the user said; NULL: he did not */
	const char *const *paths;	/* of the files */
	size_t n;
	const char *root; /* the folder that they were found in, which has folders of platforms;
			   * NULL: they were named */
};

/* Sets what a store files an imported profile under: what the user said, else what the profile
 * says, else NAME.VERSION.EXTENSION and the folder of the platform that such a file is in, else
 * words for "unknown"; and the name of the run where it has none. */
void import_label(struct profile *, const struct import_names *);

/* Imports one input that is open; for tests. */
int import_input(struct input *, const struct import *, struct profile **out);

#endif
