/*
 * perf_header: what the comments say that `perf script --header` begins with: the machine, the
 * command, the frequency.
 */
#ifndef IMPORT_PERF_HEADER_H
#define IMPORT_PERF_HEADER_H

#include "import/builder.h"

/* Takes one line that begins with '#'. */
void perf_header_line(struct profile *, struct span line);
/* After the last one: the platform, as captures have it. */
void perf_header_finish(struct profile *);

#endif
