#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/options.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/doctor_process.h"
#include "load/features.h"
#include "perf/rights.h"

#define PID_MOST (1u << 22) /* the kernel's limit */

static const char help[] =
	"Examples:\n"
	"  sudo eprof doctor        what works here for root\n"
	"  eprof doctor             what works here for you\n"
	"  eprof doctor --json      the same for programs\n"
	"  eprof doctor -p 4711     what a profile of that process would lack, too\n"
	"\n"
	"Usage: eprof doctor [-p PID] [--json]\n"
	"\n"
	"Tries each kernel feature and privilege that eprof uses, and says what it is for and how\n"
	"to get it where it is missing.\n"
	"\n"
	"  -p, --pid PID     say of that process, too, which names, stacks and waits a profile\n"
	"                    would lack, and how to get them\n"
	"  --json            print JSON, for programs\n"
	"  -h, --help        this text\n"
	"\n"
	"Exit status: 0 if sampling works, at least of your own processes; 1 if it does not.\n";

static const char *const state_name[] = {[FEATURE_OK] = "ok",
					 [FEATURE_LIMITED] = "limited",
					 [FEATURE_MISSING] = "missing",
					 [FEATURE_UNKNOWN] = "unknown"};
static const char *const group_name[] = {[FEATURE_KERNEL] = "kernel",
					 [FEATURE_PRIVILEGE] = "privileges",
					 [FEATURE_SETTING] = "settings"};

static void json_process(struct str *s, const struct doctor_process *p)
{
	str_addf(s, ",\n\"process\": {\"pid\": %u", p->pid);
	json_member(s, "command", p->command);
	str_add(s, ", \"findings\": [");
	for (size_t i = 0; i < p->findings.n; i++) {
		const struct doctor_finding *f = &p->findings.at[i];

		str_addf(s, "%s\n  {\"state\": \"%s\"", i ? "," : "",
			 state_name[f->ok ? FEATURE_OK : FEATURE_LIMITED]);
		json_member(s, "what", f->what);
		json_member(s, "found", f->found);
		json_member(s, "get", f->get);
		str_addc(s, '}');
	}
	str_add(s, "\n]}");
}

static void print_json(const struct feature *f, size_t n, bool works, bool own,
		       const struct doctor_process *p)
{
	struct str s = {0};

	str_addf(&s, "{\"sampling_works\": %s, \"own_processes_work\": %s, \"features\": [",
		 works ? "true" : "false", own ? "true" : "false");
	for (size_t i = 0; i < n; i++) {
		str_addf(&s, "%s\n  {\"key\": \"%s\"", i ? "," : "", f[i].key);
		json_member(&s, "group", group_name[f[i].group]);
		json_member(&s, "what", f[i].what);
		json_member(&s, "state", state_name[f[i].state]);
		json_flag(&s, "essential", f[i].essential);
		json_member(&s, "found", f[i].found);
		json_member(&s, "means", f[i].means);
		json_member(&s, "get", f[i].get);
		str_addc(&s, '}');
	}
	str_add(&s, "\n]");
	if (p->pid)
		json_process(&s, p);
	str_add(&s, "}\n");
	fputs(str_text(&s), stdout);
	str_release(&s);
}

/*
 *   ok       BTF of the kernel                                    the programs fit this kernel …
 *   limited  hardware counters (PMU)        no hardware counters  cpu-clock is sampled instead …
 *            to get it: in a virtual machine: a virtual PMU from the host
 */
static void print_row(const struct feature *f, size_t what, size_t found)
{
	printf("  %-7s  %-*s  %-*s  %s\n", state_name[f->state], (int)what, f->what, (int)found,
	       f->found, f->means);
	if (*f->get && f->state != FEATURE_UNKNOWN)
		printf("  %-7s  to get it: %s\n", "", f->get);
}

static void print_process(const struct doctor_process *p)
{
	size_t what = 0;

	vec_each (f, &p->findings)
		what = strlen(f->what) > what ? strlen(f->what) : what;
	printf("\nprocess %u: %s\n", p->pid, p->command);
	vec_each (f, &p->findings) {
		printf("  %-7s  %-*s  %s\n", state_name[f->ok ? FEATURE_OK : FEATURE_LIMITED],
		       (int)what, f->what, f->found);
		if (f->get[0])
			printf("  %-7s  to get it: %s\n", "", f->get);
	}
}

static void print_table(const struct feature *f, size_t n, bool works, bool own,
			const struct doctor_process *p)
{
	size_t what = 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		what = strlen(f[i].what) > what ? strlen(f[i].what) : what;
		found = strlen(f[i].found) > found ? strlen(f[i].found) : found;
	}
	for (size_t i = 0; i < n; i++) {
		if (!i || f[i].group != f[i - 1].group)
			printf("%s%s\n", i ? "\n" : "", group_name[f[i].group]);
		print_row(&f[i], what, found);
	}
	if (p->pid)
		print_process(p);
	printf("\nSampling %s.\n", works ? "works here"
				   : own ? "works here for your own processes only, in user mode "
					   "(-p, -t, -- COMMAND)"
					 : "does not work here");
	if (!works && geteuid())
		printf("To see what root can do: sudo eprof doctor. To do all of it without root:\n"
		       "  sudo setcap " RIGHTS_CAPS " $(command -v eprof)\n");
}

int cmd_doctor(int argc, char **argv)
{
	struct asked {
		bool json, help;
		unsigned int pid;
	} asked = {0};
	static const struct option_row options[] = {
		{"json", 0, OPTION_FLAG, offsetof(struct asked, json), {0}},
		{"pid", 'p', OPTION_COUNT, offsetof(struct asked, pid), {.range = {1, PID_MOST}}},
		{"help", 'h', OPTION_FLAG, offsetof(struct asked, help), {0}},
		{0}};
	struct feature features[FEATURES_MAX];
	const int status = cmd_options(options, argc, argv, &asked);
	struct doctor_process process = {0};
	bool works, own;
	size_t n;

	if (status)
		return status;
	if (asked.help) {
		fputs(help, stdout);
		return EXIT_OK;
	}
	if (optind < argc)
		return cmd_usage("doctor takes no argument '%s'", argv[optind]);
	n = features_probe(features);
	works = features_suffice(features, n);
	own = works || features_own(features, n);
	if (asked.pid && doctor_process_look(&process, asked.pid, works)) {
		doctor_process_release(&process);
		return cmd_failed();
	}
	(asked.json ? print_json : print_table)(features, n, works, own, &process);
	doctor_process_release(&process);
	return own ? EXIT_OK : EXIT_FAILED;
}
