#include "cfi/cfi_scan.h"

#include <string.h>

#include "cfi/cfi_entry.h"
#include "elf/segments.h"

/* A CIE from its id on, as every compiler for this machine begins it: version 1, augmentation "z…";
 * and the length before it. */
static const uint8_t cie_head[] = {0, 0, 0, 0, 1, 'z'};
#define LENGTH_BYTES 4

/* Searched at once; the bytes that take a step to search, and what takes a closer look. */
#define AT_ONCE	       (1u << 18)
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

/* The next place from @at on that looks like a CIE; NULL: none, or the budget is used up. */
static const uint8_t *find_head(const struct cfi_section *s, const uint8_t *at)
{
	const uint8_t *end = s->bytes + s->n;

	while ((size_t)(end - at) >= sizeof(cie_head)) {
		const size_t left = (size_t)(end - at), n = left < AT_ONCE ? left : AT_ONCE;
		const uint8_t *found = memmem(at, n, cie_head, sizeof(cie_head));

		if (!budget_steps(s->budget, (found ? (size_t)(found - at) : n) / BYTES_PER_STEP))
			return NULL;
		if (found)
			return found;
		at += n == left ? n : n - sizeof(cie_head) + 1;
	}
	return NULL;
}

void cfi_scan(const struct elffile *f, struct cfi_section *s)
{
	const uint8_t *at = s->bytes;

	s->ends_at_0 = true;
	for (; (at = find_head(s, at)) && budget_steps(s->budget, LOOK_STEPS); at++) {
		size_t start = (size_t)(at - s->bytes) - LENGTH_BYTES;

		if (at - s->bytes >= LENGTH_BYTES && begins(f, s, start)) {
			s->n -= start;
			s->address += start;
			memmove(s->bytes, s->bytes + start, s->n);
			return;
		}
	}
	cfi_section_release(s);
}
