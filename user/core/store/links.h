/*
 * links: whether HDF5 may list a group of a stranger's file. It lists one whose links stand in its
 * header by way of a table, and where one of them is damaged it frees the rest of that table, which
 * it never set (H5G__compact_iterate() and H5G__link_release_table() of 1.10.8). So these are read
 * before it reads them. Used by store only.
 */
#ifndef STORE_LINKS_H
#define STORE_LINKS_H

#include "store/reader.h"

/*
 * Reads the header of @group as the HDF5 File Format Specification 3.0 has it (IV.A.1, object
 * headers of version 1 and 2; IV.A.2.g, link messages), in time and memory bounded by LINKS_CHUNKS
 * and LINKS_CHUNK_BYTES. 0, or -EINVAL with a text. Links that HDF5 can read but the reader
 * refuses, to other files for one, pass.
 */
#define LINKS_CHUNKS	  1024
#define LINKS_CHUNK_BYTES (4u << 20)
int links_check(const struct reader *, hid_t group);

#endif
