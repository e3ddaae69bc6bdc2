#include "paint/term.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/profile.h"
#include "paint/words.h"

#define PIPE_WRAP 100
#define MIN_WORD  16  /* a word is not cut below this */
#define LONGEST	  512 /* columns of a name where nothing else limits it */

static const char *const escapes[] = {
	[TERM_PLAIN] = "",	    [TERM_TITLE] = "\033[1m",	[TERM_DIM] = "\033[2m",
	[TERM_STRONG] = "\033[1m",  [TERM_WARN] = "\033[1;33m", [TERM_BAR] = "\033[38;5;173m",
	[TERM_KERNEL] = "\033[33m", [TERM_JIT] = "\033[32m",	[TERM_INLINED] = "\033[36m",
	[TERM_UNNAMED] = "\033[2m", [TERM_SCRIPT] = "\033[35m",
};

static const enum term_style frame_styles[FRAME_CLASSES] = {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, list, STYLE, ...) TERM_##STYLE,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
};

enum term_style term_frame_style(enum frame_class class)
{
	return frame_styles[class];
}

char *term_cut(const struct term *t, const char *s, size_t columns)
{
	columns = columns < LONGEST ? columns : LONGEST;
	return str_cut_middle(s, columns, t->ascii ? "..." : "…");
}

void term_put(struct term *t, enum term_style style, const char *text)
{
	bool styled = t->colour && escapes[style][0] && text[0];
	_free_ char *plain = t->ascii ? ascii_text(text) : NULL;

	if (styled)
		fputs(escapes[style], t->out);
	fputs(plain ? plain : text, t->out);
	if (styled)
		fputs("\033[0m", t->out);
}

void term_spaces(struct term *t, size_t n)
{
	fprintf(t->out, "%*s", (int)n, "");
}

void term_right(struct term *t, enum term_style style, size_t columns, const char *text)
{
	size_t width = str_width(text);

	if (width < columns)
		term_spaces(t, columns - width);
	term_put(t, style, text);
}

void term_left(struct term *t, enum term_style style, size_t columns, const char *text)
{
	size_t width = str_width(text);

	term_put(t, style, text);
	if (width < columns)
		term_spaces(t, columns - width);
}

void term_bar(struct term *t, double percent)
{
	static const char *const blocks[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
	static const char *const plain[] = {"", ".", ".", ".", ":", ":", ":", "#", "#"};
	const char *const *parts = t->ascii ? plain : blocks;
	double share = percent > 100 ? 100 : percent > 0 ? percent : 0;
	size_t eighths = (size_t)(share / 100 * TERM_BAR_COLUMNS * 8 + 0.5);
	char text[3 * (TERM_BAR_COLUMNS + 1) + 1] = "";

	/* What is there at all is seen. */
	if (!eighths && share > 0)
		eighths = 1;
	for (size_t i = 0; i < eighths / 8; i++)
		strcat(text, parts[8]);
	strcat(text, parts[eighths % 8]);
	term_left(t, TERM_BAR, TERM_BAR_COLUMNS, text);
}

void term_wrap_begin(struct term *t, size_t indent)
{
	t->indent = t->column = indent;
}

void term_wrap_with(struct term *t, enum term_style style, const char *word, const char *suffix)
{
	size_t limit = t->width ? t->width : PIPE_WRAP, room, width;
	_free_ char *cut = NULL;

	room = limit > t->indent + MIN_WORD ? limit - t->indent : MIN_WORD;
	room -= str_width(suffix);
	cut = term_cut(t, word, t->width ? room : LONGEST);
	width = str_width(cut) + str_width(suffix);
	if (t->column > t->indent) {
		if (t->column + 1 + width > limit) {
			fputc('\n', t->out);
			term_spaces(t, t->indent);
			t->column = t->indent;
		} else {
			fputc(' ', t->out);
			t->column++;
		}
	}
	term_put(t, style, cut);
	if (suffix[0])
		term_put(t, TERM_DIM, suffix);
	t->column += width;
}

void term_wrap_text(struct term *t, enum term_style style, const char *text)
{
	while (*text) {
		size_t n = words_run(text);
		_free_ char *word = mem_strndup(text, n);

		if (n)
			term_wrap_with(t, style, word, "");
		text += n + (text[n] == ' ');
	}
	fputc('\n', t->out);
}
