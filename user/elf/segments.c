#include "elf/segments.h"

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
