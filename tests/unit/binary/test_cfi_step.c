/* From a frame to its caller by call frame information in full: as libdw steps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include "cfi/cfi_step.h"
#include "cfi_sample.h"
#include "elf/segments.h"
#include "library.h"

#define RBX	3
#define R9	9
#define ALL	((1u << CFI_REGISTERS) - 1)
#define SCRATCH (1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 5 | 0xfu << 8)

/* Memory has some word at each address, but for one in sixteen pages. */
static bool read_word(void *context, uint64_t address, uint64_t *out)
{
	uint64_t x = address * 0x9e3779b97f4a7c15;

	(void)context;
	if ((address >> 12) % 16 == 5)
		return false;
	x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
	*out = x ^ (x >> 32);
	return true;
}

static const struct cfi_memory memory = {.read = read_word};

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static struct cfi_registers random_registers(uint64_t ip)
{
	struct cfi_registers r = {.known = ALL};

	for (size_t i = 0; i < CFI_REGISTERS; i++)
		r.value[i] = next_random() >> (i % 3 * 16);
	r.value[CFI_RIP] = ip;
	return r;
}

/* --- libdw ---------------------------------------------------------------------------------- */

/* A file, and the one thread whose frame is stepped from. */
struct judge {
	Dwfl *dwfl;
	struct cfi_registers from, to;
	bool stepped;
};

static pid_t one_thread(Dwfl *dwfl, void *judge, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = judge;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *judge, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = judge;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *out, void *judge)
{
	(void)dwfl;
	return read_word(judge, address, out);
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct judge *j = context;

	return dwfl_thread_state_registers(thread, 0, CFI_REGISTERS, j->from.value);
}

static int on_frame(Dwfl_Frame *frame, void *context)
{
	struct judge *j = context;

	if (!j->stepped) {
		j->stepped = true;
		return DWARF_CB_OK;
	}
	j->to.known = 0;
	for (unsigned int i = 0; i < CFI_REGISTERS; i++)
		if (!dwfl_frame_reg(frame, i, &j->to.value[i]))
			j->to.known |= 1u << i;
	return DWARF_CB_ABORT;
}

static void judge_open(struct judge *j, int fd)
{
	static const Dwfl_Callbacks files = {.find_debuginfo = dwfl_standard_find_debuginfo};
	static const Dwfl_Thread_Callbacks threads = {.next_thread = one_thread,
						      .get_thread = get_thread,
						      .memory_read = read_memory,
						      .set_initial_registers = set_registers};

	*j = (struct judge){.dwfl = dwfl_begin(&files)};
	dwfl_report_begin(j->dwfl);
	assert_non_null(dwfl_report_elf(j->dwfl, "judged", "", dup(fd), 0, true));
	assert_int_equal(dwfl_report_end(j->dwfl, NULL, NULL), 0);
	assert_true(dwfl_attach_state(j->dwfl, NULL, getpid(), &threads, j));
}

/* The caller of the frame with the registers @from. */
static const struct cfi_registers *judge_step(struct judge *j, const struct cfi_registers *from)
{
	j->from = *from;
	j->to.known = 0;
	j->stepped = false;
	dwfl_getthread_frames(j->dwfl, 1, on_frame, j);
	return &j->to;
}

/* --- ours ----------------------------------------------------------------------------------- */

struct subject {
	int fd;
	struct elffile file;
	struct cfi *cfi;
	struct judge judge;
};

static void subject_open(struct subject *s, int fd)
{
	s->fd = fd;
	assert_int_equal(elffile_open(fd, &s->file), 0);
	assert_int_equal(cfi_open(&s->file, &s->cfi), 0);
	judge_open(&s->judge, fd);
}

static void subject_close(struct subject *s)
{
	dwfl_end(s->judge.dwfl);
	cfi_close(s->cfi);
	elffile_release(&s->file);
	close(s->fd);
}

/* Steps from some registers at @offset, and compares. What ends without a caller is not compared:
 * libdw goes on by guesses then. */
static enum cfi_step compare_at(struct subject *s, uint64_t offset, struct cfi_registers *out)
{
	const struct cfi_registers *theirs;
	struct cfi_registers from;
	struct cfi_frame frame;
	uint64_t address;
	enum cfi_step end;

	assert_true(segments_address(&s->file, offset, &address));
	*out = random_registers(address);
	assert_true(cfi_frame_at(s->cfi, offset, &frame));
	from = *out;
	theirs = judge_step(&s->judge, out);
	end = cfi_step(&frame, &memory, out);
	if (end)
		return end;
	/* Where nothing is said of them, libdw (0.188) takes rax for the register that a call
	 * leaves as it is, in the place of rbx. And of one that was popped it knows nothing. */
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		if (out->known & ~theirs->known & ~(1u << RBX) & 1u << i)
			assert_int_equal(out->value[i], from.value[i]);
	/* libdw leaves what a call may destroy as it was. */
	assert_int_equal(theirs->known & ~out->known & ~SCRATCH, 0);
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		if (out->known & theirs->known & 1u << i)
			assert_int_equal(out->value[i], theirs->value[i]);
	return CFI_STEP_DONE;
}

/* --- expressions ---------------------------------------------------------------------------- */

/* A function whose caller has in rbx what the expression computes. */
static enum cfi_step run_expression(const char *bytes, size_t n, struct cfi_registers *out)
{
	struct sample s = {.section = ".eh_frame"};
	struct subject subject;
	char program[2 + 1 + 255] = {DW_CFA_val_expression, RBX, (char)n};
	enum cfi_step end;

	assert_true(n < 128);
	memcpy(program + 3, bytes, n);
	sample_fde(&s, sample_cie(&s), 0, 16, program, 3 + n);
	subject_open(&subject, sample_file(&s));
	/* Until the frame itself is in readable memory. */
	do {
		end = compare_at(&subject, CODE, out);
	} while (end == CFI_STEP_UNREADABLE);
	assert_int_equal(end, CFI_STEP_DONE);
	subject_close(&subject);
	return end;
}

struct expression {
	const char *bytes;
	size_t n;
	int64_t value;
};

/* The CFA lies on the stack at the start. */
static const struct expression known[] = {
	{BYTES("\x30"), 0},
	{BYTES("\x4f"), 31},
	{BYTES("\x08\xff"), 255},
	{BYTES("\x09\xff"), -1},
	{BYTES("\x0a\xff\xfe"), 0xfeff},
	{BYTES("\x0b\xff\xfe"), -257},
	{BYTES("\x0c\1\2\3\x84"), 0x84030201},
	{BYTES("\x0d\1\2\3\x84"), (int32_t)0x84030201},
	{BYTES("\x0e\1\2\3\4\5\6\7\x08"), 0x0807060504030201},
	{BYTES("\x0f\xfe\xff\xff\xff\xff\xff\xff\xff"), -2},
	{BYTES("\x10\x80\x01"), 128},
	{BYTES("\x11\x80\x7f"), -128},
	{BYTES("\x38\x35\x12\x1e"), 25},	     /* dup mul */
	{BYTES("\x38\x35\x13"), 8},		     /* drop */
	{BYTES("\x38\x35\x14\x1c"), -3},	     /* over minus: 5 - 8 */
	{BYTES("\x31\x32\x33\x15\x02"), 1},	     /* pick */
	{BYTES("\x38\x35\x16\x1c"), -3},	     /* swap minus */
	{BYTES("\x31\x32\x33\x17\x1c"), 1 - 2},	     /* rot: 3 1 2 */
	{BYTES("\x31\x32\x33\x17\x13\x13"), 3},	     /* … and 3 is below them */
	{BYTES("\x09\xfb\x19"), 5},		     /* abs */
	{BYTES("\x35\x1f"), -5},		     /* neg */
	{BYTES("\x35\x20"), -6},		     /* not */
	{BYTES("\x3f\x35\x1a"), 5},		     /* and */
	{BYTES("\x09\xf9\x32\x1b"), -3},	     /* div: -7 / 2 */
	{BYTES("\x37\x33\x1d"), 1},		     /* mod */
	{BYTES("\x38\x31\x21"), 9},		     /* or */
	{BYTES("\x38\x31\x22"), 9},		     /* plus */
	{BYTES("\x38\x23\x80\x01"), 136},	     /* plus_uconst */
	{BYTES("\x31\x38\x24"), 256},		     /* shl */
	{BYTES("\x09\xff\x08\x3c\x25"), 15},	     /* shr */
	{BYTES("\x09\x80\x33\x26"), -16},	     /* shra */
	{BYTES("\x3f\x35\x27"), 10},		     /* xor */
	{BYTES("\x09\xff\x31\x29"), 0},		     /* eq */
	{BYTES("\x09\xff\x31\x2a"), 0},		     /* ge: signed */
	{BYTES("\x09\xff\x31\x2b"), 0},		     /* gt */
	{BYTES("\x09\xff\x31\x2c"), 1},		     /* le */
	{BYTES("\x09\xff\x31\x2d"), 1},		     /* lt */
	{BYTES("\x09\xff\x31\x2e"), 1},		     /* ne */
	{BYTES("\x31\x28\x02\x00\x35\x96\x38"), 8},  /* bra over lit5 nop; lit8 */
	{BYTES("\x35\x30\x28\x01\x00\x38\x96"), 8},  /* bra not taken */
	{BYTES("\x35\x2f\x01\x00\x38"), 5},	     /* skip */
	{BYTES("\x35\x31\x1c\x12\x28\xfa\xff"), 0},  /* a loop: 5 - 1 - 1 … */
	{BYTES("\x12\x1c"), 0},			     /* CFA - CFA */
	{BYTES("\x9c\x1c"), 0},			     /* CFA - call_frame_cfa */
	{BYTES("\x77\x08\x1c"), 0},		     /* CFA - (rsp + 8) */
	{BYTES("\x92\x07\x78\x92\x07\x00\x1c"), -8}, /* bregx: rsp - 8 - rsp */
};

static void computes_every_operation(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct cfi_registers r;

		run_expression(known[i].bytes, known[i].n, &r);
		assert_true(r.known >> RBX & 1);
		assert_int_equal((int64_t)r.value[RBX], known[i].value);
	}
}

/* Registers and memory, by which the result is not known beforehand. */
static const struct expression moving[] = {
	{BYTES("\x70\x00\x71\x7f\x27"), 0},
	{BYTES("\x7f\x80\x01"), 0},
	{BYTES("\x80\x00\x3f\x1a"), 0},
	{BYTES("\x06\x06"), 0},
	{BYTES("\x94\x01\x77\x10\x94\x02\x77\x18\x94\x04\x77\x20\x94\x08\x22\x22\x22"), 0},
	{BYTES("\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08"), 0},
};

static void reads_registers_and_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(moving) / sizeof(*moving); i++) {
		size_t n_known = 0;

		for (int k = 0; k < 20; k++) {
			struct cfi_registers r;

			run_expression(moving[i].bytes, moving[i].n, &r);
			n_known += r.known >> RBX & 1;
		}
		assert_in_range(n_known, 10, 20);
	}
}

/* What makes no sense, or cannot be: rbx is not known then, all else is. */
static const struct expression bad[] = {
	{BYTES("\x13\x13"), 0},	    /* drop from an empty stack */
	{BYTES("\x13"), 0},	    /* nothing left */
	{BYTES("\x22"), 0},	    /* plus of one value */
	{BYTES("\x13\x22"), 0},	    /* … of none */
	{BYTES("\x15\x01"), 0},	    /* pick beyond the bottom */
	{BYTES("\x17"), 0},	    /* rot of one */
	{BYTES("\x35\x30\x1b"), 0}, /* by zero */
	{BYTES("\x35\x30\x1d"), 0},
	{BYTES("\x0a\x01"), 0}, /* operand cut off */
	{BYTES("\x10\x80"), 0},
	{BYTES("\x77"), 0},
	{BYTES("\x2f\x7f\x00"), 0},	/* jump behind the end */
	{BYTES("\x2f\xfc\xff"), 0},	/* before the start */
	{BYTES("\x2f\xfd\xff"), 0},	/* without end */
	{BYTES("\x12\x2f\xfc\xff"), 0}, /* … that fills the stack */
	{BYTES("\x92\x20\x00"), 0},	/* a register that there is not */
	{BYTES("\x81\x00"), 0},
	{BYTES("\x50"), 0},		    /* reg0, a location */
	{BYTES("\x03\0\0\0\0\0\0\0\0"), 0}, /* addr, which nobody relocated */
	{BYTES("\x97"), 0},		    /* push_object_address */
	{BYTES("\x98\0\0"), 0},		    /* call2 */
	{BYTES("\x94\x00"), 0},		    /* deref_size of nothing */
	{BYTES("\x94\x09"), 0},
	{BYTES("\x00"), 0},
	{BYTES("\xff"), 0},
};

static void survives_nonsense(void **state)
{
	struct cfi_registers from = random_registers(CODE + BIAS), r;
	struct elffile f;
	struct cfi_frame frame;
	struct cfi *cfi;

	(void)state;
	from.value[CFI_RSP] = 0x10000;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sample s = {.section = ".eh_frame"};
		char program[64] = {DW_CFA_val_expression, RBX, (char)bad[i].n};
		int fd;

		memcpy(program + 3, bad[i].bytes, bad[i].n);
		sample_fde(&s, sample_cie(&s), 0, 16, program, 3 + bad[i].n);
		fd = sample_file(&s);
		assert_int_equal(elffile_open(fd, &f), 0);
		assert_int_equal(cfi_open(&f, &cfi), 0);
		assert_true(cfi_frame_at(cfi, CODE, &frame));
		r = from;
		assert_int_equal(cfi_step(&frame, &memory, &r), CFI_STEP_DONE);
		assert_int_equal(r.known, ALL & ~SCRATCH & ~(1u << RBX));
		assert_int_equal(r.value[CFI_RSP], 0x10008);
		cfi_close(cfi);
		elffile_release(&f);
		close(fd);
	}
}

/* A random expression that computes one value and divides by nothing. */
static size_t random_expression(char *out)
{
	static const char binary[] = "\x1a\x1c\x1e\x21\x22\x27\x29\x2a\x2b\x2c\x2d\x2e";
	static const char with_one[][3] = {"\x31\x21\x1b", "\x31\x21\x1d", "\x4f\x1a\x24",
					   "\x4f\x1a\x25", "\x4f\x1a\x26"};
	size_t n = 0, depth = 1;

	while (n < 60 || depth > 1) {
		uint64_t pick = next_random() % 8;

		if (n < 60 && pick < 3) {
			out[n++] = (char)(DW_OP_breg0 + next_random() % CFI_REGISTERS);
			out[n++] = (char)(next_random() & 0x7f);
			depth++;
		} else if (n < 60 && pick == 3) {
			out[n++] = DW_OP_const1s;
			out[n++] = (char)next_random();
			depth++;
		} else if (pick == 4) {
			out[n++] = (char)(DW_OP_abs + next_random() % 8);
			n -= out[n - 1] != DW_OP_abs && out[n - 1] != DW_OP_neg &&
			     out[n - 1] != DW_OP_not;
		} else if (depth >= 3 && pick == 5) {
			out[n++] = DW_OP_rot;
		} else if (depth >= 2 && pick == 6) {
			memcpy(out + n, with_one[next_random() % 5], 3);
			n += 3;
			depth--;
		} else if (depth >= 2) {
			out[n++] = binary[next_random() % (sizeof(binary) - 1)];
			depth--;
		}
	}
	return n;
}

static void computes_as_libdw(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		char bytes[255];
		struct cfi_registers r;

		run_expression(bytes, random_expression(bytes), &r);
		assert_true(r.known >> RBX & 1);
	}
}

/* --- frames --------------------------------------------------------------------------------- */

struct program {
	const char *bytes;
	size_t n;
};

static const struct program programs[] = {
	{BYTES("\x00")},
	{BYTES("\x0e\x20\x83\x02\x86\x03\x8c\x04\x8f\x05")},
	{BYTES("\x0d\x03\x83\x02")},		 /* CFA by rbx */
	{BYTES("\x0c\x0a\x00\x86\x02")},	 /* … by r10 */
	{BYTES("\x0f\x03\x76\x78\x06\x86\x02")}, /* *(rbp - 8) */
	{BYTES("\x0f\x0a\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08")},
	{BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22")},
	{BYTES("\x10\x03\x02\x76\x00\x10\x0c\x03\x76\x70\x06")}, /* at rbp; at *(rbp - 16) */
	{BYTES("\x10\x10\x05\x77\xa8\x01\x23\x08")},		 /* the return address */
	{BYTES("\x16\x06\x02\x73\x00\x14\x03\x02\x15\x0c\x7e")}, /* val_expression, val_offset */
	{BYTES("\x16\x10\x02\x70\x00")},			 /* the return address is rax */
	{BYTES("\x09\x10\x05\x09\x03\x0c")},			 /* in rdi; rbx in r12 */
	{BYTES("\x07\x03\x07\x0c")},				 /* lost */
	{BYTES("\x08\x00\x08\x0a")},				 /* rax and r10 are kept */
	{BYTES("\x10\x07\x03\x77\xa0\x01")},			 /* rsp is not the CFA */
};

static void steps_as_libdw(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct sample s = {.section = ".eh_frame"};
		struct subject subject;
		struct cfi_registers r;
		int n_done = 0;

		sample_fde(&s, sample_cie(&s), 0, 16, programs[i].bytes, programs[i].n);
		subject_open(&subject, sample_file(&s));
		for (int k = 0; k < 20; k++)
			n_done += compare_at(&subject, CODE + 8, &r) == CFI_STEP_DONE;
		assert_in_range(n_done, 10, 20);
		subject_close(&subject);
	}
}

/* Frames that have no caller, or none that can be found. */
static void ends(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		enum cfi_step end;
	} cases[] = {
		{BYTES("\x07\x10"), CFI_STEP_ROOT},
		{BYTES("\x08\x10"), CFI_STEP_UNKNOWN},
		{BYTES("\x0f\x01\x22"), CFI_STEP_UNKNOWN},
		{BYTES("\x0f\x03\x77\x00\x9c"), CFI_STEP_UNKNOWN}, /* the CFA by itself */
		{BYTES("\x0d\x09"), CFI_STEP_UNKNOWN},		   /* r9 is not known */
		{BYTES("\x0f\x03\x79\x00\x06"), CFI_STEP_UNKNOWN},
		{BYTES("\x0d\x03"), CFI_STEP_UNREADABLE}, /* rbx leads to no memory */
		{BYTES("\x0f\x03\x73\x00\x06"), CFI_STEP_UNREADABLE},
		{BYTES("\x16\x10\x01\x22"), CFI_STEP_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cfi_registers before = random_registers(CODE + BIAS), r;
		struct sample s = {.section = ".eh_frame"};
		struct subject subject;
		struct cfi_frame frame;

		before.known &= ~(1u << R9);
		before.value[RBX] = 0x5800;
		before.value[CFI_RSP] = 0x10000;
		sample_fde(&s, sample_cie(&s), 0, 16, cases[i].bytes, cases[i].n);
		subject_open(&subject, sample_file(&s));
		assert_true(cfi_frame_at(subject.cfi, CODE, &frame));
		r = before;
		assert_int_equal(cfi_step(&frame, &memory, &r), cases[i].end);
		assert_memory_equal(&r, &before, sizeof(r));
		subject_close(&subject);
	}
}

/* A register that is saved where memory is missing: below the stack pointer it has been popped, and
 * is what it is; above it is lost. */
static void keeps_what_was_popped(void **state)
{
	struct cfi_registers before = random_registers(CODE + BIAS), r;
	struct sample s = {.section = ".eh_frame"};
	struct subject subject;
	struct cfi_frame frame;

	(void)state;
	sample_fde(&s, sample_cie(&s), 0, 16, BYTES("\x0d\x0c\x83\x02")); /* CFA by r12 */
	subject_open(&subject, sample_file(&s));
	assert_true(cfi_frame_at(subject.cfi, CODE, &frame));
	before.value[12] = 0x6000; /* the return address is at 0x6000, rbx was at 0x5ff8 */
	before.value[CFI_RSP] = 0x6000;
	r = before;
	assert_int_equal(cfi_step(&frame, &memory, &r), CFI_STEP_DONE);
	assert_int_equal(r.value[CFI_RSP], 0x6008);
	assert_true(r.known >> RBX & 1);
	assert_int_equal(r.value[RBX], before.value[RBX]);
	before.value[CFI_RSP] = 0x5000;
	r = before;
	assert_int_equal(cfi_step(&frame, &memory, &r), CFI_STEP_DONE);
	assert_false(r.known >> RBX & 1);
	subject_close(&subject);
}

static void finds_the_place(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	struct cfi_frame frame;
	struct elffile f;
	struct cfi *cfi;
	int fd;

	(void)state;
	sample_fde(&s, cie, 0x10, 0x10, BYTES("\x44\x0e\x10\x44\x0e\x18"));
	sample_fde(&s, cie, 0x30, 0x10, BYTES("\x44\x2d"));
	sample_fde(&s, sample_cie_of(&s, BYTES("zRS\0"), BYTES("\x01\x1b")), 0x50, 0x10, BYTES(""));
	fd = sample_file(&s);
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(cfi_open(&f, &cfi), 0);
	assert_false(cfi_frame_at(cfi, CODE + 0xf, &frame));
	assert_true(cfi_frame_at(cfi, CODE + 0x10, &frame));
	assert_int_equal(frame.cfa.offset, 8);
	assert_false(frame.signal);
	assert_true(cfi_frame_at(cfi, CODE + 0x13, &frame));
	assert_int_equal(frame.cfa.offset, 8);
	assert_true(cfi_frame_at(cfi, CODE + 0x14, &frame));
	assert_int_equal(frame.cfa.offset, 16);
	assert_true(cfi_frame_at(cfi, CODE + 0x1f, &frame));
	assert_int_equal(frame.cfa.offset, 24);
	assert_false(cfi_frame_at(cfi, CODE + 0x20, &frame));
	assert_true(cfi_frame_at(cfi, CODE + 0x33, &frame));
	assert_false(cfi_frame_at(cfi, CODE + 0x34, &frame)); /* behind what makes no sense */
	assert_true(cfi_frame_at(cfi, CODE + 0x5f, &frame));
	assert_true(frame.signal);
	cfi_close(cfi);
	elffile_release(&f);
	close(fd);
}

/* --- libraries ------------------------------------------------------------------------------ */

struct places {
	VEC(uint64_t) at;
};

/* Every row whose CFA is more than register and offset, and some of the others. */
static int take_place(void *context, const struct cfi_row *row)
{
	struct places *p = context;

	if (row->cfa.how != CFI_NONE && (row->cfa.how != CFI_REG || row->offset % 16 == 0))
		vec_push(&p->at, row->offset);
	return 0;
}

static void steps_through_libraries_as_libdw(void **state)
{
	static const char *const libraries[] = {"libc.so.6", "libcrypto.so.3"};

	(void)state;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		struct places places = {0};
		struct subject subject;
		struct cfi_registers r;
		size_t n_done = 0;

		subject_open(&subject, library_open(libraries[i]));
		assert_int_equal(cfi_rows(subject.cfi, 0, UINT64_MAX, take_place, &places), 0);
		for (size_t k = 0; k < places.at.n; k++)
			n_done += compare_at(&subject, places.at.at[k], &r) == CFI_STEP_DONE;
		assert_true(n_done > 1000 && n_done > places.at.n * 3 / 4);
		vec_release(&places.at);
		subject_close(&subject);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_every_operation),
		cmocka_unit_test(reads_registers_and_memory),
		cmocka_unit_test(survives_nonsense),
		cmocka_unit_test(computes_as_libdw),
		cmocka_unit_test(steps_as_libdw),
		cmocka_unit_test(ends),
		cmocka_unit_test(keeps_what_was_popped),
		cmocka_unit_test(finds_the_place),
		cmocka_unit_test(steps_through_libraries_as_libdw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
