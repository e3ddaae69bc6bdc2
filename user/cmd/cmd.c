#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cmd/cmd.h"

int cmd_failed(void)
{
	fprintf(stderr, "eprof: %s\n", err_text());
	return EXIT_FAILED;
}

int cmd_refused(int rc)
{
	cmd_failed();
	return err_is_usage(rc) ? EXIT_USAGE : EXIT_FAILED;
}

int cmd_usage(const char *fmt, ...)
{
	va_list args;

	fputs("eprof: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" (see 'eprof --help')\n", stderr);
	return EXIT_USAGE;
}

int cmd_end(int status)
{
	if (fflush(stdout))
		fprintf(stderr, "eprof: cannot write to the standard output: %s\n",
			strerror(errno));
	else if (ferror(stdout)) /* earlier, by now nobody knows why */
		fputs("eprof: cannot write to the standard output: what it printed is cut off\n",
		      stderr);
	else
		return status;
	return status ? status : EXIT_FAILED;
}
