#include "elf/debugfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "elf/buildid.h"

/* Larger ones are found by their build-id: what has only a CRC must be read whole. */
#define MAX_CRC_BYTES (INT64_C(4) << 30)

/* A .gnu_debuglink: a file name, padding to four bytes, the CRC. */
#define MAX_LINK_BYTES 4096

bool debugfile_is(int fd, const uint8_t *id, uint8_t bytes)
{
	uint8_t other[BUILDID_MAX];
	struct elffile f;
	bool same;

	if (elffile_open(fd, &f))
		return false;
	same = buildid_read(&f, other) == bytes && !memcmp(other, id, bytes);
	elffile_release(&f);
	return same;
}

/* Files that may be the one, as many as there is room for. */
struct found {
	const struct debugfile_open *by;
	int *fds;
	size_t n, most;
};

static void open_one(struct found *f, bool own_root, const char *path)
{
	const int fd = f->n < f->most ? f->by->open(f->by->context, own_root, path) : -1;

	if (fd >= 0)
		f->fds[f->n++] = fd;
}

static void open_by_buildid(struct found *f, bool own_root, const uint8_t *id, uint8_t bytes)
{
	char hex[BUILDID_HEX], path[sizeof(DEBUGFILE_ROOT) + BUILDID_HEX + 32];

	if (bytes < 2)
		return;
	buildid_hex(id, bytes, hex);
	snprintf(path, sizeof(path), DEBUGFILE_ROOT "/.build-id/%.2s/%s.debug", hex, hex + 2);
	open_one(f, own_root, path);
}

static bool has_crc(int fd, uint32_t want)
{
	static const size_t chunk = 256 * 1024;
	_free_ unsigned char *buf = mem_zalloc(chunk, 1);
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	off_t at = 0;
	ssize_t n = -1;

	if (fstat(fd, &st) || st.st_size > MAX_CRC_BYTES)
		return false;
	while (at <= MAX_CRC_BYTES && (n = pread(fd, buf, chunk, at)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return n == 0 && at > 0 && (uint32_t)crc == want;
}

struct link {
	char name[MAX_LINK_BYTES];
	uint32_t crc;
};

static bool read_link(const struct elffile *f, struct link *out)
{
	size_t name_bytes;
	Elf64_Shdr s;

	memset(out, 0, sizeof(*out));
	if (elffile_section(f, ".gnu_debuglink", &s) || s.sh_size < 8 ||
	    s.sh_size > sizeof(out->name))
		return false;
	if (elffile_read(f, s.sh_offset, out->name, s.sh_size))
		return false;
	memcpy(&out->crc, out->name + s.sh_size - 4, sizeof(out->crc));
	name_bytes = strnlen(out->name, s.sh_size);
	/* It names a file, not a path: one with a slash would lead elsewhere. */
	return name_bytes && name_bytes <= s.sh_size - 5 && !strchr(out->name, '/');
}

static void open_by_link(struct found *f, const struct link *link, const char *path, bool own_root)
{
	static const char *const forms[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUGFILE_ROOT "%.*s/%s"};
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && path[0] == '/'; i++) {
		_free_ char *candidate = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		candidate = mem_printf(forms[i], dir, path, link->name);
#pragma GCC diagnostic pop
		open_one(f, own_root, candidate);
	}
}

size_t debugfile_candidates(const struct elffile *stripped, const char *path,
			    const struct debugfile_open *by, int *fds, size_t most)
{
	uint8_t id[BUILDID_MAX], bytes = buildid_read(stripped, id);
	struct found found = {.by = by, .fds = fds, .most = most};
	_free_ void *link_memory = mem_zalloc(1, sizeof(struct link));
	struct link *link = link_memory;

	for (int own = !by->other_root; own < 2; own++)
		open_by_buildid(&found, own, id, bytes);
	if (!read_link(stripped, link))
		return found.n;
	for (int own = !by->other_root; own < 2; own++)
		open_by_link(&found, link, path, own);
	return found.n;
}

bool debugfile_fits(const struct elffile *stripped, int fd)
{
	uint8_t id[BUILDID_MAX], bytes = buildid_read(stripped, id);
	_free_ void *link_memory = mem_zalloc(1, sizeof(struct link));
	struct link *link = link_memory;

	if (bytes >= 2 && debugfile_is(fd, id, bytes))
		return true;
	return read_link(stripped, link) && has_crc(fd, link->crc);
}

/* --- what several debug files share ----------------------------------------------------------- */

/* A .gnu_debugaltlink: a path, and the build-id of the file. */
struct altlink {
	char path[MAX_LINK_BYTES];
	uint8_t id[BUILDID_MAX];
	uint8_t bytes;
};

static bool read_altlink(const struct elffile *f, struct altlink *out)
{
	size_t name_bytes;
	Elf64_Shdr s;

	memset(out, 0, sizeof(*out));
	if (elffile_section(f, ".gnu_debugaltlink", &s) || s.sh_size > sizeof(out->path) ||
	    elffile_read(f, s.sh_offset, out->path, s.sh_size))
		return false;
	name_bytes = strnlen(out->path, s.sh_size) + 1;
	if (name_bytes < 2 || name_bytes + 2 > s.sh_size ||
	    s.sh_size - name_bytes > sizeof(out->id))
		return false;
	out->bytes = (uint8_t)(s.sh_size - name_bytes);
	memcpy(out->id, out->path + name_bytes, out->bytes);
	return true;
}

size_t debugfile_alt_candidates(const struct elffile *debug, const char *path,
				const struct debugfile_open *by, int *fds, size_t most)
{
	struct found found = {.by = by, .fds = fds, .most = most};
	_free_ void *link_memory = mem_zalloc(1, sizeof(struct altlink));
	const char *slash = strrchr(path, '/');
	struct altlink *link = link_memory;
	_free_ char *full = NULL;

	if (!read_altlink(debug, link))
		return 0;
	for (int own = !by->other_root; own < 2; own++)
		open_by_buildid(&found, own, link->id, link->bytes);
	if (link->path[0] == '/')
		full = mem_strdup(link->path);
	else if (path[0] == '/')
		full = mem_printf("%.*s/%s", (int)(slash - path), path, link->path);
	for (int own = !by->other_root; full && own < 2; own++)
		open_one(&found, own, full);
	return found.n;
}

bool debugfile_has_alt(const struct elffile *debug)
{
	_free_ void *link_memory = mem_zalloc(1, sizeof(struct altlink));

	return read_altlink(debug, link_memory);
}

bool debugfile_alt_fits(const struct elffile *debug, int fd)
{
	_free_ void *link_memory = mem_zalloc(1, sizeof(struct altlink));
	struct altlink *link = link_memory;

	return read_altlink(debug, link) && debugfile_is(fd, link->id, link->bytes);
}

/* --- folders of debug files ------------------------------------------------------------------- */

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
