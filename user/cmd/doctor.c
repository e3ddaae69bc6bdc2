#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/options.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "load/features.h"
#include "perf/rights.h"

static const char help[] =
	"Examples:\n"
	"  sudo eprof doctor        what works here for root\n"
	"  eprof doctor             what works here for you\n"
	"  eprof doctor --json      the same for programs\n"
	"\n"
	"Usage: eprof doctor [--json]\n"
	"\n"
	"Tries each kernel feature and privilege that eprof uses, and says what it is for and how\n"
	"to get it where it is missing.\n"
	"\n"
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

static void print_json(const struct feature *f, size_t n, bool works, bool own)
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
	str_add(&s, "\n]}\n");
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

static void print_table(const struct feature *f, size_t n, bool works, bool own)
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
	} asked = {0};
	static const struct option_row options[] = {
		{"json", 0, OPTION_FLAG, offsetof(struct asked, json), {0}},
		{"help", 'h', OPTION_FLAG, offsetof(struct asked, help), {0}},
		{0}};
	struct feature features[FEATURES_MAX];
	const int status = cmd_options(options, argc, argv, &asked);
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
	(asked.json ? print_json : print_table)(features, n, works, own);
	return own ? EXIT_OK : EXIT_FAILED;
}
