/*
 * v8: the engine of Node. What it says of itself to debuggers, by exported numbers called v8dbg_…,
 * tells where it keeps what the walker reads; these differ between its versions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "elf/dynsym.h"
#include "elf/segments.h"
#include "model/profile.h"
#include "script/codes.h"
#include "script/language.h"

#define SYMBOL "v8dbg_off_fp_function"

/* What the frames of all versions have in common; the walker relies on it. */
#define FUNCTION     (-16)
#define CONTEXT	     (-8)
#define NUMBER_SHIFT 31 /* pointers are not compressed */

/* Names of the same number in different versions, up to a NULL. */
#define NAMES 3
struct number {
	const char *names[NAMES];
	int32_t least, most;
};

enum which {
	WHICH_FUNCTION,
	WHICH_CONTEXT,
	WHICH_SHIFT,
	WHICH_INFO,
	WHICH_SCOPE,
	WHICH_SCRIPT,
	WHICH_FILE,
	WHICH_LENGTH,
	WHICH_TYPE,
	WHICH_INFO_TYPE,
	WHICH_SCOPE_TYPE,
	WHICH_SCRIPT_TYPE,
	WHICH_VARIABLES,
	WHICH_COUNT
};

#define INFO "v8dbg_class_SharedFunctionInfo__"

static const struct number numbers[] = {
	[WHICH_FUNCTION] = {{SYMBOL}, FUNCTION, FUNCTION},
	[WHICH_CONTEXT] = {{"v8dbg_off_fp_context"}, CONTEXT, CONTEXT},
	[WHICH_SHIFT] = {{"v8dbg_SmiShiftSize"}, NUMBER_SHIFT, NUMBER_SHIFT},
	[WHICH_INFO] = {{"v8dbg_class_JSFunction__shared__SharedFunctionInfo"}, 8, 120},
	[WHICH_SCOPE] = {{INFO "name_or_scope_info__Object",
			  INFO "name_or_scope_info__Tagged_Object_",
			  INFO "name_or_scope_info__Tagged_NameOrScopeInfoT_"},
			 8,
			 56},
	[WHICH_SCRIPT] = {{INFO "script_or_debug_info__HeapObject",
			   INFO "script__Tagged_HeapObject_"},
			  8,
			  56},
	[WHICH_FILE] = {{"v8dbg_class_Script__name__Object"}, 16, 16},
	[WHICH_LENGTH] = {{"v8dbg_class_String__length__int32_t"}, 12, 12},
	[WHICH_TYPE] = {{"v8dbg_class_Map__instance_type__uint16_t"}, 12, 12},
	[WHICH_INFO_TYPE] = {{"v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"},
			     128,
			     UINT16_MAX - 1},
	[WHICH_SCOPE_TYPE] = {{"v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE"}, 128, UINT16_MAX - 1},
	[WHICH_SCRIPT_TYPE] = {{"v8dbg_type_Script__SCRIPT_TYPE"}, 128, UINT16_MAX - 1},
	[WHICH_COUNT] = {{"v8dbg_scopeinfo_idx_ncontextlocals"}, 2, 2},
	[WHICH_VARIABLES] = {{"v8dbg_scopeinfo_idx_first_vars"}, 3, 5},
};
#define N_NUMBERS (sizeof(numbers) / sizeof(*numbers))

/* Zeros are not stored in the file. */
static bool read_number(const struct elffile *f, const char *name, int32_t *out)
{
	Elf64_Sym symbol;
	uint64_t offset;

	*out = 0;
	return dynsym_find(f, name, &symbol) && (!segments_offset(f, symbol.st_value, &offset) ||
						 !elffile_read(f, offset, out, sizeof(*out)));
}

static bool find_number(const struct elffile *f, const struct number *n, int32_t *out)
{
	for (size_t i = 0; i < NAMES && n->names[i]; i++)
		if (read_number(f, n->names[i], out))
			return *out >= n->least && *out <= n->most;
	return false;
}

static void v8_detect(const struct elffile *f, struct interpreter *out)
{
	int32_t value[N_NUMBERS];

	if (f->machine != EM_X86_64) {
		snprintf(out->reason, sizeof(out->reason),
			 "V8: its frames are read on x86-64 alone");
		return;
	}
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (!find_number(f, &numbers[i], &value[i])) {
			snprintf(out->reason, sizeof(out->reason),
				 "V8: it does not say %s as known",
				 numbers[i].names[0] + strlen("v8dbg_"));
			return;
		}
	out->v8 = (struct wire_script_v8){
		.info = (uint8_t)value[WHICH_INFO],
		.scope = (uint8_t)value[WHICH_SCOPE],
		.script = (uint8_t)value[WHICH_SCRIPT],
		.info_type = (uint16_t)value[WHICH_INFO_TYPE],
		.scope_type = (uint16_t)value[WHICH_SCOPE_TYPE],
		.script_type = (uint16_t)value[WHICH_SCRIPT_TYPE],
		.variables = (uint8_t)(8 + 8 * value[WHICH_VARIABLES]),
		/* Since V8 13 the beginning and the end stand before the variables. */
		.position = value[WHICH_VARIABLES] == 5 ? 32 : 0,
	};
}

static void v8_layout(const struct interpreter *i, struct wire_script_proc *out)
{
	*out = (struct wire_script_proc){.v8 = i->v8};
}

/* --- functions -------------------------------------------------------------------------------- */

#define URL "file://"

static void add_part(struct str *name, const struct wire_script_made *made, uint32_t i)
{
	const struct wire_script_text *text = &made->parts[i].text;
	_free_ char *part = codes_text(text, made->parts[i].bytes, WIRE_SCRIPT_PART);

	str_add(name, text->width ? part : "…");
}

/* Makes a name whole that V8 put together. */
static void join(struct script_code *code, const struct wire_script_made *made)
{
	const uint32_t n = made->n < WIRE_SCRIPT_PARTS ? made->n : WIRE_SCRIPT_PARTS;
	struct str name = {0};

	for (uint32_t i = 0; i < n; i++)
		if (made->before >> i & 1)
			add_part(&name, made, i);
	str_add(&name, code->name);
	for (uint32_t i = n; i-- > 0;)
		if (!(made->before >> i & 1))
			add_part(&name, made, i);
	free(code->name);
	code->name = name.n ? str_steal(&name) : mem_strdup("(anonymous)");
	str_release(&name);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The path in a URL of a module: what may not be in one is there as %20. */
static void path_of_url(char *text)
{
	const char *from = text + strlen(URL);
	char *to = text;

	while (*from) {
		const int high = *from == '%' ? hex_digit(from[1]) : -1;
		const int low = high >= 0 ? hex_digit(from[2]) : -1;

		*to++ = low >= 0 && (high || low) ? (char)(high << 4 | low) : *from;
		from += low >= 0 && (high || low) ? 3 : 1;
	}
	*to = '\0';
}

static bool v8_finish(struct script_code *code, uint32_t *position)
{
	struct wire_script_made made = {0};

	memcpy(&made, code->table,
	       code->table_bytes < sizeof(made) ? code->table_bytes : sizeof(made));
	join(code, &made);
	if (!strncmp(code->file, URL, strlen(URL)))
		path_of_url(code->file);
	if (!*code->file) {
		free(code->file);
		code->file = mem_strdup("[eval]");
	}
	/* The position remains, which tells functions of the same name apart. */
	code->table_bytes = code->table_bytes < 4 ? code->table_bytes : 4;
	*position = made.position;
	return true;
}

/* Where in a function a thread is, V8 knows alone. */
static uint32_t v8_line(const struct script_code *code, uint32_t position)
{
	(void)code;
	(void)position;
	return 0;
}

const struct script_language v8_language = {
	.title = "Node.js",
	.kind = KIND_JAVASCRIPT,
	.symbol = SYMBOL,
	.finish = v8_finish,
	.detect = v8_detect,
	.layout = v8_layout,
	.line = v8_line,
};
