/* Names that had no room, and the appendix that has them whole. */
#include "format/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "paint/cut.h"

#define NAMES_MOST 300	/* in the appendix */
#define NAME_MOST  2000 /* letters of one */
#define SPACE	   4.0

static const char heading[] = "Names in full";

void sheet_name(struct sheet *s, enum canvas_font font, double x, double y, double width,
		const char *name)
{
	if (canvas_text_in(&s->canvas, font, s->canvas.look->ink, x, y, width, name))
		intern_add(&s->names, name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_name(struct sheet *s, const char *name)
{
	_free_ char *cut = cut_middle(name, NAME_MOST);
	const double width = sheet_room(s);
	const struct rgb ink = s->canvas.look->ink;
	double height = canvas_paragraph(&s->canvas, FONT_MONO, ink, 0, 0, width, cut, false);

	sheet_need(s, height + SPACE);
	canvas_paragraph(&s->canvas, FONT_MONO, ink, SHEET_MARGIN, s->y + 9, width, cut, true);
	s->y += height + SPACE;
	s->empty = false;
}

void sheet_names(struct sheet *s)
{
	const size_t n = intern_count(&s->names) - 1, shown = n < NAMES_MOST ? n : NAMES_MOST;
	_free_ const char **names = mem_zalloc(n + 1, sizeof(*names));
	char count[UNITS_BUF];
	_free_ char *more = mem_printf("; %s more are in csv and html",
				       units_count(count, sizeof(count), (int64_t)(n - shown)));
	_free_ char *caption =
		mem_printf("of those that had no room above, by letter%s", n > shown ? more : "");

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		names[i] = intern_text(&s->names, (uint32_t)i + 1);
	qsort(names, n, sizeof(*names), by_text);
	sheet_need(s, 60);
	sheet_heading(s, heading, caption);
	for (size_t i = 0; i < shown; i++)
		put_name(s, names[i]);
}
