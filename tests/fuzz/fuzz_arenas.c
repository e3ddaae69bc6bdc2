/* Memory of another process that may have glibc's arenas: all of it is the target's to choose. The
 * bytes are at a fixed address, so that what points into them can be part of them. */
#include "process/arenas.h"

#define FUZZ_RUN fuzz_arenas_run
#include "fuzz.h"

#define AT   0x100000
#define MOST (256u << 10)

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	const int mem = memfd_create("fuzz", MFD_CLOEXEC);
	struct arenas a;

	n = n < MOST ? n : MOST;
	expect(mem >= 0 && pwrite(mem, bytes, n, AT) == (ssize_t)n);
	if (arenas_read(mem, AT, AT + n / 8 * 8, &a)) {
		expect(a.n || a.mmapped_blocks);
		expect(a.free_bytes <= a.system_bytes && a.busy <= a.n);
		expect(a.knows_mmapped || !(a.mmapped_bytes | a.mmapped_blocks));
	}
	close(mem);
}
