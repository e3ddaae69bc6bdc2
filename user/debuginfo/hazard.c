#include "debuginfo/hazard.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "debuginfo/codesym.h"
#include "elf/symbolname.h"

#define WALKS "walks its own stack"

/* Functions of unwinders and of those that use them; the first that is found is told. */
static const struct {
	const char *name;
	bool is_prefix;
	const char *what;
} hazards[] = {
	{"slp_switch", false, "copies stacks"},
	{"__asan_init", false, "is built with AddressSanitizer, which walks stacks"},
	{"__tsan_init", false, "is built with ThreadSanitizer, which walks stacks"},
	{"__msan_init", false, "is built with MemorySanitizer, which walks stacks"},
	{"__hwasan_init", false, "is built with HWAddressSanitizer, which walks stacks"},
	{"caml_main", false, "is an OCaml program, whose collector walks stacks"},
	{"__cxa_throw", false, "throws C++ exceptions"},
	{"__cxa_rethrow", false, "throws C++ exceptions"},
	{"_Unwind_RaiseException", false, "raises exceptions"},
	{"_Unwind_Resume_or_Rethrow", false, "raises exceptions"},
	{"_Unwind_ForcedUnwind", false, "unwinds stacks"},
	{"_Unwind_Backtrace", false, WALKS},
	{"backtrace", false, WALKS},
	{"unw_", true, WALKS},
	{"_Ux86_64_", true, WALKS},
	{"_ULx86_64_", true, WALKS},
};
#define N (sizeof(hazards) / sizeof(*hazards))

/* Names may have a version behind an "@". */
static size_t judge(const char *name, size_t best)
{
	const size_t n = symbolname_bytes(name);

	for (size_t i = 0; i < best; i++) {
		const size_t want = strlen(hazards[i].name);

		if (!strncmp(name, hazards[i].name, want) && (n == want || hazards[i].is_prefix))
			return i;
	}
	return best;
}

static void judge_import(void *context, const char *name)
{
	size_t *best = context;

	*best = judge(name, *best);
}

static bool has_pads(const struct frames *f)
{
	for (size_t i = 0; i < f->ranges.n; i++) {
		if (f->ranges.at[i].lsda)
			return true;
	}
	return false;
}

/* A C library has all this too, but uses it only for those who ask. */
static bool is_c_library(const char *base)
{
	static const char *const starts[] = {"libc.so", "libc-2.",	 "ld-linux",
					     "ld-2.",	"libpthread.so", "libpthread-2.",
					     "ld-musl", "libc.musl"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (str_starts(base, starts[i]))
			return true;
	}
	return false;
}

const char *hazard_find(const struct zonefile *z, const char *base)
{
	size_t best = N;

	if (z->frames.go)
		return "is a Go program, whose stacks move";
	if (is_c_library(base))
		return NULL;
	if (str_starts(base, "_greenlet."))
		return hazards[0].what;
	imports_each(z->elf, judge_import, &best);
	for (size_t i = 0; i < z->functions.names.n; i++)
		best = judge(z->functions.names.at[i].text, best);
	if (best < N)
		return hazards[best].what;
	return has_pads(&z->frames) ? "has landing pads, which stack unwinding enters" : NULL;
}
