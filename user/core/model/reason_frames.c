#include "model/reason_frames.h"

#include <stdlib.h>

#include "base/str.h"

char *reason_text(const struct profile *p, const struct reason *r)
{
	const char *const parts[] = {profile_text(p, r->call), profile_text(p, r->object)};
	const char *kind = reason_kind_name(r->kind);
	struct str s = {0};

	/* A newer program's kind has no name here. */
	str_add(&s, *kind ? kind : "another reason");
	for (size_t i = 0, n = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (*parts[i])
			str_addf(&s, "%s%s", n++ ? " " : ": ", parts[i]);
	return str_steal(&s);
}

static uint32_t frame_of(struct profile *p, const struct reason *r)
{
	_free_ char *text = reason_text(p, r);
	_free_ char *name = mem_printf("[%s]", text);
	const struct function f = {
		.name = intern_add(&p->strings, name), .kind = KIND_MARK, .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
}

void reason_frames_add(struct profile *p)
{
	_free_ uint32_t *frames = mem_zalloc(p->reasons.n + 1, sizeof(*frames));

	for (size_t i = 1; i < p->reasons.n; i++)
		frames[i] = frame_of(p, &p->reasons.at[i]);
	for (size_t i = 0; i < p->samples.n; i++) {
		const uint32_t reason = p->samples.at[i].reason;

		if (reason)
			p->samples.at[i].node =
				profile_node(p, p->samples.at[i].node, frames[reason]);
	}
}
