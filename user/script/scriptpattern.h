/*
 * scriptpattern: patterns that select functions of scripts, by a MODULE that is a script's file
 * (zonepattern.h has the other ones):
 *
 *	app.py:handler		the function of that name in any file app.py
 *	shop/views.py:get_*	in a file whose path ends so; NAME is a glob
 *	*.php:Order::*		MODULE is a glob on the base name, with a "/" on the whole path
 *	app.py:/^(get|set)_/	an extended regular expression, found anywhere in the name
 *	!app.py:helper		excludes functions that other patterns select
 *
 * In Python NAME is the function's own name, in PHP that, or CLASS::NAME. Patterns without "!" add
 * up.
 */
#ifndef SCRIPT_SCRIPTPATTERN_H
#define SCRIPT_SCRIPTPATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_script.h"

struct scriptpatterns;

struct scriptpatterns *scriptpatterns_new(void);
void scriptpatterns_free(struct scriptpatterns *);

/* Whether the pattern's MODULE is a script's file, by how it ends: .py, .php, .js, .rb, … */
bool scriptpattern_is(const char *text);
/* -EINVAL with a text that quotes @text: it is malformed, or nothing tells when functions of that
 * language are called. */
int scriptpatterns_add(struct scriptpatterns *, const char *text);

/* Languages that patterns without "!" are about: bits by enum wire_script_language. */
uint32_t scriptpatterns_languages(const struct scriptpatterns *);
/* The first pattern of @language, as the user wrote it; NULL: there is none. */
const char *scriptpatterns_first(const struct scriptpatterns *, uint32_t language);

/* A function, @class "" where it has none. */
bool scriptpatterns_match(const struct scriptpatterns *, uint32_t language, const char *file,
			  const char *class, const char *name);

#endif
