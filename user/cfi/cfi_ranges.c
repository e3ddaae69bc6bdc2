#include "cfi/cfi_ranges.h"

#include <stdlib.h>

#include "base/hash.h"
#include "cfi/cfi_entry.h"
#include "cfi/cfi_find.h"

/* Ten times what the largest programs have. */
#define MAX_RANGES (1u << 22)

struct reading {
	cfi_ranges *ranges;
	struct cfi_section section;
	VEC(struct cfi_cie) cies;
	struct map by_place; /* offset of a CIE → cies */
};

static void take_cie(struct reading *r, const struct cfi_entry *e)
{
	struct cfi_cie cie;
	bool fresh;

	if (!cfi_cie_read(e, &cie))
		return;
	*map_put(&r->by_place, e->at, &fresh) = (uint32_t)r->cies.n;
	vec_push(&r->cies, cie);
}

static void take_fde(struct reading *r, const struct cfi_entry *e)
{
	const uint32_t *cie = map_get(&r->by_place, e->cie_at);
	struct cfi_fde fde;

	if (!cie || !cfi_fde_read(&r->section, e, &r->cies.at[*cie], &fde) || !fde.bytes ||
	    fde.start + fde.bytes < fde.start || r->ranges->n == MAX_RANGES)
		return;
	vec_push(r->ranges, ((struct cfi_range){fde.start, fde.start + fde.bytes, fde.lsda}));
}

static int by_start(const void *pa, const void *pb)
{
	const struct cfi_range *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

void cfi_ranges_read(const struct elffile *f, cfi_ranges *out)
{
	struct reading r = {.ranges = out};
	struct cfi_entry e;

	if (cfi_find_eh(f, &r.section))
		return;
	for (size_t at = 0; cfi_entry_next(&r.section, &at, &e);) {
		if (e.is_cie)
			take_cie(&r, &e);
		else
			take_fde(&r, &e);
	}
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_start);
	vec_release(&r.cies);
	map_release(&r.by_place);
	cfi_section_release(&r.section);
}

const struct cfi_range *cfi_ranges_find(const cfi_ranges *ranges, uint64_t address)
{
	const size_t n = vec_upto(ranges, start, address);

	return n && address < ranges->at[n - 1].end ? &ranges->at[n - 1] : NULL;
}
