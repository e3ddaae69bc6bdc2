#include "cmd/zones_cost.h"

#include <errno.h>
#include <unistd.h>

#include "base/err.h"
#include "probe/calibrate.h"
#include "load/session.h"

/*
 * As the target sees it (tools/bench zone_cost) on a virtual machine, where stepping costs far more
 * than on bare metal. A RET is stepped.
 */
const struct zones_cost zones_cost_reference = {
	.ns = {[SITE_NOP5] = {[EXIT_SESSION] = 1250, [EXIT_RETS] = 10500, [EXIT_NONE] = 600},
	       [SITE_EMULATED] = {[EXIT_SESSION] = 1500, [EXIT_RETS] = 10700, [EXIT_NONE] = 660},
	       [SITE_STEPPED] = {[EXIT_SESSION] = 10400, [EXIT_RETS] = 19500, [EXIT_NONE] = 9300}}};

static void take_known(const struct calibration *c, struct zones_cost *out)
{
	for (int class = SITE_NOP5; class <= SITE_STEPPED; class ++) {
		for (int exit = EXIT_SESSION; exit <= EXIT_NONE; exit++) {
			const struct calibrated at = calibration_of(c, class, exit);

			if (!at.known)
				continue;
			out->ns[class][exit] = at.outer_ns;
			out->measured = true;
		}
	}
}

int zones_cost_measure(struct zones_cost *out)
{
	const struct probe_request request = {.max_zones = 1};
	struct target target = {.kind = TARGET_PIDS, .cgroup_fd = -1};
	const struct session_options o = {.target = &target,
					  .hash_bits = 64,
					  .tick_ns = 200000000,
					  .probes = &request,
					  .table_bytes = TABLES_MAX_BYTES};
	struct calibration *calibration;
	struct session *session = NULL;
	int rc;

	vec_push(&target.pids, (uint32_t)getpid());
	rc = session_open(&o, &session);
	if (!rc) {
		calibration = calibrate(session_probes(session));
		take_known(calibration, out);
		calibration_free(calibration);
	}
	session_close(session);
	vec_release(&target.pids);
	if (!rc && !out->measured)
		rc = err(-EIO, "probes could not be timed on this machine");
	return rc;
}

/* The dearest of several exits counts. Functions that end only in tail calls have emulated exits.
 */
double zones_cost_of(const struct zones_cost *c, const struct sites *s, enum exit_way exit)
{
	bool as_timed = exit != EXIT_RETS; /* with a RET */

	for (size_t i = 0; i < s->exits.n; i++)
		as_timed |= s->exits.at[i].class == SITE_STEPPED;
	return as_timed ? c->ns[s->entry.class][exit]
			: c->ns[s->entry.class][EXIT_NONE] + c->ns[SITE_EMULATED][EXIT_NONE];
}
