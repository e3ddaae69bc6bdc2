#include "cmd/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/check.h"
#include "select/awaiters.h"
#include "select/machine.h"
#include "query/excerpt.h"
#include "query/wait_class.h"
#include "query/wait_sums.h"

const struct cmd commands[] = {
	{"report", render_report, "a report of one profile (the default when a file is named)"},
	{"export", render_export, "the profile in the format of another tool"},
	{"import", render_import, "a profile of what another tool wrote"},
	{"merge", render_merge, "several profiles added up to one"},
	{"compare", render_compare, "what changed between runs, how sure that is, and a verdict"},
	{"store", render_store, "many runs in one file: add, list, show, remove"},
	{"generate", render_generate, "reports of all profiles in a folder"},
	{"help", render_help, "this text"},
	{"for-eprof", render_for_eprof, NULL},
	{NULL, NULL, NULL},
};

/* --- the command line ------------------------------------------------------------------------- */

void render_help_charset(void)
{
	FILE *out = ascii_wanted() ? ascii_stream(STDOUT_FILENO, false) : NULL;

	stdout = out ? out : stdout;
}

const char *render_platform(const char *given, char **here)
{
	if (!given || strcmp(given, "here") != 0)
		return given;
	*here = machine_platform();
	return *here;
}

static int take_mode(void *unused, const char *value)
{
	(void)unused;
	return file_use_mode(value);
}

int render_options(const struct render_options *o, int argc, char **argv, void *arguments)
{
	const struct option_row rows[] = {
		{NULL, 0, OPTION_TABLE, 0, {.rows = o->rows}},
		{"mode", 0, OPTION_TAKE, 0, {.take = take_mode}},
		{"help", 'h', OPTION_STOP, RENDER_HELP, {0}},
		{0},
	};
	const int rc = options_read(rows, argc, argv, arguments);

	if (rc < 0)
		return render_usage("%s%s%s", o->command ? o->command : "", o->command ? ": " : "",
				    err_text());
	if (rc == RENDER_VERSION)
		return o->version();
	if (rc == RENDER_HELP) {
		render_help_charset();
		o->help();
	}
	return rc ? 0 : -1;
}

/* --- the sandbox ------------------------------------------------------------------------------ */

void render_enter(struct allowed *s)
{
	int status = 1;

	switch (sandbox_enter(s, &status)) {
	case SANDBOX_CHILD:
		allowed_release(s);
		return;
	case SANDBOX_FAILED:
		_exit(render_fail());
	case SANDBOX_ENDED:
		break;
	}
	/* What the child did not write is not ours to write. */
	_exit(status);
}

void render_enter_to(const char *output, bool force, const char *const *inputs, size_t n)
{
	struct allowed s = {0};

	allowed_read_all(&s, inputs, n);
	allowed_add(&s, ALLOWED_MAKE, output, force);
	render_enter(&s);
}

/* --- the end ---------------------------------------------------------------------------------- */

int render_end(int status)
{
	/* A failed one has said why, which may be this. */
	if (status || file_flush(stdout, "stdout") == 0)
		return status;
	return render_fail();
}

int render_fail(void)
{
	fprintf(stderr, "eprof-render: %s\n", err_text());
	return 1;
}

int render_refuse(int rc)
{
	render_fail();
	return err_is_usage(rc) ? 2 : 1;
}

void render_contradictions(const struct profile *p, const char *input)
{
	_free_ char *contradictions = contradictions_text(p);
	_free_ char *line = NULL;
	_free_ char *clean = NULL;

	if (!contradictions)
		return;
	line = mem_printf("'%s' is inconsistent: %s; shown as it is", input, contradictions);
	clean = str_clean(line, strlen(line));
	fprintf(stderr, "eprof-render: %s\n", clean);
}

void render_frames(const struct selection *sel, struct profile *p, struct wait_classes *waits)
{
	if (sel->async && awaiters_missing(p))
		fprintf(stderr,
			"eprof-render: --async: the profile does not say who awaits a task: "
			"%s\n",
			awaiters_missing(p));
	if (!sel->async)
		awaiters_show(p, false);
	if (!sel->fold_kernel && !sel->frames && !sel->async)
		return;
	wait_classes_init(waits, p);
	if (sel->async)
		awaiters_show(p, true);
	frames_show(p, sel->frames);
	if (sel->fold_kernel)
		excerpt_fold_kernel(p);
}

int render_settle(struct selection *sel, const struct profile *p)
{
	char began[UNITS_BUF];
	const int rc = selection_settle(sel, p);

	if (!rc && sel->early)
		fprintf(stderr,
			"eprof-render: --from %s is before the capture, which began at %s: it is "
			"shown from there\n",
			sel->early, units_time(began, sizeof(began), p->started_unix_ns));
	return rc;
}

void render_left_out(const struct profile *p, const struct selection *sel)
{
	_free_ char *text = wait_left_out(p, sel);

	if (text)
		fprintf(stderr, "eprof-render: %s\n", text);
}

int render_usage(const char *fmt, ...)
{
	_free_ char *text = NULL;
	_free_ char *clean = NULL;
	va_list args;

	va_start(args, fmt);
	text = mem_vprintf(fmt, args);
	va_end(args);
	clean = str_clean(text, strlen(text));
	fprintf(stderr, "eprof-render: %s (see eprof-render --help)\n", clean);
	return 2;
}
