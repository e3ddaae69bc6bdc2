/* svg: the flame graph as a picture that one can zoom and search in a browser (web/picture.js),
 * with a tooltip on each box; any other view as a picture of text and boxes. The flame graph is
 * kept small by hand: a box is a path and a row is a group, so most numbers stand once. */
#include "format/picture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"
#include "paint/canvas.h"
#include "paint/diff_words.h"
#include "paint/svg_out.h"
#include "paint/words.h"
#include "paint/xml.h"
#include "web/pack.h"

#define LABEL_SIZE  11
#define LETTER	    0.602 /* width of one letter of a monospace font, per size */
#define LABEL_SHARE 0.78  /* of a row's height */
#define BUTTONS	    200	  /* pixels at the right of the title */
#define LABEL_PAD   3
#define LABEL_LEAST 3 /* letters */
#define TITLE_WIDTH (18 * 0.62)
#define TEXT_WIDTH  (12 * 0.56)

static double label_size(const struct flame_picture *p)
{
	double most = LABEL_SHARE * p->plot.row_height;

	return LABEL_SIZE < most ? LABEL_SIZE : most;
}

/* Tenths of a pixel, without a trailing ".0". */
static void put_number(FILE *out, double v)
{
	long tenths = lround(v * 10);

	fprintf(out, tenths % 10 ? "%.1f" : "%.0f", (double)tenths / 10);
}

/* Its share, value and samples; of a difference both sides and what is said of them. */
static char *numbers_of(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.at[node];
	double whole = (double)t->nodes.at[0].total;
	char share[UNITS_BUF], value[UNITS_BUF], samples[UNITS_BUF], self[UNITS_BUF];

	if (t->diff)
		return diff_lines(t->diff, node);
	return mem_printf("%s, %s, %s %s%s%s",
			  units_percent(share, sizeof(share), (double)n->total, whole),
			  units_value(value, sizeof(value), (double)n->total, t->unit),
			  units_count(samples, sizeof(samples), n->total_samples),
			  t->of_zones ? "calls" : "samples", n->self ? "; self " : "",
			  n->self ? units_percent(self, sizeof(self), (double)n->self, whole) : "");
}

/* Each line of @text behind a line break. */
static void put_lines(char *text, FILE *out)
{
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		fputc('\n', out);
		xml_text(out, line);
	}
}

/* The name; its share, value and samples; the module: a line each. Escaped as a whole: shares may
 * be "<0.1 %". The script takes the first line for the name. */
static void put_title(const struct flame_picture *p, const struct flame_box *b, FILE *out)
{
	const struct tree *t = p->plot.flame.tree;
	const struct tree_node *n = &t->nodes.at[b->node];
	const struct function *f = &t->profile->functions.at[n->function];
	_free_ char *numbers = numbers_of(t, b->node);

	fputs("<title>", out);
	xml_text(out, plot_name(&p->plot, b));
	put_lines(numbers, out);
	/* What has no name is called by its module already. */
	if (n->function && f->module && f->named) {
		fputc('\n', out);
		xml_text(out, profile_text(t->profile, t->profile->modules.at[f->module].path));
	}
	fputs("</title>", out);
}

/* The baseline of a name within a row. */
static double label_base(const struct flame_picture *p)
{
	return p->plot.row_height / 2 + 0.32 * label_size(p);
}

static void put_label(const struct flame_picture *p, const char *name, const struct plot_rect *r,
		      FILE *out)
{
	double room = (r->w - 2 * LABEL_PAD) / (label_size(p) * LETTER);
	_free_ char *clean = NULL;
	_free_ char *cut = NULL;

	if (room < LABEL_LEAST)
		return;
	clean = str_clean(name, strlen(name));
	cut = cut_label(clean, (size_t)room);
	fputs("<text x=\"", out);
	put_number(out, r->x + LABEL_PAD);
	fputs("\" y=\"", out);
	put_number(out, label_base(p));
	fputs("\">", out);
	xml_text(out, cut);
	fputs("</text>", out);
}

static void put_36(FILE *out, int64_t v)
{
	char text[16];
	size_t i = sizeof(text);

	do
		text[--i] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
	while ((v /= 36) && i);
	fwrite(text + i, 1, sizeof(text) - i, out);
}

/* A colour, or that with stripes: see put_stripes(). */
static void put_fill(struct rgb c, bool striped, FILE *out)
{
	fprintf(out, striped ? " fill=\"url(#w%02x%02x%02x)\"" : " fill=\"#%02x%02x%02x\"", c.r,
		c.g, c.b);
}

/* The start of a box, whose title follows: its shape, and what the script knows it by. */
static void put_path(const struct flame_picture *p, int64_t x, int64_t w, const struct plot_rect *r,
		     FILE *out)
{
	double gap = r->w > 3 ? 0.5 : 0;

	fputs(" d=\"M", out);
	put_number(out, r->x);
	fputs(" 0h", out);
	put_number(out, r->w - gap < 0.1 ? 0.1 : r->w - gap);
	fputs("v", out);
	put_number(out, p->plot.row_height - 1);
	fputs("H", out);
	put_number(out, r->x);
	fputs("z\" data-f=\"", out);
	put_36(out, x);
	fputs(",", out);
	put_36(out, w);
	fputs("\">", out);
}

/* Whatever its width: it may be zoomed. */
static bool is_striped(const struct flame_picture *p, const struct flame_box *b)
{
	const struct tree *t = p->plot.flame.tree;

	return flame_is_wait(t, &t->nodes.at[b->node]);
}

static void put_box(const struct flame_picture *p, const struct flame_box *b, FILE *out)
{
	const struct tree *t = p->plot.flame.tree;
	const struct tree_node *n = &t->nodes.at[b->node];
	struct plot_rect r = {0};

	plot_place(&p->plot, b, &r);
	fputs("<path", out);
	put_fill(flame_colour(t, n), is_striped(p, b), out);
	put_path(p, b->x, b->w, &r, out);
	put_title(p, b, out);
	fputs("</path>", out);
	put_label(p, plot_name(&p->plot, b), &r, out);
	fputc('\n', out);
}

static void put_merged(const struct flame_picture *p, const struct flame_merged *m, FILE *out)
{
	const struct tree *t = p->plot.flame.tree;
	_free_ char *name = plot_merged_name(m);
	_free_ char *numbers = NULL;
	struct plot_rect r = {0};
	char share[UNITS_BUF], value[UNITS_BUF];

	numbers = mem_printf(
		"%s, %s; each too narrow to be drawn",
		units_percent(share, sizeof(share), (double)m->w, (double)t->nodes.at[0].total),
		units_value(value, sizeof(value), (double)m->w, t->unit));
	plot_place_merged(&p->plot, m, &r);
	fputs("<path class=\"m\"", out);
	put_fill(FLAME_MERGED, false, out);
	put_path(p, m->x, m->w, &r, out);
	fprintf(out, "<title>%s\n", name);
	xml_text(out, numbers);
	fputs("</title></path>", out);
	put_label(p, name, &r, out);
	fputc('\n', out);
}

/* Boxes, and behind them those that stand for many. */
static size_t all_boxes(const struct flame *f)
{
	return f->boxes.n + f->merged.n;
}

static uint32_t row_of(const struct flame *f, size_t i)
{
	return i < f->boxes.n ? f->boxes.at[i].depth : f->merged.at[i - f->boxes.n].depth;
}

/* Boxes come by node, so rows are gathered first: one pass to count, one to place. */
static uint32_t *boxes_by_row(const struct flame *f, uint32_t *ends)
{
	const size_t n = all_boxes(f);
	uint32_t *order = mem_zalloc(n + 1, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		ends[row_of(f, i) + 1]++;
	for (uint32_t row = 0; row < f->rows; row++)
		ends[row + 1] += ends[row];
	for (size_t i = 0; i < n; i++)
		order[ends[row_of(f, i)]++] = (uint32_t)i;
	return order;
}

static void put_any(const struct flame_picture *p, size_t i, FILE *out)
{
	const struct flame *f = &p->plot.flame;

	if (i < f->boxes.n)
		put_box(p, &f->boxes.at[i], out);
	else
		put_merged(p, &f->merged.at[i - f->boxes.n], out);
}

/* With what the script needs to draw as this file does. */
static void put_rows(const struct flame_picture *p, FILE *out)
{
	const struct plot *plot = &p->plot;
	_free_ uint32_t *ends = mem_zalloc(plot->flame.rows + 1, sizeof(*ends));
	_free_ uint32_t *order = boxes_by_row(&plot->flame, ends);

	fprintf(out,
		"<g id=\"flame\" data-letter=\"%g\" data-pad=\"%d\" data-margin=\"%d\" "
		"data-high=\"%.4g\" data-base=\"%.4g\">\n",
		label_size(p) * LETTER, LABEL_PAD, PICTURE_MARGIN, plot->row_height - 1,
		label_base(p));
	for (uint32_t row = 0; row < plot->rows; row++) {
		double y = plot->y + (plot->rows - 1 - row) * plot->row_height;

		fprintf(out, "<g class=\"r\" transform=\"translate(0 %.7g)\">\n", y);
		for (uint32_t i = row ? ends[row - 1] : 0; i < ends[row]; i++)
			put_any(p, order[i], out);
		fputs("</g>\n", out);
	}
	fputs("</g>\n", out);
}

static void put_line(FILE *out, const char *class, double y, const char *text, size_t letters)
{
	_free_ char *cut = cut_middle(text, letters);

	fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%.0f\">", class, PICTURE_MARGIN, y);
	xml_text(out, cut);
	fputs("</text>\n", out);
}

static void put_legend(const struct flame_picture *p, FILE *out)
{
	struct legend_entry entries[LEGEND_MAX];
	size_t n = plot_legend(&p->plot, entries);
	double x = PICTURE_MARGIN;

	for (size_t i = 0; i < n; i++) {
		const double width = 16 + (double)strlen(entries[i].label) * TEXT_WIDTH;

		if (x + width > p->width - PICTURE_MARGIN)
			break;
		fprintf(out, "<rect x=\"%.0f\" y=\"71\" width=\"11\" height=\"11\"", x);
		put_fill(entries[i].colour, entries[i].waits, out);
		fprintf(out, "/><text class=\"l\" x=\"%.0f\" y=\"80.5\">%s</text>\n", x + 16,
			entries[i].label);
		x += width + 20;
	}
}

/* The colours of waits, each with the same stripes over it, as fills. */
static void put_stripes(const struct flame_picture *p, FILE *out)
{
	const struct tree *t = p->plot.flame.tree;
	const struct rgb ink = FLAME_STRIPE_INK;
	struct map seen = {0};
	bool fresh;

	vec_each (b, &p->plot.flame.boxes) {
		const struct rgb c = flame_colour(t, &t->nodes.at[b->node]);

		if (!is_striped(p, b))
			continue;
		map_put(&seen, (uint64_t)c.r << 16 | (uint64_t)c.g << 8 | c.b, &fresh);
		if (!fresh)
			continue;
		if (seen.n == 1)
			fprintf(out,
				"<defs><path id=\"w\" d=\"M-1 1L1-1M0 7L7 0M6 8L8 6\" "
				"stroke=\"#%02x%02x%02x\" stroke-opacity=\"%g\" "
				"stroke-width=\"%g\"/>\n",
				ink.r, ink.g, ink.b, FLAME_STRIPE_ALPHA, FLAME_STRIPE_WIDTH);
		fprintf(out,
			"<pattern id=\"w%02x%02x%02x\" width=\"%d\" height=\"%d\" "
			"patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h%dv%dH0z\"",
			c.r, c.g, c.b, FLAME_STRIPE, FLAME_STRIPE, FLAME_STRIPE, FLAME_STRIPE);
		put_fill(c, false, out);
		fputs("/><use href=\"#w\"/></pattern>\n", out);
	}
	fputs(seen.n ? "</defs>\n" : "", out);
	map_release(&seen);
}

static void put_style(const struct flame_picture *p, FILE *out)
{
	const struct canvas_look *look = p->dark ? &CANVAS_DARK : &CANVAS_LIGHT;
	struct rgb paper = look->paper, ink = look->ink, grey = look->grey, label = look->label;

	fprintf(out,
		"<style>text{font:%.3gpx \"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
		"fill:#%02x%02x%02x;pointer-events:none;white-space:pre}"
		".t,.s,.l{font:12px \"DejaVu Sans\",Verdana,sans-serif;fill:#%02x%02x%02x}"
		".t{font-size:18px;font-weight:bold;fill:#%02x%02x%02x}.e{text-anchor:end}"
		".b{pointer-events:all;cursor:pointer;text-decoration:underline}"
		"path{cursor:pointer}path.m{cursor:default}path:hover{stroke:#%02x%02x%02x}"
		"path.a{opacity:.6}path.f{fill:#e64bd6}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#%02x%02x%02x\"/>\n",
		label_size(p), label.r, label.g, label.b, grey.r, grey.g, grey.b, ink.r, ink.g,
		ink.b, ink.r, ink.g, ink.b, paper.r, paper.g, paper.b);
}

static void put_head(const struct flame_picture *p, FILE *out)
{
	double room = p->width - 2 * PICTURE_MARGIN;
	_free_ char *caption = flame_picture_caption(p);

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\">\n<title>",
		p->width, p->height, p->width, p->height);
	xml_text(out, p->doc->title);
	fputs("</title>\n", out);
	put_style(p, out);
	put_stripes(p, out);
	put_line(out, "t", 27, p->doc->title,
		 room > BUTTONS ? (size_t)((room - BUTTONS) / TITLE_WIDTH) : 1);
	put_line(out, "s", 45, p->doc->subtitle, (size_t)(room / TEXT_WIDTH));
	put_line(out, "s", 62, caption, (size_t)(room / TEXT_WIDTH));
	put_legend(p, out);
}

static int write_flame(const struct flame_picture *p, FILE *out)
{
	put_head(p, out);
	put_rows(p, out);
	fputs("<script><![CDATA[\n", out);
	fwrite(web_picture_js, 1, (size_t)(web_picture_js_end - web_picture_js), out);
	fputs("]]></script>\n</svg>\n", out);
	return ferror(out) ? -EIO : 0;
}

/* --- any document ----------------------------------------------------------------------------- */

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
	rc = write_flame(&p, out);
	flame_picture_release(&p);
	return rc;
}

const struct format svg_format = {
	.extension = "svg",
	.about = "the flame graph, to zoom and search in a browser, or any view",
	.medium = DOC_PICTURE,
	.one_view = true,
	.write = svg_write,
};
