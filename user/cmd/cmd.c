#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/cmd.h"

int cmd_failed(void)
{
	fprintf(stderr, "eprof: %s\n", err_text());
	return EXIT_FAILED;
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
