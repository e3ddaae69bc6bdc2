/*
 * origin: one of the captures that a profile was merged from (merge/merge.h). A profile that is of
 * one capture alone has no such rows. The captures stand one behind the other on the profile's axis
 * of time, in the order of these rows: the first begins at 0, each other one where the one before
 * it ended, so that the profile's duration is their sum.
 */
#ifndef MODEL_ORIGIN_H
#define MODEL_ORIGIN_H

#include <stdint.h>

struct origin {
	uint32_t file;		    /* as it was named to the merge */
	uint32_t run;		    /* RUN_NAME */
	uint32_t version, platform; /* META_VERSION, META_PLATFORM; "" unknown */
	uint32_t parts;		    /* "samples,zones": what of it was merged */
	int64_t started_unix_ns;    /* of what was merged of it: with --from later than its own */
	int64_t duration_ns;	    /* the same; not negative */
};

#endif
