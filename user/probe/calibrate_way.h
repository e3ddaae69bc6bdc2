/*
 * calibrate_way: the numbers of what calibration times: calls by the class of their probe's site
 * and by how their end is seen.
 */
#ifndef PROBE_CALIBRATE_WAY_H
#define PROBE_CALIBRATE_WAY_H

#include <stdbool.h>

#include "model/probing.h"

/* What is timed: calls by each class of site that probes have with each way of their end, by
 * number. */
#define CALIBRATE_WAYS		   (EXIT_NONE - EXIT_SESSION + 1)
#define CALIBRATE_ZONES		   ((SITE_STEPPED - SITE_NOP5 + 1) * CALIBRATE_WAYS)
#define CALIBRATE_CLASS_OF(number) ((enum site_class)((number) / CALIBRATE_WAYS + SITE_NOP5))
#define CALIBRATE_WAY_OF(number)   ((enum exit_way)((number) % CALIBRATE_WAYS + EXIT_SESSION))
#define CALIBRATE_NUMBER(class, way) \
	(((int)(class) - SITE_NOP5) * CALIBRATE_WAYS + ((int)(way)-EXIT_SESSION))
/* A set of classes and ways holds these bits. */
#define CALIBRATE_BIT(class, way) (1u << CALIBRATE_NUMBER(class, way))

/* Whether calls are timed by sites of @class. */
static inline bool calibrate_is_timed(enum site_class class)
{
	return class >= SITE_NOP5 && class <= SITE_STEPPED;
}

#endif
