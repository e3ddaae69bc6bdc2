#include "stack/chains.h"

#include "stack/stackbook.h"
#include "wire_script.h"

void chains_take(struct chains *c, const struct wire_stack *w)
{
	struct chain *to = &c->at[w->hash % CHAINS];
	uint64_t frames[WIRE_USER_FRAMES];
	struct stack_frames f;

	stackbook_frames(w, frames, &f);
	to->number = w->hash;
	to->n = 0;
	for (uint32_t i = 0; i < f.n; i++) {
		if (i && i == f.cut_at)
			to->words[to->n++] =
				(uint64_t)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | WIRE_SCRIPT_TORN;
		to->words[to->n++] = frames[i];
	}
}

const struct chain *chains_find(const struct chains *c, uint64_t number)
{
	const struct chain *at = &c->at[number % CHAINS];

	return number && at->number == number ? at : NULL;
}
