/*
 * php: PHP 8 without threads. Where its state and its loop are in a file, of which version it is,
 * and where that version keeps what the walker reads. Its instructions know their lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/dynsym.h"
#include "model/profile.h"
#include "script/codes.h"
#include "script/language.h"
#include "script/rodata.h"

/* Versions whose layout is known. */
#define MAJOR	   8
#define MINOR_LAST 5

/* From the headers of each version; the same in all of its releases up to now. In all of them a
 * frame begins with its instruction, its call in preparation, and so on. */
#define FRAME .previous = 48, .code = 24, .instruction = 0

static const struct wire_script_proc layouts[] = {
	[0] = {.key = 488, FRAME, .file = 144, .first_line = 152},
	[1] = {.key = 488, FRAME, .file = 144, .first_line = 152},
	[2] = {.key = 488, FRAME, .file = 152, .first_line = 160},
	[3] = {.key = 488, FRAME, .file = 144, .first_line = 152},
	[4] = {.key = 488, FRAME, .file = 168, .first_line = 176},
	[5] = {.key = 512, FRAME, .file = 168, .first_line = 176},
};

/* What a server is told of every page, a constant, which has the version. */
#define TEXT "X-Powered-By: PHP/"

static void set_version(struct interpreter *out, const char *text)
{
	char *end;
	const unsigned long major = strtoul(text, &end, 10);

	if (*end != '.' || major > 99)
		return;
	out->major = (uint32_t)major;
	out->minor = (uint32_t)(strtoul(end + 1, NULL, 10) % 100);
}

static void read_version(const struct elffile *f, struct interpreter *out)
{
	char text[RODATA_BEHIND];

	if (rodata_find(f, TEXT, text))
		set_version(out, text);
}

static void refuse(struct interpreter *out, const char *why)
{
	interpreter_refuse(out, "PHP", "PHP of an unknown version", why);
}

static void php_detect(const struct elffile *f, struct interpreter *out)
{
	Elf64_Sym globals = {0};
	const bool has_globals = dynsym_find(f, "executor_globals", &globals);

	read_version(f, out);
	out->runtime = globals.st_value;
	if (f->machine != EM_X86_64)
		refuse(out, "its frames are read on x86-64 alone");
	else if (out->major != MAJOR || out->minor > MINOR_LAST)
		refuse(out, "its frames are known from 8.0 to 8.5");
	else if (!has_globals)
		refuse(out, "frames of builds with threads (ZTS) are not known");
	else if (!loop_find(f, "execute_ex", false, &out->loop))
		refuse(out, "the code of its loop is not known");
}

static void php_layout(const struct interpreter *i, struct wire_script_proc *out)
{
	*out = layouts[i->minor];
}

/* In the place of a table of lines is the name of the class. */
static bool php_finish(struct script_code *code, uint32_t *position)
{
	const struct wire_script_text t = {
		.bytes = code->table_bytes, .cut = code->cut, .width = WIRE_SCRIPT_UTF8};
	_free_ char *class = codes_text(&t, code->table, code->table_bytes);
	_free_ char *name = code->name;

	(void)position;
	code->name = mem_printf("%s%s%s", class, *class ? "::" : "", *name ? name : "{main}");
	code->table_bytes = 0;
	code->cut = false;
	return false;
}

static uint32_t php_line(const struct script_code *code, uint32_t position)
{
	(void)code;
	return position;
}

const struct script_language php_language = {
	.title = "PHP",
	.kind = KIND_PHP,
	.symbol = "execute_ex",
	.finish = php_finish,
	.detect = php_detect,
	.layout = php_layout,
	.line = php_line,
};
