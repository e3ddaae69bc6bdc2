#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/default_file.h"
#include "cmd/record_events.h"
#include "cmd/record_options.h"
#include "perf/tick_limit.h"
#include "perf/rights.h"

#define DEFAULT_NAMING_NS 10000000000
#define DEFAULT_HZ	  99 /* not 100, which would run in step with timers */

/* For a group's name, escaped at up to three bytes for each. */
#define MAX_VERSION_KEY 1024

/* --- sources with an option of their own ------------------------------------------------------ */

static bool is_optional(const struct source_option *s)
{
	return s->argument && s->argument[0] == '[';
}

static void sources_help(void)
{
	for (size_t i = 0; i < SOURCES; i++)
		for (const struct source_option *s = sources_options(i); s->name; s++)
			printf("  --%s%s%s\n                    %s\n", s->name,
			       s->argument && !is_optional(s) && !s->takes ? " " : "",
			       s->argument ? s->argument : "", s->does);
}

/* Whether the option takes the argument; @choices: of all options that do not, for a message. */
static bool takes(const struct source_option *s, const char *name, const char *arg,
		  struct str *choices)
{
	if (!s->takes || strcmp(s->name, name) != 0)
		return false;
	if (s->takes(arg))
		return true;
	str_addf(choices, "%s--%s%s", choices->n ? ", " : "", name, s->argument ? s->argument : "");
	return false;
}

static int take_one(struct record_options *o, size_t source, const struct source_option *s,
		    const char *arg)
{
	void *parsed = s->parse(arg, o->parsed[source]);
	enum wire_action action;
	bool is_action = sources_is_action(source, &action);

	if (!parsed)
		return err_code();
	o->parsed[source] = parsed;
	if (is_action && s->also_for) {
		record_probes_lend(&o->probes, action, parsed, s->also_for);
		return 0;
	}
	o->sources[source] = parsed;
	o->opens_with = s->with_clock ? s->with_clock : o->opens_with;
	return is_action ? record_probes_imply(&o->probes, action, parsed) : 0;
}

/* Of the options of one name those that the argument is for. */
static int take_each(struct record_options *o, const char *name, const char *arg)
{
	struct str choices = {0};
	bool any = false;
	int ret = 0;

	for (size_t i = 0; i < SOURCES && !ret; i++) {
		const struct source_option *s = sources_options(i);

		for (size_t k = 0; k < SOURCE_OPTIONS && s[k].name && !ret; k++) {
			if (!takes(&s[k], name, arg, &choices))
				continue;
			any = true;
			ret = take_one(o, i, &s[k], arg);
		}
	}
	if (!any)
		ret = err(-EINVAL, "no option '--%s=%s': there is %s", name, arg ? arg : "",
			  str_text(&choices));
	str_release(&choices);
	return ret;
}

static int take_source(void *asked, const char *arg)
{
	const struct record_source *a = asked;
	const struct source_option *s = &sources_options(a->source)[a->option];

	return s->takes ? take_each(a->options, s->name, arg)
			: take_one(a->options, a->source, s, arg);
}

/* Fills in the rows of the sources' options, with an end row. */
static void sources_rows(struct record_options *o, struct option_row *out)
{
	size_t n = 0;

	for (size_t i = 0; i < SOURCES; i++) {
		const struct source_option *s = sources_options(i);

		for (size_t k = 0; k < SOURCE_OPTIONS && s[k].name; k++) {
			o->asked[i][k] = (struct record_source){o, (uint8_t)i, (uint8_t)k};
			out[n++] = (struct option_row){
				.name = s[k].name,
				.kind = is_optional(&s[k]) || s[k].takes ? OPTION_TAKE_MAYBE
					: s[k].argument			 ? OPTION_TAKE
									 : OPTION_TAKE_PLAIN,
				.at = offsetof(struct record_options, asked[i][k]),
				.take = take_source};
		}
	}
	out[n] = (struct option_row){0};
}

static bool asks_for_source(const struct record_options *o)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (o->parsed[i])
			return true;
	return false;
}

static void help_target(void)
{
	fputs("eprof record: capture a profile ('record' may be left out)\n\n"
	      "  sudo eprof -p 4711                  a process, until Ctrl-C\n"
	      "  sudo eprof -p 4711,4712 -d 10       two processes for ten seconds\n"
	      "  sudo eprof -a -d 30 -o all.h5       the whole machine\n"
	      "  sudo eprof -G system.slice -d 30    a cgroup (v2)\n"
	      "  sudo eprof -F 999 -- make -j2       a command and all that it starts\n"
	      "  sudo eprof -e page-faults -p 4711   another event\n"
	      "  sudo eprof --zone 'parse_*' -p 4711 every call of functions, counted and timed\n"
	      "  eprof -- ./program                  without root: your own processes, user "
	      "mode\n\n"
	      "Target (one of)\n"
	      "  -p PID[,PID…]     processes, with the threads and children that they start\n"
	      "                    during the capture\n"
	      "  --children        with -p: also the children that they already have, and theirs\n"
	      "  -t TID            one thread\n"
	      "  -a                the whole machine\n"
	      "  -G CGROUP         a v2 cgroup, and those below it\n"
	      "  -- COMMAND ARG…   run a command and print its exit status\n"
	      "What to capture\n"
	      "  -F HZ             samples a second of each thread's CPU time (99); of "
	      "page-faults\n"
	      "                    and other software events: at most, on each CPU (10000)\n"
	      "  -c N              instead of -F: sample every Nth event; of a clock, every N ns\n"
	      "  -e EVENT[,EVENT]  sample other events, by perf's names: cycles, cpu-clock,\n"
	      "                    page-faults, context-switches, …, with :u or :k for user or\n"
	      "                    kernel code alone, and tracepoints: sched:sched_switch,\n"
	      "                    'sched:*_wakeup', … (globs of at most 8), with fields as "
	      "labels\n"
	      "                    and sums: raw_syscalls:sys_enter/id/,\n"
	      "                    block:block_rq_issue/dev,sum=bytes/\n"
	      "                    (default: cycles where there is a PMU, else cpu-clock)\n"
	      "  --zone PATTERN    count and time every call of functions: [MODULE:]NAME with\n"
	      "                    globs, /REGEX/, @FILE[:LINE]; !PATTERN excludes; without -F or\n"
	      "                    -e no samples are taken ('eprof zones' lists functions)\n",
	      stdout);
}

static void help_result(void)
{
	fputs("  --zone-file FILE  read patterns for --zone from FILE, one a line\n"
	      "  --clock CLOCK,…   what to measure of each call: wall (default), cpu (time on a\n"
	      "                    CPU alone), rusage (also user and system time, faults,\n"
	      "                    switches, block I/O), tsc (time stamp counter ticks on a CPU),\n"
	      "                    none (calls are only counted), and events by perf's names\n"
	      "  -d SECONDS        stop after that time (also 20ms, 1.5m)\n"
	      "  --no-inherit      leave out threads and children started during the capture\n"
	      "  --async           of stacks of asyncio, from Python 3.14: also which tasks await "
	      "the\n"
	      "                    running one; reports show it with their own --async\n"
	      "Result\n"
	      "  -o FILE           write the profile to FILE (eprof.h5, or eprof.1.h5 … if it is "
	      "there)\n"
	      "  --force           overwrite FILE\n"
	      "  --mode OCTAL      the mode of files that are made (root: 600; else by the umask)\n"
	      "  --store STORE     add the profile to STORE, a file of many; with -o to both\n"
	      "  --baseline FILE   compare with the newest version in FILE, or with FILE/VERSION;\n"
	      "                    without it, with the version before this one in STORE\n"
	      "  --fail-on WHAT    exit with 3 if the comparison finds: regressed,\n"
	      "                    regressed:PERCENT, or suspect\n"
	      "  --fail-undecided  … with 4 where the runs cannot decide that, or there is no\n"
	      "                    baseline; without it that is said, and no failure\n"
	      "  --version-key V   file the profile under version V (default: the build-id)\n"
	      "  --meta KEY=VALUE  keep what else is known of the run: a build, a branch; may be "
	      "given\n"
	      "                    64 times\n"
	      "  --source          store the source lines of hot functions with the profile, of "
	      "files\n"
	      "                    below the folder that they were compiled in, which the "
	      "target's\n"
	      "                    user may read (root's: everybody)\n"
	      "  --source-dir DIR  the same, also of files below DIR; may be given 16 times\n"
	      "  --no-cmdline      leave the command lines of processes, COMMAND's too, out of "
	      "the\n"
	      "                    profile: they may hold passwords\n"
	      "  --exit-code       exit with COMMAND's status, or with 124 if it is still running\n"
	      "Rarely needed\n"
	      "  --zones-max N     how many functions the patterns may match (10000)\n"
	      "  --zone-exit auto|session|returns|none  how to see the end of a call: by "
	      "replacing\n"
	      "                    the return address (session), by probes on return instructions\n"
	      "                    (returns), not at all (none); auto uses session where it is "
	      "safe\n"
	      "  --max-slowdown PERCENT  never slow the target down by more than this: zones are\n"
	      "                    only counted at first, and timed where the limit allows;\n"
	      "                    functions too expensive even to count lose their probes\n"
	      "  --switch-fn NAME  a function that switches stacks, besides those known\n"
	      "  --sampler task|cpu  open an event per thread, or one per CPU, filtered in BPF\n"
	      "  --window SECONDS  how often to write to FILE.part (20, then 40, then every 60)\n"
	      "  --naming-time SECONDS  how long names may be looked up at the end (10; 0: no\n"
	      "                    limit); what is left, eprof name can name later\n"
	      "  -h, --help        this text\n",
	      stdout);
}

void record_options_help(void)
{
	help_target();
	sources_help();
	record_probes_help();
	help_result();
}

static int one_target(struct record_options *o, enum target_kind kind)
{
	if (o->target.kind != TARGET_NONE && o->target.kind != kind)
		return err(-EINVAL, "give one target only: -p, -t, -a, -G or a command");
	o->target.kind = kind;
	return 0;
}

static int take_events(void *options, const char *list)
{
	struct record_options *o = options;

	return record_take_events(o->events, &o->n_events, list);
}

static int take_hz(void *options, const char *arg)
{
	struct record_options *o = options;
	int64_t max = event_max_hz();
	int ret = units_parse_int(arg, "-F", 1, 1000000000, &o->hz);

	o->rate_given = true;
	if (ret || o->hz <= max)
		return ret;
	fprintf(stderr,
		"eprof: -F %" PRId64 " is more than this kernel allows: sampling at %" PRId64
		" Hz (kernel.perf_event_max_sample_rate)\n",
		o->hz, max);
	o->hz = max;
	return 0;
}

static int take_sampler(void *sampler, const char *arg)
{
	if (strcmp(arg, "task") != 0 && strcmp(arg, "cpu") != 0)
		return err(-EINVAL, "--sampler is task or cpu, not '%s'", arg);
	*(enum sampler *)sampler = *arg == 't' ? SAMPLER_TASK : SAMPLER_CPU;
	return 0;
}

static int take_duration(void *ns, const char *arg)
{
	int ret = units_parse_ns(arg, "-d", ns);

	return !ret && !*(int64_t *)ns ? err(-EINVAL, "-d must be more than 0") : ret;
}

/* A window takes two ticks to end, and a process of its own to write it. */
#define LEAST_WINDOW_NS 500000000

static int take_window(void *ns, const char *arg)
{
	int ret = units_parse_ns(arg, "--window", ns);

	if (!ret && *(int64_t *)ns < LEAST_WINDOW_NS)
		return err(-EINVAL, "--window must be at least 0.5 s");
	return ret;
}

#define MOST_SOURCE_DIRS 16

static int take_source_dir(void *options, const char *dir)
{
	struct record_options *o = options;
	_free_ char *here = dir[0] == '/' ? NULL : getcwd(NULL, 0);

	if (o->source_dirs.n == MOST_SOURCE_DIRS)
		return err(-E2BIG, "--source-dir: more than %d folders", MOST_SOURCE_DIRS);
	if (!dir[0] || (dir[0] != '/' && !here))
		return err(-EINVAL, "--source-dir needs a folder");
	o->source = true;
	vec_push(&o->source_dirs, here ? mem_printf("%s/%s", here, dir) : mem_strdup(dir));
	return 0;
}

static int take_pids(void *options, const char *arg)
{
	struct record_options *o = options;
	const int ret = one_target(o, TARGET_PIDS);

	return ret ? ret : target_parse_pids(&o->target, arg);
}

static int take_tid(void *options, const char *arg)
{
	struct record_options *o = options;
	int64_t number = 0;
	int ret = one_target(o, TARGET_TID);

	ret = ret ? ret : units_parse_int(arg, "thread number", 1, 1 << 22, &number);
	o->target.tid = (uint32_t)number;
	return ret;
}

static int take_all(void *options, const char *none)
{
	(void)none;
	return one_target(options, TARGET_ALL);
}

static int take_cgroup(void *options, const char *arg)
{
	((struct record_options *)options)->target.cgroup = arg;
	return one_target(options, TARGET_CGROUP);
}

static int take_every(void *every, const char *arg)
{
	int64_t number = 0;
	const int ret = units_parse_int(arg, "-c", 1, INT64_MAX, &number);

	*(uint64_t *)every = (uint64_t)number;
	return ret;
}

static int take_baseline(void *baseline, const char *arg)
{
	return record_baseline_parse(arg, baseline);
}

static int take_fail_on(void *fail_on, const char *arg)
{
	return fail_on_parse(arg, fail_on);
}

#define AT(field) offsetof(struct record_options, field)

static const struct option_row rows[] = {
	{NULL, 'p', OPTION_TAKE, 0, {take_pids}},
	{NULL, 't', OPTION_TAKE, 0, {take_tid}},
	{NULL, 'a', OPTION_TAKE_PLAIN, 0, {take_all}},
	{NULL, 'G', OPTION_TAKE, 0, {take_cgroup}},
	{NULL, 'F', OPTION_TAKE, 0, {take_hz}},
	{NULL, 'e', OPTION_TAKE, 0, {take_events}},
	{NULL, 'c', OPTION_TAKE, AT(every), {take_every}},
	{NULL, 'd', OPTION_TAKE, AT(duration_ns), {take_duration}},
	{NULL, 'o', OPTION_TEXT, AT(output), {0}},
	{"force", 0, OPTION_FLAG, AT(force), {0}},
	{"mode", 0, OPTION_TAKE, 0, {cmd_take_mode}},
	{"no-inherit", 0, OPTION_CLEAR, AT(target.inherit), {0}},
	{"children", 0, OPTION_FLAG, AT(target.children), {0}},
	{"exit-code", 0, OPTION_FLAG, AT(exit_code), {0}},
	{"sampler", 0, OPTION_TAKE, AT(sampler), {take_sampler}},
	{"version-key", 0, OPTION_TEXT, AT(version_key), {0}},
	{"meta", 0, OPTION_TAKE, AT(meta), {meta_given_take}},
	{"store", 0, OPTION_TEXT, AT(store), {0}},
	{"baseline", 0, OPTION_TAKE, AT(baseline), {take_baseline}},
	{"fail-on", 0, OPTION_TAKE, AT(baseline.fail_on), {take_fail_on}},
	{"fail-undecided", 0, OPTION_FLAG, AT(baseline.fail_undecided), {0}},
	{"async", 0, OPTION_FLAG, AT(async), {0}},
	{"source", 0, OPTION_FLAG, AT(source), {0}},
	{"no-cmdline", 0, OPTION_FLAG, AT(processes.no_commands), {0}},
	{"source-dir", 0, OPTION_TAKE, 0, {take_source_dir}},
	{"window", 0, OPTION_TAKE, AT(window_ns), {take_window}},
	{"naming-time", 0, OPTION_NS, AT(naming_ns), {0}},
	{"help", 'h', OPTION_FLAG, AT(help), {0}},
	{0},
};

static bool has_rate(const struct record_options *o)
{
	for (size_t i = 0; i < o->n_events; i++)
		if (o->events[i].class == EVENT_SAMPLED)
			return true;
	return false;
}

/* A clock so fast that its interrupts leave the target no time would stop it. */
static void limit_rate(struct record_options *o)
{
	double took_ns, hz = (double)o->hz;

	for (size_t i = 0; i < o->n_events; i++) {
		hz = tick_limit_hz(&o->events[i], hz, &took_ns);
		if (hz >= (double)o->hz)
			continue;
		o->hz = (int64_t)hz / 1000 * 1000;
		fprintf(stderr,
			"eprof: a sampling interrupt takes %.0f µs here: sampling at %" PRId64
			" Hz, so that the target can go on\n",
			took_ns / 1000, o->hz);
	}
}

/* 0, an exit status, or a negative errno with a text. */
static int set_pace(struct record_options *o)
{
	uint64_t hz = o->rate_given ? (uint64_t)o->hz : 0;
	int ret = 0;

	for (size_t i = 0; i < o->n_events && !ret; i++) {
		ret = event_pace(&o->events[i], o->every, hz);
		/* For a clock a period is a rate. */
		if (o->events[i].clock && o->every)
			o->hz = (int64_t)(1000000000 / o->every);
	}
	return ret;
}

/* Checks options that exclude each other; EXIT_USAGE after a message. */
static int check_together(const struct record_options *o)
{
	if (o->target.kind == TARGET_NONE)
		return cmd_usage("name a target: -p PID, -t TID, -a, -G CGROUP or -- COMMAND");
	if (!o->target.inherit && (o->target.kind == TARGET_ALL || o->target.kind == TARGET_CGROUP))
		return cmd_usage("--no-inherit is for -p, -t and commands: -a and -G include every "
				 "new process");
	if (o->target.children && o->target.kind != TARGET_PIDS)
		return cmd_usage("--children is for -p: other targets include their children");
	if (o->exit_code && o->target.kind != TARGET_COMMAND)
		return cmd_usage("--exit-code is for a command: -- COMMAND");
	if (o->rate_given && o->every)
		return cmd_usage("-F is a rate and -c a period: give only one of them");
	if (o->every && o->probes.patterns && !o->n_events && !record_probes_sample(&o->probes))
		return cmd_usage("-c is for sampled events: name one with -e");
	if (o->rate_given && o->n_events && !has_rate(o) && !asks_for_source(o))
		return cmd_usage("-F is for events sampled at a rate: every hit of '%s' is sampled",
				 o->events[0].name);
	if (o->async && !rights_to_bpf())
		return err(-EPERM,
			   "no permission to read which tasks await others (--async): " RIGHTS_HOW);
	if (o->version_key && (!*o->version_key || strlen(o->version_key) > MAX_VERSION_KEY))
		return cmd_usage("--version-key takes 1 to %d bytes", MAX_VERSION_KEY);
	if (o->store && (!strcmp(o->store, "-") || (o->output && !strcmp(o->output, o->store))))
		return cmd_usage("--store '%s': name a file of its own", o->store);
	if (o->baseline.fail_on.what && !o->store && !o->baseline.file)
		return cmd_usage("%s is for a comparison: name what to compare with by --store or "
				 "--baseline",
				 o->baseline.fail_undecided ? "--fail-undecided" : "--fail-on");
	if (o->output && !strcmp(o->output, "-"))
		return cmd_usage(
			"-o -: a profile cannot be written to the standard output; name a file");
	return 0;
}

/* Adds cpu-clock, in user and kernel mode, if missing, since time on CPUs needs it: with a PMU the
 * default is cycles, which are no time. */
static int add_clock(struct record_options *o)
{
	for (size_t i = 0; i < o->n_events; i++)
		if (o->events[i].clock && !o->events[i].exclude_user &&
		    !o->events[i].exclude_kernel)
			return 0;
	return record_add_event(o->events, &o->n_events, "cpu-clock");
}

/* Returns the same as set_pace(). */
static int finish(struct record_options *o, int argc, char **argv)
{
	int ret;

	if (optind < argc && one_target(o, TARGET_COMMAND))
		return cmd_usage("%s", err_text());
	o->target.argv = argv + optind;
	o->baseline.store = o->store;
	if (o->baseline.fail_undecided && o->baseline.fail_on.what == FAIL_NEVER)
		o->baseline.fail_on = (struct fail_on){FAIL_REGRESSED, 0};
	if (!o->output && !o->store)
		o->output = o->default_output =
			o->force ? mem_strdup(DEFAULT_FILE) : default_file_new();
	ret = record_probes_settle(&o->probes);
	if (!ret)
		ret = check_together(o);
	if (!ret)
		ret = record_probes_finish(&o->probes);
	if (ret)
		return ret;
	if (o->opens_with)
		ret = add_clock(o);
	if (!ret && !o->n_events &&
	    (o->rate_given || !(o->probes.patterns || asks_for_source(o)))) {
		event_default(&o->events[0], &o->event_choice);
		o->n_events = 1;
	}
	if (o->n_events && !rights_to_bpf()) {
		event_user_only(&o->events[0]); /* the default event; others are checked already */
		o->event_choice = "without root: user mode only";
	}
	o->probes.o.every = o->every;
	o->sources[SOURCE_processes] = &o->processes;
	/* That of time off the CPU measures the same. */
	o->sources[SOURCE_totals] = o->sources[SOURCE_offcpu] || !rights_to_bpf() ? NULL : o;
	o->sources[SOURCE_oncpu] = o->n_events ? &o->oncpu : NULL;
	o->sources[SOURCE_probes] = o->probes.patterns ? &o->probes.o : NULL;
	if (o->probes.patterns)
		sources_ask_actions(o->sources, &o->probes.o);
	sources_ask_beside(o->sources, o);
	if (!ret)
		ret = set_pace(o);
	if (!ret)
		limit_rate(o);
	o->oncpu = (struct oncpu_options){o->events, o->n_events, (double)o->hz};
	return ret;
}

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	struct option_row sources[SOURCES * SOURCE_OPTIONS + 1], probes[RECORD_PROBES_ROWS];
	const struct option_row all[] = {
		{NULL, 0, OPTION_IN_ORDER, 0, {0}},
		{NULL, 0, OPTION_TABLE, 0, {.rows = rows}},
		{NULL, 0, OPTION_TABLE, 0, {.rows = sources}},
		{NULL, 0, OPTION_TABLE, AT(probes), {.rows = probes}},
		{NULL, 0, record_test_rows ? OPTION_TABLE : 0, 0, {.rows = record_test_rows}},
		{0},
	};
	int ret;

	*o = (struct record_options){
		.target = {.inherit = true, .cgroup_fd = -1, .go_fd = -1, .status_fd = -1},
		.hz = DEFAULT_HZ,
		.naming_ns = DEFAULT_NAMING_NS,
		.hash_bits = 64,
		.probes = {.o.max = ZONELIST_DEFAULT_MAX},
		.table_bytes = TABLES_MAX_BYTES};
	sources_rows(o, sources);
	record_probes_rows(&o->probes, probes);
	ret = cmd_options(all, argc, argv, o);
	if (!ret && !o->help)
		ret = finish(o, argc, argv);
	return ret < 0 ? cmd_refused(ret) : ret;
}

void record_options_release(struct record_options *o)
{
	target_release(&o->target);
	free(o->default_output);
	record_probes_release(&o->probes);
	record_baseline_release(&o->baseline);
	meta_given_release(&o->meta);
	for (size_t i = 0; i < o->source_dirs.n; i++)
		free(o->source_dirs.at[i]);
	vec_release(&o->source_dirs);
	for (size_t i = 0; i < SOURCES; i++)
		free(o->parsed[i]);
}
