#include "cfi/gotab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cfi/cfi_cursor.h"
#include "elf/segments.h"

#define MAGIC_1_18 0xfffffff0
#define MAGIC_1_20 0xfffffff1

/* Several times what the largest programs have. */
#define MAX_BYTES (UINT64_C(256) << 20)

/* Offsets in a function's record; its last fields moved in Go 1.20. */
#define FUNC_NAME	4
#define FUNC_PCSP	16
#define FUNC_FLAGS_1_18 37
#define FUNC_FLAGS_1_20 41

#define FLAG_TOP      1 /* has no caller */
#define FLAG_SP_WRITE 2 /* sets its stack pointer to what cannot be told */

/* What a function takes to look up, and to be in order; what a row does. */
#define FUNCTION_STEPS 16
#define ORDER_STEPS    1
#define ROW_STEPS      4

struct gotab {
	struct budget *budget; /* of the file; borrowed */
	uint8_t *bytes;	       /* of the section */
	uint64_t n;
	uint64_t text, text_offset;		   /* where functions are counted from */
	uint64_t names_at, steps_at, functions_at; /* in the section */
	uint32_t n_functions;
	uint32_t flags_at; /* in a function's record */
	uint32_t end;	   /* of the code, from text */
};

/* A function, in places counted from text. */
struct function {
	uint32_t start, end;
	uint32_t steps; /* where those of the stack pointer stand, from steps_at; 0: none */
	uint8_t flags;
	bool signal_return; /* handlers return to it */
	bool grows;	    /* its frame is larger than a return address at some place */
};

struct telling {
	const struct gotab *t;
	cfi_row_fn *row;
	void *context;
	uint64_t next; /* rows must not lie below */
};

static const struct cfi_value at_return = {.how = CFI_AT_CFA, .offset = -8};
static const struct cfi_value below_return = {.how = CFI_AT_CFA, .offset = -16};

/* A number of @bytes at @at, 0 outside the section. */
static uint64_t number_at(const struct gotab *t, uint64_t at, size_t bytes)
{
	uint64_t value = 0;

	if (at <= t->n && bytes <= t->n - at)
		memcpy(&value, t->bytes + at, bytes);
	return value;
}

static bool is_called(const struct gotab *t, uint64_t name, const char *wanted)
{
	size_t n = strlen(wanted);
	uint64_t at = t->names_at + name;

	return at <= t->n && n <= t->n - at && !memcmp(t->bytes + at, wanted, n);
}

/* Where function @i starts; that of n_functions is where the code ends. */
static uint32_t start_of(const struct gotab *t, uint32_t i)
{
	return (uint32_t)number_at(t, t->functions_at + 8 * (uint64_t)i, 4);
}

/* One step: the stack pointer is *@below lower than at the start up to *@to, which is further on:
 * so a function has no more steps than bytes. */
static bool next_step(struct cfi_cursor *c, int64_t *below, uint64_t *to, bool first)
{
	uint64_t zigzag = cfi_uleb(c), bytes;

	if (c->bad || (!zigzag && !first))
		return false;
	bytes = cfi_uleb(c);
	*below = (int64_t)((uint64_t)*below + (zigzag >> 1 ^ -(zigzag & 1)));
	*to += bytes;
	return !c->bad && bytes && bytes <= UINT32_MAX && *to <= UINT32_MAX && *below >= -1 &&
	       *below <= INT32_MAX - 8;
}

static struct cfi_cursor steps_of(const struct gotab *t, const struct function *f)
{
	uint64_t at = t->steps_at + f->steps;

	if (!f->steps || at >= t->n)
		return (struct cfi_cursor){.bad = true};
	return (struct cfi_cursor){.at = t->bytes + at, .end = t->bytes + t->n};
}

static bool grows(const struct gotab *t, const struct function *f)
{
	struct cfi_cursor c = steps_of(t, f);
	int64_t below = -1;
	uint64_t to = f->start;
	bool found = false;

	for (bool first = true; !found && to < f->end && next_step(&c, &below, &to, first);) {
		if (!budget_steps(t->budget, ROW_STEPS))
			break;
		found = below > 0;
		first = false;
	}
	return found;
}

static struct function function_at(const struct gotab *t, uint32_t i)
{
	uint64_t at = t->functions_at + number_at(t, t->functions_at + 8 * (uint64_t)i + 4, 4);
	uint64_t name = number_at(t, at + FUNC_NAME, 4);
	struct function f = {.start = start_of(t, i),
			     .end = start_of(t, i + 1),
			     .steps = (uint32_t)number_at(t, at + FUNC_PCSP, 4),
			     .flags = (uint8_t)number_at(t, at + t->flags_at, 1)};

	f.signal_return = is_called(t, name, "runtime.sigreturn");
	/* Signal handlers have a caller for us: what they interrupted. Code that leaves a
	 * goroutine for good is only called as if it would return. */
	if (is_called(t, name, "runtime.sigtramp"))
		f.flags = 0;
	if (is_called(t, name, "runtime.mcall"))
		f.flags |= FLAG_TOP;
	if (f.flags & FLAG_SP_WRITE)
		f.grows = grows(t, &f);
	return f;
}

/* The frame where the stack pointer is @below lower than at the start; -1: not known. */
static struct cfi_row row_of(const struct function *f, int64_t below)
{
	struct cfi_row row = {.ra = at_return, .bp = {.how = CFI_SAME}};

	/* Where the stack may be another one, the frame is found by its pointer. */
	if (below < 0 || ((f->flags & FLAG_SP_WRITE) && (below > 0 || !f->grows))) {
		row.cfa = (struct cfi_value){.how = CFI_REG, .reg = CFI_RBP, .offset = 16};
		row.bp = below_return;
	} else {
		row.cfa = (struct cfi_value){
			.how = CFI_REG, .reg = CFI_RSP, .offset = (int32_t)below + 8};
		if (below >= 8)
			row.bp = below_return;
	}
	if (f->flags & FLAG_TOP)
		row.ra.how = CFI_UNDEFINED;
	return row;
}

/* What the kernel put on the stack for a handler: offsets of registers in a ucontext. */
static struct cfi_row signal_row(void)
{
	struct cfi_row row = {.signal = true};

	row.cfa = (struct cfi_value){.how = CFI_AT_REG, .reg = CFI_RSP, .offset = 160};
	row.ra = (struct cfi_value){.how = CFI_AT_REG, .reg = CFI_RSP, .offset = 168};
	row.bp = (struct cfi_value){.how = CFI_AT_REG, .reg = CFI_RSP, .offset = 120};
	return row;
}

static int tell(struct telling *told, uint64_t place, struct cfi_row row)
{
	if (place < told->next)
		return 0;
	told->next = place + 1;
	row.offset = told->t->text_offset + place;
	return told->row(told->context, &row);
}

static int tell_function(struct telling *told, const struct function *f)
{
	struct cfi_cursor c = steps_of(told->t, f);
	int64_t below = -1;
	uint64_t at = f->start, to = f->start;
	int rc;

	/* It is looked up one byte lower, as a return address. */
	if (f->signal_return)
		return tell(told, f->start ? f->start - 1 : 0, signal_row());
	if (c.bad)
		return tell(told, at, row_of(f, -1));
	for (bool first = true; at < f->end && next_step(&c, &below, &to, first); at = to) {
		first = false;
		if (!budget_steps(told->t->budget, ROW_STEPS))
			return -ECANCELED;
		rc = tell(told, at, row_of(f, below));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The last function that starts at or before @place, counted from text. */
static uint32_t find_function(const struct gotab *t, uint64_t place)
{
	uint32_t low = 0, high = t->n_functions;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (start_of(t, mid) <= place)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

int gotab_rows(const struct gotab *t, uint64_t from, uint64_t to, cfi_row_fn *row, void *context)
{
	struct telling told = {.t = t, .row = row, .context = context};
	uint32_t i = from > t->text_offset ? find_function(t, from - t->text_offset) : 0;
	int rc = 0;

	for (; i < t->n_functions && rc >= 0; i++) {
		struct function f = function_at(t, i);

		if (!budget_steps(t->budget, FUNCTION_STEPS))
			return -ECANCELED;
		if (f.start >= t->end || t->text_offset + f.start > to)
			break;
		if (f.end > f.start)
			rc = tell_function(&told, &f);
	}
	return rc < 0 ? rc : 0;
}

void gotab_range(const struct gotab *t, uint64_t *start, uint64_t *end)
{
	*start = t->text_offset + start_of(t, 0);
	*end = t->text_offset + t->end;
}

/* The name of function @i; NULL where it has none, or no code. */
static const char *name_of(const struct gotab *t, uint32_t i)
{
	const uint32_t start = start_of(t, i), end = start_of(t, i + 1);
	const uint64_t record =
		t->functions_at + number_at(t, t->functions_at + 8 * (uint64_t)i + 4, 4);
	const uint64_t name = t->names_at + number_at(t, record + FUNC_NAME, 4);

	/* The section's copy ends with a zero. */
	return start < end && end <= t->end && name < t->n ? (const char *)t->bytes + name : NULL;
}

void gotab_functions(const struct gotab *t, gotab_function_fn *function, void *context)
{
	for (uint32_t i = 0; i < t->n_functions; i++) {
		const char *name = name_of(t, i);

		if (name)
			function(context, name, t->text + start_of(t, i),
				 t->text + start_of(t, i + 1));
	}
}

const char *gotab_name(const struct gotab *t, uint64_t address)
{
	const uint64_t place = address - t->text;
	uint32_t i;

	if (address < t->text || place >= t->end)
		return NULL;
	i = find_function(t, place);
	return start_of(t, i) <= place && place < start_of(t, i + 1) ? name_of(t, i) : NULL;
}

static bool is_magic(uint32_t magic)
{
	return magic == MAGIC_1_18 || magic == MAGIC_1_20;
}

static bool read_section(const struct elffile *f, struct gotab *t)
{
	uint32_t magic;
	Elf64_Shdr s;

	if (elffile_section(f, ".gopclntab", &s) &&
	    elffile_section(f, ".data.rel.ro.gopclntab", &s))
		return false;
	if (s.sh_type == SHT_NOBITS || s.sh_size > f->bytes || s.sh_size > MAX_BYTES)
		return false;
	/* A sparse file costs its owner nothing: do not read all of it unless it is a table. */
	if (s.sh_size < sizeof(magic) || elffile_read(f, s.sh_offset, &magic, sizeof(magic)) ||
	    !is_magic(magic) || !budget_memory(f->budget, s.sh_size))
		return false;
	t->n = s.sh_size;
	t->bytes = mem_zalloc(t->n + 1, 1);
	return !elffile_read(f, s.sh_offset, t->bytes, t->n);
}

/* Position-independent programs are told where their text is when they start. */
static bool find_text(const struct elffile *f, struct gotab *t)
{
	Elf64_Shdr s;

	t->text = number_at(t, 24, 8);
	if (t->text && segments_offset(f, t->text, &t->text_offset))
		return true;
	if (elffile_section(f, ".text", &s))
		return false;
	t->text = s.sh_addr;
	return segments_offset(f, t->text, &t->text_offset);
}

/* Whether the functions are in order, and no more than there are bytes of code. If not, the same
 * code could be told again for each of them. */
static bool is_sorted(const struct gotab *t)
{
	for (uint32_t i = 0; i < t->n_functions; i++) {
		if (start_of(t, i) > start_of(t, i + 1) || !budget_steps(t->budget, ORDER_STEPS))
			return false;
	}
	return t->n_functions <= t->end;
}

static bool read_header(const struct elffile *f, struct gotab *t)
{
	uint32_t magic = (uint32_t)number_at(t, 0, 4);
	uint64_t n_functions = number_at(t, 8, 8);

	if (!is_magic(magic) || number_at(t, 6, 1) != 1 || number_at(t, 7, 1) != 8 ||
	    !find_text(f, t))
		return false;
	t->flags_at = magic == MAGIC_1_18 ? FUNC_FLAGS_1_18 : FUNC_FLAGS_1_20;
	t->names_at = number_at(t, 32, 8);
	t->steps_at = number_at(t, 56, 8);
	t->functions_at = number_at(t, 64, 8);
	if (t->names_at > t->n || t->steps_at > t->n || t->functions_at > t->n ||
	    n_functions > (t->n - t->functions_at) / 8)
		return false;
	t->n_functions = (uint32_t)n_functions;
	t->end = start_of(t, t->n_functions);
	return t->end > start_of(t, 0) && t->text_offset <= f->bytes &&
	       t->end <= f->bytes - t->text_offset && is_sorted(t);
}

struct gotab *gotab_open(const struct elffile *f)
{
	struct gotab *t = mem_zalloc(1, sizeof(*t));

	t->budget = f->budget;
	if (f->is_64 && f->machine == EM_X86_64 && read_section(f, t) && read_header(f, t))
		return t;
	gotab_close(t);
	return NULL;
}

uint64_t gotab_bytes(const struct gotab *t)
{
	return t ? t->n : 0;
}

void gotab_close(struct gotab *t)
{
	if (!t)
		return;
	if (t->bytes)
		budget_memory_back(t->budget, t->n);
	free(t->bytes);
	free(t);
}
