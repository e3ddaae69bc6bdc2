#include "elf/hazard.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

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
	const size_t n = function_name_bytes(name);

	for (size_t i = 0; i < best; i++) {
		const size_t want = strlen(hazards[i].name);

		if (!strncmp(name, hazards[i].name, want) && (n == want || hazards[i].is_prefix))
			return i;
	}
	return best;
}

static size_t judge_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, size_t best)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t one = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	const size_t n = data && one ? data->d_size / one : 0;

	/* gelf_getsym takes an int. */
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		const char *name = NULL;
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym) && sym.st_shndx == SHN_UNDEF)
			name = elf_strptr(elf, header->sh_link, sym.st_name);
		best = name ? judge(name, best) : best;
	}
	return best;
}

/* What it has from others. */
static size_t judge_imports(Elf *elf, size_t best)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			best = judge_table(elf, section, &header, best);
	}
	return best;
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
	best = judge_imports(z->elf, best);
	for (size_t i = 0; i < z->functions.names.n; i++)
		best = judge(z->functions.names.at[i].text, best);
	if (best < N)
		return hazards[best].what;
	return has_pads(&z->frames) ? "has code that stack unwinding lands in" : NULL;
}
