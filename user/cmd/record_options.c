#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/record_options.h"
#include "cmd/zone_file.h"
#include "load/rights.h"

#define DEFAULT_HZ 99 /* not 100, which would march in step with timers */

enum {
	OPT_FORCE = 0x100,
	OPT_NO_INHERIT,
	OPT_CHILDREN,
	OPT_EXIT_CODE,
	OPT_SAMPLER,
	OPT_VERSION_KEY,
	OPT_HASH_BITS,
	OPT_ZONE,
	OPT_ZONE_FILE,
	OPT_ZONES_MAX,
	OPT_ZONE_EXIT,
	OPT_CLOCK,
	OPT_SWITCH_FN,
	OPT_UPROBES,
	OPT_MAX_SLOWDOWN,
	OPT_TABLE_KIB,
	OPT_WINDOW
};

void record_options_help(void)
{
	fputs("eprof record: capture a profile\n\n"
	      "  sudo eprof -p 4711                  a process, until Ctrl-C\n"
	      "  sudo eprof -p 4711,4712 -d 10       two processes for ten seconds\n"
	      "  sudo eprof -a -d 30 -o all.h5       the whole machine\n"
	      "  sudo eprof -G system.slice -d 30    a cgroup (v2)\n"
	      "  sudo eprof -F 999 -- make -j2       a command and all that it starts\n"
	      "  sudo eprof -e page-faults -p 4711   another event\n"
	      "  eprof -- ./program                  without root: your own processes, user mode\n"
	      "  sudo eprof --zone 'parse_*' -p 4711 every call of functions, counted and timed\n\n"
	      "Target (one of)\n"
	      "  -p PID[,PID…]     processes, with threads and children born meanwhile\n"
	      "  --children        with -p: with the children that they have already, and theirs\n"
	      "  -t TID            one thread\n"
	      "  -a                everything\n"
	      "  -G CGROUP         a v2 cgroup, and those below it\n"
	      "  -- COMMAND ARG…   run a command; its status is printed\n"
	      "What\n"
	      "  -F HZ             samples a second of each thread's CPU time (99); of "
	      "page-faults\n"
	      "                    and the like: at most, on each CPU (10000)\n"
	      "  -c N              each Nth of the events instead: of a clock, each N ns\n"
	      "  -e EVENT[,EVENT]  perf's names: cycles, cpu-clock, page-faults,\n"
	      "                    context-switches, … with :u or :k behind it, and tracepoints:\n"
	      "                    sched:sched_switch, …\n"
	      "                    (cycles where there is a PMU, else cpu-clock)\n"
	      "  --zone PATTERN    count and time every call of functions: [MODULE:]NAME with\n"
	      "                    globs, /REGEX/, @FILE[:LINE]; !PATTERN takes some out again\n"
	      "                    (alone: no samples; 'eprof zones' lists functions)\n"
	      "  --zone-file FILE  such patterns, one a line\n"
	      "  --clock CLOCK,…   what is measured of each call: wall (default), cpu (time on "
	      "the\n"
	      "                    CPU alone), rusage (also user and system time, faults, "
	      "switches,\n"
	      "                    block I/O), tsc (ticks on the CPU), none (calls are only\n"
	      "                    counted), perf's event names\n"
	      "  -d SECONDS        stop after that time (also 20ms, 1.5m); else Ctrl-C\n"
	      "  --no-inherit      without threads and children born meanwhile\n"
	      "Result\n"
	      "  -o FILE           the profile (eprof.h5)\n"
	      "  --force           overwrite FILE\n"
	      "  --version-key V   version under which the profile is filed (build-id)\n"
	      "  --exit-code       exit with COMMAND's status; 124 where it goes on (-d, Ctrl-C)\n"
	      "Rarely\n"
	      "  --zones-max N     most functions that patterns may match (10000)\n"
	      "  --zone-exit auto|session|returns|none  how the ends of calls are seen: by taking\n"
	      "                    the return address over (session) where that does no harm, by\n"
	      "                    probes on return instructions (returns), not at all (none)\n"
	      "  --max-slowdown PERCENT  never slow the target down by more than that: zones are\n"
	      "                    only counted at first, and timed where the limit allows; what\n"
	      "                    is too dear to be counted loses its probes\n"
	      "  --switch-fn NAME  a function that switches stacks, besides those known\n"
	      "  --sampler task|cpu  one event a thread, or one a CPU that BPF filters\n"
	      "  --window SECONDS  how often what was captured goes to FILE.part (20)\n",
	      stdout);
}

static int one_target(struct record_options *o, enum target_kind kind)
{
	if (o->target.kind != TARGET_NONE && o->target.kind != kind)
		return cmd_usage("only one of -p, -t, -a, -G and a command can be profiled");
	o->target.kind = kind;
	return 0;
}

/* Puts it behind the @n that are there, where there is room. */
static int add_event(struct event *events, size_t *n, const char *name)
{
	int ret = event_parse(name, &events[*n]);

	if (!ret && !rights_to_bpf())
		event_user_only(&events[*n]);
	for (size_t i = 0; i < *n && !ret; i++) {
		if (event_same(&events[i], &events[*n]))
			ret = err(-EINVAL, "'%s' and '%s' are one event: leave one of them out",
				  events[i].name, name);
	}
	*n += !ret;
	return ret;
}

static int parse_events(struct record_options *o, const char *list)
{
	_free_ char *copy = mem_strdup(list);
	size_t before = o->n_events;
	char *save = NULL;

	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (o->n_events == WIRE_EVENTS)
			return err(-E2BIG, "at most %d events can be captured together",
				   WIRE_EVENTS);
		int ret = add_event(o->events, &o->n_events, name);

		if (ret)
			return ret;
	}
	return o->n_events > before ? 0 : err(-EINVAL, "-e '%s' names no event", list);
}

static int parse_hz(struct record_options *o, const char *arg)
{
	int64_t max = event_max_hz();
	int ret = units_parse_int(arg, "-F", 1, 1000000000, &o->hz);

	if (ret || o->hz <= max)
		return ret;
	fprintf(stderr,
		"eprof: -F %" PRId64 " is more than this kernel allows: sampling at %" PRId64
		" Hz (kernel.perf_event_max_sample_rate)\n",
		o->hz, max);
	o->hz = max;
	return 0;
}

static int parse_sampler(struct record_options *o, const char *arg)
{
	if (strcmp(arg, "task") != 0 && strcmp(arg, "cpu") != 0)
		return err(-EINVAL, "--sampler is task or cpu, not '%s'", arg);
	o->sampler = *arg == 't' ? SAMPLER_TASK : SAMPLER_CPU;
	return 0;
}

static int parse_duration(struct record_options *o, const char *arg)
{
	int ret = units_parse_ns(arg, "-d", &o->duration_ns);

	return !ret && !o->duration_ns ? err(-EINVAL, "-d must be more than 0") : ret;
}

/* A window takes two ticks to end, and a process of its own to be written. */
#define LEAST_WINDOW_NS 500000000

static int parse_window(struct record_options *o, const char *arg)
{
	int ret = units_parse_ns(arg, "--window", &o->window_ns);

	if (!ret && o->window_ns < LEAST_WINDOW_NS)
		return err(-EINVAL, "--window must be at least 0.5 s");
	return ret;
}

static int parse_zone(struct record_options *o, const char *arg, bool is_file)
{
	if (!o->zones)
		o->zones = zonepatterns_new();
	return is_file ? zone_file_read(o->zones, arg) : zonepatterns_add(o->zones, arg);
}

/* What an older kernel has, for tests: "multi": no sessions; "one": neither, nor many at once. */
static int parse_uprobes(struct record_options *o, const char *arg)
{
	o->zone_o.one_by_one = !strcmp(arg, "one");
	o->zone_o.no_session = o->zone_o.one_by_one || !strcmp(arg, "multi");
	return o->zone_o.no_session ? 0 : err(-EINVAL, "--uprobes is one or multi");
}

static int parse_zone_event(struct zones_options *o, const char *name)
{
	int ret;

	if (o->n_events == WIRE_ZONE_EVENTS)
		return err(-E2BIG, "--clock takes at most %d events", WIRE_ZONE_EVENTS);
	ret = add_event(o->events, &o->n_events, name);
	if (!ret && o->events[o->n_events - 1].class == EVENT_TRACEPOINT)
		ret = err(-EINVAL, "--clock takes no tracepoints: '%s'", name);
	o->clocks |= WIRE_CLOCK_EVENTS;
	return ret;
}

/* What is known by name, or one of perf's events. */
static int parse_clock_word(struct zones_options *o, const char *word)
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
	/* The processor's time stamp counter, while the thread runs. */
	return parse_zone_event(o, strcmp(word, "tsc") ? word : "msr/tsc/");
}

/* "cpu", "rusage,page-faults", …: of all --clock together. */
static int parse_clock(struct record_options *o)
{
	_free_ char *copy = mem_strdup(o->clock);
	char *save = NULL;
	size_t n = 0;

	for (const char *word = strtok_r(copy, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		int ret = parse_clock_word(&o->zone_o, word);

		if (ret)
			return ret;
		n++;
	}
	if (!n)
		return err(-EINVAL, "--clock '%s' names no clock", o->clock);
	if (n > 1 && o->zone_o.clocks & WIRE_CLOCK_NONE)
		return err(-EINVAL, "--clock none measures nothing: '%s' asks for more", o->clock);
	return 0;
}

static void add_clock(struct record_options *o, const char *arg)
{
	char *before = o->clock;

	o->clock = before ? mem_printf("%s,%s", before, arg) : mem_strdup(arg);
	free(before);
}

static int parse_zone_exit(struct record_options *o, const char *arg)
{
	static const char *const words[] = {[ZONE_ENDS_AUTO] = "auto",
					    [ZONE_ENDS_SESSION] = "session",
					    [ZONE_ENDS_RETS] = "returns",
					    [ZONE_ENDS_NONE] = "none"};

	/* As it was called at first. */
	if (!strcmp(arg, "rets"))
		arg = words[ZONE_ENDS_RETS];
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(arg, words[i])) {
			o->zone_o.ends = (enum zone_ends)i;
			return 0;
		}
	}
	return err(-EINVAL, "--zone-exit is auto, session, returns or none, not '%s'", arg);
}

/* "10", "2.5", "2.5%". */
static int parse_max_slowdown(struct record_options *o, const char *arg)
{
	size_t n = strspn(arg, "0123456789.");
	char *end;
	double percent = strtod(arg, &end);

	o->zone_option = "--max-slowdown";
	if (!n || end != arg + n || strcmp(end, *end == '%' ? "%" : "") != 0)
		return err(-EINVAL, "--max-slowdown takes a percentage (10, 2.5), not '%s'", arg);
	if (percent <= 0 || percent > 10000)
		return err(-EINVAL,
			   "--max-slowdown must be more than 0 and at most 10000, not '%s'", arg);
	o->zone_o.max_slowdown = percent / 100;
	return 0;
}

/* One option; an exit status or a negative errno when it is wrong. */
static int take(struct record_options *o, int opt, const char *arg)
{
	int64_t number = 0;
	int ret = 0;

	switch (opt) {
	case 'p':
		ret = one_target(o, TARGET_PIDS);
		return ret ? ret : target_parse_pids(&o->target, arg);
	case 't':
		ret = one_target(o, TARGET_TID);
		ret = ret ? ret : units_parse_int(arg, "thread number", 1, 1 << 22, &number);
		o->target.tid = (uint32_t)number;
		return ret;
	case 'a':
		return one_target(o, TARGET_ALL);
	case 'G':
		o->target.cgroup = arg;
		return one_target(o, TARGET_CGROUP);
	case 'F':
		o->rate_given = true;
		return parse_hz(o, arg);
	case 'e':
		return parse_events(o, arg);
	case 'c':
		ret = units_parse_int(arg, "-c", 1, INT64_MAX, &number);
		o->every = (uint64_t)number;
		return ret;
	case OPT_ZONE:
	case OPT_ZONE_FILE:
		return parse_zone(o, arg, opt == OPT_ZONE_FILE);
	case OPT_ZONES_MAX:
		o->zone_option = "--zones-max";
		ret = units_parse_int(arg, "--zones-max", 1, WIRE_ZONES_MAX, &number);
		o->zone_o.max = (uint32_t)number;
		return ret;
	case OPT_ZONE_EXIT:
		o->zone_option = "--zone-exit";
		return parse_zone_exit(o, arg);
	case OPT_CLOCK:
		o->zone_option = "--clock";
		add_clock(o, arg);
		return 0;
	case OPT_MAX_SLOWDOWN:
		return parse_max_slowdown(o, arg);
	case OPT_UPROBES:
		return parse_uprobes(o, arg);
	case OPT_SWITCH_FN:
		o->zone_option = "--switch-fn";
		vec_push(&o->switches, arg);
		return 0;
	case 'd':
		return parse_duration(o, arg);
	case OPT_WINDOW:
		return parse_window(o, arg);
	case OPT_SAMPLER:
		return parse_sampler(o, arg);
	case OPT_HASH_BITS:
		ret = units_parse_int(arg, "--hash-bits", 1, 64, &number);
		o->hash_bits = (unsigned)number;
		return ret;
	case OPT_TABLE_KIB:
		ret = units_parse_int(arg, "--table-kib", 4, TABLES_MAX_BYTES / 1024, &number);
		o->table_bytes = (uint64_t)number * 1024;
		return ret;
	default:
		return 0;
	}
}

/* Options that only set a member. */
static bool take_plain(struct record_options *o, int opt, const char *arg)
{
	switch (opt) {
	case 'o':
		o->output = arg;
		return true;
	case 'h':
		return o->help = true;
	case OPT_FORCE:
		return o->force = true;
	case OPT_EXIT_CODE:
		return o->exit_code = true;
	case OPT_VERSION_KEY:
		o->version_key = arg;
		return true;
	case OPT_NO_INHERIT:
		o->target.inherit = false;
		return true;
	case OPT_CHILDREN:
		o->target.children = true;
		return true;
	default:
		return false;
	}
}

static bool has_rate(const struct record_options *o)
{
	for (size_t i = 0; i < o->n_events; i++)
		if (o->events[i].class == EVENT_SAMPLED)
			return true;
	return false;
}

/* As take(). */
static int set_pace(struct record_options *o)
{
	uint64_t hz = o->rate_given ? (uint64_t)o->hz : 0;
	int ret = 0;

	for (size_t i = 0; i < o->n_events && !ret; i++) {
		ret = event_pace(&o->events[i], o->every, hz);
		/* Of a clock a period is a rate. */
		if (o->events[i].clock && o->every)
			o->hz = (int64_t)(1000000000 / o->every);
	}
	return ret;
}

/* What was asked for, but could not be done as things are; EXIT_USAGE after a line. */
static int check_together(const struct record_options *o)
{
	if (o->target.kind == TARGET_NONE)
		return cmd_usage("what to profile: -p PID, -t TID, -a, -G CGROUP or -- COMMAND");
	if (o->zone_option && !o->zones)
		return cmd_usage("%s is for zones: name some with --zone", o->zone_option);
	if (o->zone_o.clocks & WIRE_CLOCK_NONE &&
	    (o->zone_o.ends == ZONE_ENDS_SESSION || o->zone_o.ends == ZONE_ENDS_RETS))
		return cmd_usage(
			"--clock none times no calls, so their ends are not seen: leave it or "
			"--zone-exit out");
	if (!o->target.inherit && (o->target.kind == TARGET_ALL || o->target.kind == TARGET_CGROUP))
		return cmd_usage(
			"--no-inherit is for processes and threads: -a and -G take all that "
			"is born there");
	if (o->target.children && o->target.kind != TARGET_PIDS)
		return cmd_usage("--children is for -p: other targets have theirs");
	if (o->exit_code && o->target.kind != TARGET_COMMAND)
		return cmd_usage("--exit-code is for a command: -- COMMAND");
	if (o->rate_given && o->every)
		return cmd_usage("-F is a rate, -c a period: only one of them can be");
	if (o->every && o->zones && !o->n_events)
		return cmd_usage("-c is for events: name one with -e");
	if (o->rate_given && o->n_events && !has_rate(o))
		return cmd_usage("-F is for events that are sampled: every hit of '%s' counts",
				 o->events[0].name);
	if (!strcmp(o->output, "-"))
		return cmd_usage("-o -: a profile cannot go to the standard output; name a file");
	return 0;
}

/* As take(). */
static int finish(struct record_options *o, int argc, char **argv)
{
	int ret;

	if (optind < argc && one_target(o, TARGET_COMMAND))
		return EXIT_USAGE;
	o->target.argv = argv + optind;
	ret = o->clock ? parse_clock(o) : 0;
	if (!ret)
		ret = check_together(o);
	if (ret)
		return ret;
	o->zone_o.patterns = o->zones;
	o->zone_o.switches = o->switches.at;
	o->zone_o.n_switches = o->switches.n;
	o->zone_o.clock = o->clock;
	if (!o->n_events && (o->rate_given || !o->zones)) {
		event_default(&o->events[0], &o->event_choice);
		o->n_events = 1;
	}
	if (o->n_events && !rights_to_bpf()) {
		event_user_only(&o->events[0]); /* the default one; others are so already */
		o->event_choice = "without root: user mode alone";
	}
	o->sources[SOURCE_oncpu] = o->n_events ? o->events : NULL;
	o->sources[SOURCE_zones] = o->zones ? &o->zone_o : NULL;
	return set_pace(o);
}

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	static const struct option long_options[] = {
		{"force", no_argument, 0, OPT_FORCE},
		{"no-inherit", no_argument, 0, OPT_NO_INHERIT},
		{"children", no_argument, 0, OPT_CHILDREN},
		{"exit-code", no_argument, 0, OPT_EXIT_CODE},
		{"sampler", required_argument, 0, OPT_SAMPLER},
		{"version-key", required_argument, 0, OPT_VERSION_KEY},
		{"hash-bits", required_argument, 0, OPT_HASH_BITS}, /* for tests of collisions */
		{"table-kib", required_argument, 0, OPT_TABLE_KIB}, /* … and of full memory */
		{"zone", required_argument, 0, OPT_ZONE},
		{"zone-file", required_argument, 0, OPT_ZONE_FILE},
		{"zones-max", required_argument, 0, OPT_ZONES_MAX},
		{"zone-exit", required_argument, 0, OPT_ZONE_EXIT},
		{"switch-fn", required_argument, 0, OPT_SWITCH_FN},
		{"clock", required_argument, 0, OPT_CLOCK},
		{"max-slowdown", required_argument, 0, OPT_MAX_SLOWDOWN},
		{"window", required_argument, 0, OPT_WINDOW},
		{"uprobes", required_argument, 0, OPT_UPROBES},
		{"help", no_argument, 0, 'h'},
		{0},
	};
	int opt, ret = 0;

	*o = (struct record_options){
		.target = {.inherit = true, .cgroup_fd = -1, .go_fd = -1, .status_fd = -1},
		.hz = DEFAULT_HZ,
		.output = "eprof.h5",
		.hash_bits = 64,
		.zone_o = {.max = ZONELIST_DEFAULT_MAX},
		.table_bytes = TABLES_MAX_BYTES};
	optind = 1;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:p:t:aG:F:e:c:d:o:h", long_options, NULL)) != -1) {
		if (opt == '?' || opt == ':')
			ret = cmd_bad_option(opt, argv, long_options);
		else
			ret = take_plain(o, opt, optarg) ? 0 : take(o, opt, optarg);
		if (ret)
			break;
	}
	if (!ret && !o->help)
		ret = finish(o, argc, argv);
	return ret < 0 ? cmd_refused(ret) : ret;
}

void record_options_release(struct record_options *o)
{
	target_release(&o->target);
	zonepatterns_free(o->zones);
	vec_release(&o->switches);
	free(o->clock);
}
