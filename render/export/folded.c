/*
 * folded: one line a stack, root first, as the flame graph tools read it:
 *
 *	sqlite3;main;sqlite3_step;memcmp_[i];do_syscall_64_[k] 80
 *
 * The thread's name comes first. Frames are marked as the tools colour them: _[k] kernel,
 * _[i] inlined, _[j] JIT. The number is that of samples, or the metric's value when a metric was
 * asked for by name. Readers cut at the last space and at every ';', so a name's own ';' becomes
 * ':' and all that breaks a line becomes '?', as does a '#' at its start, which would make it a
 * comment; spaces stay.
 */
#include "export/export.h"

#include "base/str.h"
#include "base/units.h"
#include "query/frame_class.h"

static const char *const suffixes[FRAME_CLASSES] = {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, list, STYLE, suffix, ...) suffix,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
};

/* The path with @n's name at its end; one of no letters is "?", for an empty frame is none. */
static void frame_add(struct str *path, const struct tree *t, const struct tree_node *n)
{
	const char *name = profile_text(t->profile, n->name);
	const char *suffix = suffixes[frame_class_of_node(t, n)];
	_free_ char *clean = str_clean(name, strlen(name));

	for (char *s = clean; *s; s++)
		if (*s == ';')
			*s = ':';
	if (path->n)
		str_addc(path, ';');
	else if (*clean == '#')
		*clean = '?';
	str_add(path, *clean ? clean : "?");
	str_add(path, suffix);
}

static void path_cut(struct str *path, size_t n)
{
	path->n = n;
	if (path->s)
		path->s[n] = 0;
}

static void line_write(const struct export_input *in, const struct tree_node *n,
		       const struct str *path, FILE *out)
{
	const char *unit = in->values ? in->tree->unit : "";
	const int64_t count = in->values ? n->self : n->self_samples;
	char text[UNITS_BUF];

	if (count > 0 && path->n)
		fprintf(out, "%s %s\n", str_text(path),
			units_plain(text, sizeof(text), count, unit));
}

static int folded_write(const struct export_input *in, FILE *out)
{
	const struct tree *t = in->tree;
	/* Length of the path to the level above each. */
	_free_ size_t *before = mem_zalloc((size_t)t->max_depth + 2, sizeof(*before));
	uint32_t i = t->nodes.at[0].first_child;
	struct str path = {0};

	while (i && !ferror(out)) {
		const struct tree_node *n = &t->nodes.at[i];

		path_cut(&path, before[n->depth]);
		frame_add(&path, t, n);
		before[n->depth + 1] = path.n;
		line_write(in, n, &path, out);
		i = tree_next(t, i, true);
	}
	str_release(&path);
	return 0;
}

const struct export folded_export = {
	.name = "folded",
	.extension = "folded",
	.about = "stacks for flame graph tools, one a line",
	.write = folded_write,
};
