/*
 * picture: what svg and png share: a document as one picture, a sheet whose page is as high as it
 * needs to be, or as --height says. Pixels are CSS's, 96 to the inch.
 */
#ifndef FORMAT_PICTURE_H
#define FORMAT_PICTURE_H

#include "format/format.h"
#include "format/sheet.h"
#include "paint/plot.h"

#define PICTURE_SCALE (96.0 / 72) /* pixels to a point */

struct picture {
	unsigned width, height; /* pixels */
};

/* How large the picture becomes. -E2BIG with a text where it were higher than @most. */
int picture_measure(const struct doc *, const struct format_options *, double most,
		    struct picture *out);
/* Draws it with @out, to @to, on @surface, whose units are points. 0, or as canvas_status(). */
int picture_draw(const struct doc *, const struct format_options *, const struct picture *,
		 cairo_surface_t *surface, const struct canvas_out *out, void *to);

#define PICTURE_WIDTH	  1200 /* pixels, where --width says nothing */
#define PICTURE_MARGIN	  16
#define PICTURE_ROW	  16.0
#define PICTURE_ROW_LEAST 9.0 /* to which --height may press rows */
#define PICTURE_HEAD	  92  /* title, subtitle, base, legend */
#define PICTURE_FOOT	  14
#define PICTURE_MIN	  0.1 /* pixels: boxes below are drawn as one with their neighbours */

/* A document that is one flame graph and nothing else: its frame is laid out alike in both formats.
 */
struct flame_picture {
	struct plot plot;
	const struct doc *doc;
	const struct doc_block *block; /* the flame */
	double width, height;	       /* pixels */
	uint32_t rows_cut;	       /* rows at the top that found no room */
	bool dark;
};

/* The flame graph of a document that has nothing else to draw, but texts; else NULL. */
const struct doc_block *flame_alone(const struct doc *);

/* Lays out the picture of @block, which is flame_alone(). At most @max_height pixels. */
void flame_picture_init(struct flame_picture *, const struct doc *, const struct doc_block *block,
			const struct format_options *, double max_height);
void flame_picture_release(struct flame_picture *);

/* What stands under the subtitle: the base, and what was left out. Freed by the caller. */
char *flame_picture_caption(const struct flame_picture *);

#endif
