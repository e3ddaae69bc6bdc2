/*
 * debugfile: finds the separate debug file that holds a stripped file's symbols and DWARF. By
 * build-id (/usr/lib/debug/.build-id/xx/yyyy.debug), then by .gnu_debuglink (the file's own folder,
 * its .debug/, /usr/lib/debug + folder; the CRC-32 of the whole file must match), each first under
 * the root of the process, then under ours. Reads by pread(2) alone, as elffile does.
 */
#ifndef ELF_DEBUGFILE_H
#define ELF_DEBUGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/buildid.h"
#include "elf/elffile.h"

/* Where packages put them. */
#define DEBUGFILE_ROOT "/usr/lib/debug"

/* How files are opened. */
struct debugfile_open {
	/* A descriptor, or negative; below our root, or else below that of the process. */
	int (*open)(void *context, bool own_root, const char *path);
	void *context;
	bool other_root; /* the process has another one */
};

/* Opens the files that may be it, best first: the caller's to close; how many. @path is the
 * stripped file's name as its process sees it. */
size_t debugfile_candidates(const struct elffile *stripped, const char *path,
			    const struct debugfile_open *by, int *fds, size_t most);

/* Whether that is it: of its build-id, or of the checksum in its .gnu_debuglink, for which the file
 * is read whole. */
bool debugfile_fits(const struct elffile *stripped, int fd);

/* Opens the files that may be the one that dwz made of what several debug files share, by its
 * build-id in @debug's .gnu_debugaltlink, then by its path there, which may be relative to the
 * folder of @path: the caller's to close; how many. */
size_t debugfile_alt_candidates(const struct elffile *debug, const char *path,
				const struct debugfile_open *by, int *fds, size_t most);
/* Whether @debug refers to such a file. */
bool debugfile_has_alt(const struct elffile *debug);
/* Whether that is the file that @debug refers to. */
bool debugfile_alt_fits(const struct elffile *debug, int fd);

/* Whether that is an ELF file of that build-id. */
bool debugfile_is(int fd, const uint8_t *id, uint8_t bytes);

/* A file in the folder, by what it says itself. */
struct debugdir_file {
	char *path; /* owned */
	uint8_t id[BUILDID_MAX];
	uint8_t bytes;
};

struct debugdir {
	const char *path; /* borrowed */
	VEC(struct debugdir_file) files;
};

/* Reads the build-ids of the files in the folder, of @flat ones; not of its subfolders. -errno with
 * a text where it cannot be read. To be released in either case. */
int debugdir_init(struct debugdir *, const char *path, bool flat);
void debugdir_release(struct debugdir *);

/* An open descriptor, the caller's, with its path, freed by the caller, in *@found; or -ENOENT.
 * -EBADMSG where the place of that build-id holds a file of another: *@found is that then. No
 * texts; *@found is NULL where there is nothing. */
int debugdir_open(const struct debugdir *, const uint8_t *id, uint8_t bytes, char **found);

#endif
