/*
 * dwofiles: units of .dwo files and of packages of these (.dwp), by their ids, and types by their
 * signatures (gcc -fdebug-types-section). libdw reads no package, and of several sections with one
 * name only one: it gets each unit as a file that has no more (dwoview). Uses libdw: only in
 * confined worker processes.
 */
#ifndef DEBUGINFO_DWOFILES_H
#define DEBUGINFO_DWOFILES_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A unit of such a file; as long as the files are open. */
struct dwo_unit {
	Elf *elf;
	Dwarf_Die die;
	uint64_t bytes; /* of the unit's entries */
};

struct dwofiles;

/* Opens the @n files, of which those may be -1 or unreadable; never NULL. They may be closed. */
struct dwofiles *dwofiles_open(const int *fds, size_t n);
void dwofiles_close(struct dwofiles *);

/* The unit of a skeleton with @id; NULL: it is in none of the files. */
const struct dwo_unit *dwofiles_unit(struct dwofiles *, uint64_t id);

/* The entry that a reference to a type leads to, also if that is in a type unit of the files, which
 * may be NULL. false: it is in none. */
bool dwofiles_follow(struct dwofiles *, Dwarf_Attribute *, Dwarf_Die *out);

#endif
