#include "query/frame_class.h"

static const enum frame_class class_of_code[CODE_KINDS] = {
	[CODE_USER] = FRAME_USER, [CODE_KERNEL] = FRAME_KERNEL,	  [CODE_JIT] = FRAME_JIT,
	[CODE_VDSO] = FRAME_USER, [CODE_UNKNOWN] = FRAME_UNNAMED, [CODE_MARK] = FRAME_MARK,
};

enum frame_class frame_class_of(const struct function *f)
{
	enum frame_class class = f->kind < CODE_KINDS ? class_of_code[f->kind] : FRAME_UNNAMED;

	return class == FRAME_USER && !f->named ? FRAME_UNNAMED : class;
}

enum frame_class frame_class_of_node(const struct tree *t, const struct tree_node *n)
{
	const struct function *f = &t->profile->functions.at[n->function];

	if (!n->function)
		return FRAME_THREAD;
	return n->inlined && f->named ? FRAME_INLINED : frame_class_of(f);
}

static const struct {
	const char *code, *zone;
} labels[FRAME_CLASSES] = {
	[FRAME_USER] = {"user", "zone"},	  [FRAME_KERNEL] = {"kernel", "kernel"},
	[FRAME_JIT] = {"JIT code", "JIT code"},	  [FRAME_INLINED] = {"inlined", "inlined"},
	[FRAME_UNNAMED] = {"unnamed", "unnamed"}, [FRAME_MARK] = {"note", "no function"},
	[FRAME_THREAD] = {"thread", "zone"},
};

const char *frame_class_label(enum frame_class class, bool of_zones)
{
	return of_zones ? labels[class].zone : labels[class].code;
}
