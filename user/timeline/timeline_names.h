/*
 * timeline_names: the functions and threads of recorded events, by their numbers, as rows of the
 * profile. For the action event.
 */
#ifndef TIMELINE_TIMELINE_NAMES_H
#define TIMELINE_TIMELINE_NAMES_H

#include "base/hash.h"
#include "probe/engine.h"
#include "probe/probed_functions.h"
#include "stack/assembly.h"
#include "timeline/timeline_rows.h"

struct timeline_names {
	struct assembly *a;
	struct probed_functions functions;
	VEC(struct timeline_function) by_number;
	struct map threads; /* pid, tid → thread of the profile */
};

/* All are borrowed. */
void timeline_names_init(struct timeline_names *, const struct engine *, struct assembly *);
void timeline_names_release(struct timeline_names *);

/* The profile's thread; @names is a struct timeline_names. */
uint32_t timeline_names_thread(void *names, uint32_t pid, uint32_t tid);

/* By number of the engine's functions: whether it has a name. Freed by the caller. */
bool *timeline_names_known(const struct engine *);

/* The name of the file that the function of that number is in. */
const char *timeline_names_file(const struct engine *, uint32_t number);
/* Of the function of that number in the engine: whether the patterns select it; and whether its
 * calls throw exceptions. */
bool timeline_names_match(const struct engine *, uint32_t number, const struct zonepatterns *);
bool timeline_names_raises(const struct zone_def *);
bool timeline_names_throws(const struct engine *, uint32_t number);

#endif
