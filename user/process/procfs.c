#include "process/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* 65,530 mappings, the kernel's default limit, with paths of 200 bytes. */
#define MAX_MAPS_BYTES (16u << 20)
#define STATUS_MOST    65536

/* In a path the kernel writes a newline as \012, and escapes nothing else. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (str_starts(s, "\\012")) {
			*to++ = '\n';
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

bool procfs_parse_mapping(char *line, struct procfs_mapping *m)
{
	int path_at = 0;
	char perms[5];
	char *path;

	*m = (struct procfs_mapping){0};
	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu%n", &m->start, &m->end, perms, &m->file_offset,
		   &m->dev_major, &m->dev_minor, &m->inode, &path_at) != 7 ||
	    !path_at || m->start >= m->end)
		return false;
	m->executable = strchr(perms, 'x') != NULL;
	path = line + path_at;
	path += strspn(path, " ");
	unescape(path);
	m->path = path;
	return true;
}

static int each_number(const char *dir, void (*each)(void *, uint32_t), void *context)
{
	const struct dirent *entry;
	DIR *d = opendir(dir);

	if (!d)
		return -ESRCH;
	while ((entry = readdir(d))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			each(context, (uint32_t)strtoul(entry->d_name, NULL, 10));
	}
	closedir(d);
	return 0;
}

/* Whether it has memory; true if that cannot be found out. Kernel threads have none. */
static bool has_memory(uint32_t tid)
{
	char path[32], byte;

	snprintf(path, sizeof(path), "/proc/%u/exe", tid);
	return readlink(path, &byte, 1) >= 0 || errno != ENOENT;
}

static void take_living(void *context, uint32_t tid)
{
	uint32_t *living = context;

	if (!*living && has_memory(tid))
		*living = tid;
}

uint32_t procfs_living(uint32_t pid)
{
	uint32_t living = 0;

	if (has_memory(pid))
		return pid;
	(void)procfs_threads(pid, take_living, &living);
	return living ? living : pid;
}

char *procfs_path(uint32_t pid, const char *file)
{
	return mem_printf("/proc/%u/%s", procfs_living(pid), file);
}

int procfs_maps(uint32_t pid, void (*each)(void *, const struct procfs_mapping *), void *context)
{
	_free_ char *line = NULL;
	size_t cap = 0, total = 0;
	char path[32];
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	while (total < MAX_MAPS_BYTES && (n = getline(&line, &cap, f)) > 0) {
		struct procfs_mapping m;

		total += (size_t)n;
		if (procfs_parse_mapping(line, &m) && m.executable)
			each(context, &m);
	}
	fclose(f);
	return 0;
}

int procfs_threads(uint32_t pid, void (*each)(void *, uint32_t), void *context)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return each_number(path, each, context);
}

static void count_thread(void *context, uint32_t tid)
{
	size_t *n = context;

	(void)tid;
	++*n;
}

size_t procfs_count_threads(uint32_t pid)
{
	size_t n = 0;

	return procfs_threads(pid, count_thread, &n) ? 0 : n;
}

int procfs_processes(void (*each)(void *, uint32_t), void *context)
{
	return each_number("/proc", each, context);
}

/* PROC_PID_INIT_INO of the kernel: the inode of the initial namespace on every machine. */
#define FIRST_NAMESPACE "pid:[4026531836]"

bool procfs_in_first_namespace(void)
{
	_free_ char *name = file_link("/proc/self/ns/pid");

	return !name || !strcmp(name, FIRST_NAMESPACE);
}

static char *read_status(const char *path)
{
	char *text = NULL;
	size_t n;

	return file_read(path, STATUS_MOST, &text, &n) ? NULL : text;
}

char *procfs_status(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u/status", pid);

	return read_status(path);
}

const char *procfs_field(const char *status, const char *key)
{
	_free_ char *start = mem_printf("\n%s:\t", key);
	const char *at = strstr(status, start);

	return at ? at + strlen(start) : NULL;
}

/*
 * The status file lists our numbers from the namespace in which /proc was mounted down to ours: one
 * number if they are the same. Read as "self", since another namespace's /proc has another process
 * at our number.
 */
bool procfs_is_own(void)
{
	_free_ char *status = read_status("/proc/self/status");
	const char *numbers = status ? procfs_field(status, "NSpid") : NULL;

	/* A kernel without namespaces has no such line. */
	return status && (!numbers || numbers[strcspn(numbers, "\t\n")] == '\n');
}

uint32_t procfs_namespace_pid(uint32_t pid)
{
	_free_ char *status = procfs_status(pid);
	const char *at = status ? procfs_field(status, "NSpid") : NULL;
	uint32_t last = 0;
	char *end;

	for (; at && *at != '\n'; at = end + (*end == '\t')) {
		last = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
	}
	return last ? last : pid;
}

uint32_t procfs_process_of(uint32_t tid)
{
	_free_ char *status = procfs_status(tid);
	const char *at = status ? procfs_field(status, "Tgid") : NULL;

	return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

void procfs_comm(uint32_t pid, uint32_t tid, char comm[PROCFS_COMM])
{
	char path[64];
	size_t n = 0;
	FILE *f;

	memset(comm, 0, PROCFS_COMM);
	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	f = fopen(path, "re");
	if (f) {
		n = fread(comm, 1, PROCFS_COMM - 1, f);
		fclose(f);
	}
	/* A name may hold newlines: only the last one is the file's. */
	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
}

char *procfs_cgroup(uint32_t pid)
{
	_free_ char *line = NULL;
	char path[32], *out = NULL;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	f = fopen(path, "re");
	while (f && !out && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (str_starts(line, "0::"))
			out = mem_strdup(line + 3);
	}
	if (f)
		fclose(f);
	return out ? out : mem_strdup("");
}
