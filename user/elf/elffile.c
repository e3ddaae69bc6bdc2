#include "elf/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* Far above what linkers write: a dozen segments, a hundred sections. A name is looked for among
 * all sections, and an address among all segments. */
#define MAX_SEGMENTS	   512
#define MAX_SECTIONS	   (1 << 16)
#define SECTION_NAME_BYTES 32

int elffile_read(const struct elffile *f, uint64_t offset, void *buf, size_t n)
{
	if (offset > f->bytes || n > f->bytes - offset)
		return -EINVAL;
	for (size_t done = 0; done < n;) {
		ssize_t got = pread(f->fd, (char *)buf + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
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

/* An entry of a table of headers, of the form that the file's class has: the other is left as it
 * is. */
struct entry {
	void *wide, *narrow;
	size_t wide_bytes, narrow_bytes;
};

static size_t entry_bytes(const struct elffile *f, const struct entry *e)
{
	return f->is_64 ? e->wide_bytes : e->narrow_bytes;
}

static int read_entry(const struct elffile *f, uint64_t table, size_t i, const struct entry *e)
{
	return elffile_read(f, table + i * entry_bytes(f, e), f->is_64 ? e->wide : e->narrow,
			    entry_bytes(f, e));
}

static int read_segment(const struct elffile *f, uint64_t table, size_t i, Elf64_Phdr *p)
{
	Elf32_Phdr p32;
	const struct entry e = {p, &p32, sizeof(*p), sizeof(p32)};
	int rc = read_entry(f, table, i, &e);

	if (rc || f->is_64)
		return rc;
	*p = (Elf64_Phdr){.p_type = p32.p_type,
			  .p_flags = p32.p_flags,
			  .p_offset = p32.p_offset,
			  .p_vaddr = p32.p_vaddr,
			  .p_filesz = p32.p_filesz,
			  .p_memsz = p32.p_memsz,
			  .p_align = p32.p_align};
	return 0;
}

static int read_segments(struct elffile *f, const Elf64_Ehdr *h)
{
	if (!h->e_phnum)
		return 0;
	if (h->e_phnum > MAX_SEGMENTS || h->e_phoff > f->bytes ||
	    h->e_phentsize != (f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return err(-EINVAL, "ELF program headers make no sense");
	for (size_t i = 0; i < h->e_phnum; i++) {
		if (read_segment(f, h->e_phoff, i, vec_add(&f->segments)))
			return err(-EINVAL, "ELF program headers cut off");
	}
	return 0;
}

static int read_section(const struct elffile *f, uint32_t i, Elf64_Shdr *s)
{
	Elf32_Shdr s32;
	const struct entry e = {s, &s32, sizeof(*s), sizeof(s32)};
	int rc = read_entry(f, f->sections_offset, i, &e);

	if (rc || f->is_64)
		return rc;
	*s = (Elf64_Shdr){.sh_name = s32.sh_name,
			  .sh_type = s32.sh_type,
			  .sh_flags = s32.sh_flags,
			  .sh_addr = s32.sh_addr,
			  .sh_offset = s32.sh_offset,
			  .sh_size = s32.sh_size,
			  .sh_link = s32.sh_link,
			  .sh_info = s32.sh_info,
			  .sh_entsize = s32.sh_entsize};
	return 0;
}

/* Sections are a help, not a need: a table that makes no sense counts as none. */
static void find_sections(struct elffile *f, const Elf64_Ehdr *h)
{
	Elf64_Shdr first;

	if (!h->e_shoff || h->e_shoff > f->bytes ||
	    h->e_shentsize != (f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
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
}

int elffile_open(int fd, struct elffile *out)
{
	Elf64_Ehdr header = {0};
	struct stat st;
	int rc;

	*out = (struct elffile){.fd = fd};
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0)
		return err(-EINVAL, "not a regular file");
	out->bytes = (uint64_t)st.st_size;
	rc = read_header(out, &header);
	out->machine = header.e_machine;
	if (!rc)
		rc = read_segments(out, &header);
	if (rc)
		elffile_release(out);
	else
		find_sections(out, &header);
	return rc;
}

void elffile_release(struct elffile *f)
{
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

int elffile_section(const struct elffile *f, const char *name, Elf64_Shdr *out)
{
	size_t want = strlen(name) + 1;
	char got[SECTION_NAME_BYTES];
	Elf64_Shdr names;

	if (want > sizeof(got) || !f->n_sections || f->names_section >= f->n_sections ||
	    read_section(f, f->names_section, &names))
		return -ENOENT;
	for (uint32_t i = 1; i < f->n_sections; i++) {
		if (read_section(f, i, out))
			return -ENOENT;
		if (out->sh_name > names.sh_size || names.sh_offset > f->bytes)
			continue;
		if (!elffile_read(f, names.sh_offset + out->sh_name, got, want) &&
		    !memcmp(got, name, want))
			return 0;
	}
	return -ENOENT;
}

/* Opens for reading what the O_PATH descriptor @path_fd stands for, only a regular file. */
static int reopen(int path_fd)
{
	char link[32];
	struct stat st;
	int fd;

	/* A device or a pipe must not even be opened: that alone may have effects, or block. */
	if (fstat(path_fd, &st) || !S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int elffile_open_path(int root_fd, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	_close_ int path_fd = -1;

	if (root_fd < 0)
		path_fd = open(path, O_PATH | O_CLOEXEC);
	else
		path_fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	return path_fd < 0 ? -errno : reopen(path_fd);
}
