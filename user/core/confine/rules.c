#include "confine/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* struct landlock_ruleset_attr of version 6 (Documentation/userspace-api/landlock.rst): headers may
 * be older than the kernel. */
struct ruleset {
	uint64_t files; /* from version 1 on */
	uint64_t net;	/* 4 */
	uint64_t scope; /* 6 */
};

#define ALL_FILES_1    ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define FILES_REFER    (1ull << 13) /* 2: link or rename to another folder */
#define FILES_TRUNCATE (1ull << 14) /* 3 */
#define FILES_IOCTL    (1ull << 15) /* 5: of devices opened from now on */
#define NET_TCP	       3ull	    /* 4: bind, connect */
#define SCOPE_ALL      3ull	    /* 6: abstract sockets, signals */

/* Fonts and their lists, libraries and locales, and what malloc(3) reads about the machine. Missing
 * ones are skipped. */
static const char *const readable[] = {
	"/usr",
	"/lib",
	"/lib64",
	"/etc/fonts",
	"/etc/ld.so.cache",
	"/etc/localtime",
	"/var/cache/fontconfig",
	"/sys/devices/system/cpu",
};

/* Fonts and configuration of the user, where fontconfig looks for them. */
static const struct {
	const char *variable, *below;
} of_user[] = {
	{"HOME", "/.fonts"},
	{"HOME", "/.fonts.conf"},
	{"HOME", "/.local/share/fonts"},
	{"HOME", "/.config/fontconfig"},
	{"HOME", "/.cache/fontconfig"},
	{"XDG_DATA_HOME", "/fonts"},
	{"XDG_CONFIG_HOME", "/fontconfig"},
	{"XDG_CACHE_HOME", "/fontconfig"},
	{"FONTCONFIG_PATH", ""},
	{"FONTCONFIG_FILE", ""},
};

int rules_version(void)
{
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return version > 0 ? (int)version : 0;
}

static struct ruleset all_of(int version)
{
	struct ruleset r = {.files = ALL_FILES_1};

	r.files |= version >= 2 ? FILES_REFER : 0;
	r.files |= version >= 3 ? FILES_TRUNCATE : 0;
	r.files |= version >= 5 ? FILES_IOCTL : 0;
	r.net = version >= 4 ? NET_TCP : 0;
	r.scope = version >= 6 ? SCOPE_ALL : 0;
	return r;
}

/* Allows reading of the file, or of all below the folder. */
static int allow_reading_fd(int ruleset, int fd)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
		.parent_fd = fd,
	};

	if (!syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
		return 0;
	/* READ_DIR is refused for a file. */
	rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)
		       ? -errno
		       : 0;
}

static int allow_reading(int ruleset, const char *path)
{
	_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? 0 : allow_reading_fd(ruleset, fd);
}

static int allow_all(int ruleset)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(readable) / sizeof(*readable) && !rc; i++)
		rc = allow_reading(ruleset, readable[i]);
	for (size_t i = 0; i < sizeof(of_user) / sizeof(*of_user) && !rc; i++) {
		const char *value = getenv(of_user[i].variable);
		_free_ char *path = value && value[0] == '/'
					    ? mem_printf("%s%s", value, of_user[i].below)
					    : NULL;

		if (path)
			rc = allow_reading(ruleset, path);
	}
	return rc;
}

static int make_ruleset(int version, const struct ruleset *all)
{
	/* Older kernels refuse a longer struct, some even if the rest is 0. */
	const int ruleset = (int)syscall(SYS_landlock_create_ruleset, all,
					 version >= 6	? sizeof(*all)
					 : version >= 4 ? offsetof(struct ruleset, scope)
							: offsetof(struct ruleset, net),
					 0);

	return ruleset < 0 ? -errno : ruleset;
}

static int obey(int ruleset, int rc)
{
	if (!rc && syscall(SYS_landlock_restrict_self, ruleset, 0))
		rc = -errno;
	return rc ? err(rc, "cannot confine itself by landlock: %s", strerror(-rc)) : 0;
}

int rules_set(bool reads_fonts)
{
	const int version = rules_version();
	const struct ruleset all = all_of(version);
	_close_ int ruleset = version ? make_ruleset(version, &all) : -1;

	if (!version)
		return 0;
	return obey(ruleset, ruleset < 0 ? ruleset : reads_fonts ? allow_all(ruleset) : 0);
}

/* A file without a name, as of memfd_create(2), is in no folder and needs no rule: EBADFD. */
static int allow_tool(int ruleset, int program, int input)
{
	static const char *const libraries[] = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache",
						"/etc/localtime"};
	int rc = allow_reading_fd(ruleset, input);

	rc = rc == -EBADFD ? 0 : rc;
	if (!rc)
		rc = allow_reading_fd(ruleset, program);
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries) && !rc; i++)
		rc = allow_reading(ruleset, libraries[i]);
	return rc;
}

int rules_set_tool(int program, int input)
{
	const int version = rules_version();
	struct ruleset all = all_of(version);
	_close_ int ruleset = -1;

	if (!version)
		return 0;
	all.files &= ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE;
	ruleset = make_ruleset(version, &all);
	return obey(ruleset, ruleset < 0 ? ruleset : allow_tool(ruleset, program, input));
}

/* --- an empty root ---------------------------------------------------------------------------- */

/* A folder that always exists and in which nobody can make a file: it has one for each descriptor
 * of the process, which cannot be run. */
#define EMPTY "/proc/self/fdinfo"

void emptyroot_enter(void)
{
	if (!chroot(EMPTY))
		(void)!chdir("/");
}
