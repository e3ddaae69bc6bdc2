#include "debuginfo/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "debuginfo/splitunit.h"
#include "debuginfo/unitwalk.h"

/* How far abstract origins and specifications are followed; also what ends a cycle of them. */
#define MAX_ORIGINS 16

struct finder {
	Dwarf *dwarf;
	Elf *elf;
	const struct dwarf_more *more;
	struct dwarf_names *out;
	const struct split_unit *split; /* being walked; NULL: none */
	const uint64_t *addresses;
	uint32_t n;
	uint64_t code_start;
	struct map by_die; /* key of the abstract function's entry → functions */
};

/* --- functions ------------------------------------------------------------------------------ */

static bool follow(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, attribute, &attr) && dwarf_formref_die(&attr, die);
}

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, attribute, &attr) ? dwarf_formstring(&attr) : NULL;
}

static bool number_of(Dwarf_Die *die, unsigned int attribute, uint32_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &attr) || dwarf_formudata(&attr, &value) ||
	    value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

static const char *file_of(Dwarf_Die *die, const struct split_unit *split, uint32_t number)
{
	Dwarf_Die unit, skeleton;
	Dwarf_Files *files;
	size_t n;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return NULL;
	if (dwarf_getsrcfiles(&unit, &files, &n)) {
		/* clang leaves the list of files in the binary. */
		if (!split || unit.cu != split->die.cu)
			return NULL;
		skeleton = split->skeleton;
		if (dwarf_getsrcfiles(&skeleton, &files, &n))
			return NULL;
	}
	return number < n ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

/* Collects what @die, its abstract origin and its declaration say, the nearest first. */
static struct dwarf_function read_function(Dwarf_Die die, const struct split_unit *split)
{
	struct dwarf_function f = {.die = die};

	for (int i = 0; i < MAX_ORIGINS; i++) {
		uint32_t file;

		if (!f.name)
			f.name = text_of(&die, DW_AT_name);
		if (!f.linkage)
			f.linkage = text_of(&die, DW_AT_linkage_name);
		if (!f.linkage)
			f.linkage = text_of(&die, DW_AT_MIPS_linkage_name);
		if (!f.line)
			number_of(&die, DW_AT_decl_line, &f.line);
		if (!f.file && number_of(&die, DW_AT_decl_file, &file))
			f.file = file_of(&die, split, file);
		if (!follow(&die, DW_AT_abstract_origin) && !follow(&die, DW_AT_specification))
			break;
	}
	return f;
}

/* The function that @die is an instance of; read once for all its instances. */
static uint32_t function_of(struct finder *f, Dwarf_Die die)
{
	Dwarf_Die abstract = die;
	uint32_t *number;
	bool fresh;

	if (!follow(&abstract, DW_AT_abstract_origin))
		abstract = die;
	number = map_put(&f->by_die, (uintptr_t)abstract.addr, &fresh);
	if (fresh) {
		const struct dwarf_function function = read_function(die, f->split);

		*number = (uint32_t)f->out->functions.n;
		vec_push(&f->out->functions, function);
	}
	return *number;
}

/* --- addresses ------------------------------------------------------------------------------ */

static uint32_t line_at(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (!line || dwarf_lineno(line, &number) || number < 0)
		return 0;
	return (uint32_t)number;
}

/* @chain: the entries around one address, outermost first. */
static void add_frames(struct finder *f, struct dwarf_span *span, const struct dwarf_hit *chain,
		       uint32_t n)
{
	uint32_t line = span->line;

	span->first = (uint32_t)f->out->frames.n;
	for (uint32_t i = n; i-- > 0;) {
		Dwarf_Die die = chain[i].die;
		const uint32_t function = function_of(f, die);
		const struct dwarf_function *known = &f->out->functions.at[function];

		/* Without a name for the function itself the chain says nothing. */
		if (i == 0 && !known->name && !known->linkage) {
			f->out->frames.n = span->first;
			return;
		}
		vec_push(&f->out->frames, ((struct dwarf_frame){function, line}));
		line = 0;
		number_of(&die, DW_AT_call_line, &line);
	}
	span->n = n;
}

/* The addresses that one unit claims: their numbers, ascending, and themselves. */
struct claim {
	VEC(uint32_t) number;
	VEC(uint64_t) address;
};

static int compare_numbers(const void *pa, const void *pb)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

static void claim_addresses(struct finder *f, Dwarf_Die *unit, struct claim *out)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	size_t n = 0;

	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0) {
		if (low < f->code_start || low >= high)
			continue;
		for (size_t i = bound_lower(f->addresses, f->n, low);
		     i < f->n && f->addresses[i] < high; i++) {
			if (!f->out->spans.at[i].n)
				vec_push(&out->number, (uint32_t)i);
		}
	}
	if (!out->number.n)
		return;
	qsort(out->number.at, out->number.n, sizeof(*out->number.at), compare_numbers);
	for (size_t i = 0; i < out->number.n; i++) {
		if (i && out->number.at[i] == out->number.at[n - 1])
			continue;
		vec_push(&out->address, f->addresses[out->number.at[i]]);
		out->number.at[n++] = out->number.at[i];
	}
	out->number.n = n;
}

static void name_claim(struct finder *f, struct dwarf_unit *unit, const struct claim *claim)
{
	struct dwarf_hits hits = {0};
	size_t at = 0;

	unitwalk_run(unit, claim->address.at, (uint32_t)claim->address.n, f->code_start, &hits);
	for (uint32_t i = 0; i < claim->number.n; i++) {
		struct dwarf_span *span = &f->out->spans.at[claim->number.at[i]];
		const uint32_t line = line_at(&unit->die, claim->address.at[i]);
		size_t n = 0;

		while (at + n < hits.at.n && hits.at.at[at + n].address == i)
			n++;
		span->line = line ? line : span->line;
		if (n)
			add_frames(f, span, &hits.at.at[at], (uint32_t)n);
		at += n;
	}
	vec_release(&hits.at);
}

/* --- units in .dwo files ------------------------------------------------------------------------
 */

/* Joins the skeleton with its unit in one of the .dwo files that were given; false: it is in none
 * of them. */
static bool join(struct finder *f, struct dwarf_unit *skeleton, struct split_unit *out)
{
	const struct dwo_unit *found = NULL;
	uint64_t id;

	if (splitunit_id(&skeleton->die, &id))
		found = dwofiles_unit(f->out->split, id);
	if (found)
		splitunit_join(f->elf, &skeleton->die, skeleton->bytes, found->elf, &found->die,
			       found->bytes, out);
	return found;
}

/* Notes for the addresses of @claim that a .dwo file is missing. */
static void miss(struct finder *f, Dwarf_Die *unit, const struct claim *claim)
{
	const char *name = text_of(unit, DW_AT_dwo_name);

	if (!name)
		name = text_of(unit, DW_AT_GNU_dwo_name);
	if (!name)
		return;
	vec_push(&f->out->missing, ((struct dwarf_missing){name, text_of(unit, DW_AT_comp_dir)}));
	for (size_t i = 0; i < claim->number.n; i++)
		f->out->spans.at[claim->number.at[i]].missing = (uint32_t)f->out->missing.n;
}

static void find_in_unit(void *finder, struct dwarf_unit *unit)
{
	struct finder *f = finder;
	struct split_unit split;
	struct claim claim = {0};

	claim_addresses(f, &unit->die, &claim);
	if (claim.number.n) {
		const bool is_skeleton = splitunit_is_skeleton(&unit->die);

		if (is_skeleton && join(f, unit, &split))
			f->split = unit->split = &split;
		else if (is_skeleton)
			miss(f, &unit->die, &claim);
		name_claim(f, unit, &claim);
		f->split = NULL;
	}
	vec_release(&claim.number);
	vec_release(&claim.address);
}

/* Opens the other files. */
static void open_more(struct finder *f)
{
	if (f->more->alt)
		f->out->alt = dwarf_begin_elf(f->more->alt, DWARF_C_READ, NULL);
	if (f->out->alt)
		dwarf_setalt(f->dwarf, f->out->alt);
	f->out->split = dwofiles_open(f->more->split, f->more->n_split);
}

int dwarf_find_with(Elf *elf, const struct dwarf_more *more, const uint64_t *addresses, uint32_t n,
		    uint64_t code_start, struct dwarf_names *out)
{
	struct finder f = {.elf = elf,
			   .more = more,
			   .out = out,
			   .addresses = addresses,
			   .n = n,
			   .code_start = code_start};

	*out = (struct dwarf_names){0};
	/* A plain number of libdw's, 15 for "no DWARF information", has no name in its header. */
	f.dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!f.dwarf)
		return -ENOENT;
	out->dwarf = f.dwarf;
	open_more(&f);
	vec_reserve(&out->spans, n);
	memset(out->spans.at, 0, n * sizeof(*out->spans.at));
	out->spans.n = n;
	unitwalk_each(f.dwarf, false, find_in_unit, &f);
	map_release(&f.by_die);
	return 0;
}

int dwarf_find(Elf *elf, const uint64_t *addresses, uint32_t n, uint64_t code_start,
	       struct dwarf_names *out)
{
	static const struct dwarf_more nothing;

	return dwarf_find_with(elf, &nothing, addresses, n, code_start, out);
}

void dwarf_names_release(struct dwarf_names *names)
{
	vec_release(&names->functions);
	vec_release(&names->frames);
	vec_release(&names->spans);
	vec_release(&names->missing);
	dwofiles_close(names->split);
	names->split = NULL;
	dwarf_end(names->dwarf);
	dwarf_end(names->alt);
	names->dwarf = names->alt = NULL;
}

/* --- where it was compiled -------------------------------------------------------------------- */

struct folders {
	void (*each)(void *context, const char *folder);
	void *context;
};

static void tell_folder(void *context, struct dwarf_unit *unit)
{
	const struct folders *f = context;
	const char *folder = text_of(&unit->die, DW_AT_comp_dir);

	if (folder)
		f->each(f->context, folder);
}

void dwarf_folders(Elf *elf, void (*each)(void *context, const char *folder), void *context)
{
	struct folders f = {each, context};
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);

	if (!dwarf)
		return;
	unitwalk_each(dwarf, false, tell_folder, &f);
	dwarf_end(dwarf);
}
