#include "symbol/answer_mangled.h"

#include <stdlib.h>

#include "base/mem.h"
#include "symbol/demangle.h"

/* The readable form of @linkage, 0 where it is none of a mangled name. */
static uint32_t readable(struct answer *a, uint32_t linkage)
{
	_free_ char *name = NULL;
	uint32_t *known;
	bool fresh;

	known = map_put(&a->by_linkage, linkage, &fresh);
	if (fresh) {
		name = demangle(intern_text(&a->text, linkage));
		*known = name ? intern_add(&a->text, name) : 0;
	}
	return *known;
}

void answer_frame_mangled(struct answer *a, const char *linkage, const char *name,
			  const char *suffix, const char *file, uint32_t file_line, uint32_t line,
			  bool inlined)
{
	struct answer_function f = {.line = file_line, .named = 1};
	const uint32_t mangled = answer_text(a, linkage),
		       demangled = mangled ? readable(a, mangled) : 0;

	f.name = demangled ? demangled : name && *name ? answer_text(a, name) : mangled;
	f.linkage = f.name == mangled ? 0 : mangled;
	f.file = answer_text(a, file);
	if (suffix && *suffix) {
		_free_ char *whole = mem_printf("%s%s", intern_text(&a->text, f.name), suffix);

		f.name = answer_text(a, whole);
	}
	answer_add(a, f, line, inlined);
}
