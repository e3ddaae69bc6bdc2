/*
 * picture: a document of anything as one picture: a sheet whose page is as high as it needs to be,
 * or as --height says. For png and svg, of what is not a single flame graph. Pixels are CSS's, 96
 * to the inch.
 */
#ifndef FORMAT_PICTURE_H
#define FORMAT_PICTURE_H

#include "format/sheet.h"

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

#endif
