#include "elf/buildid.h"

#include <stdio.h>

#include "elf/note.h"

uint8_t buildid_read(const struct elffile *f, uint8_t id[BUILDID_MAX])
{
	static const struct note_key key = {".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID};

	return (uint8_t)note_read(f, &key, id, BUILDID_MAX);
}

char *buildid_hex(const uint8_t *id, uint8_t bytes, char hex[BUILDID_HEX])
{
	hex[0] = '\0';
	for (uint8_t i = 0; i < bytes && i < BUILDID_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return hex;
}
