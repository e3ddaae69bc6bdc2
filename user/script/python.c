/*
 * python: CPython. Where its state is in a file, of which version it is, where that version keeps
 * what the walker reads, and how its code objects encode lines (Objects/locations.md in its
 * source).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/dynsym.h"
#include "elf/segments.h"
#include "model/profile.h"
#include "script/async.h"
#include "script/codes.h"
#include "script/language.h"
#include "script/rodata.h"

/* Versions whose layout is known. */
#define MAJOR	    3
#define MINOR_FIRST 9
#define MINOR_LAST  14

/* How tables of lines are coded (wire_script_proc.form). */
enum form {
	FORM_PLACES, /* since 3.11: lines and columns */
	FORM_RANGES, /* 3.10 */
	FORM_STEPS,  /* 3.9 */
};

/* Before 3.11 frames are objects (bpf/sample/script_object.h). */
#define FRAME_OBJECTS                                                                             \
	.key = 588, .state_thread = 176, .state_frame = 24, .previous = 24 - 24, .code = 32 - 24, \
	.first_line = 64, .ascii = 48, .text = 72

/* From the headers of each version; the same in all of its releases up to now. */
static const struct wire_script_proc layouts[] = {
	[9 - MINOR_FIRST] = {FRAME_OBJECTS, .instruction = 104 - 24, .end = 1, .form = FORM_STEPS},
	[10 - MINOR_FIRST] = {FRAME_OBJECTS, .instruction = 96 - 24, .form = FORM_RANGES},
	[11 - MINOR_FIRST] = {.key = 596,
			      .state_thread = 152,
			      .state_frame = 56,
			      .cframe = 8,
			      .has_cframes = 1,
			      .previous = 48,
			      .code = 32,
			      .instruction = 56,
			      .end = 68,
			      .end_least = 1,
			      .end_shown = 1,
			      .first_line = 72,
			      .bytecode = 184,
			      .ascii = 48,
			      .text = 72,
			      .gil = 360,
			      .active = 576,
			      .interpreters = 40,
			      .threads = 16},
	[12 - MINOR_FIRST] = {.key = 1548,
			      .state_thread = 136,
			      .state_frame = 56,
			      .cframe = 0,
			      .has_cframes = 1,
			      .previous = 8,
			      .code = 0,
			      .instruction = 56,
			      .end = 70,
			      .end_least = 3,
			      .first_line = 68,
			      .bytecode = 192,
			      .ascii = 40,
			      .text = 56,
			      .gil = 384,
			      .gil_in_interpreter = 1},
	[13 - MINOR_FIRST] = {.key = 2164,
			      .state_thread = 152,
			      .state_frame = 72,
			      .previous = 8,
			      .code = 0,
			      .instruction = 56,
			      .end = 70,
			      .end_least = 3,
			      .first_line = 68,
			      .bytecode = 200,
			      .ascii = 40,
			      .text = 56,
			      .gil = 16,
			      .gil_in_interpreter = 1},
	[14 - MINOR_FIRST] = {.key = 2340,
			      .state_thread = 152,
			      .state_frame = 72,
			      .previous = 8,
			      .code = 0,
			      .instruction = 56,
			      .end = 74,
			      .end_least = 3,
			      .first_line = 68,
			      .bytecode = 208,
			      .ascii = 40,
			      .text = 56,
			      .gil = 16,
			      .gil_in_interpreter = 1},
};

/* --- which version a file has ----------------------------------------------------------------- */

/* Since 3.13 the state begins with a description of itself: 8 bytes of text, the version, whether
 * it is free-threaded, then offsets, whose place depends on the version. */
#define SECTION	   ".PyRuntime"
#define SYMBOL	   "_PyRuntime"
#define LOOP	   "_PyEval_EvalFrameDefault"
#define COOKIE	   "xdebugpy"
#define SELF_BYTES 400

struct self {
	char cookie[8];
	uint64_t version, free_threaded;
	uint64_t rest[SELF_BYTES / 8 - 3];
};

static void set_version(struct interpreter *out, uint64_t hex)
{
	out->major = hex >> 24 & 0xff;
	out->minor = hex >> 16 & 0xff;
}

/* By what the file exports (3.11 and later), or by where it looks for its library: "python3.10". */
static void read_version(const struct elffile *f, struct interpreter *out)
{
	char text[RODATA_BEHIND], *end;
	uint64_t offset, hex = 0;
	unsigned long minor;
	Elf64_Sym symbol;

	if (dynsym_find(f, "Py_Version", &symbol)) {
		if (segments_offset(f, symbol.st_value, &offset) &&
		    !elffile_read(f, offset, &hex, sizeof(hex)))
			set_version(out, hex);
		return;
	}
	if (!rodata_find(f, "python3.", text))
		return;
	minor = strtoul(text, &end, 10);
	if (end == text || (*end && *end != '/') || minor >= 11)
		return;
	out->major = MAJOR;
	out->minor = (uint32_t)minor;
}

/* Whether what the state says of itself is what the layout says. */
static bool agrees(const struct self *self, const struct wire_script_proc *layout, uint32_t minor)
{
	/* The words of: a thread's current frame and thread, a frame's caller, code, instruction
	 * and owner; then code: first line and bytecode. */
	static const uint16_t words[][8] = {
		[13 - 13] = {184, 192, 232, 240, 248, 264, 312, 344},
		[14 - 13] = {208, 216, 256, 264, 272, 288, 352, 384},
	};
	const uint64_t expected[] = {layout->state_frame, layout->state_thread, layout->previous,
				     layout->code,	  layout->instruction,	layout->end,
				     layout->first_line,  layout->bytecode};

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		if (self->rest[words[minor - 13][i] / 8 - 3] != expected[i])
			return false;
	return true;
}

static void refuse(struct interpreter *out, const char *why)
{
	interpreter_refuse(out, "Python", "Python of an unknown version", why);
}

static void python_detect(const struct elffile *f, struct interpreter *out)
{
	Elf64_Sym code_type, runtime;
	bool has_self = false;
	struct self self;
	Elf64_Shdr state;

	if (!elffile_section(f, SECTION, &state)) {
		out->runtime = state.sh_addr;
		has_self = !elffile_read(f, state.sh_offset, &self, sizeof(self)) &&
			   !memcmp(self.cookie, COOKIE, sizeof(self.cookie));
	} else if (dynsym_find(f, SYMBOL, &runtime)) {
		out->runtime = runtime.st_value;
	}
	out->code_type = dynsym_find(f, "PyCode_Type", &code_type) ? code_type.st_value : 0;
	if (has_self)
		set_version(out, self.version);
	else
		read_version(f, out);
	if (f->machine != EM_X86_64 || !f->is_64)
		refuse(out, "its frames are read on x86-64 alone");
	else if (out->major != MAJOR || out->minor < MINOR_FIRST || out->minor > MINOR_LAST)
		refuse(out, "its frames are known from 3.9 to 3.14");
	else if ((out->minor >= 13) != has_self)
		refuse(out, "it does not describe itself as that version does");
	else if (out->minor < 11 && !loop_find(f, LOOP, false, &out->loop))
		refuse(out, "the code of its loop is not known");
	else if (has_self && self.free_threaded)
		refuse(out, "frames of free-threaded builds are not known");
	else if (has_self && !agrees(&self, &layouts[out->minor - MINOR_FIRST], out->minor))
		refuse(out, "it keeps its frames in another way than its releases");
	else
		async_detect(f, &state, out);
}

static void python_layout(const struct interpreter *i, struct wire_script_proc *out)
{
	*out = layouts[i->minor - MINOR_FIRST];
	out->async = i->async;
}

/* --- lines ------------------------------------------------------------------------------------ */

struct cursor {
	const uint8_t *at, *end;
};

static uint32_t next_byte(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

/* Six bits a byte, lowest first; 0x40: more follow. */
static uint32_t next_number(struct cursor *c)
{
	uint32_t value = 0, byte, shift = 0;

	do {
		byte = next_byte(c);
		if (shift < 32)
			value |= (byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40 && c->at < c->end);
	return value;
}

static int32_t next_signed(struct cursor *c)
{
	const uint32_t value = next_number(c);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Kinds of entries, in the order of Objects/locations.md. */
enum entry_kind {
	ENTRY_SHORT_LAST = 9, /* up to here: no change of line, columns in a byte */
	ENTRY_ONE_LINE = 10,  /* up to 12: the line grows by 0, 1 or 2, columns in two bytes */
	ENTRY_NO_COLUMNS = 13,
	ENTRY_LONG = 14,
	ENTRY_NONE = 15, /* no line */
};

/* Reads the rest of an entry; returns by what the line grows. */
static int32_t entry_rest(struct cursor *c, uint32_t kind)
{
	int32_t more = 0;

	if (kind <= ENTRY_SHORT_LAST) {
		next_byte(c);
	} else if (kind < ENTRY_NO_COLUMNS) {
		more = (int32_t)kind - ENTRY_ONE_LINE;
		next_byte(c);
		next_byte(c);
	} else if (kind == ENTRY_NO_COLUMNS) {
		more = next_signed(c);
	} else if (kind == ENTRY_LONG) {
		more = next_signed(c);
		next_number(c);
		next_number(c);
		next_number(c);
	}
	return more;
}

/* Instructions without a line, which the compiler adds, belong to the line before them. */
static uint32_t line_by_places(struct cursor c, uint32_t first, uint32_t position)
{
	uint32_t line = first, known = first, unit = 0;

	while (c.at < c.end) {
		const uint32_t head = next_byte(&c), kind = head >> 3 & 15;

		line += (uint32_t)entry_rest(&c, kind);
		if (kind != ENTRY_NONE)
			known = line;
		unit += (head & 7) + 1;
		if (position < unit)
			return (int32_t)known > 0 ? known : 0;
	}
	return 0;
}

/* Of a range that has no line. */
#define NO_LINE (-128)

/* Pairs: how many bytes of code a range has, and by what the line grows before it. */
static uint32_t line_by_ranges(struct cursor c, uint32_t first, uint32_t position)
{
	uint32_t line = first, end = 0;

	while (c.at < c.end) {
		const uint32_t bytes = next_byte(&c);
		const int8_t more = (int8_t)next_byte(&c);

		end += bytes;
		if (more != NO_LINE)
			line += (uint32_t)more;
		if (position * 2 < end)
			return (int32_t)line > 0 ? line : 0;
	}
	return 0;
}

/* Pairs: where the next line begins, and by what it is more. */
static uint32_t line_by_steps(struct cursor c, uint32_t first, uint32_t position)
{
	uint32_t line = first, at = 0;

	while (c.at < c.end) {
		at += next_byte(&c);
		if (at > position * 2)
			break;
		line += (uint32_t)(int8_t)next_byte(&c);
	}
	return (int32_t)line > 0 ? line : 0;
}

static uint32_t python_line(const struct script_code *code, uint32_t position)
{
	const struct cursor c = {code->table, code->table + code->table_bytes};

	if (position == WIRE_SCRIPT_BEGIN)
		return code->first_line;
	if (code->form == FORM_STEPS)
		return code->cut ? 0 : line_by_steps(c, code->first_line, position);
	return code->form == FORM_RANGES ? line_by_ranges(c, code->first_line, position)
					 : line_by_places(c, code->first_line, position);
}

const struct script_language python_language = {
	.title = "Python",
	.kind = KIND_PYTHON,
	.section = SECTION,
	.symbol = SYMBOL,
	.detect = python_detect,
	.layout = python_layout,
	.line = python_line,
};
