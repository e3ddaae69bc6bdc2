#include "elf/debugdir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "elf/debugfile.h"

/* Of a folder that is one of debug files; each costs some reads. */
#define MOST_FILES 100000

static void add_file(struct debugdir *d, const char *name)
{
	char *path = mem_printf("%s/%s", d->path, name);
	_close_ int fd = elffile_open_path(-1, path);
	struct debugdir_file file = {.path = path};
	struct elffile f;

	if (fd >= 0 && !elffile_open(fd, &f)) {
		file.bytes = buildid_read(&f, file.id);
		elffile_release(&f);
	}
	if (file.bytes)
		vec_push(&d->files, file);
	else
		free(path);
}

int debugdir_init(struct debugdir *d, const char *path, bool flat)
{
	struct dirent *e;
	DIR *dir;

	*d = (struct debugdir){.path = path};
	if (!flat)
		return 0;
	dir = opendir(path);
	if (!dir)
		return err(-errno, "cannot read the folder '%s': %s", path, strerror(errno));
	for (size_t n = 0; n < MOST_FILES && (e = readdir(dir)); n++)
		if (e->d_type != DT_DIR)
			add_file(d, e->d_name);
	closedir(dir);
	return 0;
}

void debugdir_release(struct debugdir *d)
{
	for (size_t i = 0; i < d->files.n; i++)
		free(d->files.at[i].path);
	vec_release(&d->files);
}

/* The file at one of the places of that build-id. */
static int open_place(const char *path, const uint8_t *id, uint8_t bytes)
{
	int fd = elffile_open_path(-1, path);

	if (fd >= 0 && !debugfile_is(fd, id, bytes)) {
		close(fd);
		return -EBADMSG;
	}
	return fd < 0 ? -ENOENT : fd;
}

static int open_file(const struct debugdir *d, const uint8_t *id, uint8_t bytes, char **found)
{
	for (size_t i = 0; i < d->files.n; i++) {
		const struct debugdir_file *f = &d->files.at[i];
		int fd;

		if (f->bytes != bytes || memcmp(f->id, id, bytes) != 0)
			continue;
		fd = open_place(f->path, id, bytes);
		if (fd >= 0) {
			*found = mem_strdup(f->path);
			return fd;
		}
	}
	return -ENOENT;
}

int debugdir_open(const struct debugdir *d, const uint8_t *id, uint8_t bytes, char **found)
{
	char hex[BUILDID_HEX];
	char *places[3], *other = NULL;
	int fd = -ENOENT;

	*found = NULL;
	if (bytes < 2)
		return -ENOENT;
	buildid_hex(id, bytes, hex);
	places[0] = mem_printf("%s/.build-id/%.2s/%s.debug", d->path, hex, hex + 2);
	places[1] = mem_printf("%s/%.2s/%s.debug", d->path, hex, hex + 2);
	places[2] = mem_printf("%s/%s/debuginfo", d->path, hex);
	for (size_t i = 0; i < 3; i++) {
		if (fd < 0)
			fd = open_place(places[i], id, bytes);
		if (fd >= 0 && !*found)
			*found = mem_strdup(places[i]);
		else if (fd == -EBADMSG && !other)
			other = mem_strdup(places[i]);
		free(places[i]);
	}
	if (fd < 0)
		fd = open_file(d, id, bytes, found);
	if (fd < 0 && other) {
		*found = other;
		return -EBADMSG;
	}
	free(other);
	return fd;
}
