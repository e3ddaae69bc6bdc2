/*
 * Small ELF files with call frame information of the test's choice. Their code stands at offset
 * CODE and is loaded at CODE + BIAS; the frames stand behind it.
 */
#ifndef CFI_SAMPLE_H
#define CFI_SAMPLE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"

#define CODE	   0x1000
#define CODE_BYTES 0x30000
#define FRAMES	   (CODE + CODE_BYTES)
#define BIAS	   0x10000

#define PCREL_SDATA4 0x1b

struct sample {
	VEC(uint8_t) frames;
	const char *section; /* NULL: none, only a program header */
	uint64_t flags;	     /* of the section */
	uint64_t entry;	     /* address */
	uint16_t machine;    /* 0: x86-64 */
	uint8_t code[64];    /* at the end of the code */
};

/* Bytes as a string literal, with their number. */
#define BYTES(literal) literal, sizeof(literal) - 1

static inline void sample_put(struct sample *s, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(&s->frames, ((const uint8_t *)bytes)[i]);
}

static inline void sample_put32(struct sample *s, uint64_t value)
{
	uint32_t number = (uint32_t)value;

	sample_put(s, &number, sizeof(number));
}

/* Starts an entry; sample_end() writes its length. No padding: that might become operands. */
static inline size_t sample_begin(struct sample *s, uint32_t id)
{
	size_t at = s->frames.n;

	sample_put32(s, 0);
	sample_put32(s, id);
	return at;
}

static inline void sample_end(struct sample *s, size_t at)
{
	uint32_t bytes;

	bytes = (uint32_t)(s->frames.n - at - 4);
	memcpy(s->frames.at + at, &bytes, sizeof(bytes));
}

/* A CIE of .eh_frame: version 1, code by 1, data by -8, @head: augmentation with its NUL,
 * @data: augmentation data with its length. CFA rsp + 8, return address below it. */
static inline size_t sample_cie_of(struct sample *s, const char *head, size_t n_head,
				   const char *data, size_t n_data)
{
	size_t at = sample_begin(s, 0);

	sample_put(s, BYTES("\1"));
	sample_put(s, head, n_head);
	sample_put(s, BYTES("\x01\x78\x10"));
	sample_put(s, data, n_data);
	sample_put(s, BYTES("\x0c\x07\x08\x90\x01"));
	sample_end(s, at);
	return at;
}

static inline size_t sample_cie(struct sample *s)
{
	return sample_cie_of(s, "zR", 3, BYTES("\x01\x1b"));
}

/* An FDE of .eh_frame for [@start, @start + @bytes) from the start of the code. */
static inline size_t sample_fde(struct sample *s, size_t cie, uint64_t start, uint64_t bytes,
				const char *program, size_t n)
{
	size_t at = sample_begin(s, (uint32_t)(s->frames.n + 4 - cie));

	sample_put32(s, CODE + start - FRAMES - s->frames.n);
	sample_put32(s, bytes);
	sample_put(s, BYTES("\0"));
	sample_put(s, program, n);
	sample_end(s, at);
	return at;
}

static inline void sample_write(int fd, uint64_t offset, const void *bytes, size_t n)
{
	if (pwrite(fd, bytes, n, (off_t)offset) != (ssize_t)n)
		abort();
}

static inline void sample_sections(const struct sample *s, int fd, uint64_t at)
{
	char names[] = "\0.shstrtab\0.eh_frame\0.debug_frame";
	Elf64_Shdr h[3] = {0};

	h[1] = (Elf64_Shdr){.sh_name = 1,
			    .sh_type = SHT_STRTAB,
			    .sh_offset = at + sizeof(h),
			    .sh_size = sizeof(names)};
	h[2] = (Elf64_Shdr){.sh_name = strcmp(s->section, ".eh_frame") ? 21 : 11,
			    .sh_type = SHT_PROGBITS,
			    .sh_flags = s->flags,
			    .sh_addr = FRAMES + BIAS,
			    .sh_offset = FRAMES,
			    .sh_size = s->frames.n};
	sample_write(fd, at, h, sizeof(h));
	sample_write(fd, at + sizeof(h), names, sizeof(names));
}

/* The file, open for reading and writing. The sample is released. */
static inline int sample_file(struct sample *s)
{
	uint64_t hdr_at = FRAMES + s->frames.n, sections_at = hdr_at + 64;
	int32_t to_frames = FRAMES - (int32_t)hdr_at - 4;
	uint8_t hdr[12] = {1, PCREL_SDATA4, 0xff, 0xff};
	Elf64_Phdr segments[] = {
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_X,
		 .p_offset = CODE,
		 .p_vaddr = CODE + BIAS,
		 .p_filesz = CODE_BYTES},
		{.p_type = PT_LOAD,
		 .p_flags = PF_R,
		 .p_offset = FRAMES,
		 .p_vaddr = FRAMES + BIAS,
		 .p_filesz = s->frames.n + 64},
		{.p_type = PT_GNU_EH_FRAME,
		 .p_flags = PF_R,
		 .p_offset = hdr_at,
		 .p_vaddr = hdr_at + BIAS,
		 .p_filesz = sizeof(hdr)},
	};
	Elf64_Ehdr h = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = s->machine ? s->machine : EM_X86_64,
		.e_entry = s->entry,
		.e_phoff = sizeof(h),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = s->section ? 2 : 3,
	};
	int fd = memfd_create("sample", MFD_CLOEXEC);

	memcpy(hdr + 4, &to_frames, sizeof(to_frames));
	if (s->section) {
		h.e_shoff = sections_at;
		h.e_shentsize = sizeof(Elf64_Shdr);
		h.e_shnum = 3;
		h.e_shstrndx = 1;
		sample_sections(s, fd, sections_at);
	}
	sample_write(fd, 0, &h, sizeof(h));
	sample_write(fd, sizeof(h), segments, h.e_phnum * sizeof(*segments));
	sample_write(fd, FRAMES - sizeof(s->code), s->code, sizeof(s->code));
	sample_write(fd, FRAMES, s->frames.at, s->frames.n);
	sample_write(fd, hdr_at, hdr, sizeof(hdr));
	sample_write(fd, sections_at - 1, "", 1);
	vec_release(&s->frames);
	return fd;
}

#endif
