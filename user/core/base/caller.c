#include "base/caller.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#define PASSWD_MOST 65536 /* bytes of a row of passwd(5) */

/* One a process, as its rights are. */
static struct caller settled;
static bool had_rights, is_settled;

/* Takes decimal digits only; UINT32_MAX means "no user" in system calls. */
static int read_id(const char *name, const char *text, uint32_t *id)
{
	uint64_t value = 0;
	size_t n = 0;

	for (; n < 11 && isdigit((unsigned char)text[n]); n++)
		value = value * 10 + (uint64_t)(text[n] - '0');
	if (!n || text[n] || value >= UINT32_MAX)
		return err(-EINVAL, "%s is '%s', which is no number of a user or group: unset it",
			   name, text);
	*id = (uint32_t)value;
	return 0;
}

/* Sets uid and gid of @user, or if that is NULL the gid of @c->uid. */
static int look_up(const char *variable, const char *user, struct caller *c)
{
	_free_ char *buf = mem_zalloc(PASSWD_MOST, 1);
	struct passwd row, *found = NULL;
	int error = user ? getpwnam_r(user, &row, buf, PASSWD_MOST, &found)
			 : getpwuid_r(c->uid, &row, buf, PASSWD_MOST, &found);

	if (!found)
		return err(-EINVAL, "%s is '%s', who cannot be found among the users%s%s", variable,
			   getenv(variable), error ? ": " : "", error ? strerror(error) : "");
	c->uid = found->pw_uid;
	c->gid = found->pw_gid;
	return 0;
}

static int by_sudo(const char *text, struct caller *c)
{
	const char *gid = getenv("SUDO_GID");
	int ret = read_id("SUDO_UID", text, &c->uid);

	if (ret || !gid)
		return ret ? ret : look_up("SUDO_UID", NULL, c);
	return read_id("SUDO_GID", gid, &c->gid);
}

static int by_pkexec(const char *text, struct caller *c)
{
	const int ret = read_id("PKEXEC_UID", text, &c->uid);

	return ret ? ret : look_up("PKEXEC_UID", NULL, c);
}

static int by_doas(const char *text, struct caller *c)
{
	return look_up("DOAS_USER", text, c);
}

static const struct {
	const char *variable;
	int (*read)(const char *text, struct caller *);
} ways[] = {
	{"SUDO_UID", by_sudo},
	{"PKEXEC_UID", by_pkexec},
	{"DOAS_USER", by_doas},
};

int caller_find(uid_t euid, struct caller *found)
{
	const char *by = NULL;

	*found = (struct caller){.uid = euid, .gid = getegid()};
	for (size_t i = 0; euid == 0 && i < sizeof(ways) / sizeof(*ways); i++) {
		const char *text = getenv(ways[i].variable);
		struct caller c = {.is_other = true};
		int ret = text ? ways[i].read(text, &c) : 0;

		if (ret)
			return ret;
		if (!text || c.uid == 0)
			continue;
		if (by && c.uid != found->uid)
			return err(-EINVAL,
				   "%s and %s name different users: unset the one that "
				   "did not call",
				   by, ways[i].variable);
		if (!by)
			*found = c;
		by = ways[i].variable;
	}
	return 0;
}

int caller_settle(void)
{
	had_rights = geteuid() == 0 || getauxval(AT_SECURE);
	is_settled = true;
	return caller_find(geteuid(), &settled);
}

bool caller_had_rights(void)
{
	return had_rights;
}

struct caller caller(void)
{
	return is_settled ? settled : (struct caller){.uid = geteuid(), .gid = getegid()};
}

/* --- the environment -------------------------------------------------------------------------- */

#define SYSTEM_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Variables that a stranger may choose for eprof and its libraries. glibc takes the values of LC_*
 * for names, never for paths. */
static const char *const harmless[] = {
	"HOME=",     "TERM=",	   "COLORTERM=",  "COLUMNS=",	"LINES=",
	"NO_COLOR=", "LANG=",	   "LANGUAGE=",	  "LC_",	"SUDO_UID=",
	"SUDO_GID=", "SUDO_USER=", "PKEXEC_UID=", "DOAS_USER=", "DEBUGINFOD_URLS=",
};

/* The environment at the start; NULL: it was not changed. One a process, as its rights are. */
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
