/*
 * eprof: the capturing program. This is the table of its subcommands and nothing else; how to
 * add one stands in cmd/cmd.h.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "select/nearest.h"

static const struct command {
	const char *name, *about;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"record", "capture a profile (the default: 'record' may be left out)", cmd_record},
	{"report", "show a profile: drops privileges and runs eprof-render", cmd_report},
	{"name", "name afterwards what a capture could not, from debug files", cmd_name},
	{"zones", "list the functions that can be counted and timed call by call", cmd_zones},
	{"doctor", "say what this kernel and these privileges allow", cmd_doctor},
};

static int help(void)
{
	fputs("eprof: where the time of a running program goes\n\n"
	      "  sudo eprof -p 4711              sample a process until Ctrl-C, write eprof.h5\n"
	      "  sudo eprof -a -d 30             sample the whole machine for 30 seconds\n"
	      "  sudo eprof -F 999 -- make -j2   sample a command and all that it starts\n"
	      "  eprof report eprof.h5           show what was found\n\n"
	      "Commands (for their options: eprof COMMAND --help, man eprof-COMMAND):\n",
	      stdout);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].about);
	fputs("\nOptions:\n"
	      "  -h, --help   this text\n"
	      "  --version    the version\n",
	      stdout);
	return EXIT_OK;
}

static int no_command(const char *name)
{
	_free_ char *quoted = str_quote(name), *hint = NULL;
	struct nearest nearest = {0};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		nearest_try(&nearest, name, commands[i].name);
	hint = nearest_hint(&nearest);
	return cmd_usage("no command '%s'%s; to profile a program: eprof -- %s", name, hint,
			 quoted);
}

static int run(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return argc < 2 ? (help(), EXIT_USAGE) : help();
	if (!strcmp(argv[1], "--version"))
		return printf("eprof %s\n", EPROF_VERSION) < 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (argv[1][0] == '-')
		return cmd_record(argc, argv);
	return no_command(argv[1]);
}

/* What eprof says is in ASCII where the locale is; its children's output is theirs. */
static void choose_charset(void)
{
	FILE *out, *err;

	if (!ascii_wanted())
		return;
	out = ascii_stream(STDOUT_FILENO, false);
	err = ascii_stream(STDERR_FILENO, true);
	stdout = out ? out : stdout;
	stderr = err ? err : stderr;
}

int main(int argc, char **argv)
{
	file_hold_streams();
	environment_settle();
	choose_charset();
	if (caller_settle())
		return cmd_failed();
	return cmd_end(run(argc, argv));
}
