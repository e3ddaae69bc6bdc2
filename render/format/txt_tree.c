#include "format/txt.h"

#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define MIN_PART   100 /* a hundredth of the whole is shown */
#define NUMBERS	   20  /* columns before the names */
#define MAX_INDENT 48  /* columns, or a third of the width; deeper ones tell their depth */
#define MIN_NAME   16

static char *node_name(const struct term *term, const struct tree *t, const struct tree_node *n,
		       size_t indent, size_t room)
{
	const char *name = profile_text(t->profile, n->name);
	_free_ char *clean = str_clean(name, strlen(name));
	_free_ char *text = n->depth - 1 > indent ? mem_printf("%s (depth %u)", clean, n->depth)
						  : mem_strdup(clean);

	return term_cut(term, text, room);
}

static void put_node(struct term *term, const struct tree *t, const struct tree_node *n)
{
	size_t most = term->width ? term->width / 3 : MAX_INDENT, room = (size_t)-1;
	size_t indent = n->depth - 1 < most ? n->depth - 1 : most;
	enum term_style style = term_frame_style(frame_class_of_node(t, n));
	_free_ char *name = NULL;
	char text[UNITS_BUF];

	if (term->width)
		room = term->width > TXT_MARGIN + NUMBERS + indent + MIN_NAME
			       ? term->width - TXT_MARGIN - NUMBERS - indent
			       : MIN_NAME;
	name = node_name(term, t, n, indent, room);
	term_spaces(term, TXT_MARGIN);
	units_percent(text, sizeof(text), (double)n->total, (double)t->nodes.at[0].total);
	term_right(term, TERM_PLAIN, 8, text);
	units_percent(text, sizeof(text), (double)n->self, (double)t->nodes.at[0].total);
	term_right(term, TERM_DIM, 10, n->self ? text : "");
	term_spaces(term, 2 + indent);
	term_put(term, style, name);
	fputc('\n', term->out);
}

void txt_tree(struct term *term, const struct tree *t)
{
	int64_t least = t->nodes.at[0].total / MIN_PART;
	bool shown = true;

	term_spaces(term, TXT_MARGIN);
	term_put(term, TERM_DIM,
		 t->of_zones ? "   Total      Self  Zone" : "   Total      Self  Function");
	fputc('\n', term->out);
	for (uint32_t i = tree_next(t, 0, true); i; i = tree_next(t, i, shown)) {
		const struct tree_node *n = &t->nodes.at[i];

		shown = n->total > 0 && n->total >= least;
		if (shown)
			put_node(term, t, n);
	}
	term_spaces(term, TXT_MARGIN);
	term_put(term, TERM_DIM, "branches below 1 % are left out");
	fputc('\n', term->out);
}
