#include "source/heap_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "wire_alloc.h"

#define SAMPLED "sampled"

/* As tcmalloc, jemalloc and Go sample: 2 % of error in a GiB of small blocks. */
#define DEFAULT_PERIOD (512u << 10)

/* "64K"; a negative errno with a text. */
static int parse_period(const char *text, uint64_t *out)
{
	static const char units[] = "KM";
	char *end;
	const double n = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	const double bytes = unit ? ldexp(n, 10 * (int)(unit - units + 1)) : n;

	*out = (uint64_t)fmax(0, fmin(bytes, UINT32_MAX));
	if (end != text && !end[unit != NULL] && *out >= WIRE_ALLOC_LEAST_PERIOD &&
	    *out <= WIRE_ALLOC_MOST_PERIOD)
		return 0;
	return err(-EINVAL,
		   "--heap=" SAMPLED ":%s: how many bytes are allocated from one sample to the "
		   "next, from 1K to 64M",
		   text);
}

static int parse(const char *tier, uint64_t *period)
{
	*period = 0;
	if (!tier || !strcmp(tier, "exact"))
		return 0;
	*period = DEFAULT_PERIOD;
	if (!strcmp(tier, SAMPLED))
		return 0;
	if (str_starts(tier, SAMPLED ":"))
		return parse_period(tier + strlen(SAMPLED ":"), period);
	return err(-EINVAL, "--heap is exact, sampled or sampled:BYTES, not '%s'", tier);
}

struct heap_options *heap_options_parse(const char *argument, struct heap_options *before)
{
	uint64_t period;
	struct heap_options *o = before;

	if (parse(argument, &period))
		return NULL;
	o = o ? o : mem_zalloc(1, sizeof(*o));
	o->period = period;
	return o;
}

void heap_options_text(const struct heap_options *o, struct str *out)
{
	char bytes[UNITS_BUF];

	if (o->period)
		str_addf(out, "heap, a sample per %s allocated",
			 units_bytes(bytes, sizeof(bytes), (double)o->period));
	else
		str_add(out, "heap, every allocation");
}
