/*
 * ruby: Ruby 3.0 to 3.2. Where the variable is that leads to a thread's frames, of which version a
 * file is, and where that version keeps what the walker reads, which finds the lines itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/dynsym.h"
#include "elf/segments.h"
#include "model/profile.h"
#include "script/language.h"

/* Versions whose layout is known. Before 3.0 a thread does not say which frames are its own. */
#define MAJOR	   3
#define MINOR_LAST 2

/* From the headers of each version. */
static const struct wire_script_proc layouts[] = {
	[0] = {.previous = 56, .instruction = 120, .code = 144, .end = 8, .text = 16, .ascii = 1},
	[1] = {.previous = 64, .instruction = 120, .code = 144, .end = 12, .text = 16, .ascii = 1},
	[2] = {.previous = 64, .instruction = 112, .code = 136, .end = 12, .text = 24},
};

#define VERSION	   8 /* bytes of "3.1.2" that are looked at */
#define MOST_RELAS (8u << 20)
#define CHUNK	   2730 /* relocations, 64 KiB */

static void read_version(const struct elffile *f, struct interpreter *out)
{
	char text[VERSION] = "";
	uint64_t offset;
	Elf64_Sym s;

	if (!dynsym_find(f, "ruby_version", &s) || !segments_offset(f, s.st_value, &offset) ||
	    elffile_read(f, offset, text, sizeof(text) - 1) || text[0] < '0' || text[0] > '9' ||
	    text[1] != '.')
		return;
	out->major = (uint32_t)(text[0] - '0');
	out->minor = (uint32_t)(strtoul(text + 2, NULL, 10) % 100);
}

/* Where the loader puts the module of the variable with that @symbol; its offset is behind it. 0:
 * nowhere. */
static uint64_t find_module(const struct elffile *f, uint32_t symbol)
{
	_free_ Elf64_Rela *at = mem_zalloc(CHUNK, sizeof(*at));
	Elf64_Shdr s;
	uint64_t n;

	if (elffile_section(f, ".rela.dyn", &s) || s.sh_size > MOST_RELAS)
		return 0;
	n = s.sh_size / sizeof(*at);
	for (uint64_t first = 0; first < n; first += CHUNK) {
		const uint64_t some = n - first < CHUNK ? n - first : CHUNK;

		if (elffile_read(f, s.sh_offset + first * sizeof(*at), at, some * sizeof(*at)))
			return 0;
		for (uint64_t i = 0; i < some; i++)
			if (at[i].r_info == ELF64_R_INFO((uint64_t)symbol, R_X86_64_DTPMOD64))
				return at[i].r_offset;
	}
	return 0;
}

static void refuse(struct interpreter *out, const char *why)
{
	interpreter_refuse(out, "Ruby", "Ruby of an unknown version", why);
}

static void ruby_detect(const struct elffile *f, struct interpreter *out)
{
	Elf64_Sym context = {0};
	const uint32_t symbol = dynsym_find(f, "ruby_current_ec", &context);

	read_version(f, out);
	out->runtime = symbol ? find_module(f, symbol) : 0;
	if (!out->runtime && segments_first(f, PT_INTERP))
		out->tls = context.st_value;
	if (f->machine != EM_X86_64)
		refuse(out, "its frames are read on x86-64 alone");
	else if (out->major != MAJOR || out->minor > MINOR_LAST)
		refuse(out, "its frames are known from 3.0 to 3.2");
	else if (!symbol || !(out->runtime || segments_first(f, PT_INTERP)))
		refuse(out, "it does not export where its threads keep their frames");
	else if (!loop_find(f, "rb_vm_exec", true, &out->loop))
		refuse(out, "the code of its loop is not known");
}

static void ruby_layout(const struct interpreter *i, struct wire_script_proc *out)
{
	*out = layouts[i->minor];
}

static uint32_t ruby_line(const struct script_code *code, uint32_t position)
{
	(void)code;
	return position;
}

const struct script_language ruby_language = {
	.title = "Ruby",
	.kind = KIND_RUBY,
	.symbol = "ruby_version",
	.detect = ruby_detect,
	.layout = ruby_layout,
	.line = ruby_line,
};
