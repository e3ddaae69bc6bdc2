/*
 * interpreters: which interpreters pass a static marker (USDT) for each call of a script's
 * function, exactly: CPython 3.11, where built with its markers, at each return; PHP, where started
 * for it, at each call. For the action marker.
 */
#ifndef SOURCE_INTERPRETERS_H
#define SOURCE_INTERPRETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "process/images.h"
#include "process/procs.h"
#include "script/language.h"

/* The markers, and the patterns of zonepattern.h for files that may be interpreters: others need
 * not be read for it. */
#define INTERPRETERS_PYTHON "python.function__return@usdt"
#define INTERPRETERS_PHP    "php.function__entry@usdt"

/* An image with an interpreter; or without one: .is.language is 0. */
struct interpreted {
	uint32_t image; /* in images */
	struct interpreter is;
	bool counts;	  /* its marker gets a probe, and its values are known */
	uint32_t marker;  /* then: its number in the engine */
	uint64_t enabled; /* address in the file of what says that markers are on; 0: they are */
};

/* Those that were looked at. Zeroed but for what is borrowed: empty and valid. */
struct interpreters {
	const struct images *images; /* borrowed */
	const struct procs *procs;   /* borrowed */
	VEC(struct interpreted) known;
};
void interpreters_release(struct interpreters *);

/* What the image with that number is; reads the file at the first call. Valid until the next
 * call. */
struct interpreted *interpreters_of(struct interpreters *, uint32_t image);
/* Looks at all files that processes of the target have run, so that they are among .known. */
void interpreters_look(struct interpreters *);
/* The name of the marker of a version of which is known that it counts exactly; NULL: of others. */
const char *interpreters_marker(const struct interpreter *);
/* Why calls of functions are not counted in process @pid with that interpreter, in a clause that
 * the caller frees; NULL: they are. @pid: 0 if it has not begun to run. */
char *interpreters_objection(const struct interpreters *, uint32_t pid, const struct interpreted *);
/* Why one whose marker got a probe may have told of no call, as above; NULL: nothing was called. */
char *interpreters_silence(const struct interpreted *);

#endif
