#include "function/markerread.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "debuginfo/markers.h"
#include "elf/segments.h"

struct reader {
	const struct zonefile *file;
	const char *path;
	const struct zonelist_request *request;
	struct zonelist *out;
	size_t added;
};

/* The bytes of the code at @address; n is 0 where there are none. */
static struct code code_at(const struct zonefile *z, uint64_t address)
{
	struct code code = {.address = address};
	uint64_t offset;

	if (!segments_offset(&z->file, address, &offset) || offset >= z->n_bytes)
		return code;
	code.offset = offset;
	code.bytes = z->bytes + offset;
	code.n = z->n_bytes - offset;
	return code;
}

static void add(struct reader *r, const char *name, uint64_t address, uint64_t semaphore,
		const struct marker_value *values, const struct zone_taking *taking)
{
	const struct code code = code_at(r->file, address);
	uint64_t counter = 0;
	struct zone_def *zone;

	r->out->matched++;
	if (r->out->zones.n == zonelist_max(r->request))
		return;
	zone = vec_add(&r->out->zones);
	zone->name = mem_strdup(name);
	zone->pattern = (uint32_t)taking->first;
	zone->actions = taking->taken & ~taking->excluded;
	zone->address = address;
	zone->size = 1;
	zone->offset = code.offset;
	sites_marker(&r->request->kernel, &code, &zone->sites);
	if (semaphore && !segments_offset(&r->file->file, semaphore, &counter))
		zone->sites.why = sites_no_counter;
	/* Versions whose line markers do no harm are not known. */
	if (!strcmp(name, "python.line" MARKER_ENDING))
		zone->sites.why = sites_harmful;
	zone->marker.is = true;
	zone->marker.semaphore = counter;
	for (size_t i = 0; i < MARKER_VALUES; i++)
		zone->marker.values[i] = values[i];
	r->added++;
}

static void take(void *context, const char *name, uint64_t address, uint64_t semaphore,
		 const struct marker_value *values)
{
	struct reader *r = context;
	const struct zone_names names = {
		.module = r->path, .linkage = name, .name = name, .marker = true};
	struct zone_taking taking;

	if (!zonepatterns_may_take(r->request->patterns, name))
		return;
	taking = zonepatterns_match(r->request->patterns, &names, r->out->hits.at);
	if (taking.taken & ~taking.excluded)
		add(r, name, address, semaphore, values, &taking);
}

static int by_address(const void *pa, const void *pb)
{
	const struct zone_def *a = pa, *b = pb;

	return order_up(a->address, b->address);
}

void markerread_add(const struct zonefile *z, const char *path,
		    const struct zonelist_request *request, struct zonelist *out)
{
	struct reader r = {.file = z, .path = path, .request = request, .out = out};

	markers_each(z->elf, take, &r);
	if (r.added)
		vec_sort(&out->zones, by_address);
}
