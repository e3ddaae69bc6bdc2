#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/cmd.h"
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

int cmd_report(int argc, char **argv)
{
	static char name[] = "eprof-render";

	if (argc < 2)
		return cmd_usage("report needs a profile: eprof report FILE");
	/* A file that root asks for is readable by its owner alone, also if that is the user behind
	 * sudo. */
	if (caller_had_rights())
		umask(umask(0) | 077);
	if (cmd_drop_privileges()) {
		fprintf(stderr, "eprof: cannot drop privileges: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	argv[0] = name;
	run_renderer(argv);
	fprintf(stderr, "eprof: cannot run eprof-render: %s\n", strerror(errno));
	return EXIT_FAILED;
}
