#include "base/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/mem.h"

#define SYSTEM_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* What eprof and its libraries may see of a stranger's choice. glibc takes the values of LC_*
 * for names, never for paths. */
static const char *const harmless[] = {
	"HOME=",     "TERM=",	   "COLORTERM=",  "COLUMNS=",	"LINES=",
	"NO_COLOR=", "LANG=",	   "LANGUAGE=",	  "LC_",	"SUDO_UID=",
	"SUDO_GID=", "SUDO_USER=", "PKEXEC_UID=", "DOAS_USER=", "DEBUGINFOD_URLS=",
};

/* As it was at the start; NULL: what there is. Of the process, like its rights. */
static char **given;

static bool is_of_a_stranger(void)
{
	return getauxval(AT_SECURE) ||
	       (geteuid() == 0 &&
		(getenv("SUDO_UID") || getenv("PKEXEC_UID") || getenv("DOAS_USER")));
}

static bool is_harmless(const char *variable)
{
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (!strncmp(variable, harmless[i], strlen(harmless[i])))
			return true;
	return false;
}

void environment_settle(void)
{
	size_t n = 0, kept = 0;
	char **rest;

	if (given || !is_of_a_stranger())
		return;
	while (environ[n])
		n++;
	rest = mem_zalloc(n + 2, sizeof(*rest));
	rest[kept++] = mem_strdup(SYSTEM_PATH);
	for (size_t i = 0; i < n; i++)
		if (is_harmless(environ[i]))
			rest[kept++] = environ[i];
	given = environ;
	environ = rest;
}

const char *environment_given(const char *name)
{
	const size_t n = strlen(name);

	for (char **at = given; at && *at; at++)
		if (!strncmp(*at, name, n) && (*at)[n] == '=')
			return *at + n + 1;
	return given ? NULL : getenv(name);
}

void environment_restore(void)
{
	if (given)
		environ = given;
}
