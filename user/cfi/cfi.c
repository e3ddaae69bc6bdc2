#include "cfi/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cfi/cfi_section.h"
#include "cfi/cfi_program.h"
#include "cfi/fde.h"
#include "elf/elffile.h"

/* Executable ones; linkers make one to four. */
#define CFI_MAX_SEGMENTS 64

/* A CIE as its FDEs need it. */
struct cfi_common {
	struct cfi_cie cie;
	struct cfi_state initial;
	uint8_t section; /* index of it */
	bool bad;	 /* cannot be used: nor can its FDEs */
};

/* An FDE. */
struct cfi_span {
	uint64_t start, end; /* of its code, offsets in the file */
	uint64_t address;    /* of start */
	const uint8_t *program;
	uint32_t program_bytes;
	uint32_t common; /* index */
	uint32_t number; /* in order of reading */
};

/* The CIEs of one section. Neighbouring FDEs mostly share one, so the last one found is tried
 * first. */
struct cfi_commons {
	struct map by_place; /* offset in the section, seeded → index in commons */
	uint64_t last_at;
	uint32_t last; /* index of that at last_at */
	bool has_last;
	uint64_t bytes; /* of all: less than the section has, since they do not overlap */
};

struct cfi_index {
	Elf64_Phdr segments[CFI_MAX_SEGMENTS]; /* executable, inside the file */
	size_t n_segments;
	struct cfi_section sections[2]; /* .eh_frame, .debug_frame */
	struct cfi_commons by_section[2];
	VEC(struct cfi_common) commons;
	VEC(struct cfi_span) spans; /* sorted; those of the last find, or all */
	struct budget *budget;	    /* of the file */
	struct fde_table table;	    /* no rows: all were read at once */
};

/* More than ten times what the largest programs have. */
#define MAX_COMMONS (1u << 16)
#define MAX_ENTRIES (1u << 22)

/* What it takes to find an entry's CIE and segment, to sort it, and to know a CIE. */
#define ENTRY_STEPS  8
#define SORT_STEPS   16
#define COMMON_STEPS 64

/* Rows for entries without code, which the sorted table may also have. */
#define MAX_EMPTY 64

static int used_up(void)
{
	return err(-ECANCELED, "call frame information that takes too long to read");
}

/* Nobody outside can choose places that meet in the map: the address of what it is in is random. */
static uint64_t seeded(const struct cfi_commons *x, uint64_t at)
{
	return hash_two(at, (uint64_t)(uintptr_t)x);
}

static const uint32_t *find_common(struct cfi_commons *x, uint64_t at)
{
	const uint32_t *found;

	if (x->has_last && at == x->last_at)
		return &x->last;
	found = map_get(&x->by_place, seeded(x, at));
	if (!found)
		return NULL;
	x->last = *found;
	x->last_at = at;
	x->has_last = true;
	return &x->last;
}

static int add_common(struct cfi_index *r, struct cfi_commons *x, const struct cfi_entry *e,
		      uint8_t section)
{
	struct cfi_common common = {.section = section};
	bool fresh;

	if (!budget_steps(r->budget, COMMON_STEPS) ||
	    !budget_memory(r->budget, sizeof(common) + sizeof(struct map_slot)))
		return used_up();
	x->bytes += cfi_left(&e->body);
	common.bad = x->bytes > r->sections[section].n || !cfi_cie_read(e, &common.cie) ||
		     !cfi_program_start(&common.cie, &r->sections[section], &common.initial);
	if (r->commons.n == MAX_COMMONS)
		return err(-EFBIG, "call frame information of over %u kinds", MAX_COMMONS);
	*map_put(&x->by_place, seeded(x, e->at), &fresh) = (uint32_t)r->commons.n;
	vec_push(&r->commons, common);
	return 0;
}

static void find_segments(struct cfi_index *r, const struct elffile *f)
{
	for (size_t i = 0; i < f->segments.n && r->n_segments < CFI_MAX_SEGMENTS; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && p->p_offset <= f->bytes &&
		    p->p_filesz <= f->bytes - p->p_offset)
			r->segments[r->n_segments++] = *p;
	}
}

/* The segment that holds all the code; NULL where none does. */
static const Elf64_Phdr *find_segment(const struct cfi_index *r, uint64_t start, uint64_t bytes)
{
	for (size_t i = 0; i < r->n_segments; i++) {
		const Elf64_Phdr *p = &r->segments[i];

		if (start >= p->p_vaddr && bytes <= p->p_filesz &&
		    start - p->p_vaddr <= p->p_filesz - bytes)
			return p;
	}
	return NULL;
}

static int add_entry(struct cfi_index *r, struct cfi_commons *x, const struct cfi_entry *e,
		     uint8_t section)
{
	const uint32_t *common = find_common(x, e->cie_at);
	const Elf64_Phdr *segment;
	struct cfi_fde fde;

	if (!common || r->commons.at[*common].bad ||
	    !cfi_fde_read(&r->sections[section], e, &r->commons.at[*common].cie, &fde))
		return 0;
	if (!budget_steps(r->budget, ENTRY_STEPS + r->n_segments))
		return used_up();
	segment = fde.bytes ? find_segment(r, fde.start, fde.bytes) : NULL;
	if (!segment)
		return 0;
	if (r->spans.n == MAX_ENTRIES)
		return err(-EFBIG, "call frame information of over %u functions", MAX_ENTRIES);
	if (!budget_memory(r->budget, sizeof(struct cfi_span)))
		return used_up();
	vec_push(&r->spans,
		 ((struct cfi_span){
			 .start = segment->p_offset + (fde.start - segment->p_vaddr),
			 .end = segment->p_offset + (fde.start - segment->p_vaddr) + fde.bytes,
			 .address = fde.start,
			 .program = fde.program.at,
			 .program_bytes = (uint32_t)cfi_left(&fde.program),
			 .common = *common,
			 .number = (uint32_t)r->spans.n,
		 }));
	return 0;
}

/* All entries of a section. */
static int add_section(struct cfi_index *r, uint8_t section)
{
	struct cfi_entry e;
	int rc = 0;

	for (size_t at = 0; !rc && cfi_entry_next(&r->sections[section], &at, &e);) {
		rc = e.is_cie ? add_common(r, &r->by_section[section], &e, section)
			      : add_entry(r, &r->by_section[section], &e, section);
	}
	return rc;
}

/* By place; of two at one place the one that was read first comes first. */
static int compare_spans(const void *a, const void *b)
{
	const struct cfi_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Of those that start at one place the first counts. */
static void drop_doubles(struct cfi_index *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->spans.n; i++) {
		if (!kept || r->spans.at[kept - 1].start != r->spans.at[i].start)
			r->spans.at[kept++] = r->spans.at[i];
	}
	budget_memory_back(r->budget, (r->spans.n - kept) * sizeof(*r->spans.at));
	r->spans.n = kept;
}

static void sort_spans(struct cfi_index *r)
{
	size_t i = 1;

	while (i < r->spans.n && compare_spans(&r->spans.at[i - 1], &r->spans.at[i]) < 0)
		i++;
	if (i < r->spans.n && budget_steps(r->budget, r->spans.n * SORT_STEPS))
		qsort(r->spans.at, r->spans.n, sizeof(*r->spans.at), compare_spans);
	drop_doubles(r);
}

/* The entry that a row of the sorted table leads to, and its CIE. */
static int add_row(struct cfi_index *r, const struct fde_row *row)
{
	const struct cfi_section *s = &r->sections[0];
	uint64_t address = r->table.address + (uint64_t)(int64_t)row->entry;
	size_t at = address - s->address, cie_at;
	struct cfi_entry e, cie;
	int rc = 0;

	if (address < s->address || at >= s->n || !cfi_entry_at(s, &at, &e) || e.is_cie)
		return 0;
	cie_at = e.cie_at;
	if (!find_common(&r->by_section[0], e.cie_at)) {
		if (e.cie_at >= s->n || !cfi_entry_at(s, &cie_at, &cie) || !cie.is_cie)
			return 0;
		rc = add_common(r, &r->by_section[0], &cie, 0);
	}
	return rc ? rc : add_entry(r, &r->by_section[0], &e, 0);
}

/* The rows of the sorted table for code at addresses [@low, @high). */
static int add_rows(struct cfi_index *r, uint64_t low, uint64_t high)
{
	const struct fde_table *t = &r->table;
	const uint64_t most = high - low + MAX_EMPTY;
	size_t first = 0, end = t->rows.n;
	int rc = 0;

	while (first < end) {
		size_t mid = first + (end - first) / 2;

		if (t->address + (uint64_t)(int64_t)t->rows.at[mid].start <= low)
			first = mid + 1;
		else
			end = mid;
	}
	/* The one before may reach beyond @low. Each row covers at least one byte of code: if there
	 * are more rows, the table is not sorted, or they point to one place. */
	first -= first > 0;
	end = t->rows.n - first > most ? first + most : t->rows.n;
	for (size_t i = first; i < end && !rc; i++) {
		if (t->address + (uint64_t)(int64_t)t->rows.at[i].start >= high)
			break;
		if (!budget_steps(r->budget, ENTRY_STEPS))
			return used_up();
		rc = add_row(r, &t->rows.at[i]);
	}
	return rc;
}

/* Makes sure that spans holds every entry whose code reaches into [@from, @to). */
static int cfi_index_find(struct cfi_index *r, uint64_t from, uint64_t to)
{
	int rc = 0;

	if (!r->table.rows.n)
		return 0;
	budget_memory_back(r->budget, r->spans.n * sizeof(*r->spans.at));
	r->spans.n = 0;
	for (size_t i = 0; i < r->n_segments && !rc; i++) {
		const Elf64_Phdr *p = &r->segments[i];
		uint64_t low = from > p->p_offset ? from - p->p_offset : 0;
		uint64_t high = to - p->p_offset < p->p_filesz ? to - p->p_offset : p->p_filesz;

		if (to > p->p_offset && low < high)
			rc = add_rows(r, p->p_vaddr + low, p->p_vaddr + high);
	}
	sort_spans(r);
	return !rc && budget_is_over(r->budget) ? used_up() : rc;
}

/* The first span whose code may reach beyond @from. */
static size_t cfi_index_first(const struct cfi_index *r, uint64_t from)
{
	const size_t n = vec_upto(&r->spans, start, from);

	return n ? n - 1 : 0;
}

static int open_sections(struct cfi_index *r, const struct elffile *f)
{
	int rc = cfi_find_eh(f, &r->sections[0]);

	if (!rc)
		rc = cfi_find_debug(f, &r->sections[1]);
	if (rc)
		return rc;
	if (r->sections[0].n && !r->sections[1].n)
		fde_open_rows(f, &r->table);
	r->table.file = NULL; /* only its rows are used */
	for (uint8_t i = 0; i < 2 && !rc && !r->table.rows.n; i++)
		rc = add_section(r, i);
	return rc;
}

static void cfi_index_release(struct cfi_index *r)
{
	fde_release(&r->table);
	vec_release(&r->spans);
	vec_release(&r->commons);
	for (size_t i = 0; i < 2; i++) {
		map_release(&r->by_section[i].by_place);
		cfi_section_release(&r->sections[i]);
	}
}

/* Errors as cfi_open(). @f need not outlive it. */
static int cfi_index_open(const struct elffile *f, struct cfi_index *out)
{
	int rc;

	*out = (struct cfi_index){.budget = f->budget};
	if (!f->is_64 || f->machine != EM_X86_64)
		return err(-ENOTSUP, "not a 64-bit x86 file");
	find_segments(out, f);
	rc = open_sections(out, f);
	if (!rc)
		sort_spans(out);
	if (!rc && budget_is_over(f->budget))
		rc = used_up();
	if (rc)
		cfi_index_release(out);
	return rc;
}

#define MAX_ROWS   (1u << 25)
#define SPAN_STEPS 32

/*
 * A compiler writes a few bytes of program for each instruction that moves the stack pointer, and
 * up to 150 for odd functions (the C library's few bytes to which signal handlers return). A longer
 * program is cut here: one that says nothing in megabytes must not take time, even if thousands of
 * entries share it. At worst 256 KiB of code take 0.3 s. None of 3,721 files of Debian 12 is cut.
 */
#define PROGRAM_BYTES	  256
#define PROGRAM_PER_BYTE  16 /* of the code */
#define MAX_PROGRAM_BYTES (256u << 10)

struct cfi {
	struct cfi_index index;
	cfi_row_fn *row;
	void *context;
	struct cfi_row last; /* the row told last */
	size_t n_rows;
};

static int tell_row(struct cfi *r, const struct cfi_row *row)
{
	if (r->n_rows && !memcmp(&row->cfa, &r->last.cfa, sizeof(row->cfa)) &&
	    !memcmp(&row->ra, &r->last.ra, sizeof(row->ra)) &&
	    !memcmp(&row->bp, &r->last.bp, sizeof(row->bp)) && row->signal == r->last.signal)
		return 0;
	if (r->n_rows++ == MAX_ROWS)
		return err(-EFBIG, "call frame information of over %u rows", MAX_ROWS);
	r->last = *row;
	return r->row(r->context, row);
}

/* Where an entry stands while it runs. */
struct running {
	struct cfi *reader;
	uint64_t to_offset; /* file offset minus address */
	bool signal;
};

static int on_state(void *context, uint64_t at, const struct cfi_state *s)
{
	const struct running *run = context;
	struct cfi_row row = {.offset = at + run->to_offset};

	if (s->cfa.how != CFI_NONE) {
		row.cfa = s->cfa;
		row.ra = s->registers[CFI_RIP];
		row.bp = s->registers[CFI_RBP];
		row.signal = run->signal;
	}
	return tell_row(run->reader, &row);
}

/* Of the entry's program, as far as it can be about @code_bytes of code. */
static size_t program_bytes_of(const struct cfi_span *e, uint64_t code_bytes)
{
	uint64_t most = MAX_PROGRAM_BYTES;

	if (code_bytes < (MAX_PROGRAM_BYTES - PROGRAM_BYTES) / PROGRAM_PER_BYTE)
		most = PROGRAM_BYTES + code_bytes * PROGRAM_PER_BYTE;
	return e->program_bytes < most ? e->program_bytes : most;
}

/* Runs the entry over its code up to @end, an offset; to be told as @to has it. */
static int run_program(const struct cfi_index *x, const struct cfi_span *e, uint64_t end,
		       const struct cfi_code *to)
{
	const struct cfi_common *common = &x->commons.at[e->common];
	const size_t bytes = program_bytes_of(e, end - e->start);
	struct cfi_cursor program = {e->program, e->program + bytes, false};
	struct cfi_code code = {
		.start = e->address,
		.end = e->address + (end - e->start),
		.cie = &common->cie,
		.section = &x->sections[common->section],
		.initial = &common->initial,
		.state = to->state,
		.context = to->context,
	};

	return cfi_program_run(&code, program);
}

static int run_entry(struct cfi *r, const struct cfi_span *e, uint64_t end)
{
	struct running run = {r, e->start - e->address, r->index.commons.at[e->common].cie.signal};

	return run_program(&r->index, e, end,
			   &(struct cfi_code){.state = on_state, .context = &run});
}

/* Runs the entries found, those that start before @to. */
static int run_entries(struct cfi *r, uint64_t from, uint64_t to)
{
	const struct cfi_index *x = &r->index;
	int rc = 0;

	for (size_t i = cfi_index_first(x, from); i < x->spans.n && rc >= 0;) {
		const struct cfi_span *e = &x->spans.at[i];
		uint64_t next = UINT64_MAX;

		if (e->start >= to || !budget_steps(x->budget, SPAN_STEPS))
			break;
		if (++i < x->spans.n)
			next = x->spans.at[i].start;
		rc = run_entry(r, e, e->end < next ? e->end : next);
		if (rc >= 0 && e->end < next)
			rc = tell_row(r, &(struct cfi_row){.offset = e->end});
	}
	return rc < 0 ? rc : 0;
}

int cfi_open(const struct elffile *f, struct cfi **out)
{
	struct cfi *r = mem_zalloc(1, sizeof(*r));
	int rc = cfi_index_open(f, &r->index);

	if (rc) {
		free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void cfi_close(struct cfi *r)
{
	if (r)
		cfi_index_release(&r->index);
	free(r);
}

uint64_t cfi_bytes(const struct cfi *r)
{
	const struct cfi_index *x = &r->index;

	return x->sections[0].n + x->sections[1].n + x->table.rows.cap * sizeof(*x->table.rows.at) +
	       x->spans.cap * sizeof(*x->spans.at) + x->commons.cap * sizeof(*x->commons.at);
}

int cfi_rows(struct cfi *r, uint64_t from, uint64_t to, cfi_row_fn *row, void *context)
{
	int rc = cfi_index_find(&r->index, from, to);

	r->row = row;
	r->context = context;
	r->n_rows = 0;
	if (!rc)
		rc = run_entries(r, from, to);
	return !rc && budget_is_over(r->index.budget)
		       ? err(-ECANCELED, "unwind rules that take too long to read")
		       : rc;
}

/* --- one place ------------------------------------------------------------------------------ */

struct finding {
	struct cfi_frame *frame;
	uint64_t at; /* address */
};

/* The last state at or before the place is its own. */
static int on_found(void *context, uint64_t at, const struct cfi_state *s)
{
	const struct finding *f = context;

	if (at > f->at)
		return -ECANCELED;
	f->frame->cfa = s->cfa;
	memcpy(f->frame->registers, s->registers, sizeof(s->registers));
	return 0;
}

/* The entry that holds the place; of those that do the one that starts last, the first of these. */
static const struct cfi_span *find_entry(const struct cfi_index *x, uint64_t offset)
{
	const struct cfi_span *e = x->spans.n ? &x->spans.at[cfi_index_first(x, offset)] : NULL;

	return e && offset >= e->start && offset < e->end ? e : NULL;
}

bool cfi_frame_at(struct cfi *r, uint64_t offset, struct cfi_frame *out)
{
	const struct cfi_span *e = cfi_index_find(&r->index, offset, offset + 1)
					   ? NULL
					   : find_entry(&r->index, offset);
	struct finding f = {.frame = out};
	const struct cfi_section *section;

	*out = (struct cfi_frame){0};
	if (!e)
		return false;
	section = &r->index.sections[r->index.commons.at[e->common].section];
	f.at = e->address + (offset - e->start);
	out->program_bytes = program_bytes_of(e, e->end - e->start);
	out->signal = r->index.commons.at[e->common].cie.signal;
	out->section = section->bytes;
	out->section_bytes = section->n;
	out->budget = section->budget;
	run_program(&r->index, e, e->end, &(struct cfi_code){.state = on_found, .context = &f});
	return out->cfa.how != CFI_NONE;
}
