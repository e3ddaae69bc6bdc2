/*
 * plot: a flame graph on a surface: which boxes are wide enough to be seen, where each stands,
 * and what is left out. For svg, png and pdf. The root stands at the bottom.
 */
#ifndef PAINT_PLOT_H
#define PAINT_PLOT_H

#include <stdbool.h>

#include "paint/diff_words.h"
#include "paint/flame.h"

struct plot_rect {
	double x, y, w, h;
};

struct plot {
	struct flame flame; /* owned */
	double x, y, width; /* left, top and width of the picture, in its units */
	double row_height;
	uint32_t first_row, rows; /* the rows of the flame that this picture shows */
	double left_out;	  /* percent of the whole in boxes too narrow to draw */
};

/* Lays out @t for a picture of @width; boxes under @min_width are left out. */
void plot_init(struct plot *, const struct tree *t, double width, double min_width);
void plot_release(struct plot *);

/* Where a box stands; false when its row is not shown. */
bool plot_place(const struct plot *, const struct flame_box *, struct plot_rect *out);

/* The same of a box that stands for many, and its name: "1,204 boxes"; freed by the caller. */
bool plot_place_merged(const struct plot *, const struct flame_merged *, struct plot_rect *out);
char *plot_merged_name(const struct flame_merged *);

/* "root" for that, else the node's name. Not yet clean: see str_clean(). */
const char *plot_name(const struct plot *, const struct flame_box *);

/* "1,204 boxes under 0.1 px are drawn as 31; not drawn: 0.8 %", or NULL where nothing is. @unit
 * names what widths are in. Freed by the caller. */
char *plot_note(const struct plot *, double min_width, const char *unit);

/* What the colours mean, of those that are there: each in the shade of its widest box. Reasons of
 * waits stand behind kinds of code, those of the widest boxes first: there are many. Of a
 * difference all that there can be, always in the same order. */
#define LEGEND_MAX (FLAME_CLASSES + DIFF_LOOKS)
struct legend_entry {
	const char *label;
	struct rgb colour;
	int64_t widest;
	bool waits; /* striped: flame_is_wait() */
};
size_t plot_legend(const struct plot *, struct legend_entry out[LEGEND_MAX]);

#endif
