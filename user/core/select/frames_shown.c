#include "select/frames_shown.h"

#include "base/mem.h"
#include "model/profile.h"

const char *const FRAMES_SHOWN_WORDS[FRAMES_SHOWN_CHOICES + 1] = {
	[FRAMES_ALL] = "all", [FRAMES_SCRIPT] = "script", [FRAMES_NATIVE] = "native"};

/* Inlined calls are native, whatever they are inlined into. */
static bool is_shown(const struct profile *p, uint32_t frame, enum frames_shown which)
{
	return frame_kind_is_script(p->frames.at[frame].kind) == (which == FRAMES_SCRIPT);
}

static uint32_t stand_in(struct profile *p, enum frames_shown which)
{
	const bool script = which == FRAMES_SCRIPT;
	const char *name = script ? FRAMES_NO_SCRIPT : FRAMES_NO_NATIVE;
	const struct function f = {.name = intern_add(&p->strings, name),
				   .module = profile_module(p, name, ""),
				   .kind = script ? KIND_NATIVE : KIND_MARK,
				   .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
}

void frames_show(struct profile *p, enum frames_shown which)
{
	const size_t n = p->nodes.n;
	_free_ uint32_t *place = mem_zalloc(n + 1, sizeof(*place));
	uint32_t frame = 0;

	if (which == FRAMES_ALL)
		return;
	for (size_t i = 1; i < n; i++) {
		const struct node node = p->nodes.at[i];
		const uint32_t parent = place[node.parent];

		place[i] = is_shown(p, node.frame, which) ? profile_node(p, parent, node.frame)
							  : parent;
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t *node = &p->samples.at[i].node;

		if (*node && !place[*node]) {
			frame = frame ? frame : stand_in(p, which);
			*node = profile_node(p, 0, frame);
		} else {
			*node = place[*node];
		}
	}
}
