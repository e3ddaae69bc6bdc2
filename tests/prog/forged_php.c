// cflags: -rdynamic -fno-inline
/* Looks like PHP 8.2, whose frames lead in a circle ("circle"), to memory that is not there
 * ("gone"), or to texts without end ("texts"). Works for a second of CPU time and prints "same" if
 * nobody wrote to what looks like PHP's; or with another argument prints "ready", and sleeps. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct frame {
	const void *instruction, *call, *value, *function, *this_value;
	uint64_t flags;
	const struct frame *previous;
};

/* As far as it is looked at. */
struct function {
	uint8_t type, pad[7];
	const void *name, *class;
	uint64_t rest[16];
	const void *file;
	uint32_t first, last;
};

struct text {
	uint64_t count, hash, length;
	char bytes[64];
};

const char version[] = "X-Powered-By: PHP/8.2.0";

struct {
	uint64_t before[61];
	const struct frame *current;
	uint64_t after[100];
} executor_globals;

static struct text name = {.hash = 1, .length = 4, .bytes = "name"};
static struct text file = {.hash = 2, .length = 4, .bytes = "file"};
static struct function function = {.type = 2, .name = &name, .file = &file, .last = 9};
static uint32_t instruction[8] = {[6] = 5};
static struct frame frames[2] = {
	{.instruction = instruction, .function = &function, .previous = &frames[1]},
	{.instruction = instruction, .function = &function, .flags = 1 << 17},
};

volatile uint64_t sink;
static volatile int sleeps;

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void execute_ex(void)
{
	while (sleeps)
		pause();
	while (cpu_ms() < 1000)
		for (int i = 0; i < 100000; i++)
			sink += (uint64_t)i;
	sink++;
}

int main(int argc, char **argv)
{
	struct frame copy[2];

	if (argc < 2)
		return 2;
	executor_globals.current = frames;
	frames[1].previous = !strcmp(argv[1], "circle") ? frames : NULL;
	if (!strcmp(argv[1], "gone"))
		frames[0].previous = (const struct frame *)0x7fff00000000;
	if (!strcmp(argv[1], "texts"))
		name.length = UINT64_MAX;
	memcpy(copy, frames, sizeof(copy));
	sleeps = argc > 2;
	if (sleeps)
		puts("ready");
	fflush(stdout);
	execute_ex();
	puts(memcmp(copy, frames, sizeof(copy)) ? "changed" : "same");
	return version[0] != 'X';
}
