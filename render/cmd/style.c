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

static int take_colour(void *field, const char *text)
{
	static const char *const names[] = {"auto", "always", "never"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*(enum style_colours *)field = (enum style_colours)i;
			return 0;
		}
	}
	return err(-EINVAL, "--colour is auto, always or never, not '%s'", text);
}

static int take_number(unsigned *out, const char *text, const char *what, int64_t least,
		       int64_t most)
{
	int64_t n;
	int rc = units_parse_int(text, what, least, most, &n);

	if (rc == 0)
		*out = (unsigned)n;
	return rc;
}

static int take_width(void *field, const char *text)
{
	return take_number(field, text, "--width", LEAST_WIDTH, MAX_WIDTH);
}

static int take_height(void *field, const char *text)
{
	return take_number(field, text, "--height", LEAST_HEIGHT, MAX_SIZE);
}

static int take_rows(void *field, const char *text)
{
	return take_number(field, text, "--rows", 1, MAX_SIZE);
}

static int take_paper(void *field, const char *text)
{
	*(enum paper *)field = !strcmp(text, "letter") ? PAPER_LETTER : PAPER_A4;
	if (strcmp(text, "a4") && strcmp(text, "letter"))
		return err(-EINVAL, "--paper is a4 or letter, not '%s'", text);
	return 0;
}

static int take_theme(void *field, const char *text)
{
	*(bool *)field = !strcmp(text, "dark");
	if (strcmp(text, "light") && strcmp(text, "dark"))
		return err(-EINVAL, "--theme is light or dark, not '%s'", text);
	return 0;
}

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

const struct option_row style_paper_rows[] = {
	{"rows", 0, OPTION_TAKE, offsetof(struct style, rows), {.take = take_rows}},
	{"paper", 0, OPTION_TAKE, offsetof(struct style, paper), {.take = take_paper}},
	{"portrait", 0, OPTION_FLAG, offsetof(struct style, portrait), {0}},
	{"landscape", 0, OPTION_CLEAR, offsetof(struct style, portrait), {0}},
	{"theme", 0, OPTION_TAKE, offsetof(struct style, dark), {.take = take_theme}},
	{"percent-limit", 0, OPTION_TAKE, offsetof(struct style, least), {.take = take_limit}},
	{0},
};

const struct option_row style_rows[] = {
	{"width", 0, OPTION_TAKE, offsetof(struct style, width), {.take = take_width}},
	{"colour", 0, OPTION_TAKE, offsetof(struct style, colour), {.take = take_colour}},
	{"color", 0, OPTION_TAKE, offsetof(struct style, colour), {.take = take_colour}},
	{"height", 0, OPTION_TAKE, offsetof(struct style, height), {.take = take_height}},
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
