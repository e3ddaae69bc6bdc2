#include "symbol/buildversion_read.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "elf/buildid.h"

#define NOTE_MOST 4096
#define NOTE_TYPE 0xcafe1a7e

/* --- the package note -----------------------------------------------------
 */

void buildversion_put(struct buildversion *out, const char *version, size_t n)
{
	const size_t digits = strspn(version, "0123456789");
	const size_t epoch = digits < n && version[digits] == ':' ? digits + 1 : 0;

	if (n - epoch < sizeof(out->version))
		memcpy(out->version, version + epoch, n - epoch);
}

/* Takes the string "version" in @json; versions need no escapes. */
static void read_version(const char *json, struct buildversion *out)
{
	static const char key[] = "\"version\"";
	const char *at = strstr(json, key);
	size_t n;

	if (!at)
		return;
	at += sizeof(key) - 1;
	at += strspn(at, " \t\r\n");
	if (*at++ != ':')
		return;
	at += strspn(at, " \t\r\n");
	if (*at++ != '"')
		return;
	n = strcspn(at, "\"\\");
	if (at[n] == '"')
		buildversion_put(out, at, n);
}

static bool is_that_build(const struct elffile *f, const char *id)
{
	uint8_t bytes[BUILDID_MAX];
	char hex[BUILDID_HEX];

	return *id && !strcmp(buildid_hex(bytes, buildid_read(f, bytes), hex), id);
}

static void find_note(const struct elffile *f, struct buildversion *out)
{
	static const struct note_key key = {".note.package", "FDO", NOTE_TYPE};
	char json[NOTE_MOST + 1] = "";

	if (!note_read(f, &key, json, NOTE_MOST))
		return;
	read_version(json, out);
	snprintf(out->origin, sizeof(out->origin), "package note");
}

void buildversion_read(int fd, const char *id, struct buildversion *out)
{
	struct elffile f;

	*out = (struct buildversion){0};
	if (fd < 0 || elffile_open(fd, &f))
		return;
	out->is_there = is_that_build(&f, id);
	if (out->is_there)
		find_note(&f, out);
	elffile_release(&f);
}
