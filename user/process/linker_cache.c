#include "process/linker_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* Room for 25,000 libraries. */
#define MAX_CACHE_BYTES (4u << 20)

/* The format that glibc has written since 2.32; older ones put it behind their own. See ldconfig(8)
 * and glibc's elf/dl-cache.h. */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_header {
	char magic[20];
	uint32_t n, text_bytes;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path; /* offsets of strings, from the header */
	uint32_t os_version;
	uint64_t hwcap; /* not read: the path says which processors the file is for */
};

#define CACHE_X86_64 0x0303 /* ELF, libc6, 64 bits */

int linker_level(void)
{
	if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
		return 1;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") ||
	    !__builtin_cpu_supports("fma"))
		return 2;
	if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512cd") ||
	    !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
		return 3;
	return 4;
}

/* "/usr/lib/glibc-hwcaps/x86-64-v3/libz.so.1" → 3 */
static int level_of(const char *path)
{
	const char *folder = strstr(path, "/" LINKER_LEVEL_FOLDER);

	return folder ? atoi(folder + strlen("/" LINKER_LEVEL_FOLDER)) : 1;
}

/* NULL if it does not end within the length of a path: many entries may share one string. */
static const char *cache_text(const struct linker_cache *c, uint32_t offset)
{
	size_t left = offset < c->bytes ? c->bytes - offset : 0;

	left = left < PATH_MAX ? left : PATH_MAX;
	return left && memchr(c->at + offset, 0, left) ? c->at + offset : NULL;
}

void linker_cache_each(const struct linker_cache *c,
		       bool (*each)(void *context, const char *name, const char *path),
		       void *context)
{
	struct cache_header head;
	struct cache_entry e;
	size_t n;

	if (!c->at || c->bytes < sizeof(head))
		return;
	memcpy(&head, c->at, sizeof(head));
	n = (c->bytes - sizeof(head)) / sizeof(e);
	for (size_t i = 0; i < n && i < head.n; i++) {
		const char *name, *path;

		memcpy(&e, c->at + sizeof(head) + i * sizeof(e), sizeof(e));
		name = cache_text(c, e.name);
		path = cache_text(c, e.path);
		if (e.flags == CACHE_X86_64 && name && path && each(context, name, path))
			return;
	}
}

/* Of several entries with one name the first of the highest level counts. */
static bool add_name(void *context, const char *name, const char *path)
{
	struct linker_cache *c = context;
	const int level = level_of(path);
	bool fresh;
	uint32_t *at;

	if (level > linker_level())
		return false;
	at = map_put(&c->by_name, hash_bytes(name, strlen(name)), &fresh);
	if (fresh || level > level_of(c->at + *at))
		*at = (uint32_t)(path - c->at);
	return false;
}

void linker_cache_read(int fd, struct linker_cache *out)
{
	_free_ char *link = mem_printf("/proc/self/fd/%d", fd);
	size_t n = 0;

	*out = (struct linker_cache){0};
	if (fd < 0 || file_read(link, MAX_CACHE_BYTES, &out->file, &n))
		return;
	out->at = memmem(out->file, n, CACHE_MAGIC, strlen(CACHE_MAGIC));
	if (out->at)
		out->bytes = n - (size_t)(out->at - out->file);
	linker_cache_each(out, add_name, out);
}

void linker_cache_release(struct linker_cache *c)
{
	map_release(&c->by_name);
	free(c->file);
}

const char *linker_cache_find(const struct linker_cache *c, const char *name)
{
	const uint32_t *at = map_get(&c->by_name, hash_bytes(name, strlen(name)));

	return at ? c->at + *at : NULL;
}
