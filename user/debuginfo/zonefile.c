#include "debuginfo/zonefile.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "base/err.h"
#include "debuginfo/begin.h"
#include "debuginfo/plt.h"
#include "debuginfo/symtab.h"
#include "elf/symbolname.h"

bool zonefile_code(const struct zonefile *z, uint64_t address, uint64_t n, struct code *out)
{
	for (size_t i = 0; i < z->file.segments.n && z->bytes; i++) {
		const Elf64_Phdr *p = &z->file.segments.at[i];
		uint64_t left;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || address < p->p_vaddr ||
		    address - p->p_vaddr >= p->p_filesz)
			continue;
		*out = (struct code){.address = address,
				     .offset = p->p_offset + (address - p->p_vaddr)};
		left = p->p_filesz - (address - p->p_vaddr);
		if (out->offset >= z->n_bytes)
			return false;
		if (left > z->n_bytes - out->offset)
			left = z->n_bytes - out->offset;
		out->n = n < left ? n : left;
		out->bytes = z->bytes + out->offset;
		return true;
	}
	return false;
}

/* --- who uses return addresses -------------------------------------------------------------- */

/* Of the C library's functions that look at their return address, or keep it, those that can be the
 * last thing a function does. */
static void note_keeper(void *context, const char *name, uint64_t slot, bool stored)
{
	static const char *const names[] = {
		"dlopen",  "dlmopen",	  "dlsym", "dlvsym",	 "dl_iterate_phdr", "setjmp",
		"_setjmp", "__sigsetjmp", "vfork", "getcontext", "swapcontext",	    "mcount",
	};
	struct zonefile *z = context;
	bool fresh;

	if (!symbolname_is_one_of(name, names, sizeof(names) / sizeof(*names)))
		return;
	map_put(&z->keepers, slot, &fresh);
	z->stores_keepers |= stored;
}

/* --- what IFUNCs choose --------------------------------------------------------------------- */

struct choices {
	struct zonefile *z;
	size_t name; /* in functions.names */
};

static void add_choice(void *context, uint64_t address)
{
	const struct choices *c = context;
	const struct cfi_range *range = cfi_ranges_find(&c->z->frames.ranges, address);
	struct code code;

	/* Its code takes addresses of tables, too. */
	if (range && range->start == address && zonefile_code(c->z, address, UINT64_MAX, &code))
		functions_add_choice(&c->z->functions, c->name, address, code.n);
}

static void add_choices(struct zonefile *z)
{
	const size_t n = z->functions.names.n;

	for (struct choices c = {.z = z}; c.name < n; c.name++) {
		const struct function_name *name = &z->functions.names.at[c.name];
		struct code code;

		if (!name->chosen || chosen_may_be_vdso(name->text) ||
		    !zonefile_code(z, name->address, name->size, &code))
			continue;
		chosen_each(&code, add_choice, &c);
	}
}

/* --- open ----------------------------------------------------------------------------------- */

static int check(const struct elffile *f)
{
	if (!f->is_64)
		return err(-ENOTSUP, "a 32-bit program: zones are for 64-bit x86");
	if (f->machine != EM_X86_64)
		return err(-ENOTSUP, "a program for another machine: zones are for 64-bit x86");
	return 0;
}

static void find_stubs(struct zonefile *z)
{
	static const char *const names[ZONEFILE_STUBS] = {".plt", ".plt.sec", ".plt.got"};

	for (size_t i = 0; i < ZONEFILE_STUBS; i++) {
		Elf64_Shdr s;

		if (!elffile_section(&z->file, names[i], &s))
			z->stubs[i] = (struct zonefile_stubs){s.sh_addr, s.sh_size};
	}
}

int zonefile_open(int fd, int debug_fd, struct zonefile *out)
{
	GElf_Ehdr header;
	int rc;

	*out = (struct zonefile){0};
	rc = elffile_open(fd, &out->file);
	if (rc)
		return rc;
	rc = check(&out->file);
	out->elf = rc ? NULL : begin_elf(fd);
	if (!rc && !out->elf)
		rc = err(-EINVAL, "not a readable ELF file");
	if (rc) {
		elffile_release(&out->file);
		return rc;
	}
	if (gelf_getehdr(out->elf, &header)) {
		out->elf_type = header.e_type;
		out->start = header.e_entry;
	}
	out->debug = begin_elf(debug_fd);
	out->bytes = (const uint8_t *)elf_rawfile(out->elf, &out->n_bytes);
	find_stubs(out);
	plt_slots_each(out->elf, note_keeper, out);
	frames_open(&out->file, &out->frames);
	functions_add(&out->functions, out->elf);
	functions_add_stubs(&out->functions, out->elf);
	if (out->debug)
		functions_add(&out->functions, out->debug);
	add_choices(out);
	functions_finish(&out->functions, &out->frames);
	return 0;
}

void zonefile_release(struct zonefile *z)
{
	map_release(&z->keepers);
	map_release(&z->harmless);
	functions_release(&z->functions);
	frames_release(&z->frames);
	elf_end(z->debug);
	elf_end(z->elf);
	elffile_release(&z->file);
}
