#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/default_file.h"
#include "cmd/unprivileged.h"

/* Runs the eprof-render beside this program, else the one in PATH. */
static void run_renderer(char **argv)
{
	_free_ char *self = file_link("/proc/self/exe");
	const char *slash = self ? strrchr(self, '/') : NULL;

	if (slash) {
		_free_ char *beside = mem_printf("%.*s/eprof-render", (int)(slash - self), self);

		execv(beside, argv);
	}
	execvp("eprof-render", argv);
}

static bool asks_for_help(const char *option)
{
	return !strcmp(option, "-h") || !strcmp(option, "--help") || !strcmp(option, "--version");
}

int cmd_report(int argc, char **argv)
{
	static char name[] = "eprof-render";

	const bool named = argc > 1 && (argv[1][0] != '-' || asks_for_help(argv[1]));
	_free_ char *newest = named ? NULL : default_file_newest();
	_free_ char **args = mem_zalloc((size_t)argc + 2, sizeof(*args));

	if (!named && !newest)
		return cmd_usage("report needs a profile, and there is no eprof.h5 here: "
				 "eprof report FILE");
	args[0] = name;
	if (newest)
		args[1] = newest;
	for (int i = 1; i < argc; i++)
		args[i + !!newest] = argv[i];
	/* A file that root asks for is readable by its owner alone, also if that is the user behind
	 * sudo. */
	if (caller_had_rights())
		umask(umask(0) | 077);
	if (cmd_drop_privileges()) {
		fprintf(stderr, "eprof: cannot drop privileges: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	run_renderer(args);
	fprintf(stderr, "eprof: cannot run eprof-render: %s\n", strerror(errno));
	return EXIT_FAILED;
}
