/* tree: the call tree as text, a function a line. */
#include "view/base.h"

static int tree_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *caption = base_caption(in);

	if (base_says_no_samples(in, doc))
		return 0;
	doc_heading(doc, "Call tree");
	doc_tree(doc, caption, in->tree);
	return 0;
}

const struct view tree_view = {
	.name = "tree",
	.about = "the call tree, a function a line; --percent-limit cuts it",
	.part = PART_SAMPLES,
	.by_metric = true,
	.write = tree_write,
};
