#include "cfi/cfi_scan.h"

#include <string.h>

#include "base/mem.h"
#include "cfi/cfi_entry.h"
#include "elf/segments.h"

/* A CIE from its id on, as every compiler for this machine begins it: version 1, augmentation "z…";
 * and the length before it. */
static const uint8_t cie_head[] = {0, 0, 0, 0, 1, 'z'};
#define LENGTH_BYTES 4

/* Searched at once; the bytes that take a step to search, and what takes a closer look. */
#define AT_ONCE (1u << 18)
/* Of a CIE and what follows it: looked at where it begins in what is searched. */
#define ENTRIES_BYTES  4096
#define BYTES_PER_STEP 16
#define LOOK_STEPS     64

static bool is_code(const struct elffile *f, uint64_t address)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz)
			return true;
	}
	return false;
}

/* Whether entries begin at @at. */
static bool begins(const struct elffile *f, const struct cfi_section *s, size_t at)
{
	const size_t cie_at = at;
	struct cfi_entry e;
	struct cfi_cie cie;
	struct cfi_fde fde;

	return cfi_entry_next(s, &at, &e) && e.is_cie && e.at == cie_at && cfi_cie_read(&e, &cie) &&
	       cfi_entry_next(s, &at, &e) && !e.is_cie && e.cie_at == cie_at &&
	       cfi_fde_read(s, &e, &cie, &fde) && is_code(f, fde.start);
}

/* The first entry in @n bytes at @bytes, shown at @address, whose length stands in the first @most;
 * @most: none, or the budget is used up. */
static size_t find_entry(const struct elffile *f, const struct cfi_section *s, size_t most)
{
	/* Fewer bytes than a length has none. */
	for (size_t id = LENGTH_BYTES; id < s->n; id++) {
		const uint8_t *hit = memmem(s->bytes + id, s->n - id, cie_head, sizeof(cie_head));

		if (!hit)
			break;
		id = (size_t)(hit - s->bytes);
		if (id - LENGTH_BYTES >= most || !budget_steps(f->budget, LOOK_STEPS))
			break;
		if (begins(f, s, id - LENGTH_BYTES))
			return id - LENGTH_BYTES;
	}
	return most;
}

bool cfi_scan(const struct elffile *f, uint64_t from, uint64_t to, uint64_t address,
	      uint64_t *found)
{
	_free_ uint8_t *buf = mem_zalloc(AT_ONCE + ENTRIES_BYTES, 1);

	for (uint64_t at = from; at < to && to <= f->bytes; at += AT_ONCE) {
		const size_t n =
			to - at < AT_ONCE + ENTRIES_BYTES ? to - at : AT_ONCE + ENTRIES_BYTES;
		const size_t most = n < AT_ONCE ? n : AT_ONCE;
		const struct cfi_section s = {.bytes = buf,
					      .n = n,
					      .address = address + (at - from),
					      .is_eh = true,
					      .ends_at_0 = true,
					      .budget = f->budget};
		size_t start;

		if (elffile_read(f, at, buf, n) || !budget_steps(f->budget, n / BYTES_PER_STEP))
			return false;
		start = find_entry(f, &s, most);
		*found = at + start;
		if (start < most)
			return true;
	}
	return false;
}
