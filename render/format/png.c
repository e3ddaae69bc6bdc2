/* png: the flame graph as a picture in pixels. */
#include "format/flame_only.h"

#include <errno.h>

#include "base/err.h"
#include "paint/canvas.h"

#define MAX_SIDE   32767      /* of cairo's image surfaces */
#define MAX_PIXELS (64 << 20) /* 256 MB while it is drawn */
#define FONT_SCALE 1.5	      /* points of the table of fonts to pixels */

static void draw(struct canvas *c, const struct picture *p)
{
	double room = p->width - 2 * PICTURE_MARGIN;
	_free_ char *caption = picture_caption(p);

	canvas_box(c, (struct rgb){255, 255, 255}, 0, 0, p->width, p->height);
	canvas_text_in(c, FONT_HEADING, CANVAS_INK, PICTURE_MARGIN, 27, room, p->doc->title);
	canvas_text_in(c, FONT_SMALL, CANVAS_GREY, PICTURE_MARGIN, 45, room, p->doc->subtitle);
	canvas_text_in(c, FONT_SMALL, CANVAS_GREY, PICTURE_MARGIN, 62, room, caption);
	canvas_legend(c, &p->plot, PICTURE_MARGIN, 80.5);
	canvas_plot(c, &p->plot);
}

static int draw_to(const struct picture *p, FILE *out)
{
	cairo_surface_t *surface =
		cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p->width, (int)p->height);
	struct canvas c;
	cairo_status_t status;
	int rc;

	canvas_init(&c, surface, FONT_SCALE);
	draw(&c, p);
	rc = canvas_status(&c);
	if (rc == 0) {
		status = cairo_surface_write_to_png_stream(surface, canvas_write, out);
		if (status != CAIRO_STATUS_SUCCESS)
			rc = err(-EIO, "cannot write png: %s", cairo_status_to_string(status));
	}
	canvas_release(&c);
	cairo_surface_destroy(surface);
	return rc;
}

static int png_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	double width = options->width ? options->width : PICTURE_WIDTH;
	double most = MAX_PIXELS / width;
	struct picture p;
	int rc = picture_init(&p, doc, options, most < MAX_SIDE ? most : MAX_SIDE);

	if (rc == 0)
		rc = draw_to(&p, out);
	picture_release(&p);
	return rc;
}

const struct format png_format = {
	.extension = "png",
	.about = "the flame graph, in pixels",
	.place = DOC_PICTURE,
	.one_view = true,
	.write = png_write,
};
