#include "function/zoneread.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "debuginfo/begin.h"
#include "debuginfo/codesym.h"
#include "debuginfo/dwarf.h"
#include "debuginfo/parameters.h"
#include "debuginfo/zonefile.h"
#include "elf/segments.h"
#include "elf/symbolname.h"
#include "function/markerread.h"
#include "function/zonelist.h"
#include "symbol/demangle.h"
#include "symbol/perfmap.h"

/* Stack switches of glibc, boost.context (also in PHP), Ruby, libcoro (Perl's Coro), libco and its
 * relatives, minicoro, D, Crystal. */
static const char *const known[] = {
	"swapcontext",	       "setcontext", "jump_fcontext",	"ontop_fcontext", "coro_transfer",
	"coroutine_transfer",  "co_switch",  "co_swap",		"coctx_swap",	  "_mco_switch",
	"fiber_switchContext", "acosw",	     "tb_context_jump",
};

/* These may lead to another stack, or stay on the present one. */
static const char *const jumps[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};

static bool is_jump(const char *name)
{
	return symbolname_is_one_of(name, jumps, sizeof(jumps) / sizeof(*jumps));
}

/* Whether @name is a function that switches stacks, known or named by the request. A version may
 * follow an "@". */
static bool zoneswitch_is(const char *name, const struct zonelist_request *r)
{
	if (is_jump(name) || symbolname_is_one_of(name, known, sizeof(known) / sizeof(*known)))
		return true;
	for (size_t i = 0; i < r->n_switches; i++) {
		_free_ char *plain = mem_strndup(name, symbolname_bytes(name));

		if (!strcmp(r->switches[i], plain) || !fnmatch(r->switches[i], plain, 0))
			return true;
	}
	return false;
}

struct stack_switching {
	const struct zonelist_request *request;
	bool switches, signal_stack, jumps;
};

static void note_name(void *context, const char *name)
{
	static const char *const stack[] = {"sigaltstack"};
	struct stack_switching *l = context;

	l->switches |= !is_jump(name) && zoneswitch_is(name, l->request);
	l->signal_stack |= symbolname_is_one_of(name, stack, 1);
	l->jumps |= is_jump(name);
}

/* A library that has such a function of its own calls it by a stub, as Ruby's does. */
static void note_stubs(const struct functions *all, struct stack_switching *l)
{
	vec_each (name, &all->names) {
		const size_t n = strlen(name->text), end = strlen(SYMBOLNAME_STUB);
		_free_ char *called =
			name->stub && n > end ? mem_strndup(name->text, n - end) : NULL;

		if (called)
			note_name(l, called);
	}
}

/* Whether the file calls such functions, or has the means to switch itself: a stack for signals,
 * and jumps back to it. */
static bool zoneswitch_used(const struct zonefile *z, const struct zonelist_request *r)
{
	struct stack_switching l = {.request = r};

	imports_each(z->elf, note_name, &l);
	note_stubs(&z->functions, &l);
	return l.switches || (l.signal_stack && l.jumps);
}

struct zonelines {
	struct dwarf_names names;
	struct dwarf_more more; /* other files that it refers to */
	bool known;		/* the file has DWARF */
	VEC(uint32_t) ends;
};

/* The declaration of function number @i; NULL: unknown. */
static const struct dwarf_function *zonelines_declared(const struct zonelines *l, size_t i)
{
	const struct dwarf_span *span = l->known ? &l->names.spans.at[i] : NULL;

	/* The last frame is the function itself, the others are inlined into it. */
	if (!span || !span->n)
		return NULL;
	return &l->names.functions.at[l->names.frames.at[span->first + span->n - 1].function];
}

/* The .dwo file that has it and was not given; NULL: none. */
static const struct dwarf_missing *zonelines_missing(const struct zonelines *l, size_t i)
{
	const uint32_t missing = l->known ? l->names.spans.at[i].missing : 0;

	return missing ? &l->names.missing.at[missing - 1] : NULL;
}

/* The line before the next function of the file; 0: there is none, or unknown. */
static uint32_t zonelines_end(const struct zonelines *l, size_t i)
{
	return l->ends.n ? l->ends.at[i] : 0;
}

struct start_line {
	const char *file;
	uint32_t line, function;
};

static int by_line(const void *pa, const void *pb)
{
	const struct start_line *a = pa, *b = pb;
	const int differ = strcmp(a->file, b->file);

	if (differ)
		return differ;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* A function extends to where the next one of its file starts. */
static void find_ends(struct zonelines *l, size_t n)
{
	VEC(struct start_line) starts = {0};
	uint32_t next = 0;

	vec_reserve(&l->ends, n);
	memset(l->ends.at, 0, n * sizeof(*l->ends.at));
	l->ends.n = n;
	for (size_t i = 0; i < n; i++) {
		const struct dwarf_function *d = zonelines_declared(l, i);

		if (d && d->file && d->line)
			vec_push(&starts, ((struct start_line){d->file, d->line, (uint32_t)i}));
	}
	if (starts.n)
		qsort(starts.at, starts.n, sizeof(*starts.at), by_line);
	for (size_t i = starts.n; i-- > 0;) {
		const struct start_line *s = &starts.at[i], *after = s + 1;

		if (i + 1 == starts.n || strcmp(s->file, after->file))
			next = 0;
		else if (after->line > s->line)
			next = after->line - 1;
		l->ends.at[s->function] = next;
	}
	vec_release(&starts);
}

/* Finds the lines of the functions at the ascending @addresses. @ends: also where they end;
 * @addresses must then be all functions of the file. Strings live as long as @out and the file. */
static void zonelines_find(struct zonefile *z, const uint64_t *addresses, uint32_t n, bool ends,
			   struct zonelines *out)
{
	out->known = !dwarf_find_with(z->debug ? z->debug : z->elf, &out->more, addresses, n,
				      segments_code_start(&z->file), &out->names);
	if (out->known && ends && n)
		find_ends(out, n);
}

static void zonelines_release(struct zonelines *l)
{
	dwarf_names_release(&l->names);
	vec_release(&l->ends);
	elf_end(l->more.alt);
}

static void zonelines_open(const struct zoneread *z, struct zonelines *out)
{
	*out = (struct zonelines){.more = {begin_elf(z->alt_fd), z->split, z->n_split}};
}

/* "_Z1fi.part.0" → ".part.0". */
static const char *ending_of(const char *linkage)
{
	const char *dot = strchr(linkage, '.');

	return linkage[0] == '_' && dot ? dot : "";
}

static char *with_ending(char *readable, const char *ending)
{
	char *whole;

	if (!readable || !*ending || strstr(readable, " [clone "))
		return readable;
	whole = mem_printf("%s [clone %s]", readable, ending);
	free(readable);
	return whole;
}

void zonename_spell(const char *linkage, char **name, char **full)
{
	*name = with_ending(demangle(linkage), ending_of(linkage));
	*full = *name ? with_ending(demangle_full(linkage), ending_of(linkage)) : NULL;
	if (!*name)
		*name = mem_strdup(linkage);
}

struct reader {
	const struct zonelist_request *request;
	const char *path, *base;
	struct zonefile file;
	struct zonelist *out;
	struct zonelines lines; /* of all functions if a pattern names a file, else of the zones */
	bool by_file;
	bool is_patched; /* its runtime inspects and patches its code */
};

/* --- names ---------------------------------------------------------------------------------- */

/* All spellings of one of a function's names. */
struct spelled {
	char *linkage, *name, *full; /* owned; full may be NULL */
};

static void add_ending(char **name)
{
	char *whole = *name ? mem_printf("%s" SYMBOLNAME_STUB, *name) : NULL;

	free(*name);
	*name = whole;
}

static void spell(const struct function_name *name, struct spelled *out)
{
	const size_t n = symbolname_bytes(name->text);

	out->linkage = mem_strndup(name->text, n - (name->stub ? strlen(SYMBOLNAME_STUB) : 0));
	zonename_spell(out->linkage, &out->name, &out->full);
	if (name->stub) {
		add_ending(&out->linkage);
		add_ending(&out->name);
		add_ending(&out->full);
	}
}

static void forget(struct spelled *s)
{
	free(s->linkage);
	free(s->name);
	free(s->full);
}

/* --- source files --------------------------------------------------------------------------- */

static void find_all_lines(struct reader *r)
{
	const struct functions *f = &r->file.functions;
	_free_ uint64_t *addresses = mem_zalloc(f->at.n + 1, sizeof(*addresses));

	for (size_t i = 0; i < f->at.n; i++)
		addresses[i] = f->at.at[i].address;
	zonelines_find(&r->file, addresses, (uint32_t)f->at.n, true, &r->lines);
	r->by_file = true;
}

static void find_zone_lines(struct reader *r)
{
	_free_ uint64_t *addresses = mem_zalloc(r->out->zones.n + 1, sizeof(*addresses));

	for (size_t i = 0; i < r->out->zones.n; i++)
		addresses[i] = r->out->zones.at[i].address;
	zonelines_find(&r->file, addresses, (uint32_t)r->out->zones.n, false, &r->lines);
}

static void put_line(const struct reader *r, size_t i, struct zone_def *zone)
{
	const struct dwarf_function *d = zonelines_declared(&r->lines, i);
	const struct dwarf_missing *missing = zonelines_missing(&r->lines, i);

	zone->file = d && d->file ? mem_strdup(d->file) : NULL;
	zone->line = d ? d->line : 0;
	zone->signature = d && !zone_def_is_clone(zone)
				  ? parameters_read(&d->die, r->lines.names.split)
				  : NULL;
	if (missing && zone->arguments) {
		zone->dwo = mem_strdup(missing->name);
		zone->dwo_folder = mem_strdup(missing->folder ? missing->folder : "");
	}
}

/* --- matching ------------------------------------------------------------------------------- */

/* What patterns say about a function by all its names, and the best name that a pattern selects. */
struct match {
	struct zone_taking taking;
	struct spelled name;
};

static uint32_t actions_of(const struct match *m)
{
	return m->taking.taken & ~m->taking.excluded;
}

/* Each function that an IFUNC may choose is shown by the name that identifies it. */
static void name_choice(const struct functions *f, size_t function, struct spelled *s)
{
	forget(s);
	spell(&f->names.at[f->at.at[function].first], s);
}

static void match_name(const struct reader *r, size_t function, const struct function_name *name,
		       struct match *best)
{
	const struct zonepatterns *patterns = r->request->patterns;
	const struct dwarf_function *d =
		r->by_file ? zonelines_declared(&r->lines, function) : NULL;
	struct zone_names names = {.module = r->path,
				   .file = d ? d->file : NULL,
				   .line = d ? d->line : 0,
				   .end_line = d ? zonelines_end(&r->lines, function) : 0,
				   .stub = name->stub};
	struct zone_taking taking;
	struct spelled s;

	if (!zonepatterns_may_take(patterns, name->text))
		return;
	spell(name, &s);
	names.linkage = s.linkage;
	names.name = s.name;
	names.full = s.full;
	taking = zonepatterns_match(patterns, &names, r->out->hits.at);
	best->taking.taken |= taking.taken;
	best->taking.arguments |= taking.arguments;
	best->taking.excluded |= taking.excluded;
	/* Names come best first; an exclusion counts by any name. */
	if (taking.first != ZONEPATTERN_NONE && best->taking.first == ZONEPATTERN_NONE) {
		if (name->choice)
			name_choice(&r->file.functions, function, &s);
		best->taking.first = taking.first;
		best->name = s;
		return;
	}
	forget(&s);
}

static bool is_switch(const struct reader *r, const struct elf_function *function)
{
	const struct functions *f = &r->file.functions;

	for (uint32_t i = function->first; i < function->first + function->n; i++) {
		if (zoneswitch_is(f->names.at[i].text, r->request))
			return true;
	}
	return false;
}

static uint64_t offset_of(const struct reader *r, uint64_t address)
{
	uint64_t offset = 0;

	segments_offset(&r->file.file, address, &offset);
	return offset;
}

static void find_sites(struct reader *r, const struct elf_function *f, bool switches,
		       uint32_t arguments, struct sites *out)
{
	if (r->is_patched)
		*out = (struct sites){.why = sites_read};
	else if (f->chosen)
		*out = (struct sites){.why = sites_chosen};
	else if (f->label && !switches && !cfi_ranges_find(&r->file.frames.ranges, f->address))
		*out = (struct sites){.why = sites_label};
	else
		zonefile_sites(&r->file, &r->request->kernel, f->address, f->size, switches,
			       arguments, out);
	out->own_return |= switches;
	/* The function that a stub jumps to returns to the stub's caller, and is unknown here: it
	 * may inspect or keep its return address, as setjmp does. */
	if (f->stub) {
		out->exits.n = 0;
		out->exits_known = false;
		out->exits_why = sites_stub;
		out->own_return = true;
	}
}

static void add_zone(struct reader *r, const struct elf_function *f, struct match *m, bool switches)
{
	const uint64_t max = r->request->max ? r->request->max : ZONELIST_DEFAULT_MAX;
	struct zone_def *zone;

	r->out->matched++;
	if (r->out->zones.n == max) {
		forget(&m->name);
		return;
	}
	zone = vec_add(&r->out->zones);
	zone->name = m->name.name;
	zone->linkage = m->name.linkage;
	free(m->name.full);
	if (!strcmp(zone->name, zone->linkage)) {
		free(zone->linkage);
		zone->linkage = NULL;
	}
	zone->pattern = (uint32_t)m->taking.first;
	zone->actions = actions_of(m);
	zone->arguments = m->taking.arguments;
	zone->address = f->address;
	zone->size = f->size;
	zone->offset = offset_of(r, f->address);
	find_sites(r, f, switches, m->taking.arguments, &zone->sites);
}

static void add_switch(struct reader *r, const struct elf_function *f)
{
	const char *text = r->file.functions.names.at[f->first].text;
	struct zone_switch *s = vec_add(&r->out->switches);

	s->name = mem_strndup(text, symbolname_bytes(text));
	s->address = f->address;
	s->size = f->size;
	s->offset = offset_of(r, f->address);
	find_sites(r, f, true, 0, &s->sites);
}

static void read_function(struct reader *r, size_t i, bool wanted)
{
	const struct functions *functions = &r->file.functions;
	const struct elf_function *f = &functions->at.at[i];
	const bool switches = is_switch(r, f);
	struct match match = {.taking.first = ZONEPATTERN_NONE};

	if (switches)
		add_switch(r, f);
	for (uint32_t k = f->first; wanted && k < f->first + f->n; k++)
		match_name(r, i, &functions->names.at[k], &match);
	if (actions_of(&match))
		add_zone(r, f, &match, switches);
	else
		forget(&match.name);
}

/* --- files ---------------------------------------------------------------------------------- */

struct kind {
	bool named, pie;
};

static bool read_kind(void *context, const Elf64_Dyn *d)
{
	struct kind *k = context;

	k->named |= d->d_tag == DT_SONAME;
	k->pie |= d->d_tag == DT_FLAGS_1 && d->d_un.d_val & DF_1_PIE;
	return false;
}

/* Libraries may have an interpreter too, as the C library does; but they have a soname. */
static bool is_program(const struct zonefile *z)
{
	struct kind k = {0};

	segments_dynamic(&z->file, read_kind, &k);
	return z->elf_type == ET_EXEC || k.pie || (segments_first(&z->file, PT_INTERP) && !k.named);
}

static uint32_t flags_of(const struct zonefile *z)
{
	uint32_t flags = is_program(z) ? ZONELIST_PROGRAM : 0;

	if (!z->functions.has_symtab)
		flags |= ZONELIST_NO_SYMTAB;
	if (z->functions.texts.n == z->functions.at.n)
		flags |= ZONELIST_NO_SYMBOLS;
	if (z->functions.texts.n)
		flags |= ZONELIST_STUBS;
	if (z->frames.go)
		flags |= ZONELIST_GO;
	return flags;
}

/* The runtime of code that mono compiled ahead of time checks each stub and call before it patches
 * it: a breakpoint there ends the program. */
static void note_patched(void *context, const GElf_Sym *sym, const char *name)
{
	bool *is_patched = context;

	*is_patched |= sym->st_shndx != SHN_UNDEF && name && str_starts(name, "mono_aot_file_info");
}

static bool is_zone(const void *reader, uint64_t address)
{
	const struct reader *r = reader;

	vec_each (f, &r->out->zones)
		if (f->address == address)
			return true;
	return false;
}

/* Where functions leave by jumps, their calls end in others. */
static void follow(struct reader *r)
{
	vec_each (f, &r->out->zones)
		if (f->actions & r->request->follow && !f->sites.why)
			zonefile_follow(&r->file, &r->request->kernel, f->address, f->size, is_zone,
					r, &f->sites);
}

/* A function that switches stacks is linked into a program to be called. */
static bool has_own_switch(const struct zonelist *l)
{
	vec_each (s, &l->switches)
		if (l->flags & ZONELIST_PROGRAM && !is_jump(s->name))
			return true;
	return false;
}

static void read_file(struct reader *r, bool wanted)
{
	const struct zonepatterns *patterns = r->request->patterns;
	const char *hazard = hazard_find(&r->file, r->base);

	symbols_each(r->file.elf, 1u << SHT_DYNSYM, note_patched, &r->is_patched);
	r->out->flags = flags_of(&r->file);
	r->out->functions = r->file.functions.at.n - r->file.functions.texts.n;
	r->out->hijack_unsafe = hazard ? mem_printf("%s %s", r->base, hazard) : NULL;
	if (wanted && zonepatterns_need_lines(patterns))
		find_all_lines(r);
	for (size_t i = 0; i < r->file.functions.at.n; i++) {
		const size_t before = r->out->zones.n;

		read_function(r, i, wanted);
		if (r->lines.known && r->out->zones.n > before)
			put_line(r, i, &r->out->zones.at[before]);
	}
	if (wanted)
		markerread_add(&r->file, r->path, r->request, r->out);
	if (r->request->follow)
		follow(r);
	if (zoneswitch_used(&r->file, r->request) || has_own_switch(r->out))
		r->out->flags |= ZONELIST_SWITCHES;
	if (r->request->lines && r->out->zones.n && !zonepatterns_need_lines(patterns)) {
		find_zone_lines(r);
		for (size_t i = 0; i < r->out->zones.n; i++)
			put_line(r, i, &r->out->zones.at[i]);
	}
	if (wanted && !r->lines.known && (r->request->lines || zonepatterns_need_lines(patterns)))
		r->out->flags |= ZONELIST_NO_LINES;
}

/* Names of JIT code are matched too, so that a message can say that they exist. */
static void match_generated(void *context, const char *text)
{
	struct reader *r = context;
	const struct zone_names names = {.module = r->path, .linkage = text, .name = text};

	zonepatterns_match(r->request->patterns, &names, r->out->hits.at);
}

static int open_file(struct reader *r, const struct zoneread *z)
{
	int rc;

	r->path = z->image->path;
	r->base = str_base(r->path);
	rc = zonefile_open(z->fd, z->debug_fd, &r->file);
	if (!rc)
		zonelines_open(z, &r->lines);
	return rc;
}

static void close_file(struct reader *r)
{
	zonelines_release(&r->lines);
	zonefile_release(&r->file);
}

void zoneread_run(const struct zoneread *z, const struct zonelist_request *request,
		  struct zonelist *out)
{
	struct reader r = {.request = request, .out = out, .path = z->image->path};
	const char *obstacle = zonelist_obstacle(z->image);

	vec_reserve(&out->hits, zonepatterns_count(request->patterns) + 1);
	out->hits.n = zonepatterns_count(request->patterns);
	memset(out->hits.at, 0, (out->hits.n + 1) * sizeof(*out->hits.at));
	if (z->image->kind == IMAGE_KIND_JIT) {
		out->problem = mem_strdup(obstacle);
		if (z->fd >= 0)
			perfmap_names(z->fd, match_generated, &r);
		return;
	}
	if (open_file(&r, z)) {
		out->problem = mem_strdup(err_text());
		return;
	}
	read_file(&r, z->wanted);
	close_file(&r);
	/* In the vDSO matches are only counted, for messages. */
	if (obstacle) {
		zonelist_drop(out);
		out->problem = mem_strdup(obstacle);
	}
}

void zoneread_nearest(const struct zoneread *z, const struct zonelist_request *request,
		      size_t pattern, struct nearest *out)
{
	const char *wanted = zonepatterns_name(request->patterns, pattern);
	struct reader r = {.request = request};

	if (!wanted || z->image->kind == IMAGE_KIND_JIT || open_file(&r, z))
		return;
	for (size_t i = 0; i < r.file.functions.names.n; i++) {
		struct spelled s;

		if (r.file.functions.names.at[i].stub && !strstr(wanted, SYMBOLNAME_STUB))
			continue;
		spell(&r.file.functions.names.at[i], &s);
		nearest_add(out, s.name, nearest_distance(wanted, s.name));
		forget(&s);
	}
	close_file(&r);
}
