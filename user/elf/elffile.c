#include "elf/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

/* Far above what linkers write: a dozen segments, a hundred sections. A name is looked for among
 * all sections, and an address among all segments. */
#define MAX_SEGMENTS	   512
#define MAX_SECTIONS	   (1 << 16)
#define SECTION_NAME_BYTES 32

/* Of the names' section: what is beyond is read name by name. */
#define MAX_NAMES_BYTES (1u << 20)
/* Headers that are read at once to find names. */
#define SECTIONS_AT_ONCE 64
#define NAME_STEPS	 16

struct elffile_names {
	uint32_t *hashes; /* of each section's name */
	uint32_t n;	  /* of hashes; fewer than there are sections where they cannot be read */
	bool are_read;
};

/* Between two looks at the budget. */
#define MAX_READ (1u << 20)
/* Steps that a system call takes. */
#define READ_STEPS 64

int elffile_read(const struct elffile *f, uint64_t offset, void *buf, size_t n)
{
	if (offset > f->bytes || n > f->bytes - offset)
		return -EINVAL;
	for (size_t done = 0; done < n;) {
		const size_t next = n - done < MAX_READ ? n - done : MAX_READ;
		ssize_t got;

		if (!budget_steps(f->budget, READ_STEPS))
			return -EINVAL;
		got = pread(f->fd, (char *)buf + done, next, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || !budget_bytes(f->budget, (uint64_t)got))
			return -EINVAL;
		done += (size_t)got;
	}
	return 0;
}

static int read_header(struct elffile *f, Elf64_Ehdr *h)
{
	Elf32_Ehdr h32;

	if (elffile_read(f, 0, h, sizeof(h32)) || memcmp(h->e_ident, ELFMAG, SELFMAG))
		return err(-EINVAL, "not an ELF file");
	if (h->e_ident[EI_DATA] != ELFDATA2LSB)
		return err(-EINVAL, "an ELF file of the other byte order");
	f->is_64 = h->e_ident[EI_CLASS] == ELFCLASS64;
	if (f->is_64)
		return elffile_read(f, 0, h, sizeof(*h)) ? err(-EINVAL, "ELF header cut off") : 0;
	memcpy(&h32, h, sizeof(h32));
	*h = (Elf64_Ehdr){.e_machine = h32.e_machine,
			  .e_phoff = h32.e_phoff,
			  .e_phnum = h32.e_phnum,
			  .e_phentsize = h32.e_phentsize,
			  .e_shoff = h32.e_shoff,
			  .e_shnum = h32.e_shnum,
			  .e_shentsize = h32.e_shentsize,
			  .e_shstrndx = h32.e_shstrndx};
	return 0;
}

static Elf64_Phdr widen_segment(const Elf32_Phdr *p)
{
	return (Elf64_Phdr){.p_type = p->p_type,
			    .p_flags = p->p_flags,
			    .p_offset = p->p_offset,
			    .p_vaddr = p->p_vaddr,
			    .p_filesz = p->p_filesz,
			    .p_memsz = p->p_memsz,
			    .p_align = p->p_align};
}

/* All at once. */
static int read_segments(struct elffile *f, const Elf64_Ehdr *h)
{
	const size_t entry = f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	_free_ char *table = NULL;

	if (!h->e_phnum)
		return 0;
	if (h->e_phnum > MAX_SEGMENTS || h->e_phoff > f->bytes || h->e_phentsize != entry)
		return err(-EINVAL, "ELF program headers make no sense");
	table = mem_zalloc(h->e_phnum, entry);
	if (elffile_read(f, h->e_phoff, table, h->e_phnum * entry))
		return err(-EINVAL, "ELF program headers cut off");
	for (size_t i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr *p = vec_add(&f->segments);
		Elf32_Phdr narrow;

		if (f->is_64) {
			memcpy(p, table + i * entry, entry);
			continue;
		}
		memcpy(&narrow, table + i * entry, entry);
		*p = widen_segment(&narrow);
	}
	return 0;
}

static size_t section_bytes(const struct elffile *f)
{
	return f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* A section header as it stands in the file. */
static void take_section(const struct elffile *f, const void *at, Elf64_Shdr *s)
{
	Elf32_Shdr s32;

	if (f->is_64) {
		memcpy(s, at, sizeof(*s));
		return;
	}
	memcpy(&s32, at, sizeof(s32));
	*s = (Elf64_Shdr){.sh_name = s32.sh_name,
			  .sh_type = s32.sh_type,
			  .sh_flags = s32.sh_flags,
			  .sh_addr = s32.sh_addr,
			  .sh_offset = s32.sh_offset,
			  .sh_size = s32.sh_size,
			  .sh_link = s32.sh_link,
			  .sh_info = s32.sh_info,
			  .sh_entsize = s32.sh_entsize};
}

static int read_section(const struct elffile *f, uint32_t i, Elf64_Shdr *s)
{
	char at[sizeof(Elf64_Shdr)];
	int rc = elffile_read(f, f->sections_offset + i * (uint64_t)section_bytes(f), at,
			      section_bytes(f));

	if (!rc)
		take_section(f, at, s);
	return rc;
}

/* Sections are a help, not a need: a table that makes no sense counts as none. */
static void find_sections(struct elffile *f, const Elf64_Ehdr *h)
{
	Elf64_Shdr first;

	if (!h->e_shoff || h->e_shoff > f->bytes || h->e_shentsize != section_bytes(f))
		return;
	f->sections_offset = h->e_shoff;
	if (read_section(f, 0, &first)) {
		f->sections_offset = 0;
		return;
	}
	/* Where the 16-bit fields are too small the true numbers stand in section 0. */
	f->n_sections = h->e_shnum ? h->e_shnum
				   : (uint32_t)(first.sh_size > MAX_SECTIONS ? 0 : first.sh_size);
	f->names_section = h->e_shstrndx == SHN_XINDEX ? first.sh_link : h->e_shstrndx;
	if (f->n_sections > (f->bytes - h->e_shoff) / section_bytes(f))
		f->n_sections = (uint32_t)((f->bytes - h->e_shoff) / section_bytes(f));
}

int elffile_open_within(int fd, struct budget *budget, struct elffile *out)
{
	Elf64_Ehdr header = {0};
	struct stat st;
	int rc;

	*out = (struct elffile){.fd = fd, .budget = budget};
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0)
		return err(-EINVAL, "not a regular file");
	out->bytes = (uint64_t)st.st_size;
	rc = read_header(out, &header);
	out->machine = header.e_machine;
	if (!rc)
		rc = read_segments(out, &header);
	if (rc) {
		elffile_release(out);
		return rc;
	}
	find_sections(out, &header);
	out->names = mem_zalloc(1, sizeof(*out->names));
	return 0;
}

int elffile_open(int fd, struct elffile *out)
{
	return elffile_open_within(fd, NULL, out);
}

void elffile_release(struct elffile *f)
{
	if (f->names)
		free(f->names->hashes);
	free(f->names);
	f->names = NULL;
	vec_release(&f->segments);
}

bool elffile_is(int fd)
{
	struct elffile f;
	bool yes = fd >= 0 && !elffile_open(fd, &f);

	if (yes)
		elffile_release(&f);
	return yes;
}

/* --- names of sections ---------------------------------------------------------------------- */

/* Short, so that 65,536 of them take little: who forges two that are equal gains a read for each.
 */
static uint32_t hash_name(const char *name, size_t n)
{
	return (uint32_t)hash_bytes(name, strnlen(name, n));
}

/* The name of @s, at most SECTION_NAME_BYTES of it, from the first @n bytes of the names' section
 * or, beyond these, from the file. False: it has none. */
static bool name_of(const struct elffile *f, const Elf64_Shdr *names, const Elf64_Shdr *s,
		    const char *text, size_t n, char name[SECTION_NAME_BYTES])
{
	uint64_t left;

	memset(name, 0, SECTION_NAME_BYTES);
	if (s->sh_name > names->sh_size || names->sh_offset > f->bytes)
		return false;
	if (s->sh_name < n && n - s->sh_name >= SECTION_NAME_BYTES) {
		memcpy(name, text + s->sh_name, SECTION_NAME_BYTES);
		return true;
	}
	left = f->bytes - names->sh_offset;
	if (s->sh_name >= left)
		return false;
	left = left - s->sh_name < SECTION_NAME_BYTES ? left - s->sh_name : SECTION_NAME_BYTES;
	return !elffile_read(f, names->sh_offset + s->sh_name, name, left);
}

static void read_hashes(const struct elffile *f, const Elf64_Shdr *names, const char *text,
			size_t n)
{
	const size_t entry = section_bytes(f);
	_free_ char *chunk = mem_zalloc(SECTIONS_AT_ONCE, entry);
	char name[SECTION_NAME_BYTES];
	Elf64_Shdr s;

	for (uint32_t i = 0; i < f->n_sections; i++) {
		const uint32_t at = i % SECTIONS_AT_ONCE, left = f->n_sections - i;

		if (!at &&
		    elffile_read(f, f->sections_offset + i * (uint64_t)entry, chunk,
				 (left < SECTIONS_AT_ONCE ? left : SECTIONS_AT_ONCE) * entry))
			return;
		take_section(f, chunk + at * entry, &s);
		if (!budget_steps(f->budget, NAME_STEPS))
			return;
		f->names->hashes[i] =
			name_of(f, names, &s, text, n, name) ? hash_name(name, sizeof(name)) : 0;
		f->names->n = i + 1;
	}
}

/* The budget given up on the way leaves the names that were read by then. */
static void index_names(const struct elffile *f, const Elf64_Shdr *names)
{
	uint64_t n = names->sh_offset < f->bytes ? f->bytes - names->sh_offset : 0;
	_free_ char *text = NULL;

	f->names->are_read = true;
	n = n < names->sh_size ? n : names->sh_size;
	n = n < MAX_NAMES_BYTES ? n : MAX_NAMES_BYTES;
	if (!budget_memory(f->budget, f->n_sections * sizeof(*f->names->hashes)))
		return;
	f->names->hashes = mem_zalloc(f->n_sections, sizeof(*f->names->hashes));
	text = mem_zalloc(n + 1, 1);
	if (elffile_read(f, names->sh_offset, text, n))
		n = 0;
	read_hashes(f, names, text, n);
}

int elffile_section(const struct elffile *f, const char *name, Elf64_Shdr *out)
{
	const size_t want = strlen(name) + 1;
	char got[SECTION_NAME_BYTES];
	uint32_t hash = hash_name(name, want);
	Elf64_Shdr names;

	if (want > sizeof(got) || !f->n_sections || f->names_section >= f->n_sections ||
	    read_section(f, f->names_section, &names))
		return -ENOENT;
	if (!f->names->are_read)
		index_names(f, &names);
	if (!budget_steps(f->budget, f->names->n / 8))
		return -ENOENT;
	for (uint32_t i = 1; i < f->names->n; i++) {
		if (f->names->hashes[i] != hash)
			continue;
		if (read_section(f, i, out))
			return -ENOENT;
		if (name_of(f, &names, out, NULL, 0, got) && !memcmp(got, name, want))
			return 0;
	}
	return -ENOENT;
}

int elffile_open_path(int root_fd, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	_close_ int path_fd = -1;

	if (root_fd < 0)
		path_fd = open(path, O_PATH | O_CLOEXEC);
	else
		path_fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	return path_fd < 0 ? -errno : file_reopen_regular(path_fd);
}
