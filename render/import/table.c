#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "import/import.h"
#include "import/scan.h"
#include "import/unzip.h"
#include "model/meta.h"

#define JSON_HEAD_BYTES ((size_t)64 << 20)

#define IMPORT(name) extern const struct import name##_import;
#include "import/imports.def"
#undef IMPORT

const struct import *const imports[] = {
#define IMPORT(name) &name##_import,
#include "import/imports.def"
#undef IMPORT
	NULL,
};

const struct import *import_find(const char *name)
{
	for (const struct import *const *i = imports; *i; i++)
		if (!strcmp((*i)->name, name))
			return *i;
	return NULL;
}

const struct import *import_recognise(const char *path, struct span head)
{
	const char *dot = strrchr(path, '.');

	for (const struct import *const *i = imports; *i; i++)
		if ((*i)->is && (*i)->is(head))
			return *i;
	for (const struct import *const *i = imports; dot && *i; i++)
		if ((*i)->extension && !strcmp((*i)->extension, dot + 1))
			return *i;
	return NULL;
}

/* The names of all formats, for texts. */
static char *names(void)
{
	struct str s = {0};

	for (const struct import *const *i = imports; *i; i++)
		str_addf(&s, "%s%s", s.n ? ", " : "", (*i)->name);
	return str_steal(&s);
}

/* JSON has its keys in any order: more of it is looked at where its begin does not tell. */
static const struct import *recognise_json(struct input *in, struct span head)
{
	while (head.n && (is_blank(head.s[0]) || head.s[0] == '\n' || head.s[0] == '\r'))
		head = span_from(head, 1);
	if (!head.n || (head.s[0] != '{' && head.s[0] != '[') ||
	    input_head(in, JSON_HEAD_BYTES, &head))
		return NULL;
	return import_recognise(in->name, head);
}

/* The format of @in: *@format, or as it begins where that is NULL. */
static int choose(struct input *in, const struct import **format, bool forced)
{
	const struct import *found;
	struct span head;
	int rc = input_skip_mark(in);

	if (!rc)
		rc = input_head(in, IMPORT_HEAD_BYTES, &head);
	if (rc)
		return rc;
	if (!head.n)
		return err(-EINVAL, "'%s' is empty", in->name);
	if (forced)
		return 0;
	found = import_recognise(in->name, head);
	if (!found)
		found = recognise_json(in, head);
	if (!found) {
		_free_ char *all = names();

		return err(-EINVAL,
			   "'%s' is of no format known here: name it with --from-format, "
			   "one of %s",
			   in->name, all);
	}
	if (*format && found != *format)
		return err(-EINVAL,
			   "'%s' is %s, the input before it %s: import them one by one, they are "
			   "different profiles",
			   in->name, found->name, (*format)->name);
	*format = found;
	return 0;
}

static int read_plain(struct input *in, const struct import **format, bool forced,
		      struct builder *b)
{
	int rc = choose(in, format, forced);

	if (rc)
		return rc;
	builder_restart(b);
	return (*format)->read(in, b);
}

/* Whether it is a gzip of another format than pprof, which
 * unpacks its own. */
static bool is_packed(struct span head, const struct import *format, bool forced)
{
	const struct import *pprof = import_find("pprof");

	return unzip_is(head) && (forced ? format != pprof : !pprof->is(head));
}

static int read_input(struct input *in, const struct import **format, bool forced,
		      struct builder *b)
{
	struct span head;
	struct input plain;
	unzip_bytes bytes = {0};
	int rc = input_head(in, IMPORT_HEAD_BYTES, &head);

	if (rc)
		return rc;
	if (!is_packed(head, *format, forced) && !utf16_is(head))
		return read_plain(in, format, forced, b);
	rc = input_all(in, INPUT_ALL_MAX, &head);
	if (!rc)
		rc = utf16_is(head) ? utf16_decode(in->name, head, &bytes)
				    : unzip(in->name, head, &bytes);
	if (!rc) {
		input_from_memory(&plain, in->name, bytes.at, bytes.n);
		rc = read_plain(&plain, format, forced, b);
		input_close(&plain);
	}
	vec_release(&bytes);
	return rc;
}

/* What is known of every imported profile; a reader may have set more. */
static void describe(struct profile *p, const struct input *in, const struct import *format)
{
	_free_ char *source = str_clean(in->name, strlen(in->name));
	_free_ char *target = mem_printf("imported from %s (%s)", source, format->name);

	if (!profile_run(p, RUN_SOURCE))
		profile_set_run(p, RUN_SOURCE, source);
	if (!profile_run(p, RUN_TARGET))
		profile_set_run(p, RUN_TARGET, target);
	if (!profile_run(p, RUN_COMMAND))
		profile_set_run(p, RUN_COMMAND, str_base(source));
}

/* Where the format does not tell when its run was: its file was written at its end, or later.
 * Stores order by it. */
static void date(struct profile *p, int64_t modified_ns)
{
	char when[UNITS_BUF];

	if (p->started_unix_ns || modified_ns <= 0 || p->duration_ns < 0 ||
	    p->duration_ns >= modified_ns)
		return;
	p->started_unix_ns = modified_ns - p->duration_ns;
	profile_set_meta(p, META_TIMESTAMP, units_time(when, sizeof(when), p->started_unix_ns));
}

/* "sqlite3 2026-11-23T12:01:47Z", as captures are named. */
static void name_run(struct profile *p)
{
	const char *command = profile_run(p, RUN_COMMAND), *when = profile_meta(p, META_TIMESTAMP);
	_free_ char *word = mem_strndup(command, strcspn(command, " "));
	_free_ char *name = mem_printf("%s%s%s", str_base(word), when ? " " : "", when ? when : "");

	profile_set_run(p, RUN_NAME, name);
}

static int finish(struct builder *b, int64_t modified_ns, struct profile **out)
{
	int rc = builder_finish(b, out);

	if (!rc)
		date(*out, modified_ns);
	if (!rc)
		name_run(*out);
	return rc;
}

int import_input(struct input *in, const struct import *format, struct profile **out)
{
	struct builder *b = builder_new();
	int rc = read_input(in, &format, format != NULL, b);

	if (!rc)
		describe(b->profile, in, format);
	if (!rc)
		rc = finish(b, in->modified_ns, out);
	builder_free(b);
	return rc;
}

/* *@modified_ns: when the last of the files was. */
static int import_file(const char *path, const struct import **format, bool forced,
		       struct builder *b, int64_t *modified_ns)
{
	struct input in;
	int rc = input_open(&in, path);

	if (!rc)
		rc = read_input(&in, format, forced, b);
	if (!rc)
		describe(b->profile, &in, *format);
	*modified_ns = in.modified_ns > *modified_ns ? in.modified_ns : *modified_ns;
	input_close(&in);
	return rc;
}

int import_files(const char *const *paths, size_t n, const struct import *format,
		 struct profile **out)
{
	const bool forced = format != NULL;
	struct builder *b = builder_new();
	int64_t modified_ns = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = import_file(paths[i], &format, forced, b, &modified_ns);
	if (!rc && finish(b, modified_ns, out))
		rc = err(-EINVAL, "cannot import '%s': %s", paths[0], err_text());
	builder_free(b);
	return rc;
}
