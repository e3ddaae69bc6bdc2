#include "script/rodata.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MOST_BYTES (4u << 20)
#define CHUNK	   65536

static bool find(const char *at, size_t n, const char *text, char out[RODATA_BEHIND])
{
	const char *found = memmem(at, n, text, strlen(text));
	size_t left;

	if (!found)
		return false;
	found += strlen(text);
	left = (size_t)(at + n - found);
	memset(out, 0, RODATA_BEHIND);
	memcpy(out, found, left < RODATA_BEHIND - 1 ? left : RODATA_BEHIND - 1);
	return true;
}

bool rodata_find(const struct elffile *f, const char *text, char out[RODATA_BEHIND])
{
	/* Chunks overlap by what is looked for. */
	const uint64_t step = CHUNK - strlen(text) - RODATA_BEHIND;
	_free_ char *at = mem_zalloc(CHUNK, 1);
	uint64_t bytes;
	Elf64_Shdr s;

	if (elffile_section(f, ".rodata", &s))
		return false;
	bytes = s.sh_size < MOST_BYTES ? s.sh_size : MOST_BYTES;
	for (uint64_t offset = 0; offset < bytes; offset += step) {
		const uint64_t left = bytes - offset;
		const size_t n = left < CHUNK ? left : CHUNK;

		if (elffile_read(f, s.sh_offset + offset, at, n))
			return false;
		if (find(at, n, text, out))
			return true;
	}
	return false;
}
