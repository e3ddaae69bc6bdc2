/* A whole ELF file: headers, segments, notes, what it needs, tables; as the privileged process
 * reads each file that is mapped. */
#include <fcntl.h>

#include "debugfile_find.h"
#include "elf/buildid.h"
#include "elf/needed.h"
#include "elf/segments.h"

#define FUZZ_RUN fuzz_elf_run
#include "fuzz_unwind.h"

static void read_file(const struct elffile *f)
{
	struct needed needed = {0};
	uint8_t id[BUILDID_MAX];
	uint64_t offset;
	Elf64_Shdr s;
	int fd;

	expect(buildid_read(f, id) <= BUILDID_MAX);
	needed_read(f, &needed);
	needed_release(&needed);
	(void)segments_offset(f, FUZZ_BIAS + FUZZ_TEXT, &offset);
	(void)elffile_section(f, ".gnu_debuglink", &s);
	fd = debugfile_find(f, "/nowhere/at/all", -1);
	if (fd >= 0)
		close(fd);
	fuzz_tables(f);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	fuzz_within(fuzz_file(bytes, n), read_file);
}
