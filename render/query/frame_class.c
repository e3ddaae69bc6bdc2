#include "query/frame_class.h"

/* Kinds that this program does not know are shown as unnamed code. */
static enum frame_class class_of_kind(uint8_t kind)
{
	switch (kind) {
#define FRAME_KIND(NAME, ...) \
	case KIND_##NAME:     \
		return FRAME_##NAME;
#define FRAME_KIND_AS(NAME, number, SHOWN) \
	case KIND_##NAME:                  \
		return FRAME_##SHOWN;
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	}
	return FRAME_UNNAMED;
}

enum frame_class frame_class_of(const struct function *f)
{
	const enum frame_class class = class_of_kind(f->kind);

	return class == FRAME_NATIVE && !f->named ? FRAME_UNNAMED : class;
}

enum frame_class frame_class_of_call(const struct function *f, bool inlined)
{
	return inlined && f->named ? FRAME_INLINED : frame_class_of(f);
}

enum frame_class frame_class_of_node(const struct tree *t, const struct tree_node *n)
{
	if (!n->function)
		return FRAME_THREAD;
	return frame_class_of_call(&t->profile->functions.at[n->function], n->inlined);
}

bool frame_class_is_script(enum frame_class class)
{
	static const uint8_t kinds[FRAME_CLASSES] = {
#define FRAME_KIND(NAME, number, ...) number,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	};

	return frame_kind_is_script(kinds[class]);
}

const char *frame_class_name(enum frame_class class)
{
	static const char *const names[FRAME_CLASSES] = {
#define FRAME_KIND(NAME, ...) #NAME,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	};

	return names[class];
}

const char *frame_class_label(enum frame_class class, bool of_zones)
{
	static const char *const labels[FRAME_CLASSES][2] = {
#define FRAME_KIND(NAME, number, label, of_zones, ...) {label, of_zones},
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	};

	return labels[class][of_zones];
}
