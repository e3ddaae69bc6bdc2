/*
 * calibrate_way: the numbering of what calibration times: calls by the class of their probe's site
 * and by the way their end is seen.
 */
#ifndef PROBE_CALIBRATE_WAY_H
#define PROBE_CALIBRATE_WAY_H

#include <stdbool.h>

#include "model/probing.h"

/* Calibration times each probed class of site with each way of exit. */
#define CALIBRATE_WAYS		   (EXIT_NONE - EXIT_SESSION + 1)
#define CALIBRATE_ZONES		   ((SITE_STEPPED - SITE_NOP5 + 1) * CALIBRATE_WAYS)
#define CALIBRATE_CLASS_OF(number) ((enum site_class)((number) / CALIBRATE_WAYS + SITE_NOP5))
#define CALIBRATE_WAY_OF(number)   ((enum exit_way)((number) % CALIBRATE_WAYS + EXIT_SESSION))
#define CALIBRATE_NUMBER(class, way) \
	(((int)(class) - SITE_NOP5) * CALIBRATE_WAYS + ((int)(way)-EXIT_SESSION))
/* The bit of a class and way in a set of them. */
#define CALIBRATE_BIT(class, way) (1u << CALIBRATE_NUMBER(class, way))

/* Whether calibration times sites of @class. */
static inline bool calibrate_is_timed(enum site_class class)
{
	return class >= SITE_NOP5 && class <= SITE_STEPPED;
}

#endif
