#include "symbol/naming.h"

#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "cfi/fde.h"
#include "cfi/gotab.h"
#include "code/reach.h"
#include "debuginfo/begin.h"
#include "debuginfo/dwarf.h"
#include "debuginfo/plt.h"
#include "debuginfo/symtab.h"
#include "elf/debugfile.h"
#include "elf/elffile.h"
#include "elf/segments.h"
#include "process/images.h"
#include "process/maps.h"
#include "symbol/answer.h"
#include "symbol/demangle.h"
#include "symbol/perfmap.h"

/* A zeroed one is empty and valid. */
struct variables_table {
	struct symtab symtab;
	bool open;
};

/* A variable of at most this many bytes is one lock: pthread_cond_t, pthread_rwlock_t and
 * std::condition_variable_any are no larger, and their threads wait at different addresses in them.
 * In a larger variable each address is a lock of its own. */
#define ONE_LOCK_BYTES 64

static void open_table(struct variables_table *v, Elf *elf, Elf *debug_elf)
{
	if (v->open)
		return;
	v->open = true;
	if (elf)
		symtab_add_variables(&v->symtab, elf);
	if (debug_elf)
		symtab_add_variables(&v->symtab, debug_elf);
	symtab_finish(&v->symtab);
}

static void add_nameless(const struct image *image, uint64_t offset, uint32_t line,
			 struct answer *a)
{
	_free_ char *name = nameless(image, offset);

	answer_frame(a, name, NULL, NULL, 0, line, false, false);
}

static void add_found(const struct symbol *symbol, uint64_t address, struct answer *a)
{
	_free_ char *name = mem_strndup(symbol->name, strcspn(symbol->name, "@"));
	const uint64_t within = address - symbol->start;
	char suffix[32] = "";

	if (symbol->end - symbol->start > ONE_LOCK_BYTES && within)
		snprintf(suffix, sizeof(suffix), "+0x%" PRIx64, within);
	answer_frame_mangled(a, name, NULL, suffix, NULL, 0, 0, false);
}

/* Adds a frame for the variable at @offset, made by place_of_variable(), to the current query.
 * @elf, @debug_elf: those of the image and of its separate debug file; either may be NULL. */
static void variable_name(struct variables_table *v, const struct elffile *file, Elf *elf,
			  Elf *debug_elf, const struct image *image, uint64_t offset,
			  struct answer *a)
{
	const uint64_t distance = offset & ~PLACE_VARIABLE;
	const struct symbol *symbol = NULL;
	uint64_t address;

	if (!segments_loaded(file, distance, &address)) {
		add_nameless(image, distance, 0, a);
		return;
	}
	open_table(v, elf, debug_elf);
	symbol = symtab_find(&v->symtab, address);
	if (symbol)
		add_found(symbol, address, a);
	else
		add_nameless(image, address, 0, a);
}

/* The demangled @linkage; 0: it is not mangled. */
static uint32_t readable(struct answer *a, uint32_t linkage)
{
	_free_ char *name = NULL;
	uint32_t *known;
	bool fresh;

	known = map_put(&a->by_linkage, linkage, &fresh);
	if (fresh) {
		name = demangle(intern_text(&a->text, linkage));
		*known = name ? intern_add(&a->text, name) : 0;
	}
	return *known;
}

void answer_frame_mangled(struct answer *a, const char *linkage, const char *name,
			  const char *suffix, const char *file, uint32_t file_line, uint32_t line,
			  bool inlined)
{
	struct answer_function f = {.line = file_line, .named = 1};
	const uint32_t mangled = answer_text(a, linkage),
		       demangled = mangled ? readable(a, mangled) : 0;

	f.name = demangled ? demangled : name && *name ? answer_text(a, name) : mangled;
	f.linkage = f.name == mangled ? 0 : mangled;
	f.file = answer_text(a, file);
	if (suffix && *suffix) {
		_free_ char *whole = mem_printf("%s%s", intern_text(&a->text, f.name), suffix);

		f.name = answer_text(a, whole);
	}
	answer_add(a, f, line, inlined);
}

/* --- JIT code ------------------------------------------------------------------------------- */

static bool same_file(int a, int b)
{
	struct stat sa, sb;

	return !fstat(a, &sa) && !fstat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static void read_perf_map(int fd, const uint64_t *addresses, uint32_t n, char **names,
			  struct answer *a)
{
	struct perfmap_stats stats = {0};

	perfmap_find(fd, addresses, n, names, &stats);
	if (stats.bad_lines <= a->bad_lines)
		return;
	a->bad_lines = stats.bad_lines < UINT32_MAX ? (uint32_t)stats.bad_lines : UINT32_MAX;
	a->first_bad = stats.first_bad < UINT32_MAX ? (uint32_t)stats.first_bad : UINT32_MAX;
}

static void name_jit(const struct image_files *files, const struct query *queries, uint32_t n,
		     struct answer *a)
{
	_free_ uint64_t *addresses = mem_zalloc(n, sizeof(*addresses));
	_free_ char **names = mem_zalloc(n, sizeof(*names));

	for (uint32_t i = 0; i < n; i++)
		addresses[i] = query_lookup(&queries[i]);
	/* The map as it was kept open, then as it is under its name now: newer lines win. */
	if (files->fd >= 0)
		read_perf_map(files->fd, addresses, n, names, a);
	if (files->extra_fd >= 0 && (files->fd < 0 || !same_file(files->fd, files->extra_fd)))
		read_perf_map(files->extra_fd, addresses, n, names, a);
	for (uint32_t i = 0; i < n; i++) {
		if (names[i])
			answer_frame_mangled(a, names[i], NULL, NULL, NULL, 0, 0, false);
		else
			add_nameless(files->image, queries[i].offset, 0, a);
		answer_next(a);
		free(names[i]);
	}
}

/* --- ELF files ------------------------------------------------------------------------------ */

struct sources {
	const struct image *image;
	struct elffile file;
	struct fde_table fdes;
	struct symtab symtab;
	struct variables_table variables;
	struct reach reach;	/* of the symbol that was checked last */
	bool is_stripped;	/* it has only its exported symbols */
	struct gotab *go;	/* the table of a stripped Go program; else NULL */
	struct minidebug small; /* the mini debug info of another stripped file; else empty */
	Elf *elf, *debug_elf;
	struct dwarf_more more;
	struct dwarf_names dwarf;
	bool has_dwarf;
};

/* Opens what stripping left besides .dynsym. */
static void open_leftovers(struct sources *s)
{
	s->go = gotab_open(&s->file);
	minidebug_open(&s->file, &s->small);
	if (s->small.elf) {
		symtab_add(&s->symtab, s->small.elf);
		s->is_stripped = false;
	}
}

/* A debug file has no code: use only its symbols and DWARF. */
static void open_debug(struct sources *s, const struct image_files *files)
{
	s->image = files->image;
	s->debug_elf = begin_elf(files->fd);
	if (s->debug_elf)
		symtab_add(&s->symtab, s->debug_elf);
	symtab_finish(&s->symtab);
}

static void open_sources(struct sources *s, const struct image_files *files)
{
	Elf64_Shdr symbols;

	s->image = files->image;
	s->elf = begin_elf(files->fd);
	s->debug_elf = begin_elf(files->extra_fd);
	s->is_stripped = !s->debug_elf && elffile_section(&s->file, ".symtab", &symbols);
	fde_open(&s->file, &s->fdes);
	if (s->elf) {
		symtab_add(&s->symtab, s->elf);
		plt_add(&s->symtab, s->elf);
		chosen_add(&s->symtab, s->elf, &s->fdes);
	}
	if (s->debug_elf)
		symtab_add(&s->symtab, s->debug_elf);
	if (s->is_stripped)
		open_leftovers(s);
	symtab_finish(&s->symtab);
}

/* Opens what the debug information refers to. */
static void open_more(struct sources *s, const struct image_files *files)
{
	s->more.alt = begin_elf(files->alt_fd);
	s->more.split = files->split;
	s->more.n_split = files->n_split;
}

static void close_sources(struct sources *s)
{
	dwarf_names_release(&s->dwarf);
	gotab_close(s->go);
	minidebug_close(&s->small);
	reach_release(&s->reach);
	symtab_release(&s->symtab);
	symtab_release(&s->variables.symtab);
	fde_release(&s->fdes);
	elffile_release(&s->file);
	elf_end(s->more.alt);
	elf_end(s->debug_elf);
	elf_end(s->elf);
}

/* Everyone knows a C library's function as malloc, while its DWARF says __libc_malloc: of two names
 * for one address prefer the exported one without underscores, as without DWARF. */
static bool is_plainer(const struct symbol *symbol, const struct dwarf_function *f)
{
	return symbol && symbol->sized && !symbol->plt && !f->linkage && f->name &&
	       f->name[0] == '_' && symbol->name[0] != '_' && !strchr(symbol->name, '.');
}

static void add_dwarf(const struct sources *s, const struct dwarf_span *span,
		      const struct symbol *symbol, struct answer *a)
{
	for (uint32_t i = 0; i < span->n; i++) {
		const struct dwarf_frame *frame = &s->dwarf.frames.at[span->first + i];
		const struct dwarf_function *f = &s->dwarf.functions.at[frame->function];
		const bool is_inlined = i + 1 < span->n;
		_free_ char *plain = NULL;

		if (!is_inlined && is_plainer(symbol, f))
			plain = mem_strndup(symbol->name, strcspn(symbol->name, "@"));
		/* Of assembly the symbol is all that DWARF has: its name may be mangled. */
		answer_frame_mangled(a, plain || !f->linkage ? f->name : f->linkage,
				     plain	  ? plain
				     : f->name	  ? f->name
				     : f->linkage ? NULL
						  : "?",
				     NULL, f->file, f->line, frame->line, is_inlined);
	}
}

/* "memcpy@@GLIBC_2.14" is memcpy. */
static void add_symbol(const struct symbol *symbol, uint32_t line, struct answer *a)
{
	_free_ char *name = mem_strndup(symbol->name, strcspn(symbol->name, "@"));

	answer_frame_mangled(a, name, NULL, symbol->plt ? "@plt" : NULL, NULL, 0, line, false);
}

/* Whether a symbol without a size covers @address: between it and the next symbol there may be
 * functions that have only an FDE, or whose names were stripped. */
static bool covers(struct sources *s, const struct symbol *symbol, uint64_t address, bool has_fde,
		   uint64_t fde_start)
{
	if (symbol->sized || has_fde)
		return symbol->sized || fde_start <= symbol->start;
	if (!s->is_stripped)
		return true;
	reach_read(&s->reach, &s->file, symbol->start, symbol->end);
	return reach_holds(&s->reach, address);
}

static const struct symbol *symbol_at(struct sources *s, uint64_t address, bool has_fde,
				      uint64_t fde_start)
{
	const struct symbol *symbol = symtab_find(&s->symtab, address);

	if (symbol && (symbol->name[0] == '@' || !covers(s, symbol, address, has_fde, fde_start)))
		return NULL;
	return symbol;
}

/* Names an address that no symbol table has by Go's own table. Else names it by the offset of its
 * function's first byte, so that samples of one unnamed function stay together. */
static void add_unlisted(const struct sources *s, uint64_t address, uint64_t start, uint32_t line,
			 struct answer *a)
{
	const char *name = s->go ? gotab_name(s->go, address) : NULL;

	if (name && name[0]) {
		answer_frame_mangled(a, name, NULL, NULL, NULL, 0, line, false);
		return;
	}
	add_nameless(s->image, start, line, a);
	answer_address(a, address);
}

static void add_address(struct sources *s, uint64_t address, const struct dwarf_span *span,
			struct answer *a)
{
	uint64_t start = 0, end;
	const bool has_fde = fde_find(&s->fdes, address, &start, &end);
	const struct symbol *symbol = symbol_at(s, address, has_fde, start);

	if (span && span->n) {
		add_dwarf(s, span, symbol, a);
	} else if (symbol) {
		add_symbol(symbol, span ? span->line : 0, a);
	} else {
		add_unlisted(s, address, has_fde ? start : address, span ? span->line : 0, a);
	}
}

/* @address is the byte before a return address. If it belongs to no function, and a function starts
 * right after it, then a program made that return address itself (as makecontext() does) and means
 * the function. */
static uint64_t caller_or_start(const struct sources *s, uint64_t address)
{
	uint64_t start, end;

	if (fde_find(&s->fdes, address, &start, &end) || symtab_find(&s->symtab, address) ||
	    !fde_find(&s->fdes, address + 1, &start, &end) || start != address + 1)
		return address;
	return start;
}

/* An address to name, and the query it came from. */
struct wanted {
	uint64_t address;
	uint32_t query;
	bool known;
};

static int compare_wanted(const void *pa, const void *pb)
{
	const struct wanted *a = pa, *b = pb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->query < b->query ? -1 : a->query > b->query;
}

/* Looks the addresses up in DWARF, in sorted order; @span_of: for each query, where its span
 * goes. */
static void find_dwarf(struct sources *s, const struct wanted *wanted, uint32_t n,
		       uint32_t *span_of)
{
	_free_ struct wanted *sorted = mem_zalloc(n, sizeof(*sorted));
	_free_ uint64_t *addresses = mem_zalloc(n, sizeof(*addresses));
	Elf *first = s->debug_elf ? s->debug_elf : s->elf;

	memcpy(sorted, wanted, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_wanted);
	for (uint32_t i = 0; i < n; i++) {
		addresses[i] = sorted[i].address;
		span_of[sorted[i].query] = i;
	}
	if (first)
		s->has_dwarf = !dwarf_find_with(first, &s->more, addresses, n,
						segments_code_start(&s->file), &s->dwarf);
}

/* Sets the query's address in the file's own addresses. */
static void set_address(const struct sources *s, const struct image_files *files,
			const struct query *q, struct wanted *w)
{
	if (files->is_debug) {
		w->known = true;
		w->address = q->offset;
		return;
	}
	w->known = segments_address(&s->file, query_lookup(q), &w->address);
	if (w->known && q->is_return)
		w->address = caller_or_start(s, w->address);
}

/* Lists the .dwo files that were not given, and for each query the one it needs. */
static void add_splits(const struct sources *s, const uint32_t *span_of, uint32_t n,
		       struct answer *a)
{
	_free_ uint32_t *number = mem_zalloc(s->dwarf.missing.n + 1, sizeof(*number));

	for (size_t i = 0; i < s->dwarf.missing.n; i++)
		number[i + 1] =
			answer_split(a, s->dwarf.missing.at[i].name, s->dwarf.missing.at[i].folder);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&a->split_of, number[s->dwarf.spans.at[span_of[i]].missing]);
}

/* What debug information was not read. */
static void add_flags(const struct sources *s, const struct image_files *files, struct answer *a)
{
	struct elffile f;

	if (!s->has_dwarf && !s->symtab.at.n && !s->go)
		a->flags |= ANSWER_NO_SYMBOLS;
	if (!s->has_dwarf && (begin_has_zstd(s->debug_elf) || begin_has_zstd(s->elf)))
		a->flags |= ANSWER_ZSTD;
	if (s->dwarf.missing.n)
		a->flags |= files->has_package ? ANSWER_DWP : ANSWER_SPLIT;
	if (s->has_dwarf && !s->more.alt &&
	    !elffile_open(s->debug_elf && files->extra_fd >= 0 ? files->extra_fd : files->fd, &f)) {
		if (debugfile_has_alt(&f))
			a->flags |= ANSWER_ALT;
		elffile_release(&f);
	}
}

static void name_elf(const struct image_files *files, const struct query *queries, uint32_t n,
		     struct answer *a)
{
	_free_ struct wanted *wanted = mem_zalloc(n, sizeof(*wanted));
	_free_ uint32_t *span_of = mem_zalloc(n, sizeof(*span_of));
	struct sources s = {0};
	const bool readable = files->fd >= 0 && !elffile_open(files->fd, &s.file);

	if (readable && files->is_debug)
		open_debug(&s, files);
	else if (readable)
		open_sources(&s, files);
	else if (files->fd >= 0)
		a->flags |= ANSWER_CORRUPT;
	for (uint32_t i = 0; i < n && readable; i++) {
		wanted[i].query = i;
		set_address(&s, files, &queries[i], &wanted[i]);
	}
	if (readable) {
		open_more(&s, files);
		find_dwarf(&s, wanted, n, span_of);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (readable && !files->is_debug && queries[i].offset & PLACE_VARIABLE)
			variable_name(&s.variables, &s.file, s.elf, s.debug_elf, files->image,
				      queries[i].offset, a);
		else if (wanted[i].known)
			add_address(&s, wanted[i].address,
				    s.has_dwarf ? &s.dwarf.spans.at[span_of[i]] : NULL, a);
		else
			add_nameless(files->image, queries[i].offset & ~PLACE_VARIABLE, 0, a);
		answer_next(a);
	}
	if (readable)
		add_flags(&s, files, a);
	if (s.dwarf.missing.n)
		add_splits(&s, span_of, n, a);
	close_sources(&s);
}

static void add_folder(void *answer, const char *folder)
{
	answer_folder(answer, folder);
}

void naming_folders(const struct image_files *files, struct answer *a)
{
	struct sources s = {0};

	if (files->image->kind != IMAGE_KIND_FILE || files->fd < 0 ||
	    elffile_open(files->fd, &s.file))
		return;
	open_sources(&s, files);
	if (s.debug_elf || s.elf)
		dwarf_folders(s.debug_elf ? s.debug_elf : s.elf, add_folder, a);
	close_sources(&s);
}

void naming_run(const struct image_files *files, const struct query *queries, uint32_t n,
		struct answer *a)
{
	if (files->image->kind == IMAGE_KIND_JIT)
		name_jit(files, queries, n, a);
	else
		name_elf(files, queries, n, a);
}
