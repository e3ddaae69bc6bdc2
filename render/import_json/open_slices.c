#include "import_json/open_slices.h"

#include "import/scan.h"

/* What V8 and Ruby write for no function. */
static bool is_mark(struct span name, struct span file)
{
	return !file.n &&
	       (span_is(name, "(root)") || span_is(name, "(program)") || span_is(name, "(idle)") ||
		span_is(name, "(garbage collector)") || span_is(name, "(garbage collection)"));
}

uint32_t slice_frame(struct builder *b, struct span name, struct span file, uint32_t line)
{
	return slice_frame_at(b, name, file, line, 0);
}

uint32_t slice_frame_at(struct builder *b, struct span name, struct span file, uint32_t line,
			uint32_t executed)
{
	static const char anonymous[] = "(anonymous)";
	const struct function f = {
		.name = name.n ? builder_span(b, name)
			       : builder_text(b, anonymous, sizeof(anonymous) - 1),
		.file = builder_span(b, file),
		.line = file.n ? line : 0,
		.kind = is_mark(name, file) ? KIND_MARK : KIND_NATIVE,
		.named = !builder_is_unnamed(name) || !name.n,
	};

	return profile_frame(b->profile,
			     &(struct frame){.function = profile_function(b->profile, &f),
					     .line = file.n ? executed : 0});
}

void open_slices_until(struct open_slices *s, int64_t at)
{
	if (at <= s->at)
		return;
	if (s->open.n)
		builder_sample(s->b, s->timeless ? 0 : s->at, s->thread,
			       s->open.at[s->open.n - 1].node, !s->counts,
			       &(struct builder_value){s->metric, at - s->at}, 1);
	s->at = at;
}

void open_slices_begin(struct open_slices *s, uint32_t frame, int64_t at)
{
	const uint32_t parent = s->open.n ? s->open.at[s->open.n - 1].node : 0;

	open_slices_until(s, at);
	vec_push(&s->open,
		 ((struct open_slice){frame, profile_node(s->b->profile, parent, frame)}));
}

void open_slices_end(struct open_slices *s, int64_t at)
{
	open_slices_until(s, at);
	if (s->open.n)
		s->open.n--;
}

size_t open_slices_restart(struct open_slices *s, uint32_t thread)
{
	const size_t open = s->open.n;

	s->open.n = 0;
	s->thread = thread;
	s->at = INT64_MIN / 2;
	return open;
}
