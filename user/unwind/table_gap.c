#include "unwind/table_gap.h"

#include <string.h>

#include "base/mem.h"
#include "cfi/cfi.h"
#include "elf/segments.h"

/* An entry point is a few instructions that set up a call and never return. */
#define ENTRY_BYTES 64

/* Limits of the search: libraries have few large gaps, and a very large one is data in an
 * executable segment. A file without call frame information is one gap. */
#define MAX_READS     4096
#define MAX_GAP_BYTES (1u << 20)
#define MAX_ALL_BYTES (64u << 20)
/* That take a step to search. */
#define SEARCH_BYTES 4

/* Where the kernel stores the interrupted registers, relative to the stack pointer with which the
 * handler returns: offsets of uc_mcontext.gregs in ucontext_t. */
#define SIGNAL_RBP 120
#define SIGNAL_RSP 160
#define SIGNAL_RIP 168

/* The rule of code that nothing called. */
static const struct table_rule root_rule = {
	.cfa = TABLE_CFA_REG,
	.reg = CFI_RSP,
	.cfa_offset = 8,
	.ra = TABLE_UNDEFINED,
};

static const struct table_rule signal_rule = {
	.cfa = TABLE_CFA_DEREF,
	.reg = CFI_RSP,
	.cfa_offset = SIGNAL_RSP,
	.ra = TABLE_AT_DEREF,
	.ra_offset = SIGNAL_RIP,
	.bp = TABLE_AT_DEREF,
	.bp_offset = SIGNAL_RBP,
	.saved_reg = CFI_RSP,
	.flags = TABLE_SIGNAL,
};

/* The end of `mov $15, %rax` (or %eax) and `syscall`; then the start of each form. */
static const uint8_t stub_tail[] = {0x0f, 0, 0, 0, 0x0f, 0x05};
static const uint8_t stub_rax[] = {0x48, 0xc7, 0xc0};
static const uint8_t stub_eax[] = {0xb8};

/* The code to which a coroutine made by Boost's make_fcontext (PHP has a copy) returns; its return
 * address was put there by hand: xor %edi, %edi (or %rdi); call _exit; hlt. No compiler emits that
 * hlt. */
static const uint8_t finish_head[] = {0x31, 0xff, 0xe8};
static const uint8_t hlt = 0xf4;
#define FINISH_BYTES (sizeof(finish_head) + 4 + sizeof(hlt))

/*
 * jump_fcontext of Boost.Context and PHP, and ontop_fcontext: registers are saved below the return
 * address, at rsp + N, and the other stack has them at the same places:
 *
 *	lea -N(%rsp), %rsp; …; mov %rsp, %rax; mov %rdi, %rsp; …; mov N-8(%rsp), %rbp;
 *	lea N+8(%rsp), %rsp; …; jmp *%r8
 *
 * ontop_fcontext adds N only, so the return address stays on the stack.
 */
static const uint8_t switch_stack[] = {0x48, 0x89, 0xe0, 0x48, 0x89, 0xfc};
static const uint8_t lea_rsp[] = {0x48, 0x8d, 0x64, 0x24};
static const uint8_t load_rbp[] = {0x48, 0x8b, 0x6c, 0x24};
static const uint8_t jump_r8[] = {0x41, 0xff, 0xe0};
/* Of an instruction of the middle two: one byte of offset follows. */
#define SWITCH_INSN 5
/* From the switch to the function's ends, at most. */
#define SWITCH_REACH 96
/* The islands of one such function. */
#define SWITCH_ISLANDS 5

static bool find_calls(void *context, const Elf64_Dyn *d)
{
	struct table_gaps *g = context;

	if (d->d_tag == DT_INIT)
		segments_offset(g->file, d->d_un.d_ptr, &g->init);
	if (d->d_tag == DT_FINI)
		segments_offset(g->file, d->d_un.d_ptr, &g->fini);
	return false;
}

void table_gaps_init(struct table_gaps *g, const struct elffile *f)
{
	uint64_t address;

	*g = (struct table_gaps){.file = f,
				 .start = UINT64_MAX,
				 .entry = UINT64_MAX,
				 .init = UINT64_MAX,
				 .fini = UINT64_MAX,
				 .n_reads = MAX_READS};
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || p->p_offset > f->bytes ||
		    p->p_filesz > f->bytes - p->p_offset)
			continue;
		g->start = p->p_offset < g->start ? p->p_offset : g->start;
		g->end = p->p_offset + p->p_filesz > g->end ? p->p_offset + p->p_filesz : g->end;
	}
	if (!elffile_read(f, offsetof(Elf64_Ehdr, e_entry), &address, sizeof(address)) && address)
		segments_offset(f, address, &g->entry);
	segments_dynamic(f, find_calls, g);
}

bool table_gap_is_called(const struct table_gaps *g, uint64_t from, uint64_t to)
{
	return (g->init >= from && g->init < to) || (g->fini >= from && g->fini < to);
}

/* Length of a stub's first instruction in front of @tail; 0: not a stub. */
static size_t stub_head(const uint8_t *code, const uint8_t *tail)
{
	size_t before = (size_t)(tail - code);

	if (before >= sizeof(stub_rax) &&
	    !memcmp(tail - sizeof(stub_rax), stub_rax, sizeof(stub_rax)))
		return sizeof(stub_rax);
	if (before >= sizeof(stub_eax) &&
	    !memcmp(tail - sizeof(stub_eax), stub_eax, sizeof(stub_eax)))
		return sizeof(stub_eax);
	return 0;
}

static size_t find_stubs(const uint8_t *code, size_t n, uint64_t from, struct table_island *out,
			 size_t max)
{
	const uint8_t *at = code, *end = code + n;
	size_t n_out = 0;

	while (n_out < max && (at = memmem(at, (size_t)(end - at), stub_tail, sizeof(stub_tail)))) {
		size_t head = stub_head(code, at);
		uint64_t tail = from + (uint64_t)(at - code), start = tail - head;

		at += sizeof(stub_tail);
		if (!head)
			continue;
		/* The handler's return address is the stub, and the walker looks it up one byte
		 * lower. */
		out[n_out++] = (struct table_island){.start = start > from ? start - 1 : start,
						     .end = tail + sizeof(stub_tail),
						     .rule = signal_rule};
	}
	return n_out;
}

static size_t find_finishes(const uint8_t *code, size_t n, uint64_t from, struct table_island *out,
			    size_t max)
{
	const uint8_t *at = code, *end = code + n;
	size_t n_out = 0;

	while (n_out < max &&
	       (at = memmem(at, (size_t)(end - at), finish_head, sizeof(finish_head)))) {
		size_t start = (size_t)(at - code);

		if ((size_t)(end - at) < FINISH_BYTES)
			break;
		at += FINISH_BYTES;
		if (at[-1] != hlt) {
			at -= FINISH_BYTES - 1;
			continue;
		}
		/* Looked up one byte lower, like a signal's stub; a REX prefix may be in front. */
		out[n_out++] = (struct table_island){.start = from + (start > 2 ? start - 2 : 0),
						     .end = from + start + FINISH_BYTES,
						     .rule = root_rule};
	}
	return n_out;
}

/* Offsets in the code read, of what such a function consists of. */
struct stack_switch {
	size_t start, middle, rbp, leave, end; /* of the first lea, the switch, the load of rbp, the
						  last lea; behind the jump */
	int saved, left;		       /* N, and what the last lea adds */
};

static size_t find_code(const uint8_t *code, size_t from, size_t to, const uint8_t *what, size_t n)
{
	const uint8_t *at = from < to ? memmem(code + from, to - from, what, n) : NULL;

	return at ? (size_t)(at - code) : SIZE_MAX;
}

/* Fills in what is around s->middle. */
static bool read_switch(const uint8_t *code, size_t n, struct stack_switch *s)
{
	const size_t first = s->middle > SWITCH_REACH ? s->middle - SWITCH_REACH : 0;
	const size_t after = s->middle + sizeof(switch_stack);
	const size_t last = n - after > SWITCH_REACH ? after + SWITCH_REACH : n;

	s->start = SIZE_MAX;
	for (size_t at = first; at + SWITCH_INSN <= s->middle; at++)
		if (!memcmp(code + at, lea_rsp, sizeof(lea_rsp)))
			s->start = at;
	s->rbp = find_code(code, after, last, load_rbp, sizeof(load_rbp));
	if (s->start == SIZE_MAX || s->rbp >= last - SWITCH_INSN)
		return false;
	s->leave = find_code(code, s->rbp + SWITCH_INSN, last, lea_rsp, sizeof(lea_rsp));
	if (s->leave >= last - SWITCH_INSN)
		return false;
	s->end = find_code(code, s->leave + SWITCH_INSN, last, jump_r8, sizeof(jump_r8));
	if (s->end == SIZE_MAX)
		return false;
	s->end += sizeof(jump_r8);
	s->saved = -(int8_t)code[s->start + SWITCH_INSN - 1];
	s->left = (int8_t)code[s->leave + SWITCH_INSN - 1];
	return s->saved > 0 && (int8_t)code[s->rbp + SWITCH_INSN - 1] == s->saved - 8 &&
	       (s->left == s->saved || s->left == s->saved + 8);
}

static void add_switch(const struct stack_switch *s, uint64_t from, struct table_island *out)
{
	const size_t at[SWITCH_ISLANDS + 1] = {s->start,
					       s->start + SWITCH_INSN,
					       s->middle + sizeof(switch_stack),
					       s->rbp + SWITCH_INSN,
					       s->leave + SWITCH_INSN,
					       s->end};
	const int saved = s->saved + 8;
	const int cfa[SWITCH_ISLANDS] = {8, saved, saved, saved, saved - s->left};

	for (size_t i = 0; i < SWITCH_ISLANDS; i++)
		out[i] = (struct table_island){
			.start = from + at[i],
			.end = from + at[i + 1],
			.rule = {.cfa = TABLE_CFA_REG,
				 .reg = CFI_RSP,
				 .cfa_offset = cfa[i],
				 .ra = TABLE_AT_CFA,
				 .ra_offset = -8,
				 /* That of the other stack, until it is loaded. */
				 .bp = i == 2 ? TABLE_AT_CFA : TABLE_SAME,
				 .bp_offset = i == 2 ? -16 : 0}};
}

static size_t find_switches(const uint8_t *code, size_t n, uint64_t from, struct table_island *out,
			    size_t max)
{
	struct stack_switch s = {0};
	size_t n_out = 0;

	while (n_out + SWITCH_ISLANDS <= max &&
	       (s.middle = find_code(code, s.end, n, switch_stack, sizeof(switch_stack))) !=
		       SIZE_MAX) {
		if (read_switch(code, n, &s)) {
			add_switch(&s, from, out + n_out);
			n_out += SWITCH_ISLANDS;
		} else {
			s.end = s.middle + sizeof(switch_stack);
		}
	}
	return n_out;
}

static size_t search(struct table_gaps *g, uint64_t from, uint64_t to, struct table_island *out,
		     size_t max)
{
	bool is_all = from == g->start && to == g->end;
	_free_ uint8_t *code = NULL;
	size_t n;

	if (!g->n_reads || to - from > (is_all ? MAX_ALL_BYTES : MAX_GAP_BYTES))
		return 0;
	g->n_reads--;
	if (!budget_steps(g->file->budget, (to - from) / SEARCH_BYTES))
		return 0;
	code = mem_zalloc(to - from, 1);
	if (elffile_read(g->file, from, code, to - from))
		return 0;
	n = find_stubs(code, to - from, from, out, max);
	n += find_finishes(code, to - from, from, out + n, max - n);
	return n + find_switches(code, to - from, from, out + n, max - n);
}

/* Sorts the few islands and drops those that overlap the previous one. */
static size_t order(struct table_island *at, size_t n)
{
	size_t kept = 0;

	for (size_t i = 1; i < n; i++) {
		for (size_t j = i; j && at[j].start < at[j - 1].start; j--) {
			struct table_island other = at[j];

			at[j] = at[j - 1];
			at[j - 1] = other;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (!kept || at[i].start >= at[kept - 1].end)
			at[kept++] = at[i];
	}
	return kept;
}

size_t table_gap_islands(struct table_gaps *g, uint64_t from, uint64_t to,
			 struct table_island out[TABLE_ISLANDS])
{
	size_t n = 0;

	if (from >= to)
		return 0;
	if (g->entry >= from && g->entry < to) {
		uint64_t left = to - g->entry;

		out[n++] = (struct table_island){.start = g->entry,
						 .end = g->entry +
							(left < ENTRY_BYTES ? left : ENTRY_BYTES),
						 .rule = root_rule};
	}
	n += search(g, from, to, out + n, TABLE_ISLANDS - n);
	return order(out, n);
}
