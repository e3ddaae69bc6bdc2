/*
 * options: the options of a command as a table: the name of each, and which field of the command's
 * arguments takes its value.
 *
 *	static const struct option_row rows[] = {
 *		{"output", 'o', OPTION_TEXT, offsetof(struct arguments, output), {0}},
 *		{"force", 0, OPTION_FLAG, offsetof(struct arguments, force), {0}},
 *		{NULL, 0, OPTION_TABLE, offsetof(struct arguments, style), {.rows = style_rows}},
 *		{0},
 *	};
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_TEXT = 1,   /* const char *: borrowed from the command line */
	OPTION_FLAG,	   /* bool: true; it takes no value */
	OPTION_CLEAR,	   /* bool: false; it takes no value */
	OPTION_NS,	   /* int64_t: a time */
	OPTION_WORD,	   /* unsigned, or an enum: which of the words it is */
	OPTION_COUNT,	   /* unsigned: a number within the range */
	OPTION_TAKE,	   /* take() reads the value into the field */
	OPTION_TAKE_PLAIN, /* take() of NULL: it takes no value */
	OPTION_TAKE_MAYBE, /* take() of the value behind "=", or of NULL */
	OPTION_STOP,	   /* ends the reading, which returns @at; it takes no value */
	OPTION_TABLE,	   /* no option but a table of some, of a struct within the arguments */
	OPTION_IN_ORDER,   /* no option: the first argument that is none ends them; the first row */
};

/* A table ends with a zeroed row. If two rows have one name, the first counts. */
struct option_row {
	const char *name; /* NULL: it has a letter only */
	char letter;	  /* 0: none */
	uint8_t kind;
	size_t at; /* offset of the field in the arguments; 0 too if take() takes them all */
	union {
		int (*take)(void *field,
			    const char *value); /* 0, or a negative errno with a text */
		const struct option_row *rows;
		const char *const *words; /* ends with a NULL */
		struct {
			uint32_t least, most;
		} range;
	};
};

/* Reads the options of @argv into @arguments; optind is then where the rest begins. 0, what an
 * OPTION_STOP says, or a negative errno with a text. */
int options_read(const struct option_row *rows, int argc, char **argv, void *arguments);
/* Reads one option, by its name. */
int options_take(const struct option_row *rows, const char *name, const char *value,
		 void *arguments);

/* After getopt_long() returned @got, '?' or ':' (its option string must start with ':', behind a
 * '+', and opterr be 0): -EINVAL, with a text such as "unknown option '--zonee': is it --zone?". */
int usage_option(int got, char *const *argv, const struct option *longopts);

#endif
