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

int style_colour(struct style *s, const char *text)
{
	static const char *const names[] = {"auto", "always", "never"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			s->colour = (enum style_colours)i;
			return 0;
		}
	}
	return err(-EINVAL, "--colour is auto, always or never, not '%s'", text);
}

int style_width(struct style *s, const char *text)
{
	int64_t width;
	int rc = units_parse_int(text, "--width", LEAST_WIDTH, MAX_WIDTH, &width);

	if (rc == 0)
		s->width = (unsigned)width;
	return rc;
}

static int parse_unsigned(const char *text, const char *what, int64_t least, unsigned *out)
{
	int64_t n;
	int rc = units_parse_int(text, what, least, MAX_SIZE, &n);

	if (rc == 0)
		*out = (unsigned)n;
	return rc;
}

static int parse_paper(struct style *s, const char *text)
{
	s->paper = !strcmp(text, "letter") ? PAPER_LETTER : PAPER_A4;
	if (strcmp(text, "a4") && strcmp(text, "letter"))
		return err(-EINVAL, "--paper is a4 or letter, not '%s'", text);
	return 0;
}

static int parse_theme(struct style *s, const char *text)
{
	s->dark = !strcmp(text, "dark");
	if (strcmp(text, "light") && strcmp(text, "dark"))
		return err(-EINVAL, "--theme is light or dark, not '%s'", text);
	return 0;
}

static int parse_limit(struct style *s, const char *text)
{
	char *end;

	s->least = strtod(text, &end);
	if (end == text || *end || !(s->least >= 0 && s->least <= 100))
		return err(-EINVAL, "--percent-limit is from 0 to 100, not '%s'", text);
	/* 0 is "not given" to those who draw; nothing is as small as this. */
	s->least = s->least > 0 ? s->least : 1e-12;
	return 0;
}

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

int style_option(struct style *s, int opt, const char *arg)
{
	int rc = 0;

	switch (opt - STYLE_OPT_BASE) {
	case 0:
		rc = parse_unsigned(arg, "--height", LEAST_HEIGHT, &s->height);
		break;
	case 1:
		rc = parse_unsigned(arg, "--rows", 1, &s->rows);
		break;
	case 2:
		rc = parse_paper(s, arg);
		break;
	case 3:
	case 4:
		s->portrait = opt - STYLE_OPT_BASE == 3;
		break;
	case 5:
		rc = parse_theme(s, arg);
		break;
	case 6:
		rc = parse_limit(s, arg);
		break;
	default:
		return 0;
	}
	return rc < 0 ? rc : 1;
}

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
