#include "process/mounts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* File systems that need no server. What is not here may have one. */
static const char *const local_types[] = {
	"ext2",	    "ext3",	"ext4",	 "xfs",	     "btrfs",	  "tmpfs", "ramfs",    "rootfs",
	"devtmpfs", "squashfs", "erofs", "f2fs",     "vfat",	  "msdos", "exfat",    "ntfs3",
	"iso9660",  "udf",	"zfs",	 "bcachefs", "hugetlbfs", "jfs",   "reiserfs", "nilfs2",
	"minix",    "hfsplus",	"hfs",	 "cramfs",   "romfs",	  "ubifs", "jffs2"};

/* The kernel's own, whose files are no data: reading one may block, or do something. */
static const char *const pseudo_types[] = {
	"proc",	    "sysfs",	  "cgroup2", "cgroup",	   "bpf",	 "mqueue",
	"devpts",   "debugfs",	  "tracefs", "configfs",   "securityfs", "pstore",
	"efivarfs", "selinuxfs",  "nsfs",    "autofs",	   "fusectl",	 "binfmt_misc",
	"resctrl",  "rpc_pipefs", "cpuset",  "functionfs", "nfsd"};

/* Partitions on a device on devices on a file: more than anybody stacks. */
#define MOST_LAYERS 8

static char *next_word(char **at)
{
	char *word = strsep(at, " ");

	return word && *word ? word : NULL;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* "\040" is a space. */
static char *unescape(char *s)
{
	char *to = s;

	for (const char *from = s; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return s;
}

/* "36 35 98:0 /dir /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue" */
bool mount_line_parse(char *line, struct mount_line *out)
{
	char *at = line, *id, *device, *point, *word, *type, *source;

	line[strcspn(line, "\n")] = '\0';
	id = next_word(&at);
	(void)next_word(&at); /* the parent's */
	device = next_word(&at);
	(void)next_word(&at); /* the part of the file system that is mounted */
	point = next_word(&at);
	do
		word = next_word(&at);
	while (word && strcmp(word, "-") != 0);
	type = next_word(&at);
	source = strsep(&at, " ");
	if (!id || !device || !point || !type || !source ||
	    sscanf(device, "%u:%u", &out->major, &out->minor) != 2)
		return false;
	out->id = strtoull(id, NULL, 10);
	out->point = unescape(point);
	out->type = type;
	out->source = unescape(source);
	out->options = at ? unescape(at) : "";
	return true;
}

/* --- block devices --------------------------------------------------------------------------- */

static bool is_local_device(uint32_t major, uint32_t minor, const struct mount_judge *j, int layer);

/* "/sys/dev/block/7:0" for devices, the partition's whole device for @up. */
static char *device_file(uint32_t major, uint32_t minor, const char *up, const char *file)
{
	return mem_printf("/sys/dev/block/%u:%u%s/%s", major, minor, up, file);
}

static bool is_on_the_network(uint32_t major, uint32_t minor)
{
	static const char *const names[] = {"nbd", "rbd", "drbd", "aoe", "etherd"};
	_free_ char *link = mem_printf("/sys/dev/block/%u:%u", major, minor);
	char path[512];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		_free_ char *part = mem_printf("/%s", names[i]);

		if (strstr(path, part))
			return true;
	}
	return false;
}

/* Of a loop device: whether the file behind it is local; true of any other. */
static bool is_local_behind(uint32_t major, uint32_t minor, const struct mount_judge *j)
{
	static const char *const ups[] = {"", "/.."};

	for (size_t i = 0; i < 2; i++) {
		_free_ char *file = device_file(major, minor, ups[i], "loop/backing_file");
		_free_ char *path = NULL;
		size_t n;

		if (file_read(file, 8192, &path, &n))
			continue;
		path[strcspn(path, "\n")] = '\0';
		return j->is_local(j->context, path);
	}
	return true;
}

/* Whether what it is made of (crypt, RAID, volumes) is local. */
static bool are_local_below(uint32_t major, uint32_t minor, const struct mount_judge *j, int layer)
{
	_free_ char *folder = device_file(major, minor, "", "slaves");
	DIR *dir = opendir(folder);
	bool local = true;

	for (struct dirent *e; local && dir && (e = readdir(dir));) {
		_free_ char *file = mem_printf("%s/%s/dev", folder, e->d_name);
		_free_ char *text = NULL;
		unsigned int below[2];
		size_t n;

		if (e->d_name[0] == '.' || file_read(file, 64, &text, &n) ||
		    sscanf(text, "%u:%u", &below[0], &below[1]) != 2)
			continue;
		local = is_local_device(below[0], below[1], j, layer + 1);
	}
	if (dir)
		closedir(dir);
	return local;
}

static bool is_local_device(uint32_t major, uint32_t minor, const struct mount_judge *j, int layer)
{
	return layer < MOST_LAYERS && !is_on_the_network(major, minor) &&
	       is_local_behind(major, minor, j) && are_local_below(major, minor, j, layer);
}

/* btrfs and its like have device numbers of their own. */
static bool is_local_source(const struct mount_line *m, const struct mount_judge *j)
{
	struct stat st;

	if (m->major)
		return is_local_device(m->major, m->minor, j, 0);
	if (!str_starts(m->source, "/dev/") || stat(m->source, &st) || !S_ISBLK(st.st_mode))
		return true;
	return is_local_device(major(st.st_rdev), minor(st.st_rdev), j, 0);
}

/* --- overlayfs -------------------------------------------------------------------------------- */

static bool are_local_paths(char *list, const struct mount_judge *j)
{
	char *save = NULL;

	for (char *p = strtok_r(list, ":", &save); p; p = strtok_r(NULL, ":", &save))
		if (p[0] == '/' ? !j->is_local(j->context, p) : j->has_remote(j->context))
			return false;
	return true;
}

static bool is_local_overlay(const struct mount_line *m, const struct mount_judge *j)
{
	static const char *const layers[] = {
		"lowerdir=", "lowerdir+=", "datadir+=", "upperdir=", "workdir="};
	_free_ char *copy = mem_strdup(m->options);
	char *save = NULL;

	if (!j->trusted)
		return false;
	for (char *o = strtok_r(copy, ",", &save); o; o = strtok_r(NULL, ",", &save))
		for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++)
			if (str_starts(o, layers[i]) && !are_local_paths(o + strlen(layers[i]), j))
				return false;
	return true;
}

static bool is_among(const char *type, const char *const *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

bool mount_line_is_local(const struct mount_line *m, const struct mount_judge *j)
{
	if (!strcmp(m->type, "overlay"))
		return is_local_overlay(m, j);
	return is_among(m->type, local_types, sizeof(local_types) / sizeof(*local_types)) &&
	       is_local_source(m, j);
}

bool mount_line_is_pseudo(const struct mount_line *m)
{
	return is_among(m->type, pseudo_types, sizeof(pseudo_types) / sizeof(*pseudo_types));
}
