/*
 * splitbytes: bounded reads of the little-endian bytes of a section. For what libdw does not read
 * of .dwo files and their packages.
 */
#ifndef DEBUGINFO_SPLITBYTES_H
#define DEBUGINFO_SPLITBYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a section, or of a unit; .at NULL: none. */
struct split_bytes {
	const uint8_t *at, *end;
};

uint64_t split_bytes_left(const struct split_bytes *);
/* What is left from @offset on; nothing where that lies outside. */
struct split_bytes split_bytes_from(const struct split_bytes *, uint64_t offset);

/* These read a number, and move on. false: it lies outside; *@out is 0 then. */
bool split_bytes_fixed(struct split_bytes *, unsigned int bytes, uint64_t *out);
bool split_bytes_uleb(struct split_bytes *, uint64_t *out);

#endif
