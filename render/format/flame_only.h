/*
 * flame_only: what the picture formats (svg, png) share: they show one flame graph and nothing
 * else, and lay out its frame alike.
 */
#ifndef FORMAT_FLAME_ONLY_H
#define FORMAT_FLAME_ONLY_H

#include "format/format.h"
#include "paint/plot.h"

#define PICTURE_WIDTH  1200 /* pixels, where --width says nothing */
#define PICTURE_MARGIN 16
#define PICTURE_ROW    16
#define PICTURE_HEAD   92 /* title, subtitle, base, legend */
#define PICTURE_FOOT   14
#define PICTURE_MIN    0.1 /* pixels: boxes below are left out */

struct picture {
	struct plot plot;
	const struct doc *doc;
	const struct doc_block *block; /* the flame */
	double width, height;	       /* pixels */
	uint32_t rows_cut;	       /* rows at the top that found no room */
};

/* -EINVAL with a text when the document is not one flame graph. At most @max_height pixels. */
int picture_init(struct picture *, const struct doc *, const struct format_options *,
		 double max_height);
void picture_release(struct picture *);

/* What stands under the subtitle: the base, and what was left out. Freed by the caller. */
char *picture_caption(const struct picture *);

#endif
