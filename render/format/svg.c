/* svg: the flame graph as a picture that scales, with a tooltip on each box. Small by hand: a
 * box is a path and a row is a group, so most numbers stand once. */
#include "format/flame_only.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "paint/cut.h"
#include "paint/xml.h"

#define MAX_HEIGHT  1e6
#define LABEL_SIZE  11
#define LABEL_WIDTH (LABEL_SIZE * 0.602) /* of one letter of a monospace font */
#define LABEL_PAD   3
#define LABEL_LEAST 3 /* letters */
#define TITLE_WIDTH (18 * 0.62)
#define TEXT_WIDTH  (12 * 0.56)

/* Tenths of a pixel, without a trailing ".0". */
static void put_number(FILE *out, double v)
{
	long tenths = lround(v * 10);

	fprintf(out, tenths % 10 ? "%.1f" : "%.0f", (double)tenths / 10);
}

/* "name [module]", its share, value and samples; escaped as a whole: shares may be "<0.1 %". */
static void put_title(const struct picture *p, const struct flame_box *b, FILE *out)
{
	const struct tree *t = p->plot.flame.tree;
	const struct tree_node *n = &t->nodes.at[b->node];
	const struct function *f = &t->profile->functions.at[n->function];
	double whole = (double)t->nodes.at[0].total;
	char share[UNITS_BUF], value[UNITS_BUF], samples[UNITS_BUF], self[UNITS_BUF];
	_free_ char *numbers = mem_printf(
		"%s, %s, %s %s%s%s", units_percent(share, sizeof(share), (double)n->total, whole),
		units_value(value, sizeof(value), (double)n->total, t->unit),
		units_count(samples, sizeof(samples), n->total_samples),
		t->of_zones ? "calls" : "samples", n->self ? "; self " : "",
		n->self ? units_percent(self, sizeof(self), (double)n->self, whole) : "");

	fputs("<title>", out);
	xml_text(out, plot_name(&p->plot, b));
	/* What has no name is called by its module already. */
	if (n->function && f->module && f->named) {
		fputs(" [", out);
		xml_text(out, profile_text(t->profile, t->profile->modules.at[f->module].path));
		fputs("]", out);
	}
	fputc('\n', out);
	xml_text(out, numbers);
	fputs("</title>", out);
}

static void put_label(const char *name, const struct plot_rect *r, FILE *out)
{
	double room = (r->w - 2 * LABEL_PAD) / LABEL_WIDTH;
	_free_ char *clean = NULL;
	_free_ char *cut = NULL;

	if (room < LABEL_LEAST)
		return;
	clean = str_clean(name, strlen(name));
	cut = cut_label(clean, (size_t)room);
	fputs("<text x=\"", out);
	put_number(out, r->x + LABEL_PAD);
	fputs("\" y=\"11.5\">", out);
	xml_text(out, cut);
	fputs("</text>", out);
}

static void put_box(const struct picture *p, const struct flame_box *b, FILE *out)
{
	const struct tree *t = p->plot.flame.tree;
	struct rgb c = flame_colour(t, &t->nodes.at[b->node]);
	struct plot_rect r = {0};
	double gap;

	plot_place(&p->plot, b, &r);
	gap = r.w > 3 ? 0.5 : 0;
	fprintf(out, "<path fill=\"#%02x%02x%02x\" d=\"M", c.r, c.g, c.b);
	put_number(out, r.x);
	fputs(" 0h", out);
	put_number(out, r.w - gap < 0.1 ? 0.1 : r.w - gap);
	fprintf(out, "v%dH", PICTURE_ROW - 1);
	put_number(out, r.x);
	fputs("z\">", out);
	put_title(p, b, out);
	fputs("</path>", out);
	put_label(plot_name(&p->plot, b), &r, out);
	fputc('\n', out);
}

/* Boxes come by node, so rows are gathered first: one pass to count, one to place. */
static uint32_t *boxes_by_row(const struct plot *p, uint32_t *ends)
{
	uint32_t *order = mem_zalloc(p->flame.boxes.n + 1, sizeof(*order));

	for (size_t i = 0; i < p->flame.boxes.n; i++)
		ends[p->flame.boxes.at[i].depth + 1]++;
	for (uint32_t row = 0; row < p->flame.rows; row++)
		ends[row + 1] += ends[row];
	for (size_t i = 0; i < p->flame.boxes.n; i++)
		order[ends[p->flame.boxes.at[i].depth]++] = (uint32_t)i;
	return order;
}

static void put_rows(const struct picture *p, FILE *out)
{
	const struct plot *plot = &p->plot;
	_free_ uint32_t *ends = mem_zalloc(plot->flame.rows + 1, sizeof(*ends));
	_free_ uint32_t *order = boxes_by_row(plot, ends);

	for (uint32_t row = 0; row < plot->rows; row++) {
		double y = plot->y + (plot->rows - 1 - row) * plot->row_height;

		fprintf(out, "<g transform=\"translate(0 %.0f)\">\n", y);
		for (uint32_t i = row ? ends[row - 1] : 0; i < ends[row]; i++)
			put_box(p, &plot->flame.boxes.at[order[i]], out);
		fputs("</g>\n", out);
	}
}

static void put_line(FILE *out, const char *class, double y, const char *text, size_t letters)
{
	_free_ char *cut = cut_middle(text, letters);

	fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%.0f\">", class, PICTURE_MARGIN, y);
	xml_text(out, cut);
	fputs("</text>\n", out);
}

static void put_legend(const struct picture *p, FILE *out)
{
	struct legend_entry entries[LEGEND_MAX];
	size_t n = plot_legend(&p->plot, entries);
	double x = PICTURE_MARGIN;

	for (size_t i = 0; i < n; i++) {
		const double width = 16 + (double)strlen(entries[i].label) * TEXT_WIDTH;
		struct rgb c = entries[i].colour;

		if (x + width > p->width - PICTURE_MARGIN)
			break;
		fprintf(out,
			"<rect x=\"%.0f\" y=\"71\" width=\"11\" height=\"11\" "
			"fill=\"#%02x%02x%02x\"/><text class=\"l\" x=\"%.0f\" "
			"y=\"80.5\">%s</text>\n",
			x, c.r, c.g, c.b, x + 16, entries[i].label);
		x += width + 20;
	}
}

static void put_head(const struct picture *p, FILE *out)
{
	double room = p->width - 2 * PICTURE_MARGIN;
	_free_ char *caption = picture_caption(p);

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\">\n<title>",
		p->width, p->height, p->width, p->height);
	xml_text(out, p->doc->title);
	fprintf(out,
		"</title>\n<style>text{font:%dpx \"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
		"fill:#1f2328;pointer-events:none}.t{font:bold 18px \"DejaVu Sans\",Verdana,"
		"sans-serif}.s,.l{font:12px \"DejaVu Sans\",Verdana,sans-serif;fill:#57606a}"
		"path:hover{stroke:#1f2328}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LABEL_SIZE);
	put_line(out, "t", 27, p->doc->title, (size_t)(room / TITLE_WIDTH));
	put_line(out, "s", 45, p->doc->subtitle, (size_t)(room / TEXT_WIDTH));
	put_line(out, "s", 62, caption, (size_t)(room / TEXT_WIDTH));
	put_legend(p, out);
}

static int svg_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	struct picture p;
	int rc = picture_init(&p, doc, options, MAX_HEIGHT);

	if (rc < 0)
		return rc;
	put_head(&p, out);
	put_rows(&p, out);
	fputs("</svg>\n", out);
	picture_release(&p);
	return 0;
}

const struct format svg_format = {
	.extension = "svg",
	.about = "the flame graph, with tooltips",
	.place = DOC_PICTURE,
	.one_view = true,
	.write = svg_write,
};
