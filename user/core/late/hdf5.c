/* HDF5's functions, which late_load() finds in the library: see store/late.h. */
#include "store/late.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"

/* make(1) defines LATE_NAME, the library's SONAME, and LATE_FILE, where it was at build time. */

/* HDF5's functions fail like this. */
static long fails(void)
{
	return -1;
}

/* The functions' addresses by number: a page, which becomes read-only once they are set. */
#define SLOTS 512
void *late_slots[SLOTS]
	__attribute__((aligned(4096), visibility("hidden"))) = {[0 ... SLOTS - 1] = (void *)fails};

/*
 * make(1) lists what store uses: LATE_CALL(H5Fopen, 7) for functions, numbered from 0 on, and
 * LATE_VALUE(H5T_C_S1_g) for identifiers that are variables, hid_t, of the library. The calls pass
 * their arguments in registers, which code that counts calls (make coverage) would overwrite.
 */
#define LATE_CALL(name, number)                                                \
	void name(void);                                                       \
	__attribute__((naked, no_profile_instrument_function)) void name(void) \
	{                                                                      \
		__asm__("jmpq *late_slots + 8 * " #number "(%rip)");           \
	}                                                                      \
	static_assert((number) < SLOTS, "there is a slot for each");
#define LATE_VALUE(name)     \
	extern int64_t name; \
	int64_t name = -1;
#include "hdf5_calls.h"
#undef LATE_CALL
#undef LATE_VALUE

static const char *const names[] = {
#define LATE_CALL(name, number) [number] = #name,
#define LATE_VALUE(name)
#include "hdf5_calls.h"
#undef LATE_CALL
#undef LATE_VALUE
};

static const struct {
	const char *name;
	int64_t *value;
} values[] = {
#define LATE_CALL(name, number)
#define LATE_VALUE(name) {#name, &name},
#include "hdf5_calls.h"
#undef LATE_CALL
#undef LATE_VALUE
};

/*
 * Tells packagers' tools which library the program loads:
 * https://uapi-group.org/specifications/specs/elf_dlopen_metadata/.
 */
#define NOTE "[{\"soname\":[\"" LATE_NAME "\"],\"priority\":\"required\",\"feature\":\"hdf5\"}]"
static const struct {
	uint32_t name_bytes, bytes, type;
	char name[4];
	char text[sizeof(NOTE)] __attribute__((aligned(4)));
} note __attribute__((section(".note.dlopen"), aligned(4), used)) = {4, sizeof(NOTE), 0x407c0c0a,
								     "FDO", NOTE};

static int missing(const char *why)
{
	return err(-ENOENT, "cannot load HDF5's library: %s: install the package that has it", why);
}

static int find_calls(void *library, void **found)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		found[i] = dlsym(library, names[i]);
		if (!found[i])
			return missing(dlerror());
	}
	return 0;
}

/* The library sets them when it begins. */
static int take_values(void *library)
{
	int (*open)(void) = (int (*)(void))dlsym(library, "H5open");

	if (!open || open() < 0)
		return missing("it does not begin");
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const int64_t *value = dlsym(library, values[i].name);

		if (!value)
			return missing(dlerror());
		*values[i].value = *value;
	}
	return 0;
}

static int load(void)
{
	void *library = dlopen(LATE_NAME, RTLD_LAZY | RTLD_LOCAL), *found[SLOTS];
	int rc = library ? find_calls(library, found) : missing(dlerror());

	if (!rc)
		rc = take_values(library);
	if (rc)
		return rc;
	memcpy(late_slots, found, sizeof(names) / sizeof(*names) * sizeof(*found));
	if (mprotect(late_slots, sizeof(late_slots), PROT_READ))
		return err(-errno, "cannot protect memory: %s", strerror(errno));
	return 0;
}

int late_load(void)
{
	static bool loaded; /* of the process, as the library is */
	const int rc = loaded ? 0 : load();

	loaded = !rc;
	return rc;
}

int late_check(void)
{
	/* The search path, or another version, may lead elsewhere. */
	const bool moved = getenv("LD_LIBRARY_PATH") || access(LATE_FILE, R_OK);

	return moved ? late_load() : 0;
}
