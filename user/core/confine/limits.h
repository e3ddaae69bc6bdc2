/*
 * limits: how much memory, CPU time and file a confined process may have. Used by confine alone.
 */
#ifndef CONFINE_LIMITS_H
#define CONFINE_LIMITS_H

#include "confine/terms.h"

/* Less stays less. A reader starts no process and no thread. */
void limits_set(const struct confine_terms *);

#endif
