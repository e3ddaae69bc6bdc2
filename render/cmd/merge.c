/* merge: several profiles added up to one. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "merge/merge.h"
#include "model/meta.h"
#include "select/pattern.h"
#include "store/store.h"

struct arguments {
	const char *output;
	char *const *inputs;
	int n_inputs;
	struct merge_choice choice;
	struct store_key key; /* which run of each */
	bool force;
};

static void help(void)
{
	fputs("Examples:\n"
	      "  eprof-render merge monday.h5 tuesday.h5 -o week.h5\n"
	      "  eprof-render merge worker-*.h5 -o all.h5 --recent 5s\n"
	      "  eprof-render merge eprof.h5 -o part.h5 --from 2s --to 5s --key 'worker*'\n"
	      "\n"
	      "Usage: eprof-render merge FILE… -o OUT [--force] [--from TIME] [--to TIME]\n"
	      "                          [--recent TIME] [--key PATTERN]\n"
	      "\n"
	      "Adds up profiles: functions, stacks, zones, threads and metrics that are the same "
	      "by\n"
	      "name become one, whatever the order of the files; different ones stand side by "
	      "side.\n"
	      "The captures stand one behind the other in time, ordered by when they started: the\n"
	      "duration, of which percentages are, is the sum of theirs.\n"
	      "\n"
	      "  -o, --output OUT     write to OUT\n"
	      "      --force          replace OUT if it exists\n"
	      "      --mode OCTAL     the mode of what is made (root: 600; else by the umask)\n"
	      "      --from TIME      leave out what was before: 2.5s, 300ms, 1m since the start "
	      "of\n"
	      "                       each profile\n"
	      "      --to TIME        leave out what came at that time and after it\n"
	      "      --recent TIME    only the last so much of each profile: 5s\n"
	      "      --key PATTERN    only threads whose TID, name or process (PID, name) matches\n"
	      "      --version-key V  of a store: a run of that version; else the newest run\n"
	      "      --platform P     of a store: one on that platform\n"
	      "      --run NAME       of a store: the run of that name\n"
	      "  -h, --help           this text\n"
	      "\n"
	      "With --from, --to, --recent or --key only samples are merged: zones, waits of "
	      "threads,\n"
	      "run queues and costs are of whole captures and cannot be cut.\n",
	      stdout);
}

static int take_key(void *field, const char *text)
{
	struct pattern *p = NULL;
	int rc = pattern_new(text, &p);

	pattern_free(p);
	*(const char **)field = text;
	return rc;
}

static const struct option_row option_rows[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct arguments, output), {0}},
	{"force", 0, OPTION_FLAG, offsetof(struct arguments, force), {0}},
	{"from", 0, OPTION_NS, offsetof(struct arguments, choice.from_ns), {0}},
	{"to", 0, OPTION_NS, offsetof(struct arguments, choice.to_ns), {0}},
	{"recent", 0, OPTION_NS, offsetof(struct arguments, choice.recent_ns), {0}},
	{"key", 0, OPTION_TAKE, offsetof(struct arguments, choice.key), {.take = take_key}},
	{"version-key", 0, OPTION_TEXT, offsetof(struct arguments, key.version), {0}},
	{"platform", 0, OPTION_TEXT, offsetof(struct arguments, key.platform), {0}},
	{"run", 0, OPTION_TEXT, offsetof(struct arguments, key.run), {0}},
	{0},
};

/* -1: go on; else the exit status. */
static int check(const struct arguments *a)
{
	const struct merge_choice *c = &a->choice;

	if (!a->n_inputs)
		return render_usage("merge: name the profiles to merge");
	if (!a->output)
		return render_usage("merge: name the file to write: -o OUT");
	if (!strcmp(a->output, "-"))
		return render_usage("merge: -o needs a file: a profile cannot be written to the "
				    "standard output");
	if (c->recent_ns && (c->from_ns || c->to_ns))
		return render_usage("merge: --recent is a span of its own: leave out --from and "
				    "--to");
	if (c->to_ns && c->from_ns >= c->to_ns)
		return render_usage("merge: --from is not before --to: nothing is between them");
	return -1;
}

static int parse(int argc, char **argv, struct arguments *a)
{
	static const struct render_options options = {"merge", option_rows, help, NULL};
	int status = render_options(&options, argc, argv, a);

	if (status >= 0)
		return status;
	a->inputs = argv + optind;
	a->n_inputs = argc - optind;
	return check(a);
}

/* One profile at a time is in memory beside the merged rows. */
static int add_all(const struct arguments *a, struct merge *m)
{
	int rc = 0;

	for (int i = 0; !rc && i < a->n_inputs; i++) {
		struct profile *p = NULL;

		rc = store_load(a->inputs[i], &a->key, &p);
		if (!rc) {
			render_contradictions(p, a->inputs[i]);
			rc = merge_add(m, p, a->inputs[i]);
		}
		profile_free(p);
	}
	return rc;
}

static void tell(const struct arguments *a, const struct merge *m, const struct profile *p)
{
	const char *left_out = merge_left_out(m);
	char samples[UNITS_BUF];

	if (left_out)
		fprintf(stderr,
			"eprof-render: left out, as they are of whole captures and cannot be cut: "
			"%s\n",
			left_out);
	fprintf(stderr, "eprof-render: %zu captures of %s together, %s samples, are in %s\n",
		p->origins.n, ns_text((double)p->duration_ns),
		units_count(samples, sizeof(samples), (int64_t)p->samples.n), a->output);
}

/* The exit status. */
static int merge_all(const struct arguments *a, struct merge *m)
{
	struct profile *p = NULL;
	int rc = add_all(a, m);

	if (!rc)
		rc = merge_finish(m, &p);
	if (rc)
		return render_fail();
	profile_set_run(p, RUN_WRITTEN_BY, "eprof-render " EPROF_VERSION);
	rc = store_save(a->output, a->force, p);
	if (!rc)
		tell(a, m, p);
	profile_free(p);
	return rc ? render_fail() : 0;
}

int render_merge(int argc, char **argv)
{
	struct arguments a = {0};
	struct merge *m;
	int status = parse(argc, argv, &a), rc;

	if (status >= 0)
		return status;
	rc = output_check(a.output, a.force, (const char *const *)a.inputs, (size_t)a.n_inputs);
	if (rc)
		return render_refuse(rc);
	render_enter_to(a.output, a.force, (const char *const *)a.inputs, (size_t)a.n_inputs);
	m = merge_new(&a.choice);
	status = merge_all(&a, m);
	merge_free(m);
	return status;
}
