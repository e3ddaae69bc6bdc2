/* hostile KIND: what any local user may run beside a capture, without an end. KIND is a storm of
 * what the kernel reports (forks, execs, maps, comms, threads), or files that cost more to read
 * than to make, in whose code it spins: sections (65,535 of them, an image each), overlap (512
 * segments over the same bytes), fresh (the same, a new file every 10 ms), news (a new file each
 * time, of one segment, at a new address; old ones are unmapped), jit (code that is
 * rewritten, with a perf map that is a FIFO), files (mappings of as many files as the kernel
 * allows), stopped (one that has stopped itself). */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	    4096u
#define CODE_AT	    65536u
#define FILL_AT	    131072u
#define FILL_BYTES  (64u << 20)
#define MANY_IMAGES 100
#define MANY_FILES  60000
#define CHILDREN    8
#define KEPT	    64

extern char **environ;

static void rest(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* --- storms --------------------------------------------------------------------------------- */

static void forks(void)
{
	for (long n = 0;; n++) {
		if (fork() == 0)
			_exit(0);
		while (waitpid(-1, NULL, n < CHILDREN ? WNOHANG : 0) > 0)
			n--;
	}
}

static void execs(void)
{
	execl("/proc/self/exe", "hostile", "execs", NULL);
}

static void maps(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (uintptr_t at = 1ull << 40;; at = at > 1ull << 41 ? 1ull << 40 : at + 16 * PAGE) {
		void *p = mmap((void *)at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			       0);

		if (p != MAP_FAILED)
			munmap(p, PAGE);
	}
}

static void comms(void)
{
	char name[16];

	for (unsigned i = 0;; i++) {
		snprintf(name, sizeof(name), "\033[2J%c%u;\n", (char)i, i);
		prctl(PR_SET_NAME, name);
	}
}

static void *nothing(void *p)
{
	return p;
}

static void threads(void)
{
	for (;;) {
		pthread_t at[CHILDREN];
		int n = 0;

		while (n < CHILDREN && !pthread_create(&at[n], NULL, nothing, NULL))
			n++;
		while (n > 0)
			pthread_join(at[--n], NULL);
	}
}

/* --- files ---------------------------------------------------------------------------------- */

/* mov $400000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const unsigned char spin[] = {0xb9, 0x80, 0x1a, 0x06, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3};

static Elf64_Ehdr header_of(uint16_t n_segments)
{
	return (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
					EV_CURRENT},
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = n_segments,
			    .e_shentsize = sizeof(Elf64_Shdr)};
}

static void put(int fd, const void *bytes, size_t n, off_t at)
{
	if (pwrite(fd, bytes, n, at) != (ssize_t)n)
		exit(1);
}

static Elf64_Phdr code_segment(void)
{
	return (Elf64_Phdr){.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_vaddr = PAGE,
			    .p_filesz = FILL_AT,
			    .p_memsz = FILL_AT,
			    .p_align = PAGE};
}

/* Segments of 64 MiB each that all show the same zeroes, of which the file holds none. */
static int overlap_file(void)
{
	int fd = memfd_create("overlap", 0);
	Elf64_Ehdr h = header_of(512);
	Elf64_Phdr p = {.p_type = PT_LOAD, .p_flags = PF_R, .p_offset = FILL_AT, .p_align = PAGE};

	put(fd, &h, sizeof(h), 0);
	p.p_filesz = p.p_memsz = FILL_BYTES;
	for (unsigned i = 0; i < 511; i++) {
		p.p_vaddr = 0x10000000ull + (uint64_t)i * FILL_BYTES;
		put(fd, &p, sizeof(p), (off_t)(sizeof(h) + i * sizeof(p)));
	}
	p = code_segment();
	put(fd, &p, sizeof(p), (off_t)(sizeof(h) + 511 * sizeof(p)));
	put(fd, spin, sizeof(spin), CODE_AT);
	if (ftruncate(fd, FILL_AT + FILL_BYTES))
		exit(1);
	return fd;
}

/* Sections without a name that is looked for, so that each search reads all of them. */
static int sections_file(void)
{
	const unsigned n = 65535;
	int fd = memfd_create("sections", 0);
	Elf64_Ehdr h = header_of(1);
	Elf64_Phdr p = code_segment();
	Elf64_Shdr *s = calloc(n, sizeof(*s));

	h.e_shoff = FILL_AT;
	h.e_shnum = (uint16_t)n;
	h.e_shstrndx = 1;
	for (unsigned i = 1; i < n; i++)
		s[i] = (Elf64_Shdr){.sh_name = i % 64,
				    .sh_type = i == 1 ? SHT_STRTAB : SHT_SYMTAB,
				    .sh_offset = FILL_AT,
				    .sh_size = (uint64_t)n * sizeof(*s),
				    .sh_link = 1,
				    .sh_entsize = sizeof(Elf64_Sym)};
	put(fd, &h, sizeof(h), 0);
	put(fd, &p, sizeof(p), sizeof(h));
	put(fd, spin, sizeof(spin), CODE_AT);
	put(fd, s, n * sizeof(*s), FILL_AT);
	free(s);
	return fd;
}

typedef void code(void);

static code *map_code(int fd)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, CODE_AT);
	code *fn;

	if (at == MAP_FAILED)
		exit(1);
	memcpy(&fn, &at, sizeof(fn));
	return fn;
}

static void spin_in(int (*make)(void), unsigned n)
{
	static code *at[MANY_IMAGES];

	for (unsigned i = 0; i < n; i++) {
		int fd = make();

		at[i] = map_code(fd);
		close(fd);
	}
	for (unsigned i = 0;; i++)
		at[i % n]();
}

static void sections(void)
{
	spin_in(sections_file, MANY_IMAGES);
}

static void overlap(void)
{
	spin_in(overlap_file, 1);
}

static void fresh(void)
{
	for (;;) {
		int fd = overlap_file();
		code *fn = map_code(fd);

		for (int i = 0; i < 50; i++)
			fn();
		munmap((void *)(uintptr_t)fn, PAGE);
		close(fd);
	}
}

static int small_file(void)
{
	int fd = memfd_create("news", 0);
	const Elf64_Ehdr h = header_of(1);
	const Elf64_Phdr p = code_segment();

	put(fd, &h, sizeof(h), 0);
	put(fd, &p, sizeof(p), sizeof(h));
	put(fd, spin, sizeof(spin), CODE_AT);
	return fd;
}

static void news(void)
{
	const uintptr_t start = 1ull << 40;

	for (uintptr_t n = 0;; n++) {
		void *at = (void *)(start + n * 16 * PAGE);
		int fd = small_file();

		at = mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, CODE_AT);
		close(fd);
		if (at == MAP_FAILED)
			return;
		for (int i = 0; i < 10; i++)
			((code *)at)();
		if (n >= KEPT)
			munmap((void *)(start + (n - KEPT) * 16 * PAGE), PAGE);
	}
}

static void jit(void)
{
	unsigned char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char map[64];
	code *fn;

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	mkfifo(map, 0666);
	for (unsigned i = 0; at != MAP_FAILED; i++) {
		unsigned char *to = at + i % (PAGE - sizeof(spin));

		memcpy(to, spin, sizeof(spin));
		memcpy(&fn, &to, sizeof(fn));
		fn();
	}
}

static void files(void)
{
	for (unsigned i = 0; i < MANY_FILES; i++) {
		int fd = memfd_create("files", 0);

		if (ftruncate(fd, PAGE) ||
		    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			exit(1);
		close(fd);
	}
	prctl(PR_SET_NAME, "mapped");
	for (;;)
		;
}

static void stopped(void)
{
	for (;;)
		raise(SIGSTOP);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {{"forks", forks},	   {"execs", execs},	 {"maps", maps},
	     {"comms", comms},	   {"threads", threads}, {"sections", sections},
	     {"overlap", overlap}, {"fresh", fresh},	 {"news", news},
	     {"jit", jit},	   {"files", files},	 {"stopped", stopped}};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(argv[1], kinds[i].name)) {
			rest(1);
			kinds[i].run();
		}
	}
	return 2;
}
