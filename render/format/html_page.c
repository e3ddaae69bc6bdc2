#include "format/html_page.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "paint/xml.h"
#include "web/pack.h"

/* Around a capture: as a template of one, and as a part of the page. */
static const char *const begins[] = {"<!--capture-->\n<template", "<!--capture-->\n<div"};
static const char *const ends[] = {"</template>\n<!--/capture-->\n", "</div>\n<!--/capture-->\n"};

#define DATA_BEGIN "<script type=\"application/octet-stream\" class=\"data\">"
#define DATA_END   "</script>\n"

struct filling {
	const struct html_page *page;
	struct html_captures older;
};
/* --- what stands for {{name}} in page.html ---------------------------------------------------- */

static int title_write(const struct filling *f, FILE *out)
{
	xml_text(out, f->page->title);
	return 0;
}

static int subtitle_write(const struct filling *f, FILE *out)
{
	xml_text(out, f->page->subtitle);
	return 0;
}

/* The page's style, and the colours that kinds of frames have in lists. Freed by the caller. */
static char *style_text(void)
{
	static const uint32_t colours[] = {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, list, ...) list,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	};
	struct str s = {0};

	str_addn(&s, web_page_css, (size_t)(web_page_css_end - web_page_css));
	for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++)
		str_addf(&s, ".frames .k%zu { border-color: #%06x; }\n", i, colours[i]);
	return str_steal(&s);
}

/* What the page's content security policy lets run: exactly these bytes, or the files beside it. */
static void source_write(const struct filling *f, FILE *out, const char *from, const char *to)
{
	GChecksum *sum;
	uint8_t digest[32];
	gsize n = sizeof(digest);

	if (f->page->options->assets) {
		fputs("'self'", out);
		return;
	}
	sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_checksum_update(sum, (const guchar *)from, to - from);
	g_checksum_get_digest(sum, digest, &n);
	g_checksum_free(sum);
	fputs("'sha256-", out);
	pack_base64(digest, n, out);
	fputs("'", out);
}

static int style_source_write(const struct filling *f, FILE *out)
{
	_free_ char *style = style_text();

	source_write(f, out, style, style + strlen(style));
	return 0;
}

static int script_source_write(const struct filling *f, FILE *out)
{
	source_write(f, out, web_page_js, web_page_js_end);
	return 0;
}

static void bytes_write(FILE *out, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), out);
}

static int style_write(const struct filling *f, FILE *out)
{
	const struct format_assets *assets = f->page->options->assets;
	_free_ char *style = style_text();

	if (assets) {
		fputs(style, assets->style);
		fputs("<link rel=\"stylesheet\" href=\"style.css\">", out);
		return 0;
	}
	fputs("<style>", out);
	fputs(style, out);
	fputs("</style>", out);
	return 0;
}

static int script_write(const struct filling *f, FILE *out)
{
	const struct format_assets *assets = f->page->options->assets;

	if (assets) {
		bytes_write(assets->script, web_page_js, web_page_js_end);
		fputs("<script src=\"data.js\"></script>\n<script src=\"script.js\"></script>",
		      out);
		return 0;
	}
	fputs("<script>", out);
	bytes_write(out, web_page_js, web_page_js_end);
	fputs("</script>", out);
	return 0;
}

/* What html_append_read() finds inside of it later. */
static void inside_write(const struct filling *f, FILE *out)
{
	fputs(" class=\"capture\" data-title=\"", out);
	xml_text(out, f->page->title);
	fputs("\" data-subtitle=\"", out);
	xml_text(out, f->page->subtitle);
	fputs("\">\n", out);
	fwrite(f->page->body.s, 1, f->page->body.n, out);
}

static int captures_write(const struct filling *f, FILE *out)
{
	for (size_t i = 0; i < f->older.all.n; i++) {
		const struct span *inside = &f->older.all.at[i].inside;

		fputs(begins[0], out);
		fwrite(inside->s, 1, inside->n, out);
		fputs(ends[0], out);
	}
	fputs(begins[1], out);
	inside_write(f, out);
	fputs(ends[1], out);
	return 0;
}

/* The data as a script: the digits of base 85 have a backslash among them, but no quotes. */
static int data_script_write(const struct pack *data, FILE *out)
{
	char *text = NULL;
	size_t n = 0;
	FILE *digits = open_memstream(&text, &n);
	int rc;

	if (!digits)
		return err(-errno, "cannot write the page's data: %s", strerror(errno));
	rc = pack_write(data, digits);
	fclose(digits);
	fputs("\"use strict\";\nconst eprofData = \"", out);
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\\')
			putc('\\', out);
		putc(text[i], out);
	}
	fputs("\";\n", out);
	free(text);
	return rc;
}

static int data_write(const struct filling *f, FILE *out)
{
	int rc;

	if (f->page->options->assets)
		return data_script_write(f->page->data, f->page->options->assets->data);
	for (size_t i = 0; i < f->older.all.n; i++) {
		const struct span *data = &f->older.all.at[i].data;

		fputs(DATA_BEGIN, out);
		fwrite(data->s, 1, data->n, out);
		fputs(DATA_END, out);
	}
	fputs(DATA_BEGIN, out);
	rc = pack_write(f->page->data, out);
	fputs(DATA_END, out);
	return rc;
}

/* @free: differs from page to page. */
static const struct slot {
	const char *name;
	int (*write)(const struct filling *, FILE *);
	bool free;
} slots[] = {
	{"title", title_write, true},	    {"subtitle", subtitle_write, true},
	{"captures", captures_write, true}, {"data", data_write, true},
	{"style", style_write, false},	    {"style-source", style_source_write, false},
	{"script", script_write, false},    {"script-source", script_source_write, false},
};

static const struct slot *slot_find(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(slots) / sizeof(*slots); i++)
		if (n == strlen(slots[i].name) && !memcmp(name, slots[i].name, n))
			return &slots[i];
	return NULL;
}

/* --- page.html, piece by piece ---------------------------------------------------------------- */

/* Text as it stands, then a slot; NULL behind the last text. */
struct piece {
	struct span text;
	const struct slot *slot;
};

/* The piece at @at; returns where the next one begins. */
static const char *piece_at(const char *at, struct piece *p)
{
	const char *open = strstr(at, "{{"), *close = open ? strstr(open, "}}") : NULL;

	if (!close) {
		*p = (struct piece){.text = {at, strlen(at)}};
		return at + strlen(at);
	}
	*p = (struct piece){.text = {at, (size_t)(open - at)},
			    .slot = slot_find(open + 2, (size_t)(close - open - 2))};
	return close + 2;
}

static int frame_write(const struct filling *f, FILE *out)
{
	struct piece p = {.slot = slots};
	const char *at = web_page_html;
	int rc = 0;

	while (!rc && p.slot) {
		at = piece_at(at, &p);
		fwrite(p.text.s, 1, p.text.n, out);
		rc = p.slot ? p.slot->write(f, out) : 0;
	}
	return rc;
}

/* --- an older page ---------------------------------------------------------------------------- */

static bool take_span(struct span *rest, struct span text)
{
	if (rest->n < text.n || memcmp(rest->s, text.s, text.n))
		return false;
	rest->s += text.n;
	rest->n -= text.n;
	return true;
}

/* Takes @text from the front of @rest, where it stands there. */
static bool take(struct span *rest, const char *text)
{
	return take_span(rest, (struct span){text, strlen(text)});
}

/* Takes what stands before @end and @end from the front of @rest. */
static bool take_until(struct span *rest, const char *end, struct span *out)
{
	const char *at = memmem(rest->s, rest->n, end, strlen(end));

	if (!at)
		return false;
	*out = (struct span){rest->s, (size_t)(at - rest->s)};
	rest->n -= out->n;
	rest->s = at;
	return take(rest, end);
}

static bool take_capture(struct span *rest, struct span *inside)
{
	for (int live = 0; live < 2; live++)
		if (take(rest, begins[live]))
			return take_until(rest, ends[live], inside);
	return false;
}

bool html_append_read(struct span captures, struct span data, struct html_captures *out)
{
	*out = (struct html_captures){0};
	while (captures.n) {
		struct html_capture c;

		if (out->all.n == HTML_CAPTURES_MOST || !take_capture(&captures, &c.inside) ||
		    !take(&data, DATA_BEGIN) || !take_until(&data, DATA_END, &c.data))
			return false;
		vec_push(&out->all, c);
	}
	return out->all.n && !data.n;
}

void html_append_release(struct html_captures *c)
{
	vec_release(&c->all);
}

/* What this program writes for a slot that is the same in every page. */
static bool take_fixed(const struct filling *f, struct span *rest, const struct slot *slot)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	bool same;

	if (!out)
		return false;
	slot->write(f, out);
	fclose(out);
	same = take_span(rest, (struct span){text, n});
	free(text);
	return same;
}

/* What stands there up to the text that follows in page.html. */
static bool take_free(struct span *rest, const char *next, struct span *found)
{
	struct piece p;
	const char *end;

	piece_at(next, &p);
	end = memmem(rest->s, rest->n, p.text.s, p.text.n);
	if (!end)
		return false;
	*found = (struct span){rest->s, (size_t)(end - rest->s)};
	rest->n -= found->n;
	rest->s = end;
	return true;
}

/* Holds a page against page.html: what is not free must be byte by byte what this program writes,
 * so that its script can read the data, and its policy is ours. */
static bool page_match(const struct filling *f, struct span rest, struct span *captures,
		       struct span *data)
{
	struct piece p = {.slot = slots};
	const char *at = web_page_html;

	while (p.slot) {
		struct span found = {0};

		at = piece_at(at, &p);
		if (!take_span(&rest, p.text))
			return false;
		if (p.slot &&
		    !(p.slot->free ? take_free(&rest, at, &found) : take_fixed(f, &rest, p.slot)))
			return false;
		if (p.slot && p.slot->write == captures_write)
			*captures = found;
		if (p.slot && p.slot->write == data_write)
			*data = found;
	}
	return !rest.n;
}

static int older_read(struct filling *f)
{
	struct span captures = {0}, data = {0};

	if (!page_match(f, f->page->options->append, &captures, &data))
		return err(-EINVAL,
			   "it is no page that this eprof-render wrote as one file: pages of "
			   "other versions, and those of --folder, cannot be added to");
	if (!html_append_read(captures, data, &f->older))
		return err(-EINVAL, "its captures are damaged, or more than %d",
			   HTML_CAPTURES_MOST);
	return 0;
}

static bool span_is(const struct span *s, const char *text, size_t n)
{
	return s->n == n && !memcmp(s->s, text, n);
}

/* Whether the older page shows what is to be added: the same text and the same data. */
static int refuse_double(const struct filling *f)
{
	char *inside = NULL, *data = NULL;
	size_t n_inside = 0, n_data = 0, i = 0;
	FILE *text = open_memstream(&inside, &n_inside), *digits = open_memstream(&data, &n_data);
	int rc = text && digits ? pack_write(f->page->data, digits) : err(-ENOMEM, "no memory");

	if (text) {
		inside_write(f, text);
		fclose(text);
	}
	if (digits)
		fclose(digits);
	while (!rc && i < f->older.all.n &&
	       !(span_is(&f->older.all.at[i].inside, inside, n_inside) &&
		 span_is(&f->older.all.at[i].data, data, n_data)))
		i++;
	if (!rc && i < f->older.all.n)
		rc = err(-EEXIST, "the page shows this capture already, as number %zu", i + 1);
	free(inside);
	free(data);
	return rc;
}

int html_page_write(const struct html_page *page, FILE *out)
{
	struct filling f = {.page = page};
	int rc = page->options->append.s ? older_read(&f) : 0;

	if (rc == 0 && page->options->append.s)
		rc = refuse_double(&f);

	if (rc == 0)
		rc = frame_write(&f, out);
	html_append_release(&f.older);
	return rc;
}
