#include "cmd/default_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"

#define MOST_FILES 9999

static char *numbered(int n)
{
	return n ? mem_printf("eprof.%d.h5", n) : mem_strdup(DEFAULT_FILE);
}

/* Whoever makes the file at the same time is refused, as with a name that was given. */
char *default_file_new(void)
{
	struct stat st;

	for (int n = 0; n <= MOST_FILES; n++) {
		char *name = numbered(n);

		if (lstat(name, &st))
			return name;
		free(name);
	}
	return mem_strdup(DEFAULT_FILE);
}

static bool is_default(const char *name)
{
	const char *digits = name + strlen("eprof.");

	if (!strcmp(name, DEFAULT_FILE))
		return true;
	return str_starts(name, "eprof.") && *digits >= '1' && *digits <= '9' &&
	       !strcmp(digits + strspn(digits, "0123456789"), ".h5");
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

char *default_file_newest(void)
{
	struct timespec latest = {0};
	DIR *dir = opendir(".");
	char *newest = NULL;
	struct stat st;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!is_default(e->d_name) || fstatat(dirfd(dir), e->d_name, &st, 0) ||
		    !S_ISREG(st.st_mode) || (newest && !is_later(&st.st_mtim, &latest)))
			continue;
		free(newest);
		newest = mem_strdup(e->d_name);
		latest = st.st_mtim;
	}
	if (dir)
		closedir(dir);
	return newest;
}
