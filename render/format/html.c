/* The HTML report: one page that holds its style, its viewer and its data, and loads nothing. */
#include "format/format.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "format/html_calls.h"
#include "format/html_diff.h"
#include "format/html_flame.h"
#include "format/html_page.h"
#include "format/html_samples.h"
#include "format/html_table.h"
#include "paint/xml.h"
#include "paint/calltree.h"
#include "query/frame_class.h"
#include "query/startup.h"
#include "paint/words.h"

/* Frames at the end of a path that show before it is opened. */
#define PATH_LEAVES 4
/* What stands in the data, as the viewer knows it. */
enum tag {
	TAG_END,
	TAG_FLAME,
	TAG_TABLE,
	TAG_SAMPLES,
	TAG_SAMPLED,
	TAG_DIFF,
	TAG_KINDS,
	TAG_CALLS
};

/* Where the nodes of a flame's tree stand in the data. */
struct placed {
	const struct tree *tree; /* borrowed */
	uint32_t *place;	 /* by node; owned */
};

/* What a page is written from. */
struct page {
	const struct doc *doc;
	FILE *out;
	struct pack data; /* flames and tables in the order of the blocks, each after its tag */
	uint32_t n_flames, n_tables, n_charts;
	size_t n_sampled; /* flames so far of the last samples */
	/* The samples that flames are of: those of the flames of one profile together. */
	VEC(struct html_union) samples;
	VEC(struct placed) placed; /* by flame, for paths further down */
	const char *part;	   /* that is being written: see struct doc */
	bool front;		   /* the overview is being written */
	bool fold;		   /* the next facts are those that stand behind the overview's */
};

static void heading_write(struct page *pg, const struct doc_block *b)
{
	xml_element(pg->out, "h2", "", b->text);
}

static void paragraph_write(struct page *pg, const struct doc_block *b)
{
	xml_element(pg->out, "p", "", b->text);
}

/* "10.0 s · of 1,000 samples": the amount, and a remark on it. */
static void card_value_write(FILE *out, const char *value)
{
	const char *dot = strstr(value, " · ");
	_free_ char *amount = dot ? mem_strndup(value, (size_t)(dot - value)) : mem_strdup(value);

	fputs("<dd>", out);
	xml_element(out, "b", "", amount);
	if (dot)
		xml_element(out, "span", "", dot + strlen(" · "));
	fputs("</dd>\n", out);
}

static void cards_write(struct page *pg, const struct doc_block *b)
{
	fputs("<dl class=\"cards\">\n", pg->out);
	vec_each (f, &b->facts) {
		fprintf(pg->out, "<div%s>", f->warn ? " class=\"warn\"" : "");
		xml_element(pg->out, "dt", "", f->label);
		card_value_write(pg->out, f->value);
		fputs("</div>\n", pg->out);
	}
	fputs("</dl>\n", pg->out);
}

/* Facts that stand behind the overview's are folded away; their heading counts the warnings among
 * them. */
static void folded_begin(struct page *pg, const struct doc_block *b)
{
	size_t warnings = 0;

	for (size_t i = 0; i < b->facts.n; i++)
		warnings += b->facts.at[i].warn;
	fputs("<details class=\"folded\"><summary>All about this capture", pg->out);
	if (warnings)
		fprintf(pg->out, ", <span class=\"warn\">%zu warning%s</span>", warnings,
			warnings == 1 ? "" : "s");
	fputs("</summary>\n", pg->out);
}

static void facts_write(struct page *pg, const struct doc_block *b)
{
	const bool folded = pg->fold;

	if (b->front) {
		cards_write(pg, b);
		pg->fold = true;
		return;
	}
	pg->fold = false;
	if (folded)
		folded_begin(pg, b);
	fputs("<dl class=\"facts\">\n", pg->out);
	vec_each (f, &b->facts) {
		fprintf(pg->out, "<div%s>", f->warn ? " class=\"warn\"" : "");
		xml_element(pg->out, "dt", "", f->label);
		xml_element(pg->out, "dd", "", f->value);
		fputs("</div>\n", pg->out);
	}
	fputs("</dl>\n", pg->out);
	if (folded)
		fputs("</details>\n", pg->out);
}

static void table_write(struct page *pg, const struct doc_block *b)
{
	html_table(pg->out, &b->table, b->text, pg->n_tables++);
	pack_uint(&pg->data, TAG_TABLE);
	html_table_pack(&pg->data, &b->table);
}

/* Writes the samples of the flames from @b on that are of its profile. */
static void samples_begin(struct page *pg, const struct doc_block *b)
{
	const struct doc_block *end = pg->doc->blocks.at + pg->doc->blocks.n;
	struct html_union *s = vec_add(&pg->samples);

	for (; b < end; b++)
		if (b->kind == BLOCK_FLAME && html_union_can(b->tree) &&
		    !html_union_add(s, b->tree))
			break;
	pack_uint(&pg->data, TAG_SAMPLES);
	html_samples_pack(s, &pg->data);
}

/* A flame of samples: which samples, which of their metrics. */
static void sampled_pack(struct page *pg, const struct doc_block *b, uint32_t *place)
{
	const struct html_union *s = pg->samples.n ? &pg->samples.at[pg->samples.n - 1] : NULL;

	if (!s || pg->n_sampled == s->n) {
		samples_begin(pg, b);
		s = &pg->samples.at[pg->samples.n - 1];
		pg->n_sampled = 0;
	}
	pack_uint(&pg->data, TAG_SAMPLED);
	pack_uint(&pg->data, pg->samples.n - 1);
	pack_uint(&pg->data, pg->n_sampled);
	for (uint32_t i = 0; i < b->tree->nodes.n; i++)
		place[i] = html_union_place(s, pg->n_sampled, i);
	pg->n_sampled++;
}

static void flame_write(struct page *pg, const struct doc_block *b)
{
	struct placed *placed;

	fprintf(pg->out, "<section class=\"flame\" data-flame=\"%u\" data-metric=\"",
		pg->n_flames++);
	xml_text(pg->out, b->tree->measure.name);
	fputs("\" aria-label=\"", pg->out);
	xml_text(pg->out, b->text && b->text[0] ? b->text : "Flame graph");
	fputs("\">\n", pg->out);
	if (b->text && b->text[0])
		xml_element(pg->out, "p", " class=\"caption\"", b->text);
	fputs("</section>\n", pg->out);
	placed = vec_add(&pg->placed);
	placed->tree = b->tree;
	placed->place = mem_zalloc(b->tree->nodes.n, sizeof(*placed->place));
	if (b->tree->diff) {
		pack_uint(&pg->data, TAG_DIFF);
		html_diff_pack(b->tree->diff, &pg->data);
		return;
	}
	if (html_union_can(b->tree)) {
		sampled_pack(pg, b, placed->place);
		return;
	}
	pack_uint(&pg->data, TAG_FLAME);
	html_flame_pack(b->tree, &pg->data, placed->place);
}

static void chart_write(struct page *pg, const struct doc_block *b)
{
	_free_ char *note = call_chart_note(&b->chart);

	fprintf(pg->out,
		"<section class=\"timechart\" data-chart=\"%u\" aria-label=\"Calls over "
		"time\">\n",
		pg->n_charts++);
	xml_element(pg->out, "p", " class=\"caption\"", note);
	fputs("</section>\n", pg->out);
	pack_uint(&pg->data, TAG_CALLS);
	html_calls_pack(&b->chart, &pg->data);
}

/* As an element @tag, whose class is the frame's. */
static void frame_write(FILE *out, const char *tag, const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes.at[node];
	char attributes[32];

	snprintf(attributes, sizeof(attributes), " class=\"k%u\"", frame_class_of_node(t, n));
	xml_named(out, tag, attributes, profile_text(t->profile, n->name));
}

/* The line that stands for a path until it is opened: its share and the end of it. */
static void path_summary(FILE *out, const struct doc_path *path, const struct tree *t)
{
	path_items items = {0};

	path_end(t, path, PATH_LEAVES, &items);
	fputs("<summary>", out);
	xml_element(out, "b", "", path->share);
	fputs("<span class=\"leaves\">", out);
	for (size_t i = 0; i < items.n; i++) {
		const uint32_t node = items.at[i].node;

		if (node)
			frame_write(out, "span", t, node);
		fputs(node ? "" : "…", out);
		fputs(i + 1 < items.n ? " › " : "", out);
	}
	fputs("</span></summary>\n", out);
	vec_release(&items);
}

static void path_write(struct page *pg, const struct doc_path *path, const struct tree *t)
{
	size_t flame = 0;

	while (flame < pg->placed.n && pg->placed.at[flame].tree != t)
		flame++;
	fputs("<li><details", pg->out);
	if (flame < pg->placed.n && path->nodes.n)
		fprintf(pg->out, " data-in=\"%zu\" data-node=\"%u\"", flame,
			pg->placed.at[flame].place[path->nodes.at[path->nodes.n - 1]]);
	fputs(">", pg->out);
	path_summary(pg->out, path, t);
	fputs("<ol class=\"frames\">\n", pg->out);
	for (size_t i = 0; i < path->nodes.n; i++) {
		frame_write(pg->out, "li", t, path->nodes.at[i]);
		fputs("\n", pg->out);
	}
	fputs("</ol></details></li>\n", pg->out);
}

static void paths_write(struct page *pg, const struct doc_block *b)
{
	if (b->text && b->text[0])
		xml_element(pg->out, "p", " class=\"caption\"", b->text);
	fputs("<ol class=\"paths\">\n", pg->out);
	for (size_t i = 0; i < b->paths.n; i++)
		path_write(pg, &b->paths.at[i], b->tree);
	fputs("</ol>\n", pg->out);
}

/* What comes next is of @part. Parts that follow each other are those that the page's script shows
 * one at a time. */
static void part_begin(struct page *pg, const char *part)
{
	if (pg->part == part)
		return;
	if (pg->part)
		fputs("</section>\n", pg->out);
	pg->part = part;
	if (!part)
		return;
	fputs("<section class=\"part\" data-part=\"", pg->out);
	xml_text(pg->out, part);
	fputs("\" aria-label=\"", pg->out);
	xml_text(pg->out, part);
	fputs("\">\n", pg->out);
}

static void front_begin(struct page *pg, bool front)
{
	if (pg->front == front)
		return;
	fputs(front ? "<section class=\"front\" aria-label=\"Overview\">\n" : "</section>\n",
	      pg->out);
	pg->front = front;
}

static void body_write(struct page *pg)
{
	static void (*const write[])(struct page *, const struct doc_block *) = {
		[BLOCK_HEADING] = heading_write, [BLOCK_TEXT] = paragraph_write,
		[BLOCK_FACTS] = facts_write,	 [BLOCK_TABLE] = table_write,
		[BLOCK_FLAME] = flame_write,	 [BLOCK_PATHS] = paths_write,
		[BLOCK_TREE] = flame_write,	 [BLOCK_HEAT] = paragraph_write,
		[BLOCK_CHART] = chart_write,
	};

	for (size_t i = 0; i < pg->doc->blocks.n; i++) {
		front_begin(pg, pg->doc->blocks.at[i].front);
		part_begin(pg, pg->doc->blocks.at[i].part);
		write[pg->doc->blocks.at[i].kind](pg, &pg->doc->blocks.at[i]);
	}
	front_begin(pg, false);
	part_begin(pg, NULL);
}

static void page_release(struct page *pg)
{
	pack_release(&pg->data);
	for (size_t i = 0; i < pg->samples.n; i++)
		html_union_release(&pg->samples.at[i]);
	vec_release(&pg->samples);
	vec_each (placed, &pg->placed)
		free(placed->place);
	vec_release(&pg->placed);
}

/* What frames may be, and which of them are of startup, before all that shows frames. */
static void kinds_pack(struct pack *out)
{
	pack_uint(out, TAG_KINDS);
	pack_uint(out, FRAME_CLASSES);
	for (enum frame_class c = 0; c < FRAME_CLASSES; c++) {
		pack_uint(out, pack_string(out, frame_class_name(c)));
		pack_uint(out, pack_string(out, frame_class_label(c, false)));
		pack_uint(out, pack_string(out, frame_class_label(c, true)));
		pack_uint(out, frame_class_is_script(c));
	}
	pack_uint(out, startup_names_n);
	for (size_t i = 0; i < startup_names_n; i++)
		pack_uint(out, pack_string(out, startup_names[i].name));
}

static int html_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	struct page pg = {.doc = doc};
	char *body = NULL;
	size_t n = 0;
	int rc;

	pg.out = open_memstream(&body, &n);
	if (!pg.out)
		return err(-errno, "cannot write a page: %s", strerror(errno));
	kinds_pack(&pg.data);
	body_write(&pg);
	fclose(pg.out);
	pack_uint(&pg.data, TAG_END);
	rc = html_page_write(&(struct html_page){.title = doc->title,
						 .subtitle = doc->subtitle,
						 .body = {body, n},
						 .data = &pg.data,
						 .options = options},
			     out);
	page_release(&pg);
	free(body);
	return rc;
}

const struct format html_format = {
	.extension = "html",
	.about = "one page with flame graph, search and tables; loads nothing",
	.medium = DOC_PAGE,
	.all_rows = true,
	.write = html_write,
};
