/*
 * features: what this kernel and these privileges allow, found out by trying each thing and
 * undoing it, never by a version number. For `eprof doctor`; needs no privilege to be asked.
 */
#ifndef LOAD_FEATURES_H
#define LOAD_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "load/feature.h"

enum { FEATURES_MAX = 40 };

/* Tries them all; how many @out holds then, at most FEATURES_MAX. Texts are static. Takes some
 * milliseconds. */
size_t features_probe(struct feature out[FEATURES_MAX]);

/* True where one's own processes can be sampled without rights; false, too, to who has them. */
bool features_own(const struct feature *, size_t n);

/* True when nothing essential is missing or could not be tried. */
bool features_suffice(const struct feature *, size_t n);

#endif
