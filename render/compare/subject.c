#include "compare/subject.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "select/script_package.h"

static const char *const suffixes[] = {"cold",	   "isra", "constprop", "part",
				       "lto_priv", "llvm", "localalias"};
static const char clone_open[] = " [clone ";

/* Bytes of @name, @n long, before its last ".part.0" or the like; @n where it ends in none. */
static size_t less_one(const char *name, size_t n)
{
	size_t dot = n;

	/* Its number, if it has one. */
	while (dot && name[dot - 1] >= '0' && name[dot - 1] <= '9')
		dot--;
	if (dot == n || !dot || name[dot - 1] != '.')
		dot = n;
	else
		dot--;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const size_t length = strlen(suffixes[i]) + 1;

		/* A name is not all suffix. */
		if (dot > length && name[dot - length] == '.' &&
		    !memcmp(name + dot - length + 1, suffixes[i], length - 1))
			return dot - length;
	}
	return n;
}

/* The same of " [clone .isra.0.cold]", which demanglers write. */
static size_t less_clone(const char *name, size_t n)
{
	const size_t open = sizeof(clone_open) - 1;
	size_t start = n, inner, less;

	if (n <= open || name[n - 1] != ']')
		return n;
	while (start > 1 && name[start - 1] != '[')
		start--;
	if (start < 3 || n - (start -= 2) <= open || memcmp(name + start, clone_open, open) != 0)
		return n;
	/* From the space before the first dot: where that alone is left, all was suffix. */
	less = n - 1 - (start + open - 1);
	do {
		inner = less;
		less = less_one(name + start + open - 1, inner);
	} while (less < inner);
	return less == 1 ? start : n;
}

size_t subject_length(const char *name)
{
	size_t n = strlen(name), less = n;

	do {
		n = less;
		less = less_clone(name, n);
		if (less == n)
			less = less_one(name, n);
	} while (less < n);
	return n;
}

/* In whatever folder they are, many files have these names: the one that they are in tells. */
static bool is_common(const char *base)
{
	return !strcmp(base, "__init__.py") || !strcmp(base, "__main__.py");
}

static const char *base_of(const char *path)
{
	const char *base = str_base(path), *colon = strchr(path, ':');

	/* Not of a drive: "C:/app/x.dll". */
	if (colon && colon > path + 1 && !memchr(path, '/', (size_t)(colon - path)))
		return path;
	if (is_common(base))
		for (base -= base > path; base > path && base[-1] != '/';)
			base--;
	return base;
}

/* "libsqlite3.so.0.8.6" is "libsqlite3.so" of another version, too; "python:json/encoder.py" is
 * whole. */
static uint32_t add_module(struct subjects *all, const char *path)
{
	const char *base = base_of(path);
	const char *so;

	if (all->alias && !strcmp(base, all->alias))
		base = all->alias_of;
	so = strstr(base, ".so.");
	return intern_addn(&all->strings, base, so ? (size_t)(so - base) + 3 : strlen(base));
}

uint32_t subject_add(struct subjects *all, const char *module, const char *name, uint8_t kind,
		     const char *build)
{
	struct subject e = {.kind = kind, .named = !*build};
	uint32_t at;

	e.module = add_module(all, module);
	e.name = intern_addn(&all->strings, name, subject_length(name));
	at = map_number(
		&all->by_key,
		hash_two((uint64_t)e.module << 32 | e.name, intern_add(&all->strings, build)),
		all->all.n);
	if (at == all->all.n)
		vec_push(&all->all, e);
	return at;
}

char *subject_place(const struct profile *p, uint32_t function)
{
	const struct function *f = &p->functions.at[function];
	const char *path = profile_text(p, p->modules.at[f->module].path);

	return frame_kind_is_script(f->kind) ? script_place(path, profile_text(p, f->file))
					     : mem_strdup(path);
}

uint32_t subject_of(struct subjects *all, const struct profile *p, uint32_t function)
{
	const struct function *f = &p->functions.at[function];
	const struct module *m = &p->modules.at[f->module];
	const char *build = profile_text(p, m->build_id);
	_free_ char *place = subject_place(p, function);

	if (f->named || f->kind == KIND_MARK)
		build = "";
	else if (!*build)
		build = "?";
	return subject_add(all, place, profile_text(p, f->name), f->kind, build);
}

const char *subject_name(const struct subjects *all, uint32_t i)
{
	return intern_text(&all->strings, all->all.at[i].name);
}

const char *subject_module(const struct subjects *all, uint32_t i)
{
	return intern_text(&all->strings, all->all.at[i].module);
}

void subjects_release(struct subjects *all)
{
	intern_release(&all->strings);
	vec_release(&all->all);
	map_release(&all->by_key);
}
