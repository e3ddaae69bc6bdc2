/*
 * eprof-render: reports of profiles. It needs no privilege and takes none: it reads files that a
 * stranger may have written. Subcommands stand in cmd/command.c.
 */
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/caller.h"
#include "base/file.h"
#include "cmd/command.h"

static bool is_privileged(void)
{
	return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

/* Keeps freed memory for the next use: from the kernel it would come page by page, zeroed again,
 * which takes a tenth of the time of a large profile's page. */
static void keep_memory(void)
{
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that glibc takes */
}

static const struct cmd *find_command(const char *name)
{
	for (const struct cmd *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct cmd *command;
	FILE *err;

	file_hold_streams();
	environment_settle();
	err = ascii_wanted() ? ascii_stream(STDERR_FILENO, true) : NULL;
	stderr = err ? err : stderr;
	if (caller_settle())
		return render_fail();
	keep_memory();
	if (is_privileged()) {
		fputs("eprof-render: refuses to run setuid, setgid or with file capabilities: it "
		      "needs no privilege; remove them (chmod ug-s, setcap -r)\n",
		      stderr);
		return 1;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		fputs("eprof-render: cannot give up new privileges (PR_SET_NO_NEW_PRIVS)\n",
		      stderr);
		return 1;
	}
	command = argc > 1 ? find_command(argv[1]) : NULL;
	return render_end(command ? command->run(argc - 1, argv + 1) : render_report(argc, argv));
}
