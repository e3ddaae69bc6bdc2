/*
 * language: what each script language does in user space: one row of bpf/scripts.def each.
 */
#ifndef SCRIPT_LANGUAGE_H
#define SCRIPT_LANGUAGE_H

#include <stdint.h>

#include "elf/elffile.h"
#include "script/loop.h"
#include "wire_script.h"

#define SCRIPT_REASON 96

/* Addresses are those of the file. A zeroed one: there is no interpreter. */
struct interpreter {
	enum wire_script_language language;
	uint32_t major, minor; /* 0, 0: not found */
	uint64_t runtime, code_type;
	uint64_t tls;	  /* of Ruby: offset of the program\'s own thread-local variable */
	struct loop loop; /* of languages whose runs are paired with it */
	struct wire_script_v8 v8;
	struct wire_script_async async; /* of Python: see script/async.h */
	char reason[SCRIPT_REASON];	/* why its scripts' frames are not shown; "": they are */
};

/* Says why the frames of its scripts are not shown: "PHP 8.9: its frames are …"; @unknown: what it
 * is called if its version was not found. */
void interpreter_refuse(struct interpreter *, const char *title, const char *unknown,
			const char *why);

struct script_code;

struct script_language {
	const char *title; /* "Python" */
	uint8_t kind;	   /* enum frame_kind */
	/* What names the interpreter in a file, and is cheap to look for: the section of its state,
	 * or an exported symbol; either will do, if neither is NULL. */
	const char *section, *symbol;
	/* Sets all of @out but .language for a file with that. */
	void (*detect)(const struct elffile *, struct interpreter *out);
	/* Of languages that send something else in place of a table of lines: puts @code in order,
	 * whose .table has that. True: its first line is to be found by where in its file it
	 * begins,
	 * *@position, in characters of UTF-16. Else NULL. */
	bool (*finish)(struct script_code *code, uint32_t *position);
	/* Sets all of @out but .runtime, .code_type, .language and the loop, for an interpreter
	 * that was not refused. */
	void (*layout)(const struct interpreter *, struct wire_script_proc *out);
	/* The line of @position (WIRE_SCRIPT_POSITION) of a function; 0: unknown. */
	uint32_t (*line)(const struct script_code *, uint32_t position);
};

#define SCRIPT(name, NAME, number) extern const struct script_language name##_language;
#include "scripts.def"
#undef SCRIPT

/* Numbers of languages are below this. */
extern const uint32_t script_languages;
/* NULL: there is none of that number. */
const struct script_language *script_language(uint32_t number);

#endif
