/*
 * temp_folder: an empty folder for one test, as the working directory.
 */
#ifndef TESTS_TEMP_FOLDER_H
#define TESTS_TEMP_FOLDER_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

static inline int enter_folder(void **state)
{
	char *dir = mem_strdup("/tmp/eprof-test-XXXXXX");

	*state = mkdtemp(dir);
	return !*state || chdir(dir);
}

static inline int leave_folder(void **state)
{
	char *command = mem_printf("rm -rf '%s'", (char *)*state);
	int rc = chdir("/") | system(command);

	free(command);
	free(*state);
	return rc;
}

static inline size_t count_files(void)
{
	DIR *dir = opendir(".");
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

#endif
