#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
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
	int failed = file_flush(stdout, "stdout") < 0 ? cmd_failed() : 0;

	return status ? status : failed;
}
