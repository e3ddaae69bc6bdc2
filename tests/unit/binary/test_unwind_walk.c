/* The walker finds the frames that libgcc finds, up to the first one of the thread. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "cfi/cfi.h"
#include "table_sample.h"

#define MAX_DEPTH   64
#define STACK_BYTES (256 * 1024)

/* Registers, stack and frames as they were in the depth of a chain of calls. */
struct recording {
	uint64_t registers[17];
	uint64_t stack_start;
	size_t n_stack;
	uint8_t stack[STACK_BYTES];
	void *frames[MAX_DEPTH]; /* by libgcc */
	int n_frames;
	uint64_t marks[4]; /* return addresses of the chain's functions, innermost first */
	size_t n_marks;
	bool has_signal, has_other; /* frames of a handler; such as tables have no room for */
};

static struct recording *recording;

/* A function as distributions build them. */
#define LEAN __attribute__((noinline, noclone, optimize("omit-frame-pointer")))

#define MARK() (recording->marks[recording->n_marks++] = (uintptr_t)__builtin_return_address(0))

/* The end of the mapping that holds @address. */
static uint64_t mapping_end(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end, found = 0;
	char line[PATH_MAX];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && address >= start && address < end)
			found = end;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* Word by word: the sanitizer knows better than to let the whole stack be read. */
__attribute__((no_sanitize_address)) static void copy_stack(struct recording *r)
{
	uint64_t end = mapping_end(r->stack_start);

	r->n_stack = end - r->stack_start < STACK_BYTES ? end - r->stack_start : STACK_BYTES;
	for (size_t i = 0; i + 8 <= r->n_stack; i += 8)
		*(volatile uint64_t *)(r->stack + i) =
			*(const volatile uint64_t *)(r->stack_start + i);
}

static LEAN void record(void)
{
	static const int numbers[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	ucontext_t context;

	MARK();
	getcontext(&context);
	for (size_t i = 0; i < 17; i++)
		recording->registers[i] = (uint64_t)context.uc_mcontext.gregs[numbers[i]];
	recording->stack_start = recording->registers[CFI_RSP];
	copy_stack(recording);
	recording->n_frames = backtrace(recording->frames, MAX_DEPTH);
}

static LEAN int order(const void *a, const void *b)
{
	if (!recording->n_frames) {
		record();
		MARK();
	}
	return *(const int *)a - *(const int *)b;
}

/* Its frame has a size that is known only at run time, and is aligned by hand. */
static LEAN int sort(size_t n)
{
	__attribute__((aligned(64))) volatile int aligned[16] = {0};
	int numbers[n];

	for (size_t i = 0; i < n; i++)
		numbers[i] = (int)(n - i);
	qsort(numbers, n, sizeof(int), order);
	MARK();
	return numbers[0] + aligned[n % 16];
}

static LEAN void *call_sort(void *n)
{
	int first = sort((size_t)(uintptr_t)n);

	MARK();
	return (void *)(intptr_t)first;
}

static void on_signal(int number)
{
	(void)number;
	call_sort((void *)5);
}

/*
 * Calls f(x) with a frame that is found by a register that the walker's tables do not follow: by
 * rbx, and by what stands at rsp + 8 + 8 * r12.
 */
void *call_by_rbx(void *(*f)(void *), void *x);
void *call_by_expression(void *(*f)(void *), void *x);
__asm__(".text\n"
	".type call_by_rbx, @function\n"
	"call_by_rbx:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbx, -16\n"
	"	mov %rsp, %rbx\n"
	"	.cfi_def_cfa_register rbx\n"
	"	sub $40, %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	mov %rbx, %rsp\n"
	"	.cfi_def_cfa_register rsp\n"
	"	pop %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size call_by_rbx, . - call_by_rbx\n"
	".type call_by_expression, @function\n"
	"call_by_expression:\n"
	"	.cfi_startproc\n"
	"	push %r12\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset r12, -16\n"
	"	mov $3, %r12d\n"
	"	mov %rsp, %rax\n"
	"	.cfi_def_cfa_register rax\n"
	"	sub $80, %rsp\n"
	"	mov %rax, 8(%rsp, %r12, 8)\n"
	"	.cfi_escape 0x0f, 10, 0x77, 8, 0x7c, 0, 0x33, 0x24, 0x22, 0x06, 0x23, 16\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	mov 8(%rsp, %r12, 8), %rsp\n"
	"	.cfi_def_cfa rsp, 16\n"
	"	pop %r12\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size call_by_expression, . - call_by_expression\n");

struct mappings;

/* What a walk is given: the memory and the code of this process. */
struct walk_context {
	const struct recording *recording;
	const struct mappings *mappings;
	size_t n_frames; /* that tables could not tell, and those that led to them */
};

static bool read_recorded(void *context, uint64_t address, uint64_t *out)
{
	const struct recording *r = ((const struct walk_context *)context)->recording;

	if (address < r->stack_start || address - r->stack_start > r->n_stack - 8)
		return false;
	memcpy(out, r->stack + (address - r->stack_start), 8);
	return true;
}

/* A mapping of code, as /proc/PID/maps has it. */
struct native_mapping {
	uint64_t start, end;	  /* addresses */
	uint64_t pgoff;		  /* of start, in the file */
	struct table_blob *table; /* owned */
	struct elffile *file;	  /* owned, with its descriptor */
	struct table_maker *maker;
};

/* The executable mappings of this process with their tables. */
struct mappings {
	VEC(struct native_mapping) at;
};

static void add_mapping(struct mappings *m, const char *line)
{
	struct native_mapping mapping = {0};
	char path[PATH_MAX];
	int fd;

	if (sscanf(line, "%lx-%lx %*2cx%*c %lx %*s %*s /%4000s", &mapping.start, &mapping.end,
		   &mapping.pgoff, path + 1) != 4)
		return;
	path[0] = '/';
	mapping.table = mem_zalloc(1, sizeof(*mapping.table));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(build(fd, mapping.table), 0);
	assert_true(is_sound(mapping.table));
	mapping.file = mem_zalloc(1, sizeof(*mapping.file));
	assert_int_equal(elffile_open(fd, mapping.file), 0);
	assert_int_equal(table_maker_new(mapping.file, &mapping.maker), 0);
	vec_push(&m->at, mapping);
}

static void read_mappings(struct mappings *m)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[PATH_MAX];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		add_mapping(m, line);
	fclose(maps);
}

static void release_mappings(struct mappings *m)
{
	for (size_t i = 0; i < m->at.n; i++) {
		table_blob_release(m->at.at[i].table);
		free(m->at.at[i].table);
		table_maker_free(m->at.at[i].maker);
		close(m->at.at[i].file->fd);
		elffile_release(m->at.at[i].file);
		free(m->at.at[i].file);
	}
	vec_release(&m->at);
}

static const struct native_mapping *find_mapping(const struct walk_context *w, uint64_t address,
						 uint64_t *offset)
{
	for (size_t i = 0; i < w->mappings->at.n; i++) {
		const struct native_mapping *m = &w->mappings->at.at[i];

		if (address < m->start || address >= m->end)
			continue;
		*offset = address - m->start + m->pgoff;
		return m;
	}
	return NULL;
}

static bool find_code(void *context, uint64_t address, struct native_code *out)
{
	const struct native_mapping *m = find_mapping(context, address, &out->offset);

	out->table = m ? m->table : NULL;
	return m;
}

static bool find_frame(void *context, uint64_t address, struct cfi_frame *out)
{
	struct walk_context *w = context;
	uint64_t offset;
	const struct native_mapping *m = find_mapping(w, address, &offset);

	w->n_frames++;
	return m && table_frame(m->maker, offset, out);
}

/* The recorded stack, walked by table, has libgcc's frames, up to the thread's first. */
static void check_walk(struct recording *r)
{
	struct mappings m = {0};
	struct walk_context context = {.recording = r, .mappings = &m};
	struct native_walk walk = {.registers = r->registers,
				   .find = find_code,
				   .read = read_recorded,
				   .frame = find_frame,
				   .context = &context};
	uint64_t frames[MAX_DEPTH];
	struct native_end end;
	size_t mark = 0, n_exact = 0, skip;
	uint64_t frame;

	assert_int_equal(r->n_marks, 4);
	read_mappings(&m);
	end = native_walk(&walk, frames, MAX_DEPTH);
	assert_int_equal(end.end, STEP_ROOT);
	assert_int_equal(end.n_guessed, 0);
	/* The sanitizer's own backtrace() is a frame more. */
	skip = (size_t)r->n_frames - end.n;
	assert_in_range(skip, 0, 1);
	/* The first frame is that of record() itself, at another place in it. */
	for (size_t i = 1; i < end.n; i++) {
		frame = frames[i] & ~WIRE_EXACT;
		assert_int_equal(frame, (uintptr_t)r->frames[i + skip]);
		mark += mark < 4 && frame == r->marks[mark];
		n_exact += frames[i] != frame;
	}
	assert_int_equal(mark, 4);
	/* A signal's return stub, and what it interrupted. */
	assert_int_equal(n_exact, r->has_signal ? 2 : 0);
	assert_int_equal(context.n_frames > 0, r->has_other);
	release_mappings(&m);
}

static int begin_recording(void **state)
{
	(void)state;
	recording = mem_zalloc(1, sizeof(*recording));
	return 0;
}

static int end_recording(void **state)
{
	(void)state;
	free(recording);
	recording = NULL;
	return 0;
}

static void walks_to_start(void **state)
{
	(void)state;
	call_sort((void *)5);
	check_walk(recording);
}

static void walks_to_the_thread(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, call_sort, (void *)9), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	check_walk(recording);
}

static void walks_through_a_signal(void **state)
{
	struct sigaction action = {.sa_handler = on_signal}, old;

	(void)state;
	sigaction(SIGUSR1, &action, &old);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old, NULL);
	recording->has_signal = true;
	check_walk(recording);
}

static void *call_twice(void *x)
{
	void *out = call_by_expression(call_sort, x);

	return (void *)((intptr_t)out + 1);
}

static void walks_by_any_register(void **state)
{
	(void)state;
	call_by_rbx(call_twice, (void *)7);
	recording->has_other = true;
	check_walk(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(walks_to_start, begin_recording, end_recording),
		cmocka_unit_test_setup_teardown(walks_to_the_thread, begin_recording,
						end_recording),
		cmocka_unit_test_setup_teardown(walks_through_a_signal, begin_recording,
						end_recording),
		cmocka_unit_test_setup_teardown(walks_by_any_register, begin_recording,
						end_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
