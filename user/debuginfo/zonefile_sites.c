#include "debuginfo/zonefile.h"

#include <string.h>

#include "cfi/cfi_cursor.h"
#include "code/insn.h"
#include "elf/segments.h"

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

	/* Up to its jump; what is told of it is an expression that covers what lies behind, too. */
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
static enum site_target target_in_range(const struct asking *a, const struct cfi_range *range,
					uint64_t address, struct code *out)
{
	enum site_target what = SITE_TARGET_FUNCTION;

	if (is_stub(a->z, address))
		return what;
	if (!range || (range->start <= a->address && a->address < range->end))
		return SITE_TARGET_UNKNOWN;
	what = judge_range(a, range, address, out);
	if (what == SITE_TARGET_FUNCTION)
		add_tail(a->tails, (struct tail){address, range->end - address});
	return what;
}

static enum site_target target(void *context, uint64_t address, struct code *out)
{
	const struct asking *a = context;
	const struct function_name *part = functions_part(&a->z->functions, address);
	const struct elf_function *f = functions_around(&a->z->functions, address);

	if (part && zonefile_code(a->z, part->address, part->size, out))
		return SITE_TARGET_PART;
	if (!f)
		return target_in_range(a, cfi_ranges_find(&a->z->frames.ranges, address), address,
				       out);
	if (f->address == address)
		add_tail(a->tails, (struct tail){address, f->size});
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
	struct asking a = {z, tail.address, tail.size, tails};
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
	struct asking a = {z, address, size, &tails};

	find_sites(&a, kernel, switches, arguments, out);
	out->own_return |= are_harmful(z, kernel, &tails);
	vec_release(&tails.at);
	map_release(&tails.known);
}
