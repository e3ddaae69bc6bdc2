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
#include "script/language.h"

/* Versions whose layout is known. */
#define MAJOR	    3
#define MINOR_FIRST 11
#define MINOR_LAST  14

/* From the headers of each version; the same in all of its releases up to now. */
static const struct wire_script_proc layouts[] = {
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

/* By what the file exports (3.11 and later). */
static void read_version(const struct elffile *f, struct interpreter *out)
{
	uint64_t offset, hex = 0;
	Elf64_Sym symbol;

	if (dynsym_find(f, "Py_Version", &symbol) && segments_offset(f, symbol.st_value, &offset) &&
	    !elffile_read(f, offset, &hex, sizeof(hex)))
		set_version(out, hex);
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
	interpreter_refuse(out, "Python", "Python before 3.11 or without symbols", why);
}

static void python_detect(const struct elffile *f, struct interpreter *out)
{
	Elf64_Sym code_type;
	struct self self;
	Elf64_Shdr state;
	bool has_self;

	if (elffile_section(f, SECTION, &state))
		return;
	has_self = !elffile_read(f, state.sh_offset, &self, sizeof(self)) &&
		   !memcmp(self.cookie, COOKIE, sizeof(self.cookie));
	out->runtime = state.sh_addr;
	out->code_type = dynsym_find(f, "PyCode_Type", &code_type) ? code_type.st_value : 0;
	if (has_self)
		set_version(out, self.version);
	else
		read_version(f, out);
	if (f->machine != EM_X86_64 || !f->is_64)
		refuse(out, "its frames are read on x86-64 alone");
	else if (out->major != MAJOR || out->minor < MINOR_FIRST || out->minor > MINOR_LAST)
		refuse(out, "its frames are known from 3.11 to 3.14");
	else if ((out->minor >= 13) != has_self)
		refuse(out, "it does not describe itself as that version does");
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
static uint32_t python_line(const uint8_t *table, uint32_t n, uint32_t first, uint32_t position)
{
	struct cursor c = {table, table + n};
	uint32_t line = first, known = first, unit = 0;

	if (position == WIRE_SCRIPT_BEGIN)
		return first;
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

const struct script_language python_language = {
	.title = "Python",
	.kind = KIND_PYTHON,
	.section = SECTION,
	.detect = python_detect,
	.layout = python_layout,
	.line = python_line,
};
