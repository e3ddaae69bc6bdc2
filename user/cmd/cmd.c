#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/options.h"
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
	_free_ char *text = NULL;
	_free_ char *clean = NULL;
	va_list args;

	va_start(args, fmt);
	text = mem_vprintf(fmt, args);
	va_end(args);
	/* An argument may hold any bytes. */
	clean = str_clean(text, strlen(text));
	fprintf(stderr, "eprof: %s (see 'eprof --help')\n", clean);
	return EXIT_USAGE;
}

int cmd_take_mode(void *unused, const char *octal)
{
	(void)unused;
	return file_use_mode(octal);
}

int cmd_options(const struct option_row *rows, int argc, char **argv, void *arguments)
{
	const int rc = options_read(rows, argc, argv, arguments);

	if (rc < 0)
		return err_is_usage(rc) ? cmd_usage("%s", err_text()) : cmd_failed();
	return rc;
}

int cmd_end(int status)
{
	int failed = file_flush(stdout, "stdout") < 0 ? cmd_failed() : 0;

	return status ? status : failed;
}
