#include "process/opener_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const suffixes[] = {
	".c",	 ".h",	  ".cc",    ".hh",  ".cpp",  ".hpp", ".cxx",  ".hxx", ".c++",	".h++",
	".inl",	 ".ipp",  ".tcc",   ".inc", ".def",  ".rs",  ".go",   ".s",   ".asm",	".f",
	".for",	 ".f77",  ".f90",   ".f95", ".f03",  ".f08", ".d",    ".di",  ".zig",	".nim",
	".v",	 ".cr",	  ".pas",   ".pp",  ".ada",  ".adb", ".ads",  ".m",   ".mm",	".cu",
	".cuh",	 ".cl",	  ".swift", ".hs",  ".ml",   ".mli", ".java", ".kt",  ".scala", ".clj",
	".cs",	 ".fs",	  ".jl",    ".lua", ".py",   ".pyx", ".pl",   ".pm",  ".rb",	".php",
	".js",	 ".mjs",  ".ts",    ".tsx", ".y",    ".yy",  ".l",    ".ll",  ".lex",	".vala",
	".ispc", ".odin", ".tpp",   ".txx", ".impl",
};

static bool has_source_suffix(const char *name)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const size_t n = strlen(name), k = strlen(suffixes[i]);

		if (n > k && !strcasecmp(name + n - k, suffixes[i]))
			return true;
	}
	return false;
}

/* No project's folder: these alone, and the others with all below them. */
static const char *const alone[] = {"/",    "/etc",  "/root", "/home", "/var",
				    "/usr", "/boot", "/run",  "/lib",  "/opt"};
static const char *const with_all[] = {"/proc", "/sys", "/dev"};

static bool is_below(const char *path, const char *folder)
{
	const size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (path[n] == '/' || !path[n] || folder[n - 1] == '/');
}

/* "/home/x". */
static bool is_a_home(const char *folder)
{
	return str_starts(folder, "/home/") && !strchr(folder + 6, '/');
}

static bool may_hold_sources(const char *folder, const char *home)
{
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		if (!strcmp(folder, alone[i]))
			return false;
	for (size_t i = 0; i < sizeof(with_all) / sizeof(*with_all); i++)
		if (is_below(folder, with_all[i]))
			return false;
	return !is_a_home(folder) && !(home && home[0] == '/' && is_below(home, folder));
}

static int open_at(int folder, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags,
			       .resolve = RESOLVE_NO_MAGICLINKS | resolve};
	int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));

	/* A link that leads out of the folder. */
	return fd >= 0 ? fd : errno == EXDEV || errno == ELOOP ? -EACCES : -errno;
}

/* What the descriptor stands for; false: it cannot be told, or has no name any more. */
static bool resolved(int fd, char path[PATH_MAX])
{
	static const char gone[] = " (deleted)";
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return path[0] == '/' && !str_ends(path, gone);
}

int opener_source(int root_fd, const char *path, size_t folder, const char *home)
{
	_free_ char *above = mem_strndup(path, folder);
	char folder_is[PATH_MAX], file_is[PATH_MAX];
	_close_ int at = -1;
	int fd;

	if (path[0] != '/' || path[folder] != '/')
		return -EACCES;
	at = open_at(root_fd >= 0 ? root_fd : AT_FDCWD, folder ? above : "/", O_DIRECTORY,
		     root_fd >= 0 ? RESOLVE_IN_ROOT : 0);
	if (at < 0)
		return at;
	if (!resolved(at, folder_is) || !may_hold_sources(folder_is, home))
		return -EACCES;
	path += folder + strspn(path + folder, "/");
	fd = open_at(at, path, 0, RESOLVE_BENEATH);
	if (fd < 0)
		return fd;
	if (resolved(fd, file_is) && is_below(file_is, folder_is) && !strstr(file_is, "/.") &&
	    has_source_suffix(str_base(file_is)))
		return fd;
	close(fd);
	return -EACCES;
}
