#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "load/target.h"
#include "process/cmdline.h"
#include "process/procfs.h"
#include "select/nearest.h"

#define CGROUP2_MAGIC 0x63677270
#define PID_MAX	      4194304 /* PID_MAX_LIMIT of 64-bit kernels */
#define CMDLINE_MAX   (64 * 1024)

/* Adds "redis-server 4711" where the process @pid has a name like that. */
static void try_process(struct nearest *near, const char *wanted, const char *pid)
{
	_free_ char *path = mem_printf("/proc/%s/comm", pid);
	_free_ char *comm = NULL, *clean = NULL, *name = NULL;
	size_t n;

	if (file_read(path, 64, &comm, &n))
		return;
	clean = str_clean(comm, strcspn(comm, "\n"));
	name = mem_printf("%s %s", clean, pid);
	nearest_add(near, name, nearest_distance(wanted, clean));
}

/* -p takes numbers; who gave a name hears which processes have such names. */
static int no_number(const char *word)
{
	DIR *proc = opendir("/proc");
	struct nearest near = {0};
	struct str running = {0};
	int ret;

	for (struct dirent *e; proc && (e = readdir(proc));)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			try_process(&near, word, e->d_name);
	if (proc)
		closedir(proc);
	for (size_t i = 0; i < near.n && near.at[i].distance == near.at[0].distance; i++)
		str_addf(&running, "%s%s", i ? ", " : "; running: ", near.at[i].name);
	ret = err(-EINVAL, "-p needs process numbers, and '%s' is none%s", word,
		  str_text(&running));
	nearest_release(&near);
	str_release(&running);
	return ret;
}

int target_parse_pids(struct target *t, const char *list)
{
	_free_ char *copy = mem_strdup(list);
	char *save = NULL;

	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		int64_t pid;
		int ret = units_parse_int(word, "process number", 1, PID_MAX, &pid);

		if (ret && !strchr("0123456789+-", *word))
			return no_number(word);
		if (ret)
			return ret;
		vec_push(&t->pids, (uint32_t)pid);
	}
	return t->pids.n ? 0 : err(-EINVAL, "-p needs a process number");
}

static int open_pidfd(struct target *t, uint32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);

	if (fd >= 0) {
		vec_push(&t->pidfds, fd);
		return 0;
	}
	if (errno == EINVAL || errno == ENOENT)
		return err(-EINVAL, "%u is a thread, not a process: use -t %u", pid, pid);
	return err(-ESRCH, "no process %u", pid);
}

static bool has_pid(const struct target *t, uint32_t pid)
{
	for (size_t i = 0; i < t->pids.n; i++)
		if (t->pids.at[i] == pid)
			return true;
	return false;
}

/* A process and its parent. */
struct descent {
	uint32_t pid, parent;
};
typedef VEC(struct descent) descents;

/* Field 4 of /proc/PID/stat, behind the name, which may contain anything; 0: the process has
 * ended. */
static uint32_t parent_of(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u/stat", pid);
	_free_ char *text = NULL;
	unsigned int parent;
	const char *at;
	size_t n;

	if (file_read(path, 4096, &text, &n) || !(at = strrchr(text, ')')) ||
	    sscanf(at, ") %*c %u", &parent) != 1)
		return 0;
	return parent;
}

static void take_pid(void *context, uint32_t pid)
{
	target_tids *pids = context;

	vec_push(pids, pid);
}

/* Reads all processes, usually the youngest first: they may end the soonest. */
static void read_descents(descents *out)
{
	target_tids pids = {0};

	(void)procfs_processes(take_pid, &pids);
	for (size_t i = pids.n; i-- > 0;) {
		struct descent d = {pids.at[i], parent_of(pids.at[i])};

		if (d.parent)
			vec_push(out, d);
	}
	vec_release(&pids);
}

size_t target_children(const struct target *t, uint32_t *parent)
{
	descents all = {0};
	size_t n = 0;

	if (t->kind == TARGET_PIDS)
		read_descents(&all);
	for (size_t i = 0; i < t->pids.n && !n; i++) {
		*parent = t->pids.at[i];
		for (size_t k = 0; k < all.n; k++)
			n += all.at[k].parent == *parent && !has_pid(t, all.at[k].pid);
	}
	vec_release(&all);
	return n;
}

/* A child that has ended meanwhile may have left children. */
static int add_child(struct target *t, uint32_t pid)
{
	int ret = open_pidfd(t, pid);

	vec_push(&t->pids, pid);
	return ret == -ESRCH && errno == ESRCH ? 0 : ret;
}

int target_add_children(struct target *t)
{
	const size_t before = t->pids.n;
	const uint32_t own = (uint32_t)getpid();
	struct map known = {0};
	descents all = {0};
	bool fresh, more = true;
	int ret = 0;

	read_descents(&all);
	for (size_t i = 0; i < t->pids.n; i++)
		map_put(&known, t->pids.at[i], &fresh);
	/* A child may have a lower number than its parent. */
	while (more && !ret) {
		more = false;
		for (size_t i = 0; i < all.n && !ret; i++) {
			const struct descent *d = &all.at[i];

			if (d->pid == own || map_get(&known, d->pid) || !map_get(&known, d->parent))
				continue;
			map_put(&known, d->pid, &fresh);
			ret = add_child(t, d->pid);
			more = true;
		}
	}
	map_release(&known);
	vec_release(&all);
	return ret ? ret : (int)(t->pids.n - before);
}

static int open_pids(struct target *t)
{
	int ret = 0;

	t->n_named = t->pids.n;
	for (size_t i = 0; i < t->pids.n && !ret; i++)
		ret = open_pidfd(t, t->pids.at[i]);
	if (ret)
		return ret;
	ret = t->children ? target_add_children(t) : 0;
	return ret < 0 ? ret : 0;
}

/* Finds the process of thread tid. */
static int open_tid(struct target *t)
{
	_free_ char *path = mem_printf("/proc/%u/status", t->tid);
	_free_ char *text = NULL;
	const char *tgid;
	size_t n;

	if (file_read(path, 65536, &text, &n) || !(tgid = strstr(text, "\nTgid:")))
		return err(-ESRCH, "no thread %u", t->tid);
	vec_push(&t->pids, (uint32_t)strtoul(tgid + 6, NULL, 10));
	return open_pidfd(t, t->pids.at[0]);
}

/* The mount points of the v2 hierarchy, for paths relative to it. */
static int open_cgroup_at(const char *path)
{
	static const char *const roots[] = {"", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		_free_ char *full =
			mem_printf("%s%s%s", roots[i], i && *path != '/' ? "/" : "", path);
		int fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct statfs fs;

		if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == CGROUP2_MAGIC)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static int open_cgroup(struct target *t)
{
	t->cgroup_fd = open_cgroup_at(t->cgroup);
	if (t->cgroup_fd < 0)
		return err(-ENOENT, "no v2 cgroup '%s' (see 'cat /proc/PID/cgroup', the line 0::)",
			   t->cgroup);
	return 0;
}

/* Runs in the child: waits for the go-ahead, then executes the command. If that fails, the parent
 * reads errno from the pipe; a successful exec closes the pipe. */
static void __attribute__((noreturn)) run_command(char **argv, int go, int status)
{
	char byte;
	int code;

	if (read(go, &byte, 1) != 1)
		_exit(127);
	prctl(PR_SET_PDEATHSIG, 0);
	environment_restore();
	execvp(argv[0], argv);
	code = errno;
	if (write(status, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static int open_command(struct target *t)
{
	int go[2], status[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(status, O_CLOEXEC))
		return err(-errno, "cannot make a pipe: %s", strerror(errno));
	pid = child_fork(); /* no orphan if eprof dies before the go-ahead */
	if (pid < 0)
		return err(-errno, "cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		close(go[1]);
		run_command(t->argv, go[0], status[1]);
	}
	close(go[0]);
	close(status[1]);
	t->go_fd = go[1];
	t->status_fd = status[0];
	vec_push(&t->pids, (uint32_t)pid);
	return open_pidfd(t, (uint32_t)pid);
}

int target_check_proc(void)
{
	if (procfs_is_own())
		return 0;
	return err(-ENOTSUP,
		   "/proc is not that of eprof's own PID namespace, so its process numbers are "
		   "wrong: mount the right one (unshare --mount-proc, or mount -t proc proc "
		   "/proc)");
}

int target_open(struct target *t)
{
	int ret;

	t->cgroup_fd = t->go_fd = t->status_fd = -1;
	ret = target_check_proc();
	if (ret)
		return ret;
	switch (t->kind) {
	case TARGET_PIDS:
		return open_pids(t);
	case TARGET_TID:
		return open_tid(t);
	case TARGET_CGROUP:
		return open_cgroup(t);
	case TARGET_COMMAND:
		return open_command(t);
	default:
		return 0;
	}
}

int target_check(const struct target *t)
{
	struct target probe = {.kind = t->kind, .tid = t->tid, .cgroup = t->cgroup};
	int ret;

	if (t->kind == TARGET_COMMAND)
		return target_check_proc();
	for (size_t i = 0; i < t->pids.n; i++)
		vec_push(&probe.pids, t->pids.at[i]);
	ret = target_open(&probe);
	target_release(&probe);
	return ret;
}

/* How long to wait for a command's exec. */
#define START_MS 3000

/* Whether the pipe became readable in time. Signals do not end the wait: reading could then block
 * without a limit. */
static bool is_told_by(struct pollfd *p, uint64_t until_ns)
{
	uint64_t now;

	while ((now = clock_ns(CLOCK_MONOTONIC)) < until_ns)
		if (poll(p, 1, (int)((until_ns - now) / 1000000) + 1) > 0)
			return true;
	return false;
}

int target_go(struct target *t)
{
	struct pollfd told = {.fd = t->status_fd, .events = POLLIN};
	int code = 0;
	ssize_t n = 1;

	if (file_put(t->go_fd, "", 1))
		return err(-EPIPE, "the command's process is gone");
	close(t->go_fd);
	t->go_fd = -1;
	/* The command's file may be on a mount that does not answer. */
	if (!is_told_by(&told, clock_ns(CLOCK_MONOTONIC) + START_MS * UINT64_C(1000000)))
		return 1;
	do
		n = read(t->status_fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(code))
		return 0;
	if (code == ENOENT)
		return err(-ENOENT, "command '%s' not found", t->argv[0]);
	return err(-EACCES, "cannot run '%s': %s", t->argv[0], strerror(code));
}

int target_threads(uint32_t pid, target_tids *out)
{
	_free_ char *path = mem_printf("/proc/%u/task", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t before = out->n;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			vec_push(out, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return out->n > before ? 0
			       : err(-ESRCH, "process %u exited before it could be sampled", pid);
}

void target_release(struct target *t)
{
	const bool waits = t->kind == TARGET_COMMAND && t->go_fd >= 0 && t->pids.n;

	/* A command that waits for its go-ahead ends then, whether we may kill it or not. */
	if (t->go_fd >= 0)
		close(t->go_fd);
	if (waits)
		(void)child_await((pid_t)t->pids.at[0], 0, NULL, NULL);
	for (size_t i = 0; i < t->pidfds.n; i++)
		close(t->pidfds.at[i]);
	if (t->status_fd >= 0)
		close(t->status_fd);
	if (t->kind == TARGET_CGROUP && t->cgroup_fd >= 0)
		close(t->cgroup_fd);
	vec_release(&t->pidfds);
	vec_release(&t->pids);
}

char *target_cmdline(struct opener *opener, uint32_t pid)
{
	_free_ char *comm_path = mem_printf("/proc/%u/comm", pid);
	_free_ char *text = NULL;
	bool cut;
	char *line = cmdline_read(opener, pid, CMDLINE_MAX, &cut);
	size_t n = 0;

	if (line)
		return line;
	if (file_read(comm_path, 64, &text, &n) || !n)
		return mem_strdup("?");
	text[strcspn(text, "\n")] = '\0';
	return mem_printf("[%s]", text);
}
