/*
 * cost_expect: reports the expected cost of calls before functions are probed, and options that
 * cannot be honoured. The first half of cost_limit.h.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/zone_compensate.h"
#include "probe/cost_limit.h"
#include "probe/call_price.h"

/* --- what a call costs ------------------------------------------------------------------------ */

/* Number of functions by site and exit, and the cost of such a call. */
struct classes {
	size_t n[SITE_CLASSES][EXIT_WAYS], all;
	double ns[SITE_CLASSES][EXIT_WAYS];
};

/* Whether the function has actions that neither make it a zone nor go with one that does. */
static bool has_others(const struct engine_options *o, const struct zone_def *f)
{
	uint32_t others = f->actions & ~(1u << WIRE_ACTION_zone);

	for (uint32_t i = 0; i < WIRE_ACTIONS; i++)
		if (f->actions & o->joins[i])
			others &= ~(1u << i);
	return others;
}

/* Of zones, or (@sampled) of functions whose calls are sampled, at what a call costs without a
 * sample. */
static void count_classes(const struct engine *z, bool sampled, struct classes *c)
{
	_free_ unsigned int *ways = call_price_ways(z);

	for (size_t i = 0; i < z->at.n; i++) {
		const struct probed_image *image = z->at.at[i];

		for (size_t k = 0; k < image->list.zones.n; k++) {
			const struct zone_def *f = &image->list.zones.at[k];
			struct call_price p;

			if (sampled ? !has_others(z->in.o, f) : !zone_def_is_zone(f))
				continue;
			p = call_price_of(z, image, k, ways[i]);
			if (sampled && p.site) {
				p.exit = EXIT_NONE;
				p.full_ns = p.count_ns;
			}
			c->all += p.exit != EXIT_UNKNOWN;
			c->n[p.site][p.exit]++;
			c->ns[p.site][p.exit] = p.full_ns;
		}
	}
}

/* "60 at 1.50 µs (emulated site, session)"; of sampled ones "60 at 660 ns (emulated site)". */
static void add_class(struct str *s, const struct classes *c, unsigned int site, unsigned int exit,
		      bool sampled)
{
	_free_ char *name = zone_cost_name(site, exit);

	if (!c->n[site][exit] || !name || (sampled && c->ns[site][exit] <= 0))
		return;
	str_addf(s, "%s%s at %s (", s->n ? ", " : "", count_text((int64_t)c->n[site][exit]),
		 ns_text(c->ns[site][exit]));
	if (sampled)
		str_addf(s, "%s site)", site_class_name(site));
	else
		str_addf(s, "%s)", name + strlen(ZONE_COST_CALL));
}

static void say_expected(const struct engine *z, bool sampled)
{
	const bool stacks = z->in.o->actions >> WIRE_ACTION_stack & 1;
	struct classes c = {0};
	struct str list = {0};

	count_classes(z, sampled, &c);
	for (unsigned int site = 0; site < SITE_CLASSES; site++)
		for (unsigned int exit = 0; exit < EXIT_WAYS; exit++)
			add_class(&list, &c, site, exit, sampled);
	if (list.n) {
		const char *n = count_text((int64_t)c.all), *s = c.all == 1 ? "" : "s";
		_free_ char *text =
			sampled ? mem_printf(stacks ? "calls of %s function%s by stack, by what a "
						      "call will cost without a sample: %s"
						    : "%s other function%s with probes, by what a "
						      "call will cost: %s",
					     n, s, list.s)
				: mem_printf("%s zone%s, by what a call will cost: %s", n, s,
					     list.s);

		engine_say(z, text);
	}
	str_release(&list);
}

/* --- options that cannot be honoured ---------------------------------------------------------- */

/* Whether calls in @p end by other means than --zone-exit session demands. */
static bool is_refused(const struct engine *z, const struct probed_process *p)
{
	return z->in.o->ends == CALL_ENDS_SESSION && !p->unknown_until_ns &&
	       probed_process_has_zones(z, p) && !(p->wants & WIRE_PROC_HIJACK);
}

void cost_limit_refused(struct engine *z, struct probed_process *p)
{
	_free_ char *why = NULL, *text = NULL;

	if (p->refused || !is_refused(z, p))
		return;
	why = engine_decide_objection(z, p);
	p->refused = true;
	text = mem_printf("--zone-exit session is impossible in process %u: %s; probes at returns "
			  "see its calls end",
			  p->pid, why ? why : "its code is unknown");
	engine_note(z, text);
	engine_say(z, text);
}

/* If the target is a list of processes, each must support sessions; for all processes or a cgroup,
 * one must. */
static int check_session(const struct engine *z)
{
	const struct probed_process *refused = NULL;
	size_t fit = 0;

	for (size_t i = 0; i < z->processes.n; i++) {
		const struct probed_process *p = z->processes.at[i];

		if (!probed_process_has_zones(z, p))
			continue;
		if (is_refused(z, p))
			refused = p;
		else
			fit++;
	}
	if (!refused || (fit && engine_is_for_all(z->in.target)))
		return 0;
	_free_ char *why = engine_decide_objection(z, refused);

	return err(-ENOTSUP,
		   "--zone-exit session is impossible in process %u: %s; leave it out, or use "
		   "--zone-exit returns",
		   refused->pid, why ? why : "its code is unknown");
}

static bool is_priced(const struct engine *z)
{
	return calibration_of(z->in.calibration, SITE_EMULATED, EXIT_NONE).known;
}

int cost_limit_expect(struct engine *z)
{
	int ret = check_session(z);

	if (!ret && z->in.o->max_slowdown > 0 && !is_priced(z))
		ret = err(-ENOTSUP, "--max-slowdown: the cost of probes could not be measured");
	if (ret)
		return ret;
	say_expected(z, false);
	say_expected(z, true);
	return 0;
}
