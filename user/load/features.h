/*
 * features: finds out what this kernel and these privileges allow, by trying each thing and undoing
 * it, never by a version number. For `eprof doctor`; needs no privileges.
 */
#ifndef LOAD_FEATURES_H
#define LOAD_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "load/feature.h"

enum { FEATURES_MAX = 40 };

/* Tries all features and returns how many it wrote to @out, at most FEATURES_MAX. Texts are static.
 * Takes some milliseconds. */
size_t features_probe(struct feature out[FEATURES_MAX]);

/* True if only the user's own processes can be sampled, without privileges. */
bool features_own(const struct feature *, size_t n);

/* True if no essential feature is missing or untested. */
bool features_suffice(const struct feature *, size_t n);

#endif
