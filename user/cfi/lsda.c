#include "cfi/lsda.h"

#include "cfi/cfi_pointer.h"

bool lsda_pads(struct cfi_cursor bytes, uint64_t address, uint64_t function,
	       void (*pad)(void *context, uint64_t address), void *context)
{
	const struct cfi_bases bases = {.start = bytes.at, .address = address};
	struct cfi_cursor *c = &bytes, sites;
	uint64_t base = function;
	uint8_t encoding;

	encoding = (uint8_t)cfi_uint(c, 1);
	if (encoding != CFI_PE_OMIT)
		base = cfi_pointer(c, encoding, &bases);
	if (cfi_uint(c, 1) != CFI_PE_OMIT)
		cfi_uleb(c); /* where its types stand */
	encoding = (uint8_t)cfi_uint(c, 1);
	sites = cfi_part(c, cfi_uleb(c));
	while (cfi_left(&sites)) {
		uint64_t landing;

		cfi_pointer_value(&sites, encoding); /* the calls: their start, */
		cfi_pointer_value(&sites, encoding); /* and how far they reach */
		landing = cfi_pointer_value(&sites, encoding);
		cfi_uleb(&sites); /* what is caught */
		if (!sites.bad && landing)
			pad(context, base + landing);
	}
	return !c->bad && !sites.bad;
}
