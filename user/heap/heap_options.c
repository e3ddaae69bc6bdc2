#include "heap/heap_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "wire_alloc.h"

#define SAMPLED "sampled"

/* "64K"; a negative errno with a text. */
static int parse_period(const char *text, uint64_t *out)
{
	const char *end;
	const double bytes = units_parse_binary(text, &end);

	*out = (uint64_t)fmax(0, fmin(bytes, UINT32_MAX));
	if (end != text && !*end && *out >= WIRE_ALLOC_LEAST_PERIOD &&
	    *out <= WIRE_ALLOC_MOST_PERIOD)
		return 0;
	return err(-EINVAL,
		   "--heap=" SAMPLED ":%s: how many bytes are allocated from one sample to the "
		   "next, from 1K to 64M",
		   text);
}

static int parse(const char *tier, struct heap_options *out)
{
	*out = (struct heap_options){.period = HEAP_DEFAULT_PERIOD, .by_price = !tier};
	if (!tier || !strcmp(tier, SAMPLED))
		return 0;
	if (str_starts(tier, SAMPLED ":"))
		return parse_period(tier + strlen(SAMPLED ":"), &out->period);
	out->period = 0;
	if (!strcmp(tier, "exact"))
		return 0;
	return err(-EINVAL, "--heap is exact, sampled or sampled:BYTES, not '%s'", tier);
}

struct heap_options *heap_options_parse(const char *argument, struct heap_options *before)
{
	struct heap_options parsed, *o = before;

	if (parse(argument, &parsed))
		return NULL;
	o = o ? o : mem_zalloc(1, sizeof(*o));
	*o = parsed;
	return o;
}

void heap_options_text(const struct heap_options *o, struct str *out)
{
	char bytes[UNITS_BUF];

	if (!o || o->by_price)
		str_add(out, "heap, as many allocations as the limit to the slowdown allows");
	else if (o->period)
		str_addf(out, "heap, a sample per %s allocated",
			 units_bytes(bytes, sizeof(bytes), (double)o->period));
	else
		str_add(out, "heap, every allocation");
}
