/*
 * snippet: small binaries made while a test runs, in a folder of their own. Used by the tests of
 * elf and symbol. Every failure to make one fails the test.
 */
#ifndef TESTS_SNIPPET_H
#define TESTS_SNIPPET_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* The group's folder, made by snippet_setup(), removed by snippet_teardown(). */
static char snippet_dir[64];

__attribute__((format(printf, 1, 2), unused)) static void snippet_run(const char *fmt, ...)
{
	char command[4096];
	va_list args;
	int n;

	va_start(args, fmt);
	n = snprintf(command, sizeof(command), "cd %s && ", snippet_dir);
	n += vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, args);
	va_end(args);
	assert_true(n < (int)sizeof(command));
	if (system(command))
		fail_msg("failed: %s", command);
}

__attribute__((unused)) static int snippet_setup(void **state)
{
	(void)state;
	strcpy(snippet_dir, "/tmp/eprof-unit-XXXXXX");
	return mkdtemp(snippet_dir) && !chmod(snippet_dir, 0755) ? 0 : -1;
}

__attribute__((unused)) static int snippet_teardown(void **state)
{
	(void)state;
	snippet_run("rm -rf %s", snippet_dir);
	return 0;
}

/* The whole name of @name in the folder; the caller's to free. */
__attribute__((unused)) static char *snippet_path(const char *name)
{
	return mem_printf("%s/%s", snippet_dir, name);
}

__attribute__((unused)) static void snippet_write(const char *name, const char *text)
{
	_free_ char *path = snippet_path(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Compiles @source into @name; @flags go to gcc behind the file's name. */
__attribute__((unused)) static void snippet_build(const char *name, const char *source,
						  const char *flags)
{
	_free_ char *file = mem_printf("%s.c", name);

	snippet_write(file, source);
	snippet_run("gcc %s -o %s %s", file, name, flags);
}

__attribute__((unused)) static int snippet_open(const char *name)
{
	_free_ char *path = snippet_path(name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* The address that nm(1) gives for @symbol, which must be there. */
__attribute__((unused)) static unsigned long snippet_address(const char *name, const char *symbol)
{
	_free_ char *command =
		mem_printf("nm %s/%s | awk '$3 == \"%s\" { print $1 }'", snippet_dir, name, symbol);
	FILE *f = popen(command, "r");
	unsigned long address = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx", &address), 1);
	pclose(f);
	return address;
}

#endif
