#include "heap/heap_traps.h"

#include "load/sampling.h"
#include "perf/event.h"

#define TRAPS_HZ 4000

static void turn(const struct heap_traps *t, uint32_t on)
{
	__atomic_store_n(session_probes(t->session)->traps_on, on, __ATOMIC_SEQ_CST);
}

void heap_traps_start(struct heap_traps *t, struct session *session, const struct target *target)
{
	const struct probe_session *probes = session_probes(session);

	if (!probes || probes->traps_fd < 0 || event_parse("cpu-clock", &t->event))
		return;
	t->session = session;
	t->hooks.o = (struct hooks_options){.events = &t->event,
					    .n_events = 1,
					    .hz = TRAPS_HZ,
					    .target = target,
					    .program_fds = {probes->traps_fd}};
	t->hooks.o.by = sampling_choose(
		&(struct sampling_options){target, SAMPLER_AUTO, TRAPS_HZ, 1, false});
	turn(t, 1);
	if (hooks_attach(&t->hooks) || hooks_start(&t->hooks))
		heap_traps_stop(t);
}

void heap_traps_read(const struct heap_traps *t, uint64_t *all, uint64_t *in_probes)
{
	*all = t->session ? session_map_value(t->session, "probe_traps_seen", WIRE_TRAPS_ALL) : 0;
	*in_probes =
		t->session ? session_map_value(t->session, "probe_traps_seen", WIRE_TRAPS_IN) : 0;
}

void heap_traps_stop(struct heap_traps *t)
{
	if (!t->session)
		return;
	turn(t, 0);
	hooks_stop(&t->hooks);
	hooks_release(&t->hooks);
	t->session = NULL;
}
