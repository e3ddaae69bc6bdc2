#include "perf/tracepoints.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

int tracefs_open(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", 1 /* FSOPEN_CLOEXEC */);
	int mnt = -1;

	if (fs >= 0 && !syscall(SYS_fsconfig, fs, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0))
		mnt = (int)syscall(SYS_fsmount, fs, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (fs >= 0)
		close(fs);
	if (mnt < 0)
		mnt = open("/sys/kernel/tracing", O_PATH | O_CLOEXEC | O_DIRECTORY);
	return mnt;
}

bool tracepoints_is_glob(const char *name)
{
	return strchr(name, ':') && strpbrk(name, "*?[");
}

/* Calls @each for the folders in @folder whose names match. 0 or -errno. */
static int each_folder(int root, const char *folder, const char *glob,
		       int (*each)(void *context, const char *name), void *context)
{
	int fd = openat(root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int rc = dir ? 0 : -errno;

	for (struct dirent *e; dir && !rc && (e = readdir(dir));)
		if (e->d_type == DT_DIR && e->d_name[0] != '.' && !fnmatch(glob, e->d_name, 0))
			rc = each(context, e->d_name);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return rc;
}

struct search {
	int root;
	const char *event;  /* the glob behind the colon */
	const char *system; /* that is being read */
	tracepoint_names *out;
};

static int add_event(void *context, const char *name)
{
	const struct search *s = context;

	vec_push(s->out, mem_printf("%s:%s", s->system, name));
	return 0;
}

static int add_system(void *context, const char *name)
{
	struct search *s = context;
	_free_ char *folder = mem_printf("events/%s", name);

	s->system = name;
	return each_folder(s->root, folder, s->event, add_event, s);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int tracepoints_find(const char *glob, tracepoint_names *out)
{
	const char *colon = strchr(glob, ':');
	_free_ char *system = mem_strndup(glob, (size_t)(colon - glob));
	_close_ int root = tracefs_open();
	struct search s = {root, colon + 1, NULL, out};
	int rc = root < 0 ? -EACCES : each_folder(root, "events", system, add_system, &s);

	if (rc == -EACCES || rc == -EPERM)
		return err(-EACCES,
			   "cannot list tracepoints for '%s': no access to tracefs; run as "
			   "root",
			   glob);
	vec_sort(out, by_name);
	return out->n ? 0 : err(-ENOENT, "no tracepoint of this kernel matches '%s'", glob);
}

void tracepoints_release(tracepoint_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	vec_release(names);
}
