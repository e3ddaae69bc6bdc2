#include "cmd/zones_cost.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "load/calibrate.h"
#include "load/session.h"

/*
 * Of the reference machine, as the target sees it (tools/bench zone_cost): a virtual one, where
 * stepping costs far more than on bare metal. A RET is stepped.
 */
static const double reference_ns[SITE_CLASSES][EXIT_WAYS] = {
	[SITE_NOP5] = {[EXIT_SESSION] = 1250, [EXIT_RETS] = 10500, [EXIT_NONE] = 600},
	[SITE_EMULATED] = {[EXIT_SESSION] = 1500, [EXIT_RETS] = 10700, [EXIT_NONE] = 660},
	[SITE_STEPPED] = {[EXIT_SESSION] = 10400, [EXIT_RETS] = 19500, [EXIT_NONE] = 9300},
};

void zones_cost_reference(struct zones_cost *out)
{
	*out = (struct zones_cost){0};
	memcpy(out->ns, reference_ns, sizeof(out->ns));
}

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

static int measure(struct zones_cost *out)
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
	return rc;
}

int zones_cost_measure(struct zones_cost *out)
{
	int rc;

	zones_cost_reference(out);
	rc = measure(out);
	return !rc && !out->measured ? err(-EIO, "probes could not be timed on this machine") : rc;
}

/* Of several exits the dearest is taken; tail calls alone end at emulated jumps. */
double zones_cost_of(const struct zones_cost *c, const struct sites *s, enum exit_way exit)
{
	bool stepped = exit != EXIT_RETS;

	for (size_t i = 0; i < s->exits.n; i++)
		stepped |= s->exits.at[i].class == SITE_STEPPED;
	return stepped ? c->ns[s->entry.class][exit]
		       : c->ns[s->entry.class][EXIT_NONE] + c->ns[SITE_EMULATED][EXIT_NONE];
}
