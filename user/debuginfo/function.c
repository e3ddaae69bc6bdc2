#include "debuginfo/function.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "debuginfo/codesym.h"
#include "debuginfo/plt.h"
#include "elf/symbolname.h"

/* --- symbol tables -------------------------------------------------------------------------- */

/* Code that was moved out of @name's function: "name.cold", "name.cold.3". */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && cold > name && (cold[5] == '\0' || cold[5] == '.');
}

static void add_symbol(void *context, const struct codesym *s)
{
	struct functions *f = context;
	const struct function_name name = {.text = s->name,
					   .address = s->start,
					   .size = s->size,
					   .room = s->room,
					   .rank = s->rank,
					   .label = s->label,
					   .chosen = s->chosen};

	/* Labels of assembly count where they are meant for others. */
	if (strchr("@.$", s->name[0]) || (s->label && s->local))
		return;
	if (is_part(s->name))
		vec_push(&f->parts, name);
	else
		vec_push(&f->names, name);
}

void functions_add(struct functions *f, Elf *elf)
{
	f->has_symtab |= codesyms_each(elf, add_symbol, f);
}

static void add_stub(void *context, const char *name, uint64_t start, uint64_t n)
{
	struct functions *f = context;
	char *text = mem_printf("%.*s" SYMBOLNAME_STUB, (int)symbolname_bytes(name), name);

	vec_push(&f->texts, text);
	vec_push(&f->names,
		 ((struct function_name){
			 .text = text, .address = start, .size = n, .room = n, .stub = true}));
}

void functions_add_stubs(struct functions *f, Elf *elf)
{
	plt_each(elf, add_stub, f);
}

void functions_add_choice(struct functions *f, size_t chosen, uint64_t address, uint64_t room)
{
	const struct function_name name = {.text = f->names.at[chosen].text,
					   .address = address,
					   .room = room,
					   /* Names that say which one it is are better. */
					   .rank = UINT8_MAX,
					   .choice = true};

	f->names.at[chosen].resolved = true;
	vec_push(&f->names, name);
}

static void add_go(void *context, const char *name, uint64_t start, uint64_t end)
{
	struct functions *f = context;

	if (name[0])
		vec_push(&f->names, ((struct function_name){.text = name,
							    .address = start,
							    .size = end - start,
							    .room = end - start}));
}

/* --- joining -------------------------------------------------------------------------------- */

static int compare_names(const void *pa, const void *pb)
{
	const struct function_name *a = pa, *b = pb;
	size_t na, nb;
	int differ;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	na = symbolname_bytes(a->text);
	nb = symbolname_bytes(b->text);
	differ = strncmp(a->text, b->text, na < nb ? na : nb);
	return differ ? differ : na < nb ? -1 : na > nb;
}

static bool same_name(const struct function_name *a, const struct function_name *b)
{
	const size_t n = symbolname_bytes(a->text);

	return a->address == b->address && n == symbolname_bytes(b->text) &&
	       !strncmp(a->text, b->text, n);
}

/* Both tables of a file have its exports. What chooses has no name any more where the choices have
 * it. */
static void drop_doubles(struct functions *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->names.n; i++) {
		struct function_name *last = n ? &f->names.at[n - 1] : NULL;

		if (f->names.at[i].resolved)
			continue;
		if (last && same_name(last, &f->names.at[i])) {
			last->size = last->size ? last->size : f->names.at[i].size;
			last->chosen |= f->names.at[i].chosen;
			continue;
		}
		f->names.at[n++] = f->names.at[i];
	}
	f->names.n = n;
}

static void add_function(struct functions *f, uint32_t first, uint32_t n)
{
	struct elf_function out = {
		.address = f->names.at[first].address, .first = first, .n = n, .label = true};

	for (uint32_t i = first; i < first + n; i++) {
		const struct function_name *name = &f->names.at[i];

		out.size = name->size > out.size ? name->size : out.size;
		out.room = name->room > out.room ? name->room : out.room;
		out.chosen |= name->chosen;
		out.stub |= name->stub;
		out.label &= name->label;
	}
	vec_push(&f->at, out);
}

static uint64_t guess_size(const struct functions *f, size_t i, const struct frames *frames)
{
	const uint64_t address = f->at.at[i].address;
	const struct cfi_range *range = cfi_ranges_find(&frames->ranges, address);
	uint64_t size = f->at.at[i].room;

	if (i + 1 < f->at.n && f->at.at[i + 1].address - address < size)
		size = f->at.at[i + 1].address - address;
	if (range && range->end - address < size)
		size = range->end - address;
	return size;
}

static void join_names(struct functions *f)
{
	uint64_t sized_end = 0;

	for (size_t i = 0, next; i < f->names.n; i = next) {
		const struct elf_function *last;

		for (next = i + 1;
		     next < f->names.n && f->names.at[next].address == f->names.at[i].address;)
			next++;
		add_function(f, (uint32_t)i, (uint32_t)(next - i));
		last = &f->at.at[f->at.n - 1];
		/* Labels inside of functions are no functions. */
		if (last->label && last->address < sized_end)
			f->at.n--;
		else if (last->address + last->size > sized_end)
			sized_end = last->address + last->size;
	}
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct function_name *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

void functions_finish(struct functions *f, struct frames *frames)
{
	if (!f->has_symtab && frames->go) {
		f->has_symtab = true;
		gotab_functions(frames->go, add_go, f);
	}
	if (f->names.n)
		qsort(f->names.at, f->names.n, sizeof(*f->names.at), compare_names);
	if (f->parts.n)
		qsort(f->parts.at, f->parts.n, sizeof(*f->parts.at), compare_parts);
	drop_doubles(f);
	join_names(f);
	for (size_t i = 0; i < f->at.n; i++) {
		if (!f->at.at[i].size)
			f->at.at[i].size = guess_size(f, i, frames);
	}
}

void functions_release(struct functions *f)
{
	vec_release(&f->at);
	vec_release(&f->names);
	vec_release(&f->parts);
	for (size_t i = 0; i < f->texts.n; i++)
		free(f->texts.at[i]);
	vec_release(&f->texts);
}

/* --- looking up ----------------------------------------------------------------------------- */

const struct elf_function *functions_around(const struct functions *f, uint64_t address)
{
	const size_t n = vec_upto(&f->at, address, address);

	return n && address - f->at.at[n - 1].address < f->at.at[n - 1].size ? &f->at.at[n - 1]
									     : NULL;
}

const struct function_name *functions_part(const struct functions *f, uint64_t address)
{
	const size_t n = vec_upto(&f->parts, address, address);

	return n && address - f->parts.at[n - 1].address < f->parts.at[n - 1].size
		       ? &f->parts.at[n - 1]
		       : NULL;
}
