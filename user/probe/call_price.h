/*
 * call_price: the calibrated cost of a function's calls, given how their end is seen in the
 * processes that run now. For probe/ and the source of zones.
 */
#ifndef PROBE_CALL_PRICE_H
#define PROBE_CALL_PRICE_H

#include "model/taken.h"
#include "probe/engine.h"

/* A probe in real work finds less in the caches than in the calibration loop: in redis a hit costs
 * 1.1 to 1.5 times as much. */
#define PRICE_IN_REAL_WORK 1.3
/* In python3, git, node and sqlite3 0.8 to 1.7 times as much. @ns: as calibrated. */
#define TAKEN_PROBES(sum, ns) \
	taken_add(sum, PRICE_IN_REAL_WORK *(ns), 0.8 / PRICE_IN_REAL_WORK, 1.8 / PRICE_IN_REAL_WORK)

struct call_price {
	enum site_class site;
	enum exit_way exit; /* the most expensive in use; UNKNOWN: no probes, or file not mapped */
	double full_ns;	    /* cost of a call with that exit */
	double count_ns;    /* cost of a call that is only counted */
};

/* Run time of the programs that sample calls, by call; probes apart. 0: none was sampled yet. */
double call_price_sample(const struct engine *);
/* Time taken by the probes of the action with samples of @stream, without its own, in ns. */
double call_price_hits(const struct engine *, uint32_t stream);
/* What it costs to see the end of a call, besides the probe at its entry, in ns. */
double call_price_end(const struct engine *, enum site_class, enum exit_way);
/* By image number: how calls end in the processes that map it; for call_price_of(). Owned by the
 * caller. */
unsigned int *call_price_ways(const struct engine *);
struct call_price call_price_of(const struct engine *, const struct probed_image *, size_t k,
				unsigned int ways);

#endif
