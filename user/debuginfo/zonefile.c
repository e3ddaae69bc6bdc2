#include "debuginfo/zonefile.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "cfi/cfi_cursor.h"
#include "code/insn.h"
#include "debuginfo/begin.h"
#include "debuginfo/codesym.h"
#include "debuginfo/plt.h"
#include "debuginfo/symtab.h"
#include "elf/segments.h"
#include "elf/symbolname.h"

#define WALKS "walks its own stack"

/* Functions of unwinders and of their callers; the first that a file has is reported. */
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

/* Up to @n bytes of code at @address; false where there is none. */
static bool zonefile_code(const struct zonefile *z, uint64_t address, uint64_t n, struct code *out)
{
	for (size_t i = 0; i < z->file.segments.n && z->bytes; i++) {
		const Elf64_Phdr *p = &z->file.segments.at[i];
		uint64_t left;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || address < p->p_vaddr ||
		    address - p->p_vaddr >= p->p_filesz)
			continue;
		*out = (struct code){.address = address,
				     .offset = p->p_offset + (address - p->p_vaddr)};
		left = p->p_filesz - (address - p->p_vaddr);
		if (out->offset >= z->n_bytes)
			return false;
		if (left > z->n_bytes - out->offset)
			left = z->n_bytes - out->offset;
		out->n = n < left ? n : left;
		out->bytes = z->bytes + out->offset;
		return true;
	}
	return false;
}

/* --- who uses return addresses -------------------------------------------------------------- */

/* Of the C library's functions that look at their return address, or keep it, those that can be the
 * last thing a function does. */
static void note_keeper(void *context, const char *name, uint64_t slot, bool stored)
{
	static const char *const names[] = {
		"dlopen",  "dlmopen",	  "dlsym", "dlvsym",	 "dl_iterate_phdr", "setjmp",
		"_setjmp", "__sigsetjmp", "vfork", "getcontext", "swapcontext",	    "mcount",
	};
	struct zonefile *z = context;
	bool fresh;

	if (!symbolname_is_one_of(name, names, sizeof(names) / sizeof(*names)))
		return;
	map_put(&z->keepers, slot, &fresh);
	z->stores_keepers |= stored;
}

/* --- what IFUNCs choose --------------------------------------------------------------------- */

struct choices {
	struct zonefile *z;
	size_t name; /* in functions.names */
};

static void add_choice(void *context, uint64_t address)
{
	const struct choices *c = context;
	const struct cfi_range *range = cfi_ranges_find(&c->z->frames.ranges, address);
	struct code code;

	/* Its code takes addresses of tables, too. */
	if (range && range->start == address && zonefile_code(c->z, address, UINT64_MAX, &code))
		functions_add_choice(&c->z->functions, c->name, address, code.n);
}

static void add_choices(struct zonefile *z)
{
	const size_t n = z->functions.names.n;

	for (struct choices c = {.z = z}; c.name < n; c.name++) {
		const struct function_name *name = &z->functions.names.at[c.name];
		struct code code;

		if (!name->chosen || chosen_may_be_vdso(name->text) ||
		    !zonefile_code(z, name->address, name->size, &code))
			continue;
		chosen_each(&code, add_choice, &c);
	}
}

/* --- open ----------------------------------------------------------------------------------- */

static int check(const struct elffile *f)
{
	if (!f->is_64)
		return err(-ENOTSUP, "a 32-bit program: zones are for 64-bit x86");
	if (f->machine != EM_X86_64)
		return err(-ENOTSUP, "a program for another machine: zones are for 64-bit x86");
	return 0;
}

static void find_stubs(struct zonefile *z)
{
	static const char *const names[ZONEFILE_STUBS] = {".plt", ".plt.sec", ".plt.got"};

	for (size_t i = 0; i < ZONEFILE_STUBS; i++) {
		Elf64_Shdr s;

		if (!elffile_section(&z->file, names[i], &s))
			z->stubs[i] = (struct zonefile_stubs){s.sh_addr, s.sh_size};
	}
}

int zonefile_open(int fd, int debug_fd, struct zonefile *out)
{
	GElf_Ehdr header;
	int rc;

	*out = (struct zonefile){0};
	rc = elffile_open(fd, &out->file);
	if (rc)
		return rc;
	rc = check(&out->file);
	out->elf = rc ? NULL : begin_elf(fd);
	if (!rc && !out->elf)
		rc = err(-EINVAL, "not a readable ELF file");
	if (rc) {
		elffile_release(&out->file);
		return rc;
	}
	if (gelf_getehdr(out->elf, &header)) {
		out->elf_type = header.e_type;
		out->start = header.e_entry;
	}
	out->debug = begin_elf(debug_fd);
	out->bytes = (const uint8_t *)elf_rawfile(out->elf, &out->n_bytes);
	find_stubs(out);
	plt_slots_each(out->elf, note_keeper, out);
	frames_open(&out->file, &out->frames);
	functions_add(&out->functions, out->elf);
	functions_add_stubs(&out->functions, out->elf);
	if (out->debug)
		functions_add(&out->functions, out->debug);
	add_choices(out);
	functions_finish(&out->functions, &out->frames);
	return 0;
}

void zonefile_release(struct zonefile *z)
{
	map_release(&z->keepers);
	map_release(&z->harmless);
	functions_release(&z->functions);
	frames_release(&z->frames);
	elf_end(z->debug);
	elf_end(z->elf);
	elffile_release(&z->file);
}

/* Of a part: how much is looked through for a way back. */
#define MAX_PART_BYTES (64u << 10)

/* So many functions are looked at that a function may leave its return address to. */
#define MAX_TAILS 256

/* --- the world of one function -------------------------------------------------------------- */

/* Functions that tail calls lead to, each once, as they are found. */
struct tail {
	uint64_t address, size;
};
struct tails {
	VEC(struct tail) at;
	struct map known;
};

struct asking {
	struct zonefile *z;
	uint64_t address, size; /* of the function */
	struct tails *tails;
	bool leaves_file; /* a jump leads to a stub, or into code that several share */
};

static bool is_stub(const struct zonefile *z, uint64_t address)
{
	for (size_t i = 0; i < ZONEFILE_STUBS; i++) {
		if (address - z->stubs[i].start < z->stubs[i].bytes)
			return true;
	}
	return false;
}

static bool keeps_return(void *context, uint64_t address)
{
	const struct asking *a = context;

	return map_get(&a->z->keepers, address) != NULL;
}

static bool frame(void *context, uint64_t address, struct site_frame *out)
{
	const struct asking *a = context;
	const bool known = frames_at(&a->z->frames, address, out);

	/* Only up to the stub's jump: its call frame information is an expression that also covers
	 * the code after it. */
	if (is_stub(a->z, address)) {
		*out = (struct site_frame){0};
		return true;
	}
	if (address != a->z->start || !address)
		return known;
	*out = (struct site_frame){.no_caller = true};
	return true;
}

static bool data(void *context, uint64_t address, void *buf, size_t n)
{
	const struct asking *a = context;
	uint64_t offset;

	if (!segments_offset(&a->z->file, address, &offset) || offset > a->z->n_bytes ||
	    n > a->z->n_bytes - offset)
		return false;
	memcpy(buf, a->z->bytes + offset, n);
	return true;
}

/* Where unwinders may land in a function: the call site table of its entry in .gcc_except_table.
 * Format: that of GCC's and LLVM's personality routines for C++, C, Rust, D, Go of GCC (Itanium C++
 * ABI: Exception Handling, 7). Calls @pad with the address of each landing pad. @bytes start with
 * the table and may go on behind it; they are loaded at @address. @function: where the code starts
 * that it is for. False for a table that makes no sense. */
static bool lsda_pads(struct cfi_cursor bytes, uint64_t address, uint64_t function,
		      void (*pad)(void *context, uint64_t address), void *context)
{
	const struct cfi_bases bases = {.start = bytes.at, .address = address};
	struct cfi_cursor *c = &bytes, sites;
	uint64_t base = function;
	uint8_t encoding;

	encoding = (uint8_t)cfi_uint(c, 1);
	if (encoding != CFI_PE_OMIT)
		base = cfi_pointer(c, encoding, &bases);
	if (cfi_uint(c, 1) != CFI_PE_OMIT)
		cfi_uleb(c); /* where its types stand */
	encoding = (uint8_t)cfi_uint(c, 1);
	sites = cfi_part(c, cfi_uleb(c));
	while (cfi_left(&sites)) {
		uint64_t landing;

		cfi_pointer_value(&sites, encoding); /* the calls: their start, */
		cfi_pointer_value(&sites, encoding); /* and how far they reach */
		landing = cfi_pointer_value(&sites, encoding);
		cfi_uleb(&sites); /* what is caught */
		if (!sites.bad && landing)
			pad(context, base + landing);
	}
	return !c->bad && !sites.bad;
}

static bool pads(void *context, uint64_t address, void (*pad)(void *, uint64_t), void *pad_context)
{
	const struct asking *a = context;
	const struct cfi_range *range = cfi_ranges_find(&a->z->frames.ranges, address);
	struct cfi_cursor bytes = {0};
	uint64_t offset;

	if (!range || !range->lsda)
		return true;
	if (!segments_offset(&a->z->file, range->lsda, &offset) || offset >= a->z->n_bytes)
		return false;
	bytes.at = a->z->bytes + offset;
	bytes.end = a->z->bytes + a->z->n_bytes;
	return lsda_pads(bytes, range->lsda, range->start, pad, pad_context);
}

/* Whether the code jumps back into the middle of the function: then it is a part of it. */
static bool leads_back(const struct asking *a, const struct code *code)
{
	for (size_t at = 0; at < code->n;) {
		struct insn insn;

		if (!insn_read(code->bytes + at, code->n - at, code->address + at, &insn))
			return false;
		if ((insn.kind == INSN_JUMP || insn.kind == INSN_BRANCH) &&
		    insn.target > a->address && insn.target - a->address < a->size)
			return true;
		at += insn.bytes;
	}
	return false;
}

/* Code that has no symbol, by its entry in the call frame information: a part starts with the frame
 * of its function in place, as a rule. */
static enum site_target judge_range(const struct asking *a, const struct cfi_range *range,
				    uint64_t address, struct code *out)
{
	const uint64_t bytes = range->end - range->start;
	struct site_frame f;
	bool bare;

	if (!frames_at(&a->z->frames, range->start, &f))
		return SITE_TARGET_UNKNOWN;
	bare = !f.by_rbp && !f.slot;
	if (!zonefile_code(a->z, range->start, bytes < MAX_PART_BYTES ? bytes : MAX_PART_BYTES,
			   out))
		return SITE_TARGET_UNKNOWN;
	if (!bare || leads_back(a, out))
		return SITE_TARGET_PART;
	return address == range->start ? SITE_TARGET_FUNCTION : SITE_TARGET_UNKNOWN;
}

static void add_tail(struct tails *t, struct tail tail)
{
	bool fresh;

	map_put(&t->known, tail.address, &fresh);
	if (fresh)
		vec_push(&t->at, tail);
}

/* What has no symbol; @range, where it is not NULL, holds it. */
static enum site_target target_in_range(struct asking *a, const struct cfi_range *range,
					uint64_t address, struct code *out)
{
	enum site_target what = SITE_TARGET_FUNCTION;

	if (is_stub(a->z, address)) {
		a->leaves_file = true;
		return what;
	}
	if (!range || (range->start <= a->address && a->address < range->end))
		return SITE_TARGET_UNKNOWN;
	what = judge_range(a, range, address, out);
	if (what == SITE_TARGET_FUNCTION)
		add_tail(a->tails, (struct tail){address, range->end - address});
	return what;
}

static enum site_target target(void *context, uint64_t address, struct code *out)
{
	struct asking *a = context;
	const struct function_name *part = functions_part(&a->z->functions, address);
	const struct elf_function *f = functions_around(&a->z->functions, address);

	if (part && zonefile_code(a->z, part->address, part->size, out))
		return SITE_TARGET_PART;
	if (!f)
		return target_in_range(a, cfi_ranges_find(&a->z->frames.ranges, address), address,
				       out);
	if (f->address == address)
		add_tail(a->tails, (struct tail){address, f->size});
	else
		a->leaves_file = true;
	/* What lies in a function by its symbol is code that several share. */
	return SITE_TARGET_FUNCTION;
}

static void find_sites(struct asking *a, const struct site_kernel *kernel, bool switches,
		       uint32_t arguments, struct sites *out)
{
	const struct site_world world = {.kernel = *kernel,
					 .arguments = arguments,
					 .sweep = a->z->frames.go != NULL,
					 .switches = switches,
					 .frame = frame,
					 .target = target,
					 .pads = pads,
					 .keeps_return = keeps_return,
					 .stores_keepers = a->z->stores_keepers,
					 .data = data,
					 .context = a};
	struct code own = {.address = a->address};

	zonefile_code(a->z, a->address, a->size, &own);
	sites_find(&world, &own, out);
}

/* --- return addresses that are left to others ----------------------------------------------- */

static bool uses_return(struct zonefile *z, const struct site_kernel *kernel, struct tail tail,
			struct tails *tails)
{
	struct asking a = {.z = z, .address = tail.address, .size = tail.size, .tails = tails};
	struct sites s;

	find_sites(&a, kernel, false, 0, &s);
	sites_release(&s);
	return s.own_return;
}

/* Whether one of @tails, or of those that they lead to, uses the return address that it is left. */
static bool are_harmful(struct zonefile *z, const struct site_kernel *kernel, struct tails *tails)
{
	bool fresh;

	for (size_t i = 0; i < tails->at.n; i++) {
		if (i == MAX_TAILS)
			return true; /* who knows */
		if (!map_get(&z->harmless, tails->at.at[i].address) &&
		    uses_return(z, kernel, tails->at.at[i], tails))
			return true;
	}
	for (size_t i = 0; i < tails->at.n; i++)
		map_put(&z->harmless, tails->at.at[i].address, &fresh);
	return false;
}

void zonefile_sites(struct zonefile *z, const struct site_kernel *kernel, uint64_t address,
		    uint64_t size, bool switches, uint32_t arguments, struct sites *out)
{
	struct tails tails = {0};
	struct asking a = {.z = z, .address = address, .size = size, .tails = &tails};

	find_sites(&a, kernel, switches, arguments, out);
	out->own_return |= are_harmful(z, kernel, &tails);
	vec_release(&tails.at);
	map_release(&tails.known);
}

/* --- ends of calls that jump on ----------------------------------------------------------------
 */

#define MAX_FOLLOWED 16
#define MAX_EXITS    64

/* What the exit is: a RET, a jump to a place that the code names, *@to, or another. */
enum leaving { LEAVES_BY_RET, LEAVES_BY_JUMP, LEAVES_OTHERWISE };
static enum leaving leaving_of(const struct zonefile *z, const struct site *exit, uint64_t *to)
{
	uint8_t code[6] = {0};
	int32_t far;
	size_t at;

	if (exit->offset > z->n_bytes || z->n_bytes - exit->offset < sizeof(code))
		return LEAVES_OTHERWISE;
	memcpy(code, z->bytes + exit->offset, sizeof(code));
	if (code[0] == 0xc3 || code[0] == 0xc2 || (code[0] == 0xf3 && code[1] == 0xc3))
		return LEAVES_BY_RET;
	if (code[0] == 0xeb || code[0] >> 4 == 7) {
		*to = exit->address + 2 + (uint64_t)(int8_t)code[1];
		return LEAVES_BY_JUMP;
	}
	at = code[0] == 0xe9 ? 1 : code[0] == 0x0f && code[1] >> 4 == 8 ? 2 : 0;
	memcpy(&far, code + at, sizeof(far));
	*to = exit->address + at + sizeof(far) + (uint64_t)far;
	return at ? LEAVES_BY_JUMP : LEAVES_OTHERWISE;
}

/* A function that is followed, and who else's calls are seen. */
struct following {
	const struct site_kernel *kernel;
	bool (*is_probed)(const void *context, uint64_t address);
	const void *context;
	struct tails tails;
	struct sites out;
};

/* Adds the function's RETs, and its jumps to functions whose own calls are seen. False: it may end
 * in another way, too. */
static bool add_exits(struct following *f, struct zonefile *z, struct tail function)
{
	struct asking a = {
		.z = z, .address = function.address, .size = function.size, .tails = &f->tails};
	struct sites s;
	bool known;

	find_sites(&a, f->kernel, false, 0, &s);
	known = s.exits_known && !a.leaves_file;
	vec_each (exit, &s.exits) {
		uint64_t to = 0;
		const enum leaving how = leaving_of(z, exit, &to);

		known &= how != LEAVES_OTHERWISE;
		if (how == LEAVES_BY_RET || f->is_probed(f->context, to))
			vec_push(&f->out.exits, *exit);
	}
	sites_release(&s);
	return known && f->out.exits.n <= MAX_EXITS;
}

void zonefile_follow(struct zonefile *z, const struct site_kernel *kernel, uint64_t address,
		     uint64_t size, bool (*is_probed)(const void *context, uint64_t address),
		     const void *context, struct sites *sites)
{
	struct following f = {.kernel = kernel, .is_probed = is_probed, .context = context};
	bool known = sites->exits_known && add_exits(&f, z, (struct tail){address, size}),
	     any = false;

	for (size_t i = 0; i < f.tails.at.n && known; i++) {
		if (is_probed(context, f.tails.at.at[i].address))
			continue;
		any = true;
		known = i < MAX_FOLLOWED && add_exits(&f, z, f.tails.at.at[i]);
	}
	if (any && known && f.out.exits.n) {
		vec_release(&sites->exits);
		vec_each (exit, &f.out.exits)
			vec_push(&sites->exits, *exit);
	}
	sites_release(&f.out);
	vec_release(&f.tails.at);
	map_release(&f.tails.known);
}
