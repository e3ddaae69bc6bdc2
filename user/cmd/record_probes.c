#include "cmd/record_events.h"
#include "cmd/record_probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "script/scriptpattern.h"
#include "perf/rights.h"
#include "source/action.h"

void record_probes_help(void)
{
	for (uint32_t i = 0; i < WIRE_ACTIONS; i++)
		if (action_of(i)->option)
			printf("  --%s PATTERN\n                    %s\n", action_of(i)->option,
			       action_of(i)->does);
}

/* Patterns added from now on are for this action. */
static struct zonepatterns *patterns_for(struct record_probes *p, enum wire_action action,
					 bool may_miss)
{
	if (!p->patterns)
		p->patterns = zonepatterns_new();
	p->o.actions |= action_bit(action);
	zonepatterns_set_actions(p->patterns, action_bit(action), action_of(action)->arguments,
				 may_miss);
	return p->patterns;
}

int record_probes_imply(struct record_probes *p, enum wire_action action, const void *own)
{
	const char *const *implied = action_of(action)->implies;
	const bool again = p->o.own[action];
	int ret = 0;

	p->o.own[action] = own;
	p->o.joins[action] = action_of(action)->joins;
	if (action_of(action)->joins)
		(void)patterns_for(p, action, true);
	for (; implied && *implied && !again && !ret; implied++)
		ret = zonepatterns_add(patterns_for(p, action, true), *implied);
	if (!ret && !again && action_of(action)->with)
		ret = record_probes_imply(p, action_of(action)->with, own);
	return ret;
}

void record_probes_lend(struct record_probes *p, enum wire_action action, const void *own,
			uint32_t also_for)
{
	p->lent[action].own = own;
	p->lent[action].also_for = also_for;
}

int record_probes_settle(struct record_probes *p)
{
	int ret = 0;

	for (uint32_t i = 0; i < WIRE_ACTIONS && !ret; i++) {
		if (!p->lent[i].own || p->o.own[i])
			continue;
		if (p->o.actions & p->lent[i].also_for)
			p->o.own[i] = p->lent[i].own;
		else
			ret = record_probes_imply(p, (enum wire_action)i, p->lent[i].own);
	}
	return ret;
}

static int parse_zone_event(struct engine_options *o, const char *name)
{
	int ret;

	if (o->n_events == WIRE_ZONE_EVENTS)
		return err(-E2BIG, "--clock takes at most %d events", WIRE_ZONE_EVENTS);
	ret = record_add_event(o->events, &o->n_events, name);
	if (!ret && o->events[o->n_events - 1].class == EVENT_TRACEPOINT)
		ret = err(-EINVAL, "--clock takes no tracepoints: '%s'", name);
	o->clocks |= WIRE_CLOCK_EVENTS;
	return ret;
}

/* A clock by its own name, or a perf event. */
static int parse_clock_word(struct engine_options *o, const char *word)
{
	static const struct {
		const char *name;
		uint32_t clocks;
	} names[] = {{"wall", 0},
		     {"none", WIRE_CLOCK_NONE},
		     {"cpu", WIRE_CLOCK_CPU | WIRE_CLOCK_SCHED},
		     {"rusage", WIRE_CLOCK_SCHED | WIRE_CLOCK_RUSAGE}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(word, names[i].name)) {
			o->clocks |= names[i].clocks;
			return 0;
		}
	}
	/* The time stamp counter, counted while the thread runs. */
	return parse_zone_event(o, strcmp(word, "tsc") ? word : "msr/tsc/");
}

/* Parses the joined values of all --clock: "cpu", "rusage,page-faults", … */
static int parse_clock(struct record_probes *p)
{
	_free_ char *copy = mem_strdup(p->clock);
	char *rest = copy;
	size_t n = 0;

	for (const char *word = event_next(&rest); word; word = event_next(&rest)) {
		int ret = parse_clock_word(&p->o, word);

		if (ret)
			return ret;
		n++;
	}
	if (!n)
		return err(-EINVAL, "--clock '%s' names no clock", p->clock);
	if (n > 1 && p->o.clocks & WIRE_CLOCK_NONE)
		return err(-EINVAL, "--clock none goes with no other clock: '%s' names more",
			   p->clock);
	return 0;
}

static int take_clock(void *probes, const char *arg)
{
	struct record_probes *p = probes;
	char *before = p->clock;

	p->zone_option = "--clock";
	p->clock = before ? mem_printf("%s,%s", before, arg) : mem_strdup(arg);
	free(before);
	return 0;
}

static int take_zone_exit(void *probes, const char *arg)
{
	struct record_probes *p = probes;
	static const char *const words[] = {[CALL_ENDS_AUTO] = "auto",
					    [CALL_ENDS_SESSION] = "session",
					    [CALL_ENDS_RETS] = "returns",
					    [CALL_ENDS_NONE] = "none"};

	p->zone_option = "--zone-exit";
	/* The option's former name. */
	if (!strcmp(arg, "rets"))
		arg = words[CALL_ENDS_RETS];
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(arg, words[i])) {
			p->o.ends = (enum call_ends)i;
			return 0;
		}
	}
	return err(-EINVAL, "--zone-exit is auto, session, returns or none, not '%s'", arg);
}

/* "10", "2.5", "2.5%". */
static int take_max_slowdown(void *probes, const char *arg)
{
	struct record_probes *p = probes;
	size_t n = strspn(arg, "0123456789.");
	char *end;
	double percent = strtod(arg, &end);

	p->probe_option = "--max-slowdown";
	if (!n || end != arg + n || strcmp(end, *end == '%' ? "%" : "") != 0)
		return err(-EINVAL, "--max-slowdown takes a percentage (10, 2.5), not '%s'", arg);
	if (percent <= 0 || percent > 10000)
		return err(-EINVAL,
			   "--max-slowdown must be more than 0 and at most 10000, not '%s'", arg);
	p->o.max_slowdown = percent / 100;
	return 0;
}

/* --- options ---------------------------------------------------------------------------------- */

/* A function of a script. */
static int take_script(struct record_probes *p, const char *arg)
{
	if (!p->scripts)
		p->scripts = scriptpatterns_new();
	return scriptpatterns_add(p->scripts, arg);
}

static int take_zone(void *probes, const char *arg)
{
	if (scriptpattern_is(arg))
		return take_script(probes, arg);
	return zonepatterns_add(patterns_for(probes, WIRE_ACTION_zone, false), arg);
}

static int take_zone_file(void *probes, const char *arg)
{
	return zonepatterns_add_file(patterns_for(probes, WIRE_ACTION_zone, false), arg);
}

static int take_action(void *asked, const char *arg)
{
	const struct record_action *a = asked;
	struct zonepatterns *patterns = patterns_for(a->probes, a->number, false);
	const char *number = action_of(a->number)->numbered ? strrchr(arg, '#') : NULL;
	_free_ char *pattern = NULL;
	int rc;

	if (!number)
		return zonepatterns_add(patterns, arg);
	if (number[1] < '1' || number[1] > '6' || number[2])
		return err(-EINVAL, "--%s %s: '#' and the number of an argument, 1 to 6, end it",
			   action_of(a->number)->option, arg);
	pattern = mem_strndup(arg, (size_t)(number - arg));
	zonepatterns_set_argument(patterns, (uint32_t)(number[1] - '0'));
	rc = zonepatterns_add(patterns, pattern);
	zonepatterns_set_argument(patterns, 0);
	return rc;
}

static int take_max(void *probes, const char *arg)
{
	struct record_probes *p = probes;
	int64_t number = 0;
	const int ret = units_parse_int(arg, "--zones-max", 1, WIRE_PROBE_FUNCTIONS, &number);

	p->probe_option = "--zones-max";
	p->o.max = (uint32_t)number;
	return ret;
}

static int take_switch(void *probes, const char *arg)
{
	struct record_probes *p = probes;

	p->zone_option = "--switch-fn";
	vec_push(&p->switches, arg);
	return 0;
}

static const struct option_row rows[] = {
	{"zone", 0, OPTION_TAKE, 0, {take_zone}},
	{"zone-file", 0, OPTION_TAKE, 0, {take_zone_file}},
	{"zones-max", 0, OPTION_TAKE, 0, {take_max}},
	{"zone-exit", 0, OPTION_TAKE, 0, {take_zone_exit}},
	{"switch-fn", 0, OPTION_TAKE, 0, {take_switch}},
	{"clock", 0, OPTION_TAKE, 0, {take_clock}},
	{"max-slowdown", 0, OPTION_TAKE, 0, {take_max_slowdown}},
	{0},
};

size_t record_probes_rows(struct record_probes *p, struct option_row *out)
{
	size_t n = 0;

	out[n++] = (struct option_row){.kind = OPTION_TABLE, .rows = rows};
	for (uint32_t i = 0; i < WIRE_ACTIONS; i++) {
		p->action[i] = (struct record_action){p, (enum wire_action)i};
		if (action_of(i)->option)
			out[n++] =
				(struct option_row){.name = action_of(i)->option,
						    .kind = OPTION_TAKE,
						    .at = offsetof(struct record_probes, action[i]),
						    .take = take_action};
	}
	out[n++] = (struct option_row){0};
	return n;
}

/* Checks options that exclude each other; EXIT_USAGE after a message. */
static int check(const struct record_probes *p)
{
	const bool zones = p->o.actions & action_bit(WIRE_ACTION_zone);

	for (uint32_t i = 0; i < WIRE_ACTIONS; i++)
		if (p->o.actions >> i & 1 && action_of(i)->needs &&
		    !(p->o.actions & action_of(i)->needs))
			return cmd_usage("--%s goes with --heap, or --alloc", action_of(i)->option);
	if (p->zone_option && !zones)
		return cmd_usage("%s is for zones: name functions with --zone", p->zone_option);
	if (p->probe_option && !p->patterns)
		return cmd_usage("%s is for zones and other probes: name functions with --zone",
				 p->probe_option);
	if (p->o.clocks & WIRE_CLOCK_NONE &&
	    (p->o.ends == CALL_ENDS_SESSION || p->o.ends == CALL_ENDS_RETS))
		return cmd_usage(
			"--clock none times no calls, so it cannot be combined with --zone-exit "
			"session or returns");
	return 0;
}

/* The action whose functions the options of @action name: zones, or what they were lent to. */
static enum wire_action named_by(const struct record_probes *p, enum wire_action action)
{
	const uint32_t to = p->o.actions & p->lent[action].also_for;

	if (p->o.actions >> action & 1 || !to)
		return WIRE_ACTION_zone;
	return (enum wire_action)__builtin_ctz(to);
}

/* Functions that the options of an action name. */
static int add_zones(struct record_probes *p, enum wire_action action)
{
	const enum wire_action gets = named_by(p, action);
	const char *zone;
	uint32_t arguments;
	int ret = 0;

	for (size_t i = 0; !ret; i++) {
		zone = action_of(action)->zones(p->o.own[action], i, &arguments);
		if (!zone)
			break;
		zonepatterns_set_actions(patterns_for(p, gets, false), action_bit(gets), arguments,
					 false);
		ret = zonepatterns_add(p->patterns, zone);
	}
	return ret;
}

static int add_all_zones(struct record_probes *p)
{
	int ret = 0;

	for (uint32_t i = 0; i < WIRE_ACTIONS && !ret; i++)
		if (p->o.own[i] && action_of(i)->zones)
			ret = add_zones(p, (enum wire_action)i);
	return ret;
}

int record_probes_finish(struct record_probes *p)
{
	int ret = add_all_zones(p);

	if (!ret && p->scripts && !scriptpatterns_languages(p->scripts))
		ret = err(-EINVAL, "patterns that begin with '!' exclude functions of scripts, and "
				   "no --zone selects any");
	if (!ret && p->scripts)
		ret = record_probes_imply(p, WIRE_ACTION_marker, p->scripts);
	if (!ret && p->clock)
		ret = parse_clock(p);
	if (!ret)
		ret = check(p);
	p->o.patterns = p->patterns;
	p->o.switches = p->switches.at;
	p->o.n_switches = p->switches.n;
	p->o.clock = p->clock;
	for (uint32_t i = 0; i < WIRE_ACTIONS; i++) {
		if (!(p->o.actions >> i & 1))
			continue;
		if (action_of(i)->leaves)
			p->o.leaves |= 1u << i;
		if (action_of(i)->keeps_limit)
			p->o.keep_limit |= 1u << i;
		if (action_of(i)->every_end && p->o.ends == CALL_ENDS_AUTO)
			p->o.ends = CALL_ENDS_RETS;
	}
	return ret;
}

bool record_probes_sample(const struct record_probes *p)
{
	for (uint32_t i = 1; i < WIRE_ACTIONS; i++)
		if (p->o.actions >> i & 1 && action_of(i)->metric)
			return true;
	return false;
}

void record_probes_release(struct record_probes *p)
{
	zonepatterns_free(p->patterns);
	scriptpatterns_free(p->scripts);
	vec_release(&p->switches);
	free(p->clock);
}
