#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Names of deep templates are a few KiB; a short one can expand exponentially. */
#define MAX_MANGLED   8192
#define MAX_DEMANGLED (32 * 1024)
#define MAX_MANGLED_D 2048

struct output {
	struct str text;
	bool too_long;
};

static void append(const char *s, size_t n, void *opaque)
{
	struct output *out = opaque;

	if (out->text.n + n > MAX_DEMANGLED)
		out->too_long = true;
	else
		str_addn(&out->text, s, n);
}

static char *demangle_as(const char *linkage, int options)
{
	struct output out = {0};
	size_t n = strnlen(linkage, MAX_MANGLED + 1);
	bool ok = false;

	if (n > MAX_MANGLED || linkage[0] != '_')
		return NULL;
	/* Rust first: its older scheme is C++'s with a hash at the end, which only this drops. */
	if (linkage[1] == 'R' || linkage[1] == 'Z')
		ok = rust_demangle_callback(linkage, DMGL_NO_OPTS, append, &out);
	if (!ok && linkage[1] == 'Z') {
		str_release(&out.text);
		out.too_long = false;
		ok = cplus_demangle_v3_callback(linkage, options, append, &out);
	}
	if (!ok || out.too_long || !out.text.n) {
		str_release(&out.text);
		return NULL;
	}
	return str_steal(&out.text);
}

/* --- D -------------------------------------------------------------------------------------- */

/* "_D" and the length of the first part; "_Dmain" needs no translation. */
static bool is_d(const char *linkage)
{
	return linkage[0] == '_' && linkage[1] == 'D' && linkage[2] >= '1' && linkage[2] <= '9' &&
	       strnlen(linkage, MAX_MANGLED_D + 1) <= MAX_MANGLED_D;
}

/* The offset of the parameter list at the end of @name; its length if there is none. */
static size_t before_parameters(const char *name)
{
	const size_t n = strlen(name);
	size_t depth = 0;

	for (size_t i = n; i-- > 0;) {
		depth += name[i] == ')';
		depth -= name[i] == '(';
		if (!depth)
			return name[i] == '(' && i && name[i - 1] != '!' ? i : n;
	}
	return n;
}

static char *demangle_d(const char *linkage, bool full)
{
	_free_ char *name = dlang_demangle(linkage, DMGL_NO_OPTS);

	if (!name || !name[0] || strlen(name) > MAX_DEMANGLED)
		return NULL;
	return mem_strndup(name, full ? strlen(name) : before_parameters(name));
}

char *demangle(const char *linkage)
{
	return is_d(linkage) ? demangle_d(linkage, false) : demangle_as(linkage, DMGL_NO_OPTS);
}

char *demangle_full(const char *linkage)
{
	return is_d(linkage) ? demangle_d(linkage, true)
			     : demangle_as(linkage, DMGL_PARAMS | DMGL_ANSI);
}
