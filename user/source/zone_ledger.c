#include "source/zone_ledger.h"

#include "base/mem.h"
#include "probe/cost_limit.h"

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
	const uint64_t entered = probemaps_entered(maps);
	int64_t lost = (int64_t)probemaps_counter(maps, WIRE_PROBE_LOST_STATE);
	_free_ char *waiting = engine_read_waiting(z);

	profile_ledger(p, LEDGER_ZONES, LEDGER_TAKEN, "taken", (int64_t)entered + lost);
	profile_ledger(p, LEDGER_ZONES, LEDGER_KEPT, "kept", (int64_t)entered);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t n = (int64_t)probemaps_counter(maps, rows[i].counter);
		bool asked =
			rows[i].counter == WIRE_PROBE_NOTE_EARLY && z->in.o->ends == CALL_ENDS_NONE;

		if (n && !asked)
			profile_ledger(p, LEDGER_ZONES, rows[i].class, rows[i].name, n);
	}
	if (waiting)
		profile_ledger(p, LEDGER_ZONES, LEDGER_NOTE, waiting, 1);
	for (size_t i = 0; i < z->notes.n; i++)
		profile_ledger(p, LEDGER_ZONES, LEDGER_NOTE, z->notes.at[i].text,
			       (int64_t)z->notes.at[i].n);
	cost_limit_rows(z, p);
	if (z->too_many)
		profile_ledger(p, LEDGER_ZONES, LEDGER_NOTE,
			       "functions that matched and got no probe: too many",
			       (int64_t)z->too_many);
}
