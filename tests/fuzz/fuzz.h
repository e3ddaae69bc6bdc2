/*
 * fuzz: what the fuzzers share: each defines FUZZ_RUN, which reads the bytes of one run, and what a
 * run may cost is asserted here, as the parsers promise it: CPU time and memory that are linear in
 * the input. Also files of the bytes.
 *
 * Included by each fuzz_x.c alone, after its own headers. libFuzzer calls LLVMFuzzerTestOneInput(),
 * and so does replay.c, with the files of the corpus.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Under sanitizers, which make all of it several times slower; a run takes some 0.1 ms. */
#ifndef FUZZ_MS
#define FUZZ_MS 300
#endif
#define FUZZ_MS_PER_KIB 6
#ifndef FUZZ_MIB
#define FUZZ_MIB 16
#endif
#define FUZZ_BYTES_PER_BYTE 400

static void FUZZ_RUN(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Of sanitizer/allocator_interface.h, which gcc does not bring. */
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
					      void (*)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *);

static size_t fuzz_held, fuzz_peak;

static void fuzz_on_malloc(const volatile void *at, size_t n)
{
	(void)at;
	fuzz_held += n;
	fuzz_peak = fuzz_held > fuzz_peak ? fuzz_held : fuzz_peak;
}

static void fuzz_on_free(const volatile void *at)
{
	const size_t n = at ? __sanitizer_get_allocated_size(at) : 0;

	fuzz_held -= n < fuzz_held ? n : fuzz_held;
}

static inline void expect(bool right)
{
	if (!right)
		abort();
}

static double fuzz_cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double fuzz_run_ms(const uint8_t *bytes, size_t n)
{
	const double start = fuzz_cpu_ms();

	FUZZ_RUN(bytes, n);
	return fuzz_cpu_ms() - start;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const double most_ms = FUZZ_MS + FUZZ_MS_PER_KIB * (double)n / 1024;
	static bool counts;
	double ms;

	if (!counts)
		__sanitizer_install_malloc_and_free_hooks(fuzz_on_malloc, fuzz_on_free);
	counts = true;
	fuzz_held = fuzz_peak = 0;
	ms = fuzz_run_ms(bytes, n);
	/* Once may be the machine's doing. */
	for (int again = 0; again < 2 && ms > most_ms; again++)
		ms = fuzz_run_ms(bytes, n);
	if (ms > most_ms || fuzz_peak > ((size_t)FUZZ_MIB << 20) + FUZZ_BYTES_PER_BYTE * n) {
		fprintf(stderr, "fuzz: %zu bytes took %.0f ms and %zu KiB\n", n, ms,
			fuzz_peak >> 10);
		abort();
	}
	return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

/* A file in memory with these bytes, to be closed. */
static inline int fuzz_file(const void *bytes, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	expect(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	return fd;
}

/* An ELF file of two segments at FUZZ_BIAS: code at FUZZ_TEXT, and one section behind it. */
#define FUZZ_BIAS	0x400000
#define FUZZ_TEXT	0x1000
#define FUZZ_TEXT_BYTES 0x400
#define FUZZ_SECTION	0x2000

struct fuzz_elf {
	const char *section; /* its name; "": none */
	uint32_t type;	     /* of the section */
	const uint8_t *bytes;
	size_t n;
	const uint8_t *text; /* NULL: NOPs */
	size_t text_bytes;   /* the rest are NOPs */
};

static inline int fuzz_elf(const struct fuzz_elf *e)
{
	const char names[] = "\0.text\0.shstrtab\0";
	const size_t at_names = FUZZ_SECTION + (e->n + 15) / 16 * 16;
	const size_t at_headers = at_names + 64, all = at_headers + 4 * sizeof(Elf64_Shdr);
	uint8_t *file = calloc(1, all);
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_entry = FUZZ_BIAS + FUZZ_TEXT,
			   .e_phoff = sizeof(head),
			   .e_shoff = at_headers,
			   .e_ehsize = sizeof(head),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 4,
			   .e_shstrndx = 2};
	Elf64_Phdr load[2] = {{.p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_offset = FUZZ_TEXT,
			       .p_vaddr = FUZZ_BIAS + FUZZ_TEXT,
			       .p_filesz = FUZZ_TEXT_BYTES,
			       .p_memsz = FUZZ_TEXT_BYTES},
			      {.p_type = PT_LOAD,
			       .p_flags = PF_R,
			       .p_offset = FUZZ_SECTION,
			       .p_vaddr = FUZZ_BIAS + FUZZ_SECTION,
			       .p_filesz = at_names - FUZZ_SECTION,
			       .p_memsz = at_names - FUZZ_SECTION}};
	Elf64_Shdr sections[4] = {
		[1] = {.sh_name = 1,
		       .sh_type = SHT_PROGBITS,
		       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		       .sh_addr = FUZZ_BIAS + FUZZ_TEXT,
		       .sh_offset = FUZZ_TEXT,
		       .sh_size = FUZZ_TEXT_BYTES},
		[2] = {.sh_name = 7, .sh_type = SHT_STRTAB, .sh_offset = at_names, .sh_size = 64},
		[3] = {.sh_name = sizeof(names) - 1,
		       .sh_type = e->type,
		       .sh_flags = SHF_ALLOC,
		       .sh_addr = FUZZ_BIAS + FUZZ_SECTION,
		       .sh_offset = FUZZ_SECTION,
		       .sh_size = e->n}};
	int fd;

	expect(file);
	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head), load, sizeof(load));
	memset(file + FUZZ_TEXT, 0x90, FUZZ_TEXT_BYTES);
	if (e->text)
		memcpy(file + FUZZ_TEXT, e->text,
		       e->text_bytes < FUZZ_TEXT_BYTES ? e->text_bytes : FUZZ_TEXT_BYTES);
	if (e->n)
		memcpy(file + FUZZ_SECTION, e->bytes, e->n);
	memcpy(file + at_names, names, sizeof(names));
	strcpy((char *)file + at_names + sizeof(names) - 1, e->section);
	memcpy(file + at_headers, sections, sizeof(sections));
	fd = fuzz_file(file, all);
	free(file);
	return fd;
}

#endif
