/* svg: the flame graph as a picture that one can zoom and search in a browser; any other view as a
 * picture of text and boxes. */
#include "format/flame_only.h"
#include "format/picture.h"
#include "paint/svg_out.h"
#include "paint/xml.h"

#define MAX_HEIGHT 1e6

static int write_picture(const struct doc *doc, const struct format_options *o, FILE *out)
{
	cairo_surface_t *nothing;
	struct picture p;
	int rc = picture_measure(doc, o, MAX_HEIGHT, &p);

	if (rc < 0)
		return rc;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %.6g %.6g\">\n<title>",
		p.width, p.height, p.width / PICTURE_SCALE, p.height / PICTURE_SCALE);
	xml_text(out, doc->title);
	fputs("</title>\n<style>", out);
	svg_out_style(out);
	fputs("</style>\n", out);
	nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	rc = picture_draw(doc, o, &p, nothing, &CANVAS_SVG, out);
	cairo_surface_destroy(nothing);
	fputs("</svg>\n", out);
	return rc;
}

static int svg_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	const struct doc_block *flame = flame_alone(doc);
	struct flame_picture p;
	int rc;

	if (!flame)
		return write_picture(doc, options, out);
	flame_picture_init(&p, doc, flame, options, MAX_HEIGHT);
	rc = svg_flame(&p, out);
	flame_picture_release(&p);
	return rc;
}

const struct format svg_format = {
	.extension = "svg",
	.about = "the flame graph, to zoom and search in a browser, or any view",
	.place = DOC_PICTURE,
	.one_view = true,
	.write = svg_write,
};
