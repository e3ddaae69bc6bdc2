/*
 * debugfile: finds the separate debug file that holds a stripped file's symbols and DWARF. By
 * build-id (/usr/lib/debug/.build-id/xx/yyyy.debug), then by .gnu_debuglink (the file's own folder,
 * its .debug/, /usr/lib/debug + folder; the CRC-32 of the whole file must match), each first under
 * the root of the process, then under ours. Reads by pread(2) alone, as elffile does.
 */
#ifndef ELF_DEBUGFILE_H
#define ELF_DEBUGFILE_H

#include <stdint.h>

#include "elf/elffile.h"

/* An open descriptor, the caller's to close, or -ENOENT (no text). @path is the stripped file's
 * name as its process sees it; @root_fd that process's root or -1. */
int debugfile_open(const struct elffile *stripped, const char *path, int root_fd);

/* Whether that is an ELF file of that build-id. */
bool debugfile_is(int fd, const uint8_t *id, uint8_t bytes);

#endif
