/* png: any view as a picture in pixels. */
#include "format/picture.h"

#include <errno.h>

#include "base/err.h"

#define MAX_SIDE   32767      /* of cairo's image surfaces */
#define MAX_PIXELS (64 << 20) /* 256 MB while it is drawn */
#define FONT_SCALE 1.5	      /* points of the table of fonts to pixels */

static double most_high(const struct format_options *o)
{
	double most = MAX_PIXELS / (double)(o->width ? o->width : PICTURE_WIDTH);

	return most < MAX_SIDE ? most : MAX_SIDE;
}

static int write_surface(cairo_surface_t *surface, FILE *out)
{
	cairo_status_t status = cairo_surface_write_to_png_stream(surface, canvas_write, out);

	if (status != CAIRO_STATUS_SUCCESS)
		return err(-EIO, "cannot write png: %s", cairo_status_to_string(status));
	return 0;
}

static void draw_flame(struct canvas *c, const struct flame_picture *p)
{
	const struct canvas_look *look = c->look;
	double room = p->width - 2 * PICTURE_MARGIN;
	_free_ char *caption = flame_picture_caption(p);

	canvas_box(c, look->paper, 0, 0, p->width, p->height);
	canvas_text_in(c, FONT_HEADING, look->ink, PICTURE_MARGIN, 27, room, p->doc->title);
	canvas_text_in(c, FONT_SMALL, look->grey, PICTURE_MARGIN, 45, room, p->doc->subtitle);
	canvas_text_in(c, FONT_SMALL, look->grey, PICTURE_MARGIN, 62, room, caption);
	canvas_legend(c, &p->plot, PICTURE_MARGIN, 80.5);
	canvas_plot(c, &p->plot);
}

static int write_flame(const struct flame_picture *p, FILE *out)
{
	cairo_surface_t *surface =
		cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p->width, (int)p->height);
	struct canvas c;
	int rc;

	canvas_init(&c, surface, FONT_SCALE);
	c.look = p->dark ? &CANVAS_DARK : &CANVAS_LIGHT;
	draw_flame(&c, p);
	rc = canvas_status(&c);
	if (rc == 0)
		rc = write_surface(surface, out);
	canvas_release(&c);
	cairo_surface_destroy(surface);
	return rc;
}

static int write_picture(const struct doc *doc, const struct format_options *o, FILE *out)
{
	struct picture p;
	cairo_surface_t *surface;
	int rc = picture_measure(doc, o, most_high(o), &p);

	if (rc < 0)
		return rc;
	surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p.width, (int)p.height);
	cairo_surface_set_device_scale(surface, PICTURE_SCALE, PICTURE_SCALE);
	rc = picture_draw(doc, o, &p, surface, &CANVAS_CAIRO, NULL);
	if (rc == 0)
		rc = write_surface(surface, out);
	cairo_surface_destroy(surface);
	return rc;
}

static int png_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	const struct doc_block *flame = flame_alone(doc);
	struct flame_picture p;
	int rc;

	if (options->height > most_high(options))
		return err(-E2BIG, "a png of that --width is at most %.0f pixels high",
			   most_high(options));
	if (!flame)
		return write_picture(doc, options, out);
	flame_picture_init(&p, doc, flame, options, most_high(options));
	rc = write_flame(&p, out);
	flame_picture_release(&p);
	return rc;
}

const struct format png_format = {
	.extension = "png",
	.about = "the flame graph, or any view, in pixels",
	.medium = DOC_PICTURE,
	.one_view = true,
	.write = png_write,
};
