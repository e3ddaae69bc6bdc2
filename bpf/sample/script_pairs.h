/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_pairs: the languages whose runs user space pairs with the loops, as one (script_chain.h).
 * The includer has read_user(), and includes script_python.h first.
 */
#ifndef SAMPLE_SCRIPT_PAIRS_H
#define SAMPLE_SCRIPT_PAIRS_H

#include "sample/script_chain.h"
#include "sample/script_object_chain.h"
#include "sample/script_php.h"
#include "sample/script_ruby.h"

/* @base: pthread_self() of the thread. False: it has no frames, or there is no room. */
static __always_inline bool pairs_begin(const struct script_memory *m, struct walk *walk,
					__u64 base)
{
	if (walk->script.proc.language == WIRE_SCRIPT_PHP)
		return php_begin(m, walk);
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON)
		return objects_begin(m, walk, base);
	return ruby_begin(m, walk, base);
}

/* Adds a frame. */
static __always_inline void pairs_round(const struct script_memory *m, struct walk *walk)
{
	if (walk->script.proc.language == WIRE_SCRIPT_PHP)
		php_round(m, walk);
	else if (walk->script.proc.language == WIRE_SCRIPT_PYTHON)
		objects_round(m, walk);
	else
		ruby_round(m, walk);
}

#endif
