#include "cmd/style.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/err.h"
#include "base/units.h"

#define MAX_WIDTH    32767
#define MAX_SIZE     1000000
#define LEAST_WIDTH  40	 /* columns; a narrower terminal wraps by itself */
#define LEAST_HEIGHT 160 /* pixels */

static int take_limit(void *field, const char *text)
{
	double *least = field;
	char *end;

	*least = strtod(text, &end);
	if (end == text || *end || !(*least >= 0 && *least <= 100))
		return err(-EINVAL, "--percent-limit is from 0 to 100, not '%s'", text);
	/* 0 is "not given" to those who draw; nothing is as small as this. */
	*least = *least > 0 ? *least : 1e-12;
	return 0;
}

/* In the order of their enums. */
static const char *const papers[] = {"a4", "letter", NULL};
static const char *const themes[] = {"light", "dark", NULL};
static const char *const colours[] = {"auto", "always", "never", NULL};

#define AT(field) offsetof(struct style, field)

const struct option_row style_paper_rows[] = {
	{"rows", 0, OPTION_COUNT, AT(rows), {.range = {1, MAX_SIZE}}},
	{"paper", 0, OPTION_WORD, AT(paper), {.words = papers}},
	{"portrait", 0, OPTION_FLAG, AT(portrait), {0}},
	{"landscape", 0, OPTION_CLEAR, AT(portrait), {0}},
	{"theme", 0, OPTION_WORD, AT(dark), {.words = themes}},
	{"percent-limit", 0, OPTION_TAKE, AT(least), {.take = take_limit}},
	{0},
};

const struct option_row style_rows[] = {
	{"width", 0, OPTION_COUNT, AT(width), {.range = {LEAST_WIDTH, MAX_WIDTH}}},
	{"colour", 0, OPTION_WORD, AT(colour), {.words = colours}},
	{"color", 0, OPTION_WORD, AT(colour), {.words = colours}},
	{"height", 0, OPTION_COUNT, AT(height), {.range = {LEAST_HEIGHT, MAX_SIZE}}},
	{NULL, 0, OPTION_TABLE, 0, {.rows = style_paper_rows}},
	{0},
};

#define PAPER_HELP                                                                         \
	"      --rows N         rows of each table: of txt, pdf, svg and png\n"            \
	"      --percent-limit N  leave out branches of call trees below N per cent (1)\n" \
	"      --paper a4|letter  of pdf (a4)\n"                                           \
	"      --landscape      pdf across (the default)\n"                                \
	"      --portrait       pdf upright\n"                                             \
	"      --theme light|dark  of pdf, svg and png (light)\n"

const char style_paper_help[] = PAPER_HELP;
const char style_help[] =
	"      --height N       pixels of svg and png (as high as needed)\n" PAPER_HELP;

/* Columns of the terminal; 0: no limit. COLUMNS has the last word. */
static unsigned terminal_width(bool terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t width;

	if (columns && units_parse_int(columns, "COLUMNS", 1, MAX_WIDTH, &width) == 0)
		return width < LEAST_WIDTH ? LEAST_WIDTH : (unsigned)width;
	if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

struct format_options style_options(const struct style *s, const struct format *f, bool to_file)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool text = !strcmp(f->extension, "txt");
	bool to_stdout = !to_file;
	bool terminal = to_stdout && isatty(STDOUT_FILENO);
	/* A file is read elsewhere: it is in UTF-8 always. */
	struct format_options o = {.width = s->width,
				   .height = s->height,
				   .rows = s->rows,
				   .least = s->least,
				   .paper = s->paper,
				   .portrait = s->portrait,
				   .dark = s->dark,
				   .ascii = text && to_stdout && ascii_wanted()};

	if (s->colour == COLOUR_AUTO)
		o.colour = terminal && !(no_colour && no_colour[0]) &&
			   !(term && !strcmp(term, "dumb"));
	else
		o.colour = s->colour == COLOUR_ALWAYS;
	if (text && to_stdout && !o.width)
		o.width = terminal_width(terminal);
	return o;
}
