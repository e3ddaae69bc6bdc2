#include "unwind/table_build.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cfi/cfi.h"
#include "cfi/gotab.h"
#include "code/returns.h"
#include "elf/budget.h"
#include "sample/table.h"
#include "unwind/table_gap.h"

/* Rule 0: no rule. Rule 1: only user space can evaluate it. */
#define TABLE_RULE_NONE	 0
#define TABLE_RULE_OTHER 1

struct table_rules {
	struct budget *budget; /* of the file; borrowed */
	VEC(struct table_rule) at;
	struct map by_hash;
};

#define MAX_RULES 65535

#define NO_REGISTER 0xff

/* What a look at one more place takes. */
#define PROBE_STEPS 8

struct saved {
	uint8_t how; /* enum table_saved */
	short offset;
};

static bool fits(int64_t offset)
{
	return offset == (short)offset;
}

/* @reg is the rule's saved_reg, shared by all registers saved relative to a register: NO_REGISTER
 * until one is. */
static struct saved save(const struct cfi_value *v, uint8_t *reg)
{
	switch (v->how) {
	case CFI_SAME:
		return (struct saved){.how = TABLE_SAME};
	case CFI_UNDEFINED:
		return (struct saved){.how = TABLE_UNDEFINED};
	case CFI_AT_CFA:
		if (fits(v->offset))
			return (struct saved){TABLE_AT_CFA, (short)v->offset};
		break;
	case CFI_REG:
		if (!v->offset)
			return (struct saved){TABLE_IN_REG, v->reg};
		break;
	case CFI_AT_REG:
		if (v->add || !fits(v->offset) || (*reg != NO_REGISTER && *reg != v->reg))
			break;
		*reg = v->reg;
		return (struct saved){TABLE_AT_DEREF, (short)v->offset};
	}
	return (struct saved){.how = TABLE_SAVED_OTHER};
}

/* @reg as for save(): the only register, besides the CFA's, for which a rule has room. */
static void set_cfa(struct table_rule *r, const struct cfi_value *v, uint8_t *reg)
{
	static const uint8_t kinds[] = {
		[CFI_NONE] = TABLE_CFA_NONE,	[CFI_REG] = TABLE_CFA_REG,
		[CFI_AT_REG] = TABLE_CFA_DEREF, [CFI_AT_INDEX] = TABLE_CFA_INDEX,
		[CFI_PLT] = TABLE_CFA_PLT,
	};

	if (v->how == CFI_NONE)
		return;
	r->cfa = v->how < sizeof(kinds) && kinds[v->how] && fits(v->add) ? kinds[v->how]
									 : TABLE_CFA_OTHER;
	if (r->cfa == TABLE_CFA_OTHER)
		return;
	if (r->cfa == TABLE_CFA_PLT) {
		r->reg = CFI_RSP;
		r->cfa_add = (short)v->offset;
		return;
	}
	if (r->cfa == TABLE_CFA_INDEX)
		*reg = v->index;
	r->reg = v->reg;
	r->cfa_offset = v->offset;
	r->cfa_add = (short)v->add;
}

/* What a rule cannot express becomes *_OTHER, for user space to evaluate. */
static struct table_rule table_rule_of(const struct cfi_row *row)
{
	struct table_rule r = {0};
	struct saved ra, bp;
	uint8_t reg = NO_REGISTER;

	set_cfa(&r, &row->cfa, &reg);
	if (r.cfa == TABLE_CFA_NONE)
		return r;
	ra = save(&row->ra, &reg);
	bp = save(&row->bp, &reg);
	r.ra = ra.how;
	r.ra_offset = ra.offset;
	r.bp = bp.how;
	r.bp_offset = bp.offset;
	r.saved_reg = reg == NO_REGISTER ? 0 : reg;
	r.flags = row->signal ? TABLE_SIGNAL : 0;
	return r;
}

static uint64_t hash_rule(const struct table_rule *r)
{
	uint64_t words[2];

	memcpy(words, r, sizeof(words));
	return hash_two(words[0], words[1]);
}

/* The number of the rule; TABLE_RULE_OTHER once 65,535 are taken. */
static uint16_t table_rules_add(struct table_rules *rules, const struct table_rule *r)
{
	uint64_t hash = hash_rule(r);
	const uint32_t *found;
	bool fresh;

	/* Rules with the same hash are stored under consecutive keys. */
	while ((found = map_get(&rules->by_hash, hash))) {
		if (!memcmp(&rules->at.at[*found], r, sizeof(*r)))
			return (uint16_t)*found;
		hash++;
		/* Many may have been made to have one hash. */
		if (!budget_steps(rules->budget, PROBE_STEPS))
			return TABLE_RULE_OTHER;
	}
	if (rules->at.n == MAX_RULES)
		return TABLE_RULE_OTHER;
	*map_put(&rules->by_hash, hash, &fresh) = (uint32_t)rules->at.n;
	vec_push(&rules->at, *r);
	return (uint16_t)(rules->at.n - 1);
}

static void table_rules_init(struct table_rules *rules, struct budget *budget)
{
	*rules = (struct table_rules){.budget = budget};
	table_rules_add(rules, &(struct table_rule){.cfa = TABLE_CFA_NONE});
	table_rules_add(rules, &(struct table_rule){.cfa = TABLE_CFA_OTHER,
						    .ra = TABLE_SAVED_OTHER,
						    .bp = TABLE_SAVED_OTHER});
}

static void table_rules_release(struct table_rules *rules)
{
	vec_release(&rules->at);
	map_release(&rules->by_hash);
}

/* Padding between functions; a larger gap is code without call frame information. */
#define MAX_PADDING 15

#define MAX_OFFSET (UINT64_C(1) << 32)
#define MAX_ROWS   (1u << 25)
#define ROW_STEPS  8

struct table_maker {
	struct cfi *cfi;
	struct gotab *go; /* NULL: not a Go program */
	struct returns *returns;
	struct table_gaps gaps;
	uint8_t mark;
};

struct builder {
	struct table_gaps *gaps;
	struct returns *returns;
	uint8_t mark;	   /* flags of each rule */
	uint64_t from, to; /* file offsets to cover; the rest is skipped */
	struct table_rules rules;
	VEC(uint32_t) pages; /* the first row of each page */
	VEC(uint32_t) rows;
	uint64_t first_page;
	/* The last row, at last_at, which may still change. Exists once there are pages. */
	struct table_rule last;
	uint64_t last_at;
	struct table_rule now; /* the rule in force since offset now_at */
	uint64_t now_at;
	bool in_gap; /* in a gap since offset gap; its rows are not added yet */
	uint64_t gap;
};

static const struct table_rule no_rule = {.cfa = TABLE_CFA_NONE};

static bool is_same(const struct table_rule *a, const struct table_rule *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void put_last_row(struct builder *b)
{
	uint32_t rule = table_rules_add(&b->rules, &b->last);

	vec_push(&b->rows, (uint32_t)(b->last_at & TABLE_PAGE_MASK) | rule << 16);
}

static void begin_row(struct builder *b, uint64_t offset, const struct table_rule *rule)
{
	b->last = *rule;
	b->last_at = offset;
}

/* The @rule with the flags that all have. */
static struct table_rule marked(const struct builder *b, const struct table_rule *rule)
{
	struct table_rule out = *rule;

	if (out.cfa != TABLE_CFA_NONE)
		out.flags |= b->mark;
	return out;
}

/* Opens pages up to that of @offset; each begins with the rule in force. */
static void open_pages(struct builder *b, uint64_t offset)
{
	uint64_t page = offset >> TABLE_PAGE_BITS;

	if (!b->pages.n)
		b->first_page = page;
	while (b->first_page + b->pages.n <= page) {
		if (b->pages.n)
			put_last_row(b);
		begin_row(b, (b->first_page + b->pages.n) << TABLE_PAGE_BITS, &b->now);
		vec_push(&b->pages, (uint32_t)b->rows.n);
	}
}

/* Makes the last row say that @rule holds from @offset on; false if it cannot. */
static bool fold(struct builder *b, uint64_t offset, const struct table_rule *rule)
{
	const int64_t more = (int64_t)rule->cfa_offset - b->last.cfa_offset;
	const uint64_t after = offset - b->last_at;
	struct table_rule same = *rule;

	same.cfa_offset = b->last.cfa_offset;
	if (after > TABLE_MAX_AFTER || (more != 8 && more != -8) || rule->cfa != TABLE_CFA_REG ||
	    !is_same(&same, &b->last))
		return false;
	b->last.flags |= (uint8_t)(after << 1) | (more < 0 ? TABLE_POP : 0);
	return true;
}

/* @given holds from @offset on, which is at least that of the previous row. The last row before
 * `from` applies at `from`. */
static int add_row(struct builder *b, uint64_t offset, const struct table_rule *given)
{
	const struct table_rule with_mark = marked(b, given), *rule = &with_mark;

	if (offset >= b->to)
		return 0;
	if (offset < b->from)
		offset = b->from;
	if (offset >= MAX_OFFSET)
		return err(-EFBIG, "code beyond 4 GiB into the file");
	if (!budget_steps(b->rules.budget, ROW_STEPS))
		return err(-ECANCELED, "unwind rules that take too long to make");
	if (b->rows.n >= MAX_ROWS)
		return err(-EFBIG, "unwind table of over %u rows: too large", MAX_ROWS);
	open_pages(b, offset);
	/* Replaces the previous rule for the same offset. */
	if (offset == b->now_at && offset > b->last_at) {
		b->last.flags &= TABLE_SIGNAL | TABLE_GUESS | TABLE_SCRIPT;
		b->now = b->last;
	}
	if (offset == b->last_at) {
		b->last = *rule;
	} else if (is_same(rule, &b->now)) {
		return 0;
	} else if (!fold(b, offset, rule)) {
		put_last_row(b);
		begin_row(b, offset, rule);
	}
	b->now = *rule;
	b->now_at = offset;
	return 0;
}

/* Takes a row derived from the machine code. */
static int on_code_row(void *context, const struct cfi_row *row)
{
	struct builder *b = context;
	struct table_rule rule = table_rule_of(row);

	/* Avoids a row here, which would open pages. */
	if (rule.cfa == TABLE_CFA_NONE && b->now.cfa == TABLE_CFA_NONE)
		return 0;
	if (rule.cfa != TABLE_CFA_NONE)
		rule.flags |= TABLE_GUESS;
	return add_row(b, row->offset, &rule);
}

/* Derives rows from code without call frame information. In parts that do not cross pieces, so that
 * the tables of pieces equal those of the whole file. */
static int add_code(struct builder *b, uint64_t from, uint64_t to)
{
	const uint64_t piece = UINT64_C(1) << WIRE_PIECE_BITS;
	const uint64_t wanted = lower(b->from, to ? to - 1 : 0) / piece * piece;
	int rc = 0;

	/* A gap may be megabytes linked without call frame information. Skip to the wanted part,
	 * but still determine the rule in force there. */
	if (from < wanted)
		from = wanted;
	for (uint64_t next; from < to && from < b->to && !rc; from = next) {
		struct returns_part part = {.from = from, .cut_before = from % piece == 0};

		next = (from / piece + 1) * piece;
		part.to = lower(next, to);
		part.cut_behind = next <= to;
		rc = returns_rows(b->returns, &part, on_code_row, b);
	}
	return rc;
}

/* Adds the rows of the gap up to @to. */
static int fill_gap(struct builder *b, uint64_t to)
{
	struct table_island islands[TABLE_ISLANDS];
	uint64_t at = b->gap;
	size_t n;
	int rc = 0;

	if (to - at <= MAX_PADDING && b->pages.n && !table_gap_is_called(b->gaps, at, to))
		return 0;
	n = table_gap_islands(b->gaps, at, to, islands);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = add_code(b, at, islands[i].start);
		if (!rc)
			rc = add_row(b, islands[i].start, &islands[i].rule);
		at = islands[i].end;
	}
	if (!rc && at < to)
		rc = add_code(b, at, to);
	return rc;
}

static int on_row(void *context, const struct cfi_row *row)
{
	struct builder *b = context;
	struct table_rule rule;
	int rc;

	if (row->cfa.how == CFI_NONE && !b->in_gap) {
		b->in_gap = true;
		b->gap = row->offset;
		return 0;
	}
	if (row->cfa.how == CFI_NONE)
		return 0;
	if (b->in_gap) {
		rc = fill_gap(b, row->offset);
		if (rc)
			return rc;
	}
	b->in_gap = false;
	rule = table_rule_of(row);
	return add_row(b, row->offset, &rule);
}

/* Words that hold @n 32-bit numbers, two per word. */
static uint32_t words_of(size_t n)
{
	return (uint32_t)((n + 1) / 2);
}

static size_t round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static void write_blob(const struct builder *b, struct table_blob *out)
{
	size_t n_pages = b->pages.n, n_rules = b->rules.at.n;
	struct table_header h = {
		.magic = TABLE_MAGIC,
		.first_page = (uint32_t)b->first_page,
		.n_pages = (uint32_t)n_pages,
		.n_rows = (uint32_t)b->rows.n,
		.n_rules = (uint32_t)n_rules,
		.pages_at = sizeof(h) / sizeof(uint64_t),
	};
	uint32_t *pages;

	h.rows_at = h.pages_at + words_of(n_pages + 1);
	h.rules_at = (uint32_t)round_up(h.rows_at + words_of(b->rows.n), 2);
	out->n_words = round_up(h.rules_at + n_rules * 2, TABLE_LINE_WORDS);
	out->words = mem_zalloc(out->n_words, sizeof(uint64_t));
	memcpy(out->words, &h, sizeof(h));
	pages = (uint32_t *)(out->words + h.pages_at);
	if (n_pages)
		memcpy(pages, b->pages.at, n_pages * sizeof(*pages));
	pages[n_pages] = (uint32_t)b->rows.n;
	if (b->rows.n)
		memcpy(out->words + h.rows_at, b->rows.at, b->rows.n * sizeof(uint32_t));
	memcpy(out->words + h.rules_at, b->rules.at.at, n_rules * sizeof(struct table_rule));
}

/* The last rule holds up to `to`, or to the end of the code. */
static int finish(struct builder *b)
{
	uint64_t end = lower(lower(b->gaps->end, b->to), MAX_OFFSET);
	int rc = 0;

	if (b->in_gap && b->gap < end)
		rc = fill_gap(b, end);
	else if (b->in_gap && b->pages.n)
		rc = add_row(b, b->gap, &no_rule);
	/* A file may have rows and no segment of code that they lie in. */
	if (!rc && b->pages.n && b->now.cfa != TABLE_CFA_NONE && end > b->now_at)
		open_pages(b, end - 1);
	return rc;
}

int table_maker_new(const struct elffile *f, struct table_maker **out)
{
	struct table_maker *m = mem_zalloc(1, sizeof(*m));
	int rc = cfi_open(f, &m->cfi);

	if (rc) {
		free(m);
		return rc;
	}
	m->go = gotab_open(f);
	m->returns = returns_new(f);
	table_gaps_init(&m->gaps, f);
	if (budget_is_over(f->budget)) {
		table_maker_free(m);
		return err(-ECANCELED, "a file that takes too long to read");
	}
	*out = m;
	return 0;
}

void table_maker_free(struct table_maker *m)
{
	if (m) {
		cfi_close(m->cfi);
		gotab_close(m->go);
		returns_free(m->returns);
	}
	free(m);
}

void table_maker_mark(struct table_maker *m, uint8_t flags)
{
	m->mark = flags;
}

uint64_t table_maker_bytes(const struct table_maker *m)
{
	return cfi_bytes(m->cfi) + gotab_bytes(m->go);
}

/* Adds the rows of [@from, @to), from @go if given, else from call frame information. */
static int add_part(struct builder *b, const struct table_maker *m, const struct gotab *go,
		    uint64_t from, uint64_t to)
{
	int rc;

	if (from >= to)
		return 0;
	b->from = from;
	b->to = to;
	b->in_gap = true;
	b->gap = m->gaps.start > from ? m->gaps.start : from;
	rc = go ? gotab_rows(go, from, to, on_row, b) : cfi_rows(m->cfi, from, to, on_row, b);
	return rc ? rc : finish(b);
}

/* Code that Go's own table covers uses that table; other code (C in the same program) does not. */
static int add_parts(struct builder *b, const struct table_maker *m, uint64_t from, uint64_t to)
{
	uint64_t start = to, end = to;
	int rc;

	if (m->go)
		gotab_range(m->go, &start, &end);
	start = lower(start > from ? start : from, to);
	end = lower(end > start ? end : start, to);
	rc = add_part(b, m, NULL, from, start);
	if (!rc)
		rc = add_part(b, m, m->go, start, end);
	return rc ? rc : add_part(b, m, NULL, end, to);
}

int table_make(struct table_maker *m, uint64_t from, uint64_t to, struct table_blob *out)
{
	struct builder b = {.gaps = &m->gaps, .returns = m->returns, .mark = m->mark};
	int rc;

	*out = (struct table_blob){0};
	table_rules_init(&b.rules, m->gaps.file->budget);
	rc = add_parts(&b, m, from, to);
	if (!rc && budget_is_over(m->gaps.file->budget))
		rc = err(-ECANCELED, "code that takes too long to read");
	if (!rc && b.pages.n)
		put_last_row(&b);
	if (!rc)
		write_blob(&b, out);
	vec_release(&b.pages);
	vec_release(&b.rows);
	table_rules_release(&b.rules);
	return rc;
}

bool table_frame(struct table_maker *m, uint64_t offset, struct cfi_frame *out)
{
	return cfi_frame_at(m->cfi, offset, out);
}

int table_build(const struct elffile *f, struct table_blob *out)
{
	struct table_maker *m;
	int rc = table_maker_new(f, &m);

	if (rc)
		return rc;
	rc = table_make(m, 0, UINT64_MAX, out);
	table_maker_free(m);
	return rc;
}

void table_blob_release(struct table_blob *t)
{
	free(t->words);
	*t = (struct table_blob){0};
}
