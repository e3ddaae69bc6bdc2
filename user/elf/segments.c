#include "elf/segments.h"

/* Far beyond what linkers write: some 30, and one for each shared object that is needed. */
#define MAX_ENTRIES 4096
#define AT_ONCE	    64
#define ENTRY_STEPS 4

static bool is_code(const Elf64_Phdr *p)
{
	return p->p_type == PT_LOAD && (p->p_flags & PF_X);
}

static bool is_other_load(const Elf64_Phdr *p)
{
	return p->p_type == PT_LOAD && !(p->p_flags & PF_X);
}

static bool find_address(const struct elffile *f, bool (*wanted)(const Elf64_Phdr *),
			 uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (wanted(p) && offset >= p->p_offset && offset - p->p_offset < p->p_filesz) {
			*address = p->p_vaddr + (offset - p->p_offset);
			return true;
		}
	}
	return false;
}

bool segments_address(const struct elffile *f, uint64_t offset, uint64_t *address)
{
	return find_address(f, is_code, offset, address) ||
	       find_address(f, is_other_load, offset, address);
}

bool segments_offset(const struct elffile *f, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz) {
			*offset = p->p_offset + (address - p->p_vaddr);
			return true;
		}
	}
	return false;
}

const Elf64_Phdr *segments_first(const struct elffile *f, uint32_t type)
{
	for (size_t i = 0; i < f->segments.n; i++)
		if (f->segments.at[i].p_type == type)
			return &f->segments.at[i];
	return NULL;
}

bool segments_dynamic(const struct elffile *f, bool (*fn)(void *, const Elf64_Dyn *), void *context)
{
	const Elf64_Phdr *dynamic = segments_first(f, PT_DYNAMIC);
	Elf64_Dyn d[AT_ONCE];
	uint64_t n = dynamic && f->is_64 ? dynamic->p_filesz / sizeof(*d) : 0;

	if (dynamic &&
	    (dynamic->p_offset > f->bytes || n > (f->bytes - dynamic->p_offset) / sizeof(*d)))
		n = 0;
	n = n < MAX_ENTRIES ? n : MAX_ENTRIES;
	for (uint64_t i = 0; i < n; i++) {
		const size_t left = n - i < AT_ONCE ? n - i : AT_ONCE;

		if (i % AT_ONCE == 0 &&
		    elffile_read(f, dynamic->p_offset + i * sizeof(*d), d, left * sizeof(*d)))
			return false;
		if (d[i % AT_ONCE].d_tag == DT_NULL || !budget_steps(f->budget, ENTRY_STEPS))
			return false;
		if (fn(context, &d[i % AT_ONCE]))
			return true;
	}
	return false;
}

uint64_t segments_code_start(const struct elffile *f)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (is_code(p) && p->p_vaddr < lowest)
			lowest = p->p_vaddr;
	}
	return lowest == UINT64_MAX ? 0 : lowest;
}

#define PAGE_BYTES 4096

/* Loaded segments ascend by address. */
bool segments_loaded(const struct elffile *f, uint64_t distance, uint64_t *address)
{
	const Elf64_Phdr *first = segments_first(f, PT_LOAD);

	if (!first)
		return false;
	*address = (first->p_vaddr & ~(uint64_t)(PAGE_BYTES - 1)) + distance;
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type == PT_LOAD && *address >= p->p_vaddr &&
		    *address - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}
