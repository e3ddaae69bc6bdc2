/* Sites of functions written by hand, with the answers that the manual of the processor and the
 * kernel's source give. Each function stands between the labels code_NAME and code_NAME_end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/site.h"

#define CODE(name, text)                                                              \
	__asm__(".pushsection .rodata\n.globl code_" #name "\ncode_" #name ":\n" text \
		"\n.globl code_" #name "_end\ncode_" #name "_end:\n.popsection\n");   \
	extern const uint8_t code_##name[], code_##name##_end[];

/* Where the code is said to be: its page offset matters for nops of five bytes. */
#define AT     0x401000
#define OFFSET 0x1000

static const struct site_kernel old = {0};
static const struct site_kernel new = {.long_nops = true};
static const struct site_kernel daring = {.long_nops = true, .nop5 = true};

static void find_at(const struct site_kernel *kernel, uint64_t address, const uint8_t *bytes,
		    const uint8_t *end, struct sites *out)
{
	const struct site_world world = {.kernel = *kernel};
	const struct code code = {.bytes = bytes,
				  .n = (size_t)(end - bytes),
				  .address = address,
				  .offset = address - AT + OFFSET};

	sites_find(&world, &code, out);
}

#define FIND(kernel, name, out) find_at(&(kernel), AT, code_##name, code_##name##_end, out)

static void expect_entry(struct sites *s, uint64_t distance, enum site_class class)
{
	assert_null(s->why);
	assert_int_equal(s->entry.address, AT + distance);
	assert_int_equal(s->entry.offset, OFFSET + distance);
	assert_int_equal(s->entry.class, class);
	assert_int_equal(s->entry.condition, SITE_ALWAYS);
	sites_release(s);
}

static void expect_exits(struct sites *s, size_t n, const uint64_t *distances)
{
	assert_null(s->why);
	assert_true(s->exits_known);
	assert_null(s->exits_why);
	assert_int_equal(s->exits.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s->exits.at[i].address, AT + distances[i]);
		assert_int_equal(s->exits.at[i].offset, OFFSET + distances[i]);
	}
	sites_release(s);
}

static void expect_refusal(struct sites *s, const char *words)
{
	assert_non_null(s->why);
	assert_non_null(strstr(s->why, words));
	sites_release(s);
}

/* --- entry ---------------------------------------------------------------------------------- */

CODE(push, "push %rbx\n pop %rbx\n ret")
CODE(endbr, "endbr64\n push %r12\n pop %r12\n ret")
CODE(rexpush, ".byte 0x48\n push %rbx\n pop %rbx\n ret")
CODE(free_of_glibc, "test %rdi,%rdi\n je 1f\n push %rbx\n pop %rbx\n1: ret")
CODE(mov, "mov $42,%eax\n ret")
CODE(sub, "sub $24,%rsp\n push %rbx\n pop %rbx\n add $24,%rsp\n ret")
CODE(frame_by_mov, "mov %rsp,%rax\n push %rbx\n pop %rbx\n ret")

static void takes_the_cheapest_before_the_stack_moves(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, push, &s);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(new, endbr, &s);
	expect_entry(&s, 4, SITE_EMULATED);
	FIND(new, rexpush, &s); /* a form that the kernel does not emulate */
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, free_of_glibc, &s);
	expect_entry(&s, 3, SITE_EMULATED);
	FIND(new, mov, &s);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, sub, &s);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, frame_by_mov, &s); /* reads rsp, does not move it */
	expect_entry(&s, 3, SITE_EMULATED);
}

CODE(behind_jcc, "test %rdi,%rdi\n mov %rdi,%rax\n cmp $3,%rdi\n jne 1f\n nop\n1: ret")
CODE(call_first, "call other\n other: ret")
CODE(thunk, "jmp .+0x1000")
CODE(syscall_first, "mov $39,%eax\n syscall\n cmp $-4095,%rax\n jae 1f\n ret\n1: ret")
CODE(repeats, "rep stosb\n nop\n ret")

static void stays_on_the_way_of_every_call(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, behind_jcc, &s); /* the branch, not the nop behind it */
	expect_entry(&s, 10, SITE_EMULATED);
	FIND(new, call_first, &s);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(new, thunk, &s);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(new, syscall_first, &s); /* its time is the call's */
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, repeats, &s); /* would be hit at each turn */
	expect_refusal(&s, "no probe on its first");
}

CODE(loop_inside, "xor %eax,%eax\n1: add %rdi,%rax\n dec %rdi\n nop\n jne 1b\n ret")
CODE(loop_to_entry, "1: pause\n cmpl $0,(%rdi)\n jne 1b\n ret")
CODE(push_and_loop, "1: push %rbx\n test %edi,%edi\n je 2f\n pop %rbx\n jmp 1b\n2: pop %rbx\n ret")
CODE(sub_and_loop, "1: sub $24,%rsp\n test %edi,%edi\n je 2f\n add $24,%rsp\n jmp 1b\n"
		   "2: add $24,%rsp\n ret")
CODE(pop_and_loop, "1: pop %rax\n test %edi,%edi\n je 2f\n push %rax\n jmp 1b\n2: jmp *%rax")
CODE(go_start, "1: cmp 0x10(%r14),%rsp\n jbe 2f\n sub $24,%rsp\n add $24,%rsp\n ret\n"
	       "2: mov %rax,8(%rsp)\n call .+0x2000\n mov 8(%rsp),%rax\n jmp 1b")
CODE(go_and_loop, "1: cmp 0x10(%r14),%rsp\n jbe 2f\n sub $24,%rsp\n add $24,%rsp\n jmp 1b\n"
		  "2: call .+0x2000\n jmp 1b")

static void is_met_once_a_call(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, loop_inside, &s); /* the nop is met at each turn */
	assert_false(s.loops);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, loop_to_entry, &s);
	assert_true(s.loops);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(new, push_and_loop, &s); /* back where no frame is: a call of itself */
	assert_false(s.loops);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(new, sub_and_loop, &s);
	assert_false(s.loops);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, pop_and_loop, &s); /* moves the stack, but makes no frame */
	assert_true(s.loops);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, go_start, &s); /* behind the branch after which it may begin anew */
	assert_false(s.loops);
	expect_entry(&s, 6, SITE_STEPPED);
	FIND(new, go_and_loop, &s);
	assert_true(s.loops);
	sites_release(&s);
}

/* --- nops ----------------------------------------------------------------------------------- */

CODE(nop5, ".byte 0x0f,0x1f,0x44,0,0\n mov $42,%eax\n ret")
CODE(nop5_push, ".byte 0x0f,0x1f,0x44,0,0\n push %rbx\n pop %rbx\n ret")
CODE(nop5_of_66, ".byte 0x66,0x66,0x66,0x66,0x90\n mov $42,%eax\n ret")
CODE(endbr_nop5, "endbr64\n .byte 0x0f,0x1f,0x44,0,0\n mov $42,%eax\n ret")
CODE(red_zone, "movl $7,-8(%rsp)\n .byte 0x0f,0x1f,0x44,0,0\n mov -8(%rsp),%eax\n ret")
CODE(nop4, ".byte 0x0f,0x1f,0x40,0\n mov $42,%eax\n ret")
CODE(nop9, ".byte 0x66,0x0f,0x1f,0x84,0,0,0,0,0\n mov $42,%eax\n ret")
CODE(nop2, ".byte 0x66,0x90\n mov $42,%eax\n ret")

/* A probe on a nop of five bytes becomes a call from 6.18 on, which writes below the stack pointer,
 * and is left in a forked child without its target. */
static void nops_of_five_bytes(void **state)
{
	struct sites s;

	(void)state;
	FIND(daring, nop5, &s);
	expect_entry(&s, 0, SITE_NOP5);
	FIND(daring, nop5_of_66, &s);
	expect_entry(&s, 0, SITE_NOP5);
	FIND(daring, endbr_nop5, &s);
	expect_entry(&s, 4, SITE_NOP5);
	FIND(daring, red_zone, &s);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(new, nop5, &s); /* where the target may fork */
	expect_entry(&s, 5, SITE_STEPPED);
	FIND(new, nop5_push, &s);
	expect_entry(&s, 5, SITE_EMULATED);
	FIND(new, nop5_of_66, &s);
	expect_entry(&s, 5, SITE_STEPPED);
	FIND(old, nop5, &s); /* a plain nop */
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(old, nop5_push, &s);
	expect_entry(&s, 5, SITE_EMULATED);
	find_at(&new, 0x401ffc, code_nop5, code_nop5_end,
		&s); /* over the end of a page: stays a trap */
	assert_null(s.why);
	assert_int_equal(s.entry.address, 0x401ffc);
	assert_int_equal(s.entry.class, SITE_EMULATED);
	sites_release(&s);
}

static void other_nops(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, nop4, &s);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(old, nop4, &s);
	expect_entry(&s, 0, SITE_STEPPED);
	FIND(old, nop2, &s);
	expect_entry(&s, 0, SITE_EMULATED);
	FIND(new, nop9, &s);
	expect_entry(&s, 0, SITE_STEPPED);
}

static void kernels_by_release(void **state)
{
	(void)state;
	assert_true(site_kernel_of("6.18.44-fc-v669").long_nops);
	assert_true(site_kernel_of("7.0").long_nops);
	assert_false(site_kernel_of("6.12.41+deb12-amd64").long_nops);
	assert_false(site_kernel_of("6.1.0-25-amd64").long_nops);
	assert_false(site_kernel_of("").long_nops);
	assert_false(site_kernel_of("6.18.44").nop5);
}

/* --- refusals ------------------------------------------------------------------------------- */

CODE(long_nop_2e, ".byte 0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0\n push %rbx\n pop %rbx\n ret")
CODE(locked, "lock incl (%rdi)\n ret")
CODE(vex, "vzeroupper\n vpor %xmm0,%xmm1,%xmm2\n ret")
CODE(xchg_r8, ".byte 0x49,0x90\n ret")
CODE(pushf, "pushf\n pop %rax\n ret")
CODE(signal_return, "mov $15,%rax\n syscall\n")

/* Instructions on which probes never fire, or that they change, are passed over. */
static void passes_over_what_takes_no_probe(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, long_nop_2e, &s);
	expect_entry(&s, 10, SITE_EMULATED);
	FIND(new, locked, &s);
	expect_entry(&s, 3, SITE_STEPPED);
	FIND(new, vex, &s);
	expect_entry(&s, 7, SITE_STEPPED);
	FIND(new, xchg_r8, &s);
	expect_entry(&s, 2, SITE_STEPPED);
	FIND(new, pushf, &s);
	expect_refusal(&s, "no probe on its first");
	FIND(new, signal_return, &s);
	expect_refusal(&s, "signal handlers");
}

static void refuses_what_is_no_code(void **state)
{
	static const uint8_t bad[] = {0x06, 0x07, 0x0e};
	struct sites s;

	(void)state;
	find_at(&new, AT, bad, bad, &s);
	expect_refusal(&s, " code");
	find_at(&new, AT, bad, bad + sizeof(bad), &s);
	expect_refusal(&s, " code");
	find_at(&new, AT, code_nop4, code_nop4 + 2, &s); /* cut off */
	expect_refusal(&s, " code");
}

/* --- exits ---------------------------------------------------------------------------------- */

CODE(two_rets, "test %edi,%edi\n je 1f\n mov $1,%eax\n ret\n1: xor %eax,%eax\n rep ret")
CODE(tail_call, "test %edi,%edi\n jne 1f\n ret\n1: jmp .+0x1000")
CODE(conditional_tail, "test %edi,%edi\n je .+0x1000\n ret")
CODE(odd_condition, "jrcxz .+0x40\n ret\n")
CODE(no_return, "push %rax\n call .+0x1000\n")
CODE(runs_on, "mov $1,%eax\n")
CODE(virtual_tail, "mov (%rdi),%rax\n jmp *0x10(%rax)")
CODE(pointer_tail, "mov 8(%rdi),%rax\n test %esi,%esi\n je 1f\n ret\n1: jmp *%rax")
CODE(guarded_tail, "mov 8(%rdi),%rax\n ror $17,%rax\n xor %fs:0x30,%rax\n jmp *%rax")
CODE(argument_tail, "mov %rsi,%rdx\n jmp *%rdi")
CODE(table_or_tail, "mov (%rdi,%rsi,8),%rax\n jmp *%rax")
CODE(notrack, "mov %rdi,%rax\n notrack jmp *%rax\n ret\n nop\n mov $1,%eax\n ret")
CODE(added_tail, "mov 8(%rdi),%rdx\n add (%rdi),%rdx\n mov %rsi,%rdi\n jmp *%rdx")
CODE(summed_tail, "mov 8(%rdi),%rdx\n mov (%rdi),%rax\n add %rdx,%rax\n jmp *%rax")
CODE(summed_by_lea, "mov 8(%rdi),%rdx\n mov (%rdi),%rax\n lea (%rax,%rdx),%rax\n jmp *%rax")
CODE(summed, "add %rsi,%rdi\n jmp *%rdi\n ret")
CODE(computed, "lea 1f(%rip),%rax\n add %rdi,%rax\n jmp *%rax\n1: ret")
CODE(switched, "lea 1f(%rip),%rdx\n movslq (%rdx,%rax,4),%rax\n add %rdx,%rax\n jmp *%rax\n"
	       "1: mov $1,%eax\n ret\n nop\n int3\n mov $2,%eax\n ret")
CODE(lock_skipped, "cmpl $0,%fs:0x18\n je 1f\n lock\n1: cmpxchg %esi,(%rdi)\n ret")
CODE(subroutine, "call 1f\n ret\n1: pause\n ret")

static void finds_all_ways_out(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, two_rets, &s);
	expect_exits(&s, 2, (uint64_t[]){9, 12});
	FIND(new, tail_call, &s);
	assert_int_equal(s.exits.at[0].class, SITE_STEPPED);
	assert_int_equal(s.exits.at[1].class, SITE_EMULATED);
	expect_exits(&s, 2, (uint64_t[]){4, 5});
	FIND(new, thunk, &s); /* its only instruction is both */
	expect_exits(&s, 1, (uint64_t[]){0});
	FIND(new, conditional_tail, &s);
	assert_int_equal(s.exits.at[0].condition, 4); /* equal */
	assert_int_equal(s.exits.at[1].condition, SITE_ALWAYS);
	expect_exits(&s, 2, (uint64_t[]){2, 8});
	FIND(new, lock_skipped, &s);
	expect_exits(&s, 1, (uint64_t[]){15});
}

static void follows_indirect_jumps(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, virtual_tail, &s);
	expect_exits(&s, 1, (uint64_t[]){3});
	FIND(new, pointer_tail, &s);
	expect_exits(&s, 2, (uint64_t[]){8, 9});
	FIND(new, guarded_tail, &s);
	expect_exits(&s, 1, (uint64_t[]){17});
	FIND(new, argument_tail, &s);
	expect_exits(&s, 1, (uint64_t[]){3});
	FIND(new, added_tail, &s);
	expect_exits(&s, 1, (uint64_t[]){10});
	FIND(new, summed_tail, &s);
	expect_exits(&s, 1, (uint64_t[]){10});
	FIND(new, summed_by_lea, &s);
	expect_exits(&s, 1, (uint64_t[]){11});
	FIND(new, computed, &s);
	expect_exits(&s, 1, (uint64_t[]){12});
	FIND(new, notrack, &s);
	expect_exits(&s, 2, (uint64_t[]){6, 13});
	FIND(new, switched, &s);
	expect_exits(&s, 2, (uint64_t[]){21, 29});
}

static void expect_unknown(struct sites *s, const char *words)
{
	assert_null(s->why);
	assert_false(s->exits_known);
	assert_non_null(strstr(s->exits_why, words));
	sites_release(s);
}

static void says_where_exits_may_be_missing(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, table_or_tail, &s);
	expect_unknown(&s, "indirect jump");
	FIND(new, summed, &s);
	expect_unknown(&s, "indirect jump");
	FIND(new, odd_condition, &s);
	expect_unknown(&s, "conditional jump");
	FIND(new, no_return, &s);
	expect_unknown(&s, "never returns");
	FIND(new, runs_on, &s);
	expect_unknown(&s, "runs on");
	FIND(new, subroutine, &s);
	expect_unknown(&s, "its own middle");
}

/* --- what lies around ----------------------------------------------------------------------- */

/* A part of a function elsewhere: saves, returns by itself, and jumps back. */
CODE(whole, "push %rbx\n test %edi,%edi\n jne .+0x100\n pop %rbx\n ret")
CODE(cold, "pop %rbx\n test %esi,%esi\n jne .-0xfd\n ret")

struct around {
	int64_t slot; /* of the return address from rsp, everywhere */
	enum site_target target;
};

static bool frame(void *context, uint64_t address, struct site_frame *out)
{
	const struct around *a = context;

	/* At the entry it is always there. */
	*out = (struct site_frame){.slot = address == AT ? 0 : a->slot};
	return true;
}

static enum site_target target(void *context, uint64_t address, struct code *out)
{
	const struct around *a = context;

	assert_int_equal(address, AT + 3 + 0x100);
	*out = (struct code){.bytes = code_cold,
			     .n = (size_t)(code_cold_end - code_cold),
			     .address = address,
			     .offset = 0x8000};
	return a->target;
}

static void find_around(const struct around *a, const uint8_t *bytes, const uint8_t *end,
			struct sites *out)
{
	const struct site_world world = {
		.kernel = new, .frame = frame, .target = target, .context = (void *)a};
	const struct code code = {
		.bytes = bytes, .n = (size_t)(end - bytes), .address = AT, .offset = OFFSET};

	sites_find(&world, &code, out);
}

static void takes_parts_that_lie_elsewhere(void **state)
{
	struct around a = {.slot = 8, .target = SITE_TARGET_PART};
	struct sites s;

	(void)state;
	find_around(&a, code_whole, code_whole_end, &s);
	assert_true(s.splits);
	assert_true(s.exits_known);
	assert_int_equal(s.exits.n, 2);
	assert_int_equal(s.exits.at[0].address, AT + 10);
	assert_int_equal(s.exits.at[1].offset, 0x8000 + 9);
	sites_release(&s);
	a.target = SITE_TARGET_UNKNOWN;
	find_around(&a, code_whole, code_whole_end, &s);
	expect_unknown(&s, "unknown ownership");
	a.target = SITE_TARGET_FUNCTION;
	find_around(&a, code_whole, code_whole_end, &s);
	expect_unknown(&s, "without taking down its frame");
	a.slot = 0;
	find_around(&a, code_whole, code_whole_end, &s);
	assert_false(s.splits);
	expect_exits(&s, 2, (uint64_t[]){3, 10});
}

CODE(reads_return, "mov (%rsp),%rax\n ret")
CODE(pops_return, "nop\n pop %rax\n jmp *%rax")
CODE(reads_other, "nop\n mov 8(%rsp),%rax\n ret")

CODE(musl_vfork, "pop %rdx\n mov $58,%eax\n syscall\n push %rdx\n ret")

static void sees_it_without_frames(void **state)
{
	struct sites s;

	(void)state;
	FIND(new, musl_vfork, &s);
	assert_true(s.own_return);
	sites_release(&s);
	FIND(new, reads_return, &s);
	assert_true(s.own_return);
	sites_release(&s);
	FIND(new, push, &s);
	assert_false(s.own_return);
	sites_release(&s);
}

static void sees_what_uses_its_return_address(void **state)
{
	struct around a = {0};
	struct sites s;

	(void)state;
	find_around(&a, code_reads_return, code_reads_return_end, &s);
	assert_true(s.own_return);
	assert_int_equal(sites_exit_way(&s, true), EXIT_NONE);
	assert_int_equal(sites_exit_way(&s, false), EXIT_RETS);
	sites_release(&s);
	find_around(&a, code_pops_return, code_pops_return_end, &s);
	assert_true(s.own_return);
	sites_release(&s);
	find_around(&a, code_reads_other, code_reads_other_end, &s);
	assert_false(s.own_return);
	assert_int_equal(sites_exit_way(&s, true), EXIT_SESSION);
	assert_int_equal(sites_exit_way(&s, false), EXIT_RETS);
	sites_release(&s);
	a.slot = 8;
	find_around(&a, code_reads_other, code_reads_other_end, &s);
	assert_true(s.own_return);
	sites_release(&s);
}

static bool elsewhere(void *context, uint64_t address, struct site_frame *out)
{
	(void)address;
	*out = *(const struct site_frame *)context;
	return true;
}

CODE(overwrites, "xor %esi, %esi\n push %rbx\n pop %rbx\n ret")
CODE(overwrites_part, "mov $1, %dil\n push %rbx\n pop %rbx\n ret")

/* Bits of arguments: the site lies before the second one is overwritten, where it is needed. */
static void stays_before_arguments_are_overwritten(void **state)
{
	const struct {
		const uint8_t *bytes, *end;
		uint32_t arguments;
		uint64_t distance;
		enum site_class class;
	} cases[] = {
		{code_overwrites, code_overwrites_end, 0, 2, SITE_EMULATED},
		{code_overwrites, code_overwrites_end, 1u << 0, 2, SITE_EMULATED},
		{code_overwrites, code_overwrites_end, 1u << 1, 0, SITE_STEPPED},
		{code_overwrites, code_overwrites_end, 0x3f, 0, SITE_STEPPED},
		{code_overwrites_part, code_overwrites_part_end, 1u << 1, 3, SITE_EMULATED},
		{code_overwrites_part, code_overwrites_part_end, 1u << 0, 0, SITE_STEPPED},
	};
	struct sites s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct site_world world = {.kernel = new, .arguments = cases[i].arguments};
		const struct code code = {.bytes = cases[i].bytes,
					  .n = (size_t)(cases[i].end - cases[i].bytes),
					  .address = AT,
					  .offset = OFFSET};

		sites_find(&world, &code, &s);
		expect_entry(&s, cases[i].distance, cases[i].class);
	}
}

static void refuses_what_no_call_enters(void **state)
{
	struct site_frame at_entry = {
		.slot = 16}; /* as _dl_runtime_resolve: two words were pushed */
	const struct site_world world = {.kernel = new, .frame = elsewhere, .context = &at_entry};
	const struct code code = {.bytes = code_push, .n = 3, .address = AT, .offset = OFFSET};
	struct sites s;

	(void)state;
	sites_find(&world, &code, &s);
	expect_refusal(&s, "not entered by a call");
	at_entry = (struct site_frame){.no_caller = true}; /* as _start */
	sites_find(&world, &code, &s);
	assert_null(s.why);
	assert_true(s.own_return);
	sites_release(&s);
}

/* As boost's jump_fcontext: takes the return address of another stack and goes there. */
CODE(switches, "lea -8(%rsp),%rsp\n mov %rsp,%rax\n mov %rdi,%rsp\n mov 8(%rsp),%r8\n"
	       "lea 16(%rsp),%rsp\n jmp *%r8")

static void ends_switches_at_their_jump(void **state)
{
	const struct site_world world = {.kernel = new, .switches = true};
	const struct code code = {.bytes = code_switches,
				  .n = (size_t)(code_switches_end - code_switches),
				  .address = AT,
				  .offset = OFFSET};
	struct sites s;

	(void)state;
	sites_find(&world, &code, &s);
	assert_true(s.own_return);
	assert_int_equal(s.entry.address, AT);
	expect_exits(&s, 1, (uint64_t[]){21});
}

CODE(landing, "push %rbx\n call .+0x1000\n pop %rbx\n ret\n int3\n mov %rax,%rdi\n call .+0x1000\n"
	      "pop %rbx\n ret")

static bool pads(void *context, uint64_t address, void (*pad)(void *, uint64_t), void *pad_context)
{
	(void)context;
	assert_int_equal(address, AT);
	pad(pad_context, AT + 9);
	return true;
}

static bool no_pads(void *context, uint64_t address, void (*pad)(void *, uint64_t),
		    void *pad_context)
{
	(void)context, (void)address, (void)pad, (void)pad_context;
	return false;
}

static void finds_exits_of_landing_pads(void **state)
{
	struct site_world world = {.kernel = new};
	const struct code code = {.bytes = code_landing,
				  .n = (size_t)(code_landing_end - code_landing),
				  .address = AT,
				  .offset = OFFSET};
	struct sites s;

	(void)state;
	sites_find(&world, &code, &s);
	expect_exits(&s, 1, (uint64_t[]){7});
	world.sweep = true;
	sites_find(&world, &code, &s);
	expect_exits(&s, 2, (uint64_t[]){7, 18});
	world.sweep = false;
	world.pads = pads;
	sites_find(&world, &code, &s);
	expect_exits(&s, 2, (uint64_t[]){7, 18});
	world.pads = no_pads;
	sites_find(&world, &code, &s);
	expect_unknown(&s, "landing pads");
}

/* --- damage --------------------------------------------------------------------------------- */

/* Whatever the bytes are: every site lies within them, and nothing is read beyond. */
static void survives_any_bytes(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		const size_t n = (size_t)(round % 97) + 1;
		_free_ uint8_t *bytes = mem_zalloc(n, 1);
		struct sites s;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			bytes[i] = (uint8_t)(seed >> 16);
		}
		find_at(&daring, AT, bytes, bytes + n, &s);
		if (!s.why)
			assert_true(s.entry.address - AT < n);
		for (size_t i = 0; i < s.exits.n; i++)
			assert_true(s.exits.at[i].address - AT < n);
		sites_release(&s);
	}
}

static void survives_cutting_off(void **state)
{
	const size_t whole = (size_t)(code_switched_end - code_switched);

	(void)state;
	for (size_t n = 0; n <= whole; n++) {
		_free_ uint8_t *bytes = mem_zalloc(n + 1, 1);
		struct sites s;

		memcpy(bytes, code_switched, n);
		find_at(&new, AT, bytes, bytes + n, &s);
		sites_release(&s);
	}
}

static void reasons_have_numbers(void **state)
{
	(void)state;
	assert_int_equal(sites_reason_number(NULL), 0);
	assert_null(sites_reason(0));
	assert_null(sites_reason(UINT32_MAX));
	for (uint32_t i = 1; sites_reason(i); i++)
		assert_int_equal(sites_reason_number(sites_reason(i)), i);
	assert_non_null(sites_reason(sites_reason_number(sites_chosen)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_cheapest_before_the_stack_moves),
		cmocka_unit_test(stays_on_the_way_of_every_call),
		cmocka_unit_test(is_met_once_a_call),
		cmocka_unit_test(stays_before_arguments_are_overwritten),
		cmocka_unit_test(nops_of_five_bytes),
		cmocka_unit_test(other_nops),
		cmocka_unit_test(kernels_by_release),
		cmocka_unit_test(passes_over_what_takes_no_probe),
		cmocka_unit_test(refuses_what_is_no_code),
		cmocka_unit_test(finds_all_ways_out),
		cmocka_unit_test(follows_indirect_jumps),
		cmocka_unit_test(says_where_exits_may_be_missing),
		cmocka_unit_test(takes_parts_that_lie_elsewhere),
		cmocka_unit_test(sees_it_without_frames),
		cmocka_unit_test(sees_what_uses_its_return_address),
		cmocka_unit_test(refuses_what_no_call_enters),
		cmocka_unit_test(ends_switches_at_their_jump),
		cmocka_unit_test(finds_exits_of_landing_pads),
		cmocka_unit_test(survives_any_bytes),
		cmocka_unit_test(survives_cutting_off),
		cmocka_unit_test(reasons_have_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
