/* Records of perf's rings: mappings, names, forks with texts of the target's choice, and samples
 * with copies of its stack. */
#include "perf/plain_sample.h"
#include "perf/side_record.h"

#define FUZZ_RUN fuzz_record_run
#include "fuzz.h"

static struct plain_slice slice;

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	const struct perf_event_header *h;
	struct side_record r = {0};
	size_t size = n < UINT16_MAX ? n : UINT16_MAX, got;
	uint64_t id;
	uint8_t *copy;

	if (size < sizeof(*h))
		return;
	copy = malloc(size);
	memcpy(copy, bytes, size);
	((struct perf_event_header *)copy)->size = (uint16_t)size;
	h = (const struct perf_event_header *)copy;
	for (size_t trailer = SIDE_TRAILER; trailer <= SIDE_TRAILER_ID; trailer += 8)
		if (side_decode(h, trailer, &r)) {
			expect(r.build_id_bytes <= sizeof(r.build_id));
			free(r.text);
			r = (struct side_record){0};
		}
	(void)side_lost(h, &id);
	got = plain_sample_decode(h, &slice, &id);
	expect(got <= sizeof(slice));
	free(copy);
}
