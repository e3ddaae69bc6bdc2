#include "source/zone_ledger.h"

#include "base/mem.h"
#include "probe/cost_limit.h"

/* Calls of zones since the beginning. */
static uint64_t count_entered(const struct engine *z)
{
	uint64_t n = probemaps_entered(z->in.session->maps);

	for (size_t i = 0; i < z->at.n; i++) {
		const struct probed_image *image = z->at.at[i];

		for (size_t k = 0; k < image->list.zones.n; k++)
			if (zone_def_is_zone(&image->list.zones.at[k]))
				n += probemaps_counted(z->in.session->maps,
						       image->first + (uint32_t)k);
	}
	return n;
}

void zone_ledger_notes(const struct engine *z, struct profile *p, uint32_t metric)
{
	_free_ char *waiting = engine_read_waiting(z);

	if (waiting)
		profile_ledger(p, metric, LEDGER_NOTE, waiting, 1);
	for (size_t i = 0; i < z->notes.n; i++)
		profile_ledger(p, metric, LEDGER_NOTE, z->notes.at[i].text,
			       (int64_t)z->notes.at[i].n);
	cost_limit_rows(z, p, metric);
	if (z->too_many)
		profile_ledger(p, metric, LEDGER_NOTE,
			       "functions that matched and got no probe: too many",
			       (int64_t)z->too_many);
}

void zone_ledger_rows(const struct engine *z, struct profile *p)
{
	static const struct {
		enum wire_probe_counter counter;
		enum ledger_class class;
		const char *name;
	} rows[] = {
		{WIRE_PROBE_LOST_STATE, LEDGER_LOST, "no memory for the thread's state"},
		{WIRE_PROBE_NOTE_DEEP, LEDGER_NOTE, "not timed: too many open calls"},
		{WIRE_PROBE_NOTE_FOREIGN, LEDGER_NOTE,
		 "not timed: off the thread's stack, before exits were probed"},
		{WIRE_PROBE_NOTE_EARLY, LEDGER_NOTE,
		 "not timed: the code of the process was still being read"},
		{WIRE_PROBE_NOTE_LIMIT, LEDGER_NOTE,
		 "not timed: only counted, to keep to --max-slowdown"},
		{WIRE_PROBE_NOTE_FULL, LEDGER_NOTE, "counted outside the call tree: it was full"},
		{WIRE_PROBE_NOTE_HIST, LEDGER_NOTE, "not in the histogram: it was full"},
		{WIRE_PROBE_NOTE_SHARED, LEDGER_NOTE,
		 "threads without figures of their own: too many"},
	};
	const struct probemaps *maps = z->in.session->maps;
	const uint64_t entered = count_entered(z);
	int64_t lost = (int64_t)probemaps_counter(maps, WIRE_PROBE_LOST_STATE);

	profile_ledger(p, LEDGER_ZONES, LEDGER_TAKEN, "taken", (int64_t)entered + lost);
	profile_ledger(p, LEDGER_ZONES, LEDGER_KEPT, "kept", (int64_t)entered);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t n = (int64_t)probemaps_counter(maps, rows[i].counter);
		bool asked =
			rows[i].counter == WIRE_PROBE_NOTE_EARLY && z->in.o->ends == CALL_ENDS_NONE;

		if (n && !asked)
			profile_ledger(p, LEDGER_ZONES, rows[i].class, rows[i].name, n);
	}
	zone_ledger_notes(z, p, LEDGER_ZONES);
}
