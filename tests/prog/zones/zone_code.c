// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_code WAY ROUNDS: code that is read, moved and written. WAY: read, sums up the bytes of its
 * own functions (those of a probe are others: the sum is right only while no probe is there); jit,
 * makes functions in memory which call back, frees and makes them anew; map, maps its own file
 * again and calls a function there; protect, takes away and gives back the right to execute; patch,
 * writes a jump over a function's 5-byte nop, and the nop over the jump. Status 22.
 */
#include <string.h>

#include "zone.h"

#define PAGE 4096UL

uint64_t zd_callback(uint64_t x);
uint64_t zd_nop(uint64_t x);
uint64_t zd_alone(uint64_t x);
extern const char zd_alone_end[];

FRAME uint64_t zd_callback(uint64_t x)
{
	return turns(x, 10);
}

FRAME uint64_t zd_other(uint64_t x)
{
	return x * 7;
}

/* zd_nop begins with a nop as compilers leave them for patches; zd_alone needs nothing else, and
 * may run anywhere. */
__asm__(".pushsection .text\n"
	".balign 16\n.globl zd_nop\n.type zd_nop, @function\n"
	"zd_nop: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"lea 3(%rdi), %rax\nret\n.size zd_nop, . - zd_nop\n"
	".balign 16\n.globl zd_alone\n.type zd_alone, @function\n"
	"zd_alone: push %rbx\nmov %rdi, %rbx\nlea 5(%rbx,%rbx), %rax\npop %rbx\nret\n"
	"zd_alone_end:\n.size zd_alone, . - zd_alone\n"
	".popsection\n");

FRAME uint64_t zd_read(void)
{
	const volatile uint8_t *code = (const volatile uint8_t *)(uintptr_t)zd_alone;
	uint64_t sum = 0;

	for (int i = 0; i < 10; i++)
		sum = sum * 31 + code[i];
	return sum;
}

/* push %rbx; mov %rdi, %rbx; movabs $zd_callback, %rax; call *%rax; add %rbx, %rax; pop; ret */
FRAME uint64_t zd_jit(uint64_t x)
{
	uint8_t code[] = {0x53, 0x48, 0x89, 0xfb, 0x48, 0xb8, 0,    0,	  0,	0,   0,
			  0,	0,    0,    0xff, 0xd0, 0x48, 0x01, 0xd8, 0x5b, 0xc3};
	uintptr_t target = (uintptr_t)zd_callback;
	uint8_t *page =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t (*made)(uint64_t), result;

	memcpy(code + 6, &target, sizeof(target));
	memcpy(page + x % 64, code, sizeof(code));
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	*(void **)&made = page + x % 64;
	result = made(x) + made(x + 1);
	munmap(page, PAGE);
	return result;
}

FRAME uint64_t zd_map(uint64_t x)
{
	extern const char __ehdr_start[];
	size_t offset = (const char *)(uintptr_t)zd_alone - __ehdr_start, at = offset & -PAGE;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, at);
	uint64_t (*mapped)(uint64_t), result;

	close(fd);
	*(void **)&mapped = page + (offset - at);
	result = mapped(x) + zd_alone(x);
	munmap(page, 2 * PAGE);
	return result;
}

static void *pages_of(void *code)
{
	return (void *)((uintptr_t)code & -PAGE);
}

FRAME uint64_t zd_protect(uint64_t x)
{
	/* zd_alone may lie on this function's page: libc's mprotect is called, and returns, while
	 * it can be executed. */
	mprotect(pages_of((void *)(uintptr_t)zd_alone), PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	x = zd_alone(x);
	mprotect(pages_of((void *)(uintptr_t)zd_alone), PAGE, PROT_READ | PROT_EXEC);
	return x + zd_alone(x);
}

FRAME uint64_t zd_patch(uint64_t x)
{
	static const uint8_t nop[8] = {0x0f, 0x1f, 0x44, 0, 0};
	uint8_t *code = (uint8_t *)(uintptr_t)zd_nop, jump[8] = {0xe9}, *page = pages_of(code);
	int32_t distance = (int32_t)((const uint8_t *)(uintptr_t)zd_other - (code + 5));
	uint64_t before = zd_nop(x), patched, after;

	memcpy(jump + 1, &distance, sizeof(distance));
	mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(code, jump, 5);
	patched = zd_nop(x);
	memcpy(code, nop, 5);
	mprotect(page, 2 * PAGE, PROT_READ | PROT_EXEC);
	after = zd_nop(x);
	return before + patched * 31 + after * 17;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint64_t (*run)(uint64_t);
	} ways[] = {{"jit", zd_jit}, {"map", zd_map}, {"protect", zd_protect}, {"patch", zd_patch}};
	const char *way = argc > 1 ? argv[1] : "read";

	rounds_open(argc, argv, 2, 20);
	while (rounds_next()) {
		uint64_t sum = 0;

		for (size_t w = 0; w < 4; w++)
			for (uint64_t x = 1; x <= 5 && !strcmp(way, ways[w].name); x++)
				sum = sum * 31 + ways[w].run(x);
		rounds_result(sum);
	}
	if (!strcmp(way, "read"))
		printf("code %lu\n", (unsigned long)zd_read());
	if (!strcmp(way, "jit"))
		rounds_calls("zd_callback", 10);
	if (!strcmp(way, "map"))
		rounds_calls("zd_alone", 10);
	return rounds_end(22);
}
