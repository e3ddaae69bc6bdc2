#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/record_broker.h"
#include "cmd/record_options.h"
#include "cmd/record_save.h"
#include "cmd/record_packages.h"
#include "cmd/record_version.h"
#include "cmd/unprivileged.h"
#include "crew/crew_server.h"
#include "model/meta.h"
#include "model/taken.h"
#include "probe/engine.h"
#include "process/opener.h"
#include "capture/capture.h"
#include "select/machine.h"
#include "capture/source_files.h"
#include "symbol/sourcetext.h"
#include "timeline/timeline_ledger.h"

/* The shell's statuses for a command that cannot be run, and timeout(1)'s for one that did not end
 * in time. */
enum { EXIT_GOES_ON = 124, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* The state of one run of the command. */
struct record {
	struct record_options o;
	struct record_places at;
	char *part;		 /* path of the file of windows; owned */
	char *events, *target;	 /* shown to the user; owned */
	char *command, *options; /* owned */
	enum capture_end end;
	int status;	   /* wait status of the command; -1: none */
	int command_error; /* errno of its exec; 0: it ran */
	int gate_status;   /* what --fail-on and --fail-undecided ask for; 0: none */
};

/* The words up to a NULL, or up to @last. */
static char *join(char *const *argv, char *const *last)
{
	struct str s = {0};

	for (; *argv; argv++) {
		str_addf(&s, "%s%s", s.n ? " " : "", *argv);
		if (argv == last)
			break;
	}
	_free_ char *text = str_steal(&s);

	return text ? str_clean(text, strlen(text)) : mem_strdup("");
}

/* Words from @argv on to the end of the command, or with --no-cmdline to its program. */
static char *join_command(const struct record_options *o, char *const *argv)
{
	return join(argv, o->processes.no_commands ? o->target.argv : NULL);
}

/* Appends "cycles, page-faults": the events with a rate, or those without; with -c all. Returns how
 * many. */
static size_t add_events(struct str *s, const struct record_options *o, bool rate)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_events; i++) {
		if (event_has_rate(&o->events[i]) == rate || o->every)
			str_addf(s, "%s%s", n++ ? ", " : "", o->events[i].name);
	}
	return n;
}

/* "cycles at 99 Hz and every hit of sched:sched_switch"; "sched:sched_switch, every hit";
 * "page-faults, every 100th". */
static void add_all_events(struct str *s, const struct record_options *o)
{
	size_t n = add_events(s, o, true);

	if (n && o->every) {
		if (o->every > 1)
			str_addf(s, ", every %" PRIu64 "%s", o->every, units_ordinal(o->every));
		else
			str_add(s, ", every hit");
		return;
	}
	if (n)
		str_addf(s, " at %" PRId64 " Hz", o->hz);
	if (n && n < o->n_events)
		str_add(s, " and every hit of ");
	if (add_events(s, o, false) && !n)
		str_add(s, ", every hit");
}

/* The events, and what else is captured: "cpu-clock at 99 Hz; time off the CPU, …". */
static char *describe_events(const struct record_options *o)
{
	_free_ char *captures = sources_captures(o->sources, (double)o->hz, !o->n_events);
	struct str s = {0};

	add_all_events(&s, o);
	if (captures && *captures)
		str_addf(&s, "%s%s", s.n ? "; " : "", captures);
	if (o->async)
		str_add(&s, ", with awaiting tasks");
	return str_steal(&s);
}

static char *describe_target(const struct record_options *o)
{
	struct str s = {0};

	switch (o->target.kind) {
	case TARGET_PIDS:
		str_add(&s, "-p ");
		for (size_t i = 0; i < o->target.pids.n; i++)
			str_addf(&s, "%s%u", i ? "," : "", o->target.pids.at[i]);
		if (o->target.children)
			str_add(&s, " --children");
		break;
	case TARGET_TID:
		str_addf(&s, "-t %u", o->target.tid);
		break;
	case TARGET_CGROUP:
		str_addf(&s, "-G %s", o->target.cgroup);
		break;
	case TARGET_COMMAND: {
		_free_ char *words = join_command(o, o->target.argv);

		str_addf(&s, "-- %s", words);
		break;
	}
	default:
		str_add(&s, "-a");
	}
	return str_steal(&s);
}

static char *describe_command(const struct record_options *o, struct opener *opener)
{
	char *line;

	if (o->target.kind == TARGET_COMMAND)
		return join_command(o, o->target.argv);
	if (o->target.kind == TARGET_ALL)
		return mem_strdup("all processes");
	if (o->target.kind == TARGET_CGROUP)
		return mem_printf("cgroup %s", o->target.cgroup);
	line = target_cmdline(opener, o->target.pids.at[0]);
	if (o->processes.no_commands)
		line[strcspn(line, " ")] = '\0';
	return line;
}

static void show_progress(void *context, const struct capture_progress *p)
{
	char lost[UNITS_BUF], cpu[UNITS_BUF], slowdown[SLOWDOWN_TEXT];

	(void)context;
	fprintf(stderr, "\r\033[K%.1f s  ", (double)p->elapsed_ns / 1e9);
	fputs(p->sources, stderr);
	if (p->slowdown)
		fprintf(stderr, "slowdown %s  ",
			slowdown_text(slowdown, sizeof(slowdown), p->slowdown));
	fprintf(stderr, "%s lost  own CPU %s", units_count(lost, sizeof(lost), (int64_t)p->lost),
		units_ns(cpu, sizeof(cpu), (double)p->own_cpu_ns));
}

/* Shows on a terminal which long step is under way, until the next call; "": none. */
static void show_step(const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s", what);
}

/* Prints a message during the capture, in place of a progress line. */
static void show_message(const void *record, const char *text)
{
	(void)record;
	fprintf(stderr, "%seprof: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

/* The reason why the capture ended, to follow "ended by". */
static char *describe_end(const struct record *r)
{
	char took[UNITS_BUF];

	if (r->end == CAPTURE_RUNNING)
		return mem_strdup(RUN_END_NONE);
	if (r->end == CAPTURE_SIGNAL)
		return mem_strdup("Ctrl-C or a signal");
	if (r->end == CAPTURE_TIME)
		return mem_printf("the time limit of %s",
				  units_ns(took, sizeof(took), (double)r->o.duration_ns));
	if (r->status < 0)
		return mem_strdup("the target's exit");
	if (WIFSIGNALED(r->status))
		return mem_printf("the command's death by signal %d (%s)", WTERMSIG(r->status),
				  strsignal(WTERMSIG(r->status)));
	return mem_printf("the command's exit with status %d", WEXITSTATUS(r->status));
}

static void describe_run(const void *record, struct profile *p)
{
	const struct record *r = record;
	char when[UNITS_BUF], pid[16];
	_free_ char *end = describe_end(r);
	_free_ char *program = str_program(r->command);
	_free_ char *name =
		mem_printf("%s %s", program, units_time(when, sizeof(when), p->started_unix_ns));

	profile_set_run(p, RUN_NAME, name);
	profile_set_run(p, RUN_COMMAND, r->command);
	profile_set_run(p, RUN_TARGET, r->target);
	profile_set_run(p, RUN_EVENTS, r->events);
	if (r->o.event_choice)
		profile_set_run(p, RUN_EVENT_CHOICE, r->o.event_choice);
	if (r->o.opens_with)
		profile_set_run(p, RUN_METRIC, r->o.opens_with);
	profile_set_run(p, RUN_OPTIONS, r->options);
	profile_set_run(p, RUN_END, end);
	profile_set_run(p, RUN_WRITTEN_BY, "eprof " EPROF_VERSION);
	if (r->o.target.kind == TARGET_PIDS ? r->o.target.n_named == 1 : r->o.target.pids.n == 1) {
		snprintf(pid, sizeof(pid), "%u", r->o.target.pids.at[0]);
		profile_set_run(p, RUN_PID, pid);
	}
	machine_describe(p, r->o.version_key, p->started_unix_ns);
	meta_given_apply(&r->o.meta, p);
}

static int save(const struct record *r, const struct capture *c, const struct profile *p)
{
	struct record_saved saved;
	int ret = record_save(&r->at, p, capture_signals(c), &saved);

	if (saved.anywhere && !saved.part_hangs && capture_part_made(c) && !capture_part_needed(c))
		record_part_remove(&r->at, capture_signals(c));
	return ret;
}

static bool command_runs(const struct record *r)
{
	return r->o.target.kind == TARGET_COMMAND && r->o.target.go_fd < 0 && r->status < 0 &&
	       !r->command_error;
}

/* Called last: by then the command may have ended, perhaps by the same Ctrl-C. */
static void print_goes_on(struct record *r, struct capture *c)
{
	if (!command_runs(r))
		return;
	r->status = capture_command_status(c);
	if (command_runs(r))
		fprintf(stderr, "eprof: the command goes on without eprof, as process %u%s\n",
			r->o.target.pids.at[0],
			r->o.exit_code ? ": it has not exited yet, so eprof exits with 124" : "");
}

/* Programs and libraries whose first calls may be missing: events that never came, so that no row
 * of lost ones has them. */
static int64_t ran_before(const struct profile *p)
{
	int64_t most = 0;

	for (size_t i = 0; i < p->ledger.n; i++) {
		const struct ledger_row *r = &p->ledger.at[i];

		/* Zones and stacks of calls may both tell it. */
		if (r->class == LEDGER_NOTE && r->count > most &&
		    str_starts(profile_text(p, r->name), ENGINE_NOTE_BEFORE))
			most = r->count;
	}
	return most;
}

static void print_result(const struct record *r, const struct capture *c, const struct profile *p)
{
	_free_ char *what = capture_total(c, p);
	_free_ char *file = str_quote(r->o.output ? r->o.output : r->o.store);
	char lost[UNITS_BUF], took[UNITS_BUF];
	const int64_t n_before = ran_before(p);
	_free_ char *before = n_before ? mem_printf(", first calls of %" PRId64
						    " programs and libraries perhaps missed",
						    n_before)
				       : mem_strdup("");
	const int64_t left_out = timeline_left_out(p);
	_free_ char *asked = left_out ? mem_printf(", %s left out as asked", count_text(left_out))
				      : mem_strdup("");
	int64_t n_lost = 0;

	for (size_t i = 0; i < p->ledger.n; i++)
		n_lost += p->ledger.at[i].class == LEDGER_LOST ? p->ledger.at[i].count : 0;
	if (r->status >= 0 || r->end == CAPTURE_EXITED) {
		_free_ char *end = describe_end(r);

		fprintf(stderr, "eprof: ended by %s\n", end);
	}
	fprintf(stderr, "eprof: %s in %s, %s lost%s%s; see them with: eprof report %s\n", what,
		units_ns(took, sizeof(took), (double)p->duration_ns),
		units_count(lost, sizeof(lost), n_lost - left_out), asked, before, file);
}

static void add_source(const struct record *r, const struct capture *c, struct profile *p)
{
	struct source_files files = {capture_images(c), r->o.source_dirs.at, r->o.source_dirs.n};
	struct sourcetext_report report;

	if (!r->o.source)
		return;
	show_step("reading source lines");
	sourcetext_add(p, source_files_open, &files, &report);
	show_step("");
	if (!report.files)
		fprintf(stderr, "eprof: --source: no function that was sampled has lines: build "
				"with -g, or install debug packages\n");
	else if (report.read < report.files)
		fprintf(stderr,
			"eprof: --source: %zu of %zu source files could be read: those below the "
			"folder that they were compiled in, or a --source-dir, and scripts, which "
			"the target's user%s may read\n",
			report.read, report.files,
			caller().is_other || caller().uid ? "" : " (root's: everybody)");
}

static int run_capture(struct record *r, struct capture *c, struct opener *opener,
		       struct profile **p)
{
	const bool terminal = isatty(STDERR_FILENO);
	int ret = capture_run(c, terminal ? show_progress : NULL, r, &r->end);

	r->status = capture_command_status(c);
	r->command_error = capture_command_error(c);
	show_step("naming what was found");
	ret = ret ? ret : capture_profile(c, p);
	if (!ret && !r->o.version_key)
		record_version_set(*p, opener);
	if (!ret)
		record_packages_set(*p, opener);
	if (!ret)
		add_source(r, c, *p);
	show_step("");
	return ret;
}

/* A zone that does not exist yet is no error, as its library may come; but its name may be
 * wrong. */
static void print_waiting(const struct capture *c, const char *so_far)
{
	_free_ char *what = capture_waiting(c);

	if (what)
		fprintf(stderr, "eprof: %s%s\n", what, so_far);
}

static void print_forbidden(const struct capture *c)
{
	const char *what = capture_forbidden(c);

	if (what)
		fprintf(stderr, "eprof: %s\n", what);
}

/* For a command print nothing: its own output comes next, or the message that it cannot be run. */
static void print_start(const struct record *r)
{
	if (r->o.target.kind == TARGET_COMMAND)
		return;
	fprintf(stderr, "eprof: %s %s", r->o.n_events ? "sampling" : "capturing", r->events);
	if (r->o.event_choice)
		fprintf(stderr, " (%s)", r->o.event_choice);
	fputs(r->o.duration_ns ? "\n" : "; Ctrl-C ends it\n", stderr);
}

/* A hint: the children of a forking server do its work. */
static void print_children(const struct record *r)
{
	const struct target *t = &r->o.target;
	uint32_t parent;
	size_t n = t->children ? t->pids.n - t->n_named : target_children(t, &parent);

	if (n && t->children)
		fprintf(stderr, "eprof: with %zu child process%s\n", n, n == 1 ? "" : "es");
	else if (n)
		fprintf(stderr,
			"eprof: %u has %zu child%s already, which %s not captured: "
			"--children captures them too\n",
			parent, n, n == 1 ? "" : "ren", n == 1 ? "is" : "are");
}

/* Start the broker, the @opener and the server of workers before anything of a target is read. */
static int record_with(struct record *r, struct opener *opener)
{
	const struct window_place windows = record_windows(r->part);
	struct capture_options o = {.opener = opener,
				    .target = &r->o.target,
				    .events = r->o.events,
				    .n_events = r->o.n_events,
				    .hz = (double)r->o.hz,
				    .duration_ns = r->o.duration_ns,
				    .sampler = r->o.sampler,
				    .async = r->o.async,
				    .hash_bits = r->o.hash_bits,
				    .table_bytes = r->o.table_bytes,
				    .describe = describe_run,
				    .say = show_message,
				    .context = r,
				    .sinks[SINK_file] = &windows,
				    .naming_ns = r->o.naming_ns,
				    .window_ns = r->o.window_ns};
	struct capture *c = NULL;
	struct profile *p = NULL;
	int ret = target_open(&r->o.target);

	if (ret)
		return ret;
	/* Ignore SIGXFSZ and reap children only from here on: the command would inherit that.
	 * Writing past a file size limit must fail with an errno, and a child's status must be
	 * available. */
	memcpy(o.sources, r->o.sources, sizeof(o.sources));
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	r->command = describe_command(&r->o, o.opener);
	show_step(sources_opening(r->o.sources));
	ret = capture_open(&o, &c);
	show_step("");
	if (ret)
		return ret;
	print_start(r);
	print_children(r);
	if (r->o.target.kind != TARGET_COMMAND) {
		print_waiting(c, " so far: it is captured once it is mapped");
		print_forbidden(c);
	}
	ret = run_capture(r, c, opener, &p);
	if (!ret)
		r->gate_status = record_compare(&r->o.baseline, p, capture_signals(c));
	if (!ret)
		ret = save(r, c, p);
	if (!ret) {
		print_result(r, c, p);
		print_waiting(c, "");
		print_forbidden(c);
	}
	print_goes_on(r, c);
	profile_free(p);
	/* Detaching thousands of probes takes the kernel a while. */
	show_step(sources_closing(r->o.sources));
	capture_free(c);
	show_step("");
	return ret;
}

static int record(struct record *r)
{
	struct record_broker broker;
	struct opener *opener;
	int ret = record_broker_start(&r->at, &r->o.baseline, &broker);

	if (ret)
		return ret;
	ret = crew_server_start();
	opener = ret ? NULL : opener_new();

	if (!ret)
		ret = record_with(r, opener);
	opener_free(opener);
	record_broker_end(&broker);
	return ret;
}

static int exit_status(const struct record *r, int ret)
{
	if (r->command_error)
		return r->command_error == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	if (ret)
		return EXIT_FAILED;
	if (r->gate_status)
		return r->gate_status;
	if (!r->o.exit_code)
		return EXIT_OK;
	if (r->status < 0)
		return EXIT_GOES_ON;
	return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

int cmd_record(int argc, char **argv)
{
	struct record r = {.status = -1};
	int ret = record_options_parse(&r.o, argc, argv);

	if (ret || r.o.help) {
		if (!ret)
			record_options_help();
		record_options_release(&r.o);
		return ret;
	}
	r.part = record_part_name(r.o.output, r.o.store);
	r.at = (struct record_places){
		.output = r.o.output, .store = r.o.store, .part = r.part, .force = r.o.force};
	record_places_settle(&r.at);
	r.events = describe_events(&r.o);
	r.target = describe_target(&r.o);
	r.options = join_command(&r.o, argv);
	ret = target_check(&r.o.target);
	if (!ret)
		ret = record_places_check(&r.at);
	if (!ret)
		ret = record_baseline_check(&r.o.baseline);
	if (!ret)
		ret = record(&r);
	if (ret)
		cmd_failed();
	record_places_release(&r.at);
	free(r.part);
	free(r.events);
	free(r.target);
	free(r.command);
	free(r.options);
	record_options_release(&r.o);
	return exit_status(&r, ret);
}
