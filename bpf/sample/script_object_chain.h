/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_object_chain: frames of CPython 3.9 and 3.10 for a stack that the loader walks: each is a
 * run of its own, and user space pairs these with the loops (script_chain.h). For script_pairs.h;
 * the includer has read_user(), and includes script_python.h first.
 */
#ifndef SAMPLE_SCRIPT_OBJECT_CHAIN_H
#define SAMPLE_SCRIPT_OBJECT_CHAIN_H

/* @base: pthread_self() of the thread. */
static __always_inline bool objects_begin(const struct script_memory *m, struct walk *walk,
					  __u64 base)
{
	struct script *s = &walk->script;
	const __u64 state = python_state(m, &s->proc, base);
	__u64 first = 0;

	s->has_loops = 1;
	if (state)
		read_user(m, &first, 8, state + s->proc.state_frame);
	return chain_begin(walk, first);
}

static __always_inline void objects_round(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;

	if (!object_frame(m, s)) {
		s->chain_more = 0;
		return;
	}
	chain_add(walk, code_number(m, walk, s->run[0].code),
		  python_unit(s, s->run[0].code, s->run[0].instruction), true);
	chain_next(s, s->next);
}

#endif
