/*
 * members: what DWARF says of the members of what a parameter points to, as far as they can be read
 * and shown. Uses libdw: only in confined worker processes.
 */
#ifndef DEBUGINFO_MEMBERS_H
#define DEBUGINFO_MEMBERS_H

#include <elfutils/libdw.h>

#include "abi/signature.h"
#include "debuginfo/value_type.h"

/* Adds the first SIGNATURE_MEMBERS members of the struct or class that @parameter points or refers
 * to that are integers, enumerations, char *, or arrays of char. Those of other types, of parts of
 * bytes, and of classes that it is derived from are left out. */
void members_read(struct type_reader *, Dwarf_Die *parameter, struct parameter *out);

#endif
