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

#include "elf/elffile.h"

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

/* Whether that is an ELF file of that build-id. */
bool debugfile_is(int fd, const uint8_t *id, uint8_t bytes);

#endif
