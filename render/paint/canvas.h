/*
 * canvas: text and boxes on a cairo surface, for png and pdf. Positions and sizes are in the
 * surface's units (pixels, points); text stands on its baseline. Errors stick to the cairo_t
 * and are asked for at the end: canvas_status().
 */
#ifndef PAINT_CANVAS_H
#define PAINT_CANVAS_H

#include <cairo.h>
#include <pango/pangocairo.h>
#include <stdio.h>

#include "paint/flame.h"
#include "paint/plot.h"

enum canvas_font {
	FONT_TITLE,
	FONT_HEADING,
	FONT_BODY,
	FONT_BOLD,
	FONT_SMALL,
	FONT_MONO,
	FONT_LABEL, /* in the boxes of a flame graph */
	CANVAS_FONTS
};

extern const struct rgb CANVAS_INK, CANVAS_GREY, CANVAS_RULE, CANVAS_BAR, CANVAS_WARN;

struct canvas {
	cairo_t *cr;	     /* owned */
	PangoLayout *layout; /* owned, one for all texts */
	PangoFontDescription *fonts[CANVAS_FONTS];
};

/* Takes a reference on @surface. @scale times the sizes in points of the table of fonts. */
void canvas_init(struct canvas *, cairo_surface_t *surface, double scale);
void canvas_release(struct canvas *);
/* 0, or -ENOMEM or -EIO with a text. */
int canvas_status(const struct canvas *);

void canvas_box(struct canvas *, struct rgb, double x, double y, double w, double h);

/* Text from @x; up to @x; from @x, cut in the middle so that it ends within @width. */
void canvas_text(struct canvas *, enum canvas_font, struct rgb, double x, double y,
		 const char *text);
void canvas_text_right(struct canvas *, enum canvas_font, struct rgb, double x, double y,
		       const char *text);
void canvas_text_in(struct canvas *, enum canvas_font, struct rgb, double x, double y, double width,
		    const char *text);
/* A paragraph with its first baseline at @y, wrapped at @width; returns its height. With @draw
 * false only measures. */
double canvas_paragraph(struct canvas *, enum canvas_font, struct rgb, double x, double y,
			double width, const char *text, bool draw);
double canvas_width(struct canvas *, enum canvas_font, const char *text);

/* All boxes of a plot, with their names where there is room. */
void canvas_plot(struct canvas *, const struct plot *);
/* The legend in one line from @x, on baseline @y. */
void canvas_legend(struct canvas *, const struct plot *, double x, double y);

/* cairo's write function for a FILE. */
cairo_status_t canvas_write(void *file, const unsigned char *data, unsigned n);

#endif
