#include "function/zonepattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/answers.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "base/vec.h"
#include "code/marker.h"
#include "elf/symbolname.h"
#include "script/scriptpattern.h"
#include "process/closure.h"
#include "process/opener.h"

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Words of readable names that linkers abbreviate. */
static const char abbreviated[] =
	" std allocator basic_string string basic_istream istream ostream "
	"basic_ostream iostream basic_iostream operator new delete int unsigned "
	"signed char short long float double bool void const volatile wchar_t "
	"char8_t char16_t char32_t __int128 __float128 auto decltype nullptr "
	"nullptr_t lambda unnamed type anonymous namespace clone guard variable "
	"for vtable typeinfo thunk virtual non covariant return initializer "
	"reference temporary transaction closure shim impl dyn str usize isize "
	"u128 i128 f16 u16 u32 u64 i16 i32 i64 f32 f64 f128 mut true false this "
	"decimal32 decimal64 complex restrict noexcept throw requires sizeof "
	"alignof typename template enum union struct class default array vector "
	"__vector co_await imaginary _Complex transparent extern unsafe never ";

static bool is_abbreviated(const char *word, size_t n)
{
	const char *at = abbreviated;

	while ((at = memmem(at, strlen(at), word, n))) {
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
		at++;
	}
	return false;
}

static bool is_usable(const char *word, size_t n)
{
	if (n < 3 || (word[0] >= '0' && word[0] <= '9') || is_abbreviated(word, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)word[i] >= 0x80) /* Rust encodes these */
			return false;
	}
	return true;
}

/* The longest word that every match of @glob contains in its linker's name; the caller frees it;
 * NULL: none. A word after a bracket or a backslash is not certain. */
static char *zoneword_find(const char *glob)
{
	const char *best = NULL;
	size_t best_n = 0;

	for (const char *at = glob; *at && *at != '[' && *at != '\\';) {
		size_t n = 0;

		while (is_word_char(at[n]))
			n++;
		if (n > best_n && is_usable(at, n)) {
			best = at;
			best_n = n;
		}
		at += n ? n : 1;
	}
	return best ? mem_strndup(best, best_n) : NULL;
}

/* Larger than a list of all functions of a program. */
#define MAX_FILE_BYTES (64u << 20)
#define MAX_LINE       1000000000

/* With at most so many plain names, functions are compared with each before they are demangled. */
#define MAX_SOUGHT_PLAIN 64

enum kind { KIND_PLAIN, KIND_GLOB, KIND_REGEX, KIND_FILE };

struct pattern {
	char *text; /* as the user wrote it */
	enum kind kind;
	bool excludes;
	bool may_miss; /* matching nothing is no error */
	uint32_t actions, arguments;
	uint32_t argument; /* that the actions are about, from 1 on; 0: not named */
	char *module;	   /* glob; NULL: any */
	char *file;	   /* that module names, links resolved; or NULL */
	char *name;	   /* the name, glob, expression or file */
	uint32_t line;
	char *word; /* every match contains it in its linker's name; NULL: none such */
	regex_t regex;
	uint32_t next_plain; /* the next plain pattern of the same hash, plus 1; 0: none */
};

struct zonepatterns {
	VEC(struct pattern) at;
	struct map plain; /* hash of a plain pattern's name → its index plus 1 */
	size_t n_plain, n_takers, n_files;
	uint32_t actions, all_actions; /* for patterns added from now on; of all patterns */
	uint32_t arguments;	       /* for patterns added from now on */
	bool may_miss;		       /* the same */
	uint32_t argument;	       /* for the next pattern */
};

struct zonepatterns *zonepatterns_new(void)
{
	struct zonepatterns *z = mem_zalloc(1, sizeof(*z));

	z->actions = 1;
	return z;
}

void zonepatterns_set_actions(struct zonepatterns *z, uint32_t actions, uint32_t arguments,
			      bool may_miss)
{
	z->actions = actions;
	z->arguments = arguments;
	z->may_miss = may_miss;
}

void zonepatterns_set_argument(struct zonepatterns *z, uint32_t number)
{
	z->argument = number;
	z->arguments |= number ? 1u << (number - 1) : 0;
}

static void release(struct pattern *p)
{
	if (p->kind == KIND_REGEX)
		regfree(&p->regex);
	free(p->text);
	free(p->module);
	free(p->file);
	free(p->name);
	free(p->word);
}

void zonepatterns_free(struct zonepatterns *z)
{
	if (!z)
		return;
	for (size_t i = 0; i < z->at.n; i++)
		release(&z->at.at[i]);
	vec_release(&z->at);
	map_release(&z->plain);
	free(z);
}

/* --- parsing -------------------------------------------------------------------------------- */

/* The colon after a module, which is not part of C++'s "::"; NULL: none. */
static const char *find_module_end(const char *text)
{
	for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
		if (at[1] == ':')
			at++;
		else
			return at > text ? at : NULL;
	}
	return NULL;
}

static bool is_regex(const char *text)
{
	const size_t n = strlen(text);

	return n >= 2 && text[0] == '/' && text[n - 1] == '/';
}

static int compile_regex(struct pattern *p, const char *text)
{
	_free_ char *expression = mem_strndup(text + 1, strlen(text) - 2);
	char why[128];
	int rc;

	if (!expression[0])
		return err(-EINVAL, "pattern '%s' is an empty expression", p->text);
	rc = regcomp(&p->regex, expression, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &p->regex, why, sizeof(why));
		return err(-EINVAL, "pattern '%s': %s", p->text, why);
	}
	p->kind = KIND_REGEX;
	p->name = mem_strdup(expression);
	return 0;
}

static int parse_file(struct pattern *p, const char *text)
{
	const char *colon = strrchr(text, ':');
	int64_t line = 0;

	p->kind = KIND_FILE;
	if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
	    units_parse_int(colon + 1, "the line of a pattern", 1, MAX_LINE, &line))
		return -EINVAL;
	p->line = (uint32_t)line;
	p->name = line ? mem_strndup(text, (size_t)(colon - text)) : mem_strdup(text);
	return p->name[0] ? 0 : err(-EINVAL, "pattern '%s' names no file", p->text);
}

static int parse_what(struct pattern *p, const char *text)
{
	if (!*text)
		return err(-EINVAL, "pattern '%s' names no function ('%s*' takes all)", p->text,
			   p->text);
	if (is_regex(text))
		return compile_regex(p, text);
	if (*text == '@')
		return parse_file(p, text + 1);
	if (*text == '/')
		return err(-EINVAL, "pattern '%s': an expression ends with a '/'", p->text);
	p->name = mem_strdup(text);
	p->kind = strpbrk(text, "*?[\\") ? KIND_GLOB : KIND_PLAIN;
	p->word = zoneword_find(text);
	return 0;
}

/* The file that a MODULE without wildcards names: a path, a program in PATH, or a library's name. A
 * link may lead to a file of another name: redis-server to redis-check-rdb, libz.so.1 to
 * libz.so.1.2.13. */
static char *find_file(struct opener *opener, const char *module, int *rc)
{
	_free_ char *path = NULL;

	*rc = 0;
	if (strpbrk(module, "*?["))
		return NULL;
	path = closure_program(opener, module);
	return path ? closure_path(opener, path, rc) : closure_library(opener, module);
}

static int parse(struct pattern *p)
{
	const char *text = p->text, *end;

	if (*text == '!') {
		p->excludes = true;
		text++;
	}
	end = is_regex(text) || *text == '@' ? NULL : find_module_end(text);
	if (end) {
		p->module = mem_strndup(text, (size_t)(end - text));
		text = end + 1;
	}
	return parse_what(p, text);
}

static void index_plain(struct zonepatterns *z, uint32_t i)
{
	struct pattern *p = &z->at.at[i];
	uint32_t *first;
	bool fresh;

	first = map_put(&z->plain, hash_bytes(p->name, strlen(p->name)), &fresh);
	p->next_plain = fresh ? 0 : *first;
	*first = i + 1;
	z->n_plain++;
}

static void add(struct zonepatterns *z, const struct pattern *p)
{
	vec_push(&z->at, *p);
	z->all_actions |= p->actions;
	z->n_takers += !p->excludes;
	z->n_files += p->kind == KIND_FILE;
	if (p->kind == KIND_PLAIN)
		index_plain(z, (uint32_t)(z->at.n - 1));
}

int zonepatterns_add(struct zonepatterns *z, const char *text)
{
	struct pattern p = {.text = mem_strdup(text),
			    .actions = z->actions,
			    .arguments = z->arguments,
			    .may_miss = z->may_miss,
			    .argument = z->argument};
	int rc =
		scriptpattern_is(text)
			? err(-EINVAL,
			      "pattern '%s' is of a script's functions: 'eprof record --zone' can "
			      "count their calls; 'eprof report --focus NAME' shows who calls them",
			      text)
			: parse(&p);

	if (rc) {
		release(&p);
		return rc;
	}
	add(z, &p);
	return 0;
}

static bool names_the_same(const struct pattern *a, const struct pattern *b)
{
	return a->module && b->module && !strcmp(a->module, b->module);
}

int zonepatterns_find_files(struct zonepatterns *z, struct opener *opener)
{
	int rc = 0;

	for (size_t i = 0; i < z->at.n; i++) {
		struct pattern *p = &z->at.at[i];
		const struct pattern *last = i ? p - 1 : NULL;

		/* Look a module up once if successive patterns name it. */
		if (last && names_the_same(p, last))
			p->file = last->file ? mem_strdup(last->file) : NULL;
		else if (p->module)
			p->file = find_file(opener, p->module, &rc);
		if (opener_is_silent(rc))
			return err(rc, "pattern '%s': '%s' is %s", p->text, p->module,
				   OPENER_SILENT);
	}
	return 0;
}

/* --- sent to a worker process ----------------------------------------------------------------- */

void zonepatterns_put(const struct zonepatterns *z, struct str *out)
{
	str_addf(out, "%u", z->arguments);
	str_addc(out, '\0');
	for (size_t i = 0; i < z->at.n; i++) {
		const struct pattern *p = &z->at.at[i];

		str_addf(out, "%u", p->actions);
		str_addc(out, '\0');
		str_addf(out, "%u", p->arguments);
		str_addc(out, '\0');
		str_addn(out, p->text, strlen(p->text) + 1);
		str_addf(out, "%s", p->file ? p->file : "");
		str_addc(out, '\0');
	}
}

/* The string at *@at, which is moved past its end; NULL: incomplete. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *zero = memchr(text, '\0', (size_t)(end - text));

	*at = zero ? zero + 1 : end;
	return zero ? text : NULL;
}

struct zonepatterns *zonepatterns_get(const char *bytes, size_t n)
{
	struct zonepatterns *z = zonepatterns_new();
	const char *end = bytes + n, *actions, *arguments, *text, *file;

	arguments = next_text(&bytes, end);
	z->arguments = arguments ? (uint32_t)strtoul(arguments, NULL, 10) : 0;
	while ((actions = next_text(&bytes, end)) && (arguments = next_text(&bytes, end)) &&
	       (text = next_text(&bytes, end)) && (file = next_text(&bytes, end))) {
		struct pattern p = {.text = mem_strdup(text),
				    .actions = (uint32_t)strtoul(actions, NULL, 10),
				    .arguments = (uint32_t)strtoul(arguments, NULL, 10),
				    .file = *file ? mem_strdup(file) : NULL};

		if (parse(&p))
			release(&p);
		else
			add(z, &p);
	}
	return z;
}

static char *trim(char *line)
{
	size_t n;

	line += strspn(line, " \t\r");
	for (n = strlen(line); n && strchr(" \t\r", line[n - 1]);)
		n--;
	line[n] = '\0';
	return line;
}

int zonepatterns_add_file(struct zonepatterns *z, const char *path)
{
	_free_ char *text = NULL, *why = NULL;
	const size_t before = z->at.n;
	char *line;
	unsigned int number = 1;
	size_t n;
	int rc = answers(path, NULL);

	if (!rc)
		rc = file_read(path, MAX_FILE_BYTES, &text, &n);
	if (rc)
		return rc;
	if (strlen(text) != n)
		return err(-EINVAL, "'%s' is no list of patterns: it is not text", path);
	for (char *rest = text; (line = strsep(&rest, "\n")); number++) {
		line = trim(line);
		if (!*line || *line == '#')
			continue;
		rc = zonepatterns_add(z, line);
		if (rc) {
			why = mem_strdup(err_text());
			return err(rc, "%s:%u: %s", path, number, why);
		}
	}
	return z->at.n > before ? 0 : err(-EINVAL, "'%s' contains no pattern", path);
}

/* --- queries -------------------------------------------------------------------------------- */

size_t zonepatterns_count(const struct zonepatterns *z)
{
	return z->at.n;
}

const char *zonepatterns_text(const struct zonepatterns *z, size_t i)
{
	return z->at.at[i].text;
}

bool zonepatterns_is_exclusion(const struct zonepatterns *z, size_t i)
{
	return z->at.at[i].excludes;
}

uint32_t zonepatterns_argument(const struct zonepatterns *z, size_t i)
{
	return z->at.at[i].argument;
}

bool zonepatterns_may_miss(const struct zonepatterns *z, size_t i)
{
	return z->at.at[i].may_miss;
}

const char *zonepatterns_name(const struct zonepatterns *z, size_t i)
{
	const struct pattern *p = &z->at.at[i];

	return p->kind == KIND_PLAIN || p->kind == KIND_GLOB ? p->name : NULL;
}

bool zonepatterns_need_lines(const struct zonepatterns *z)
{
	return z->n_files;
}

static bool matches(const char *glob, const char *text)
{
	return !strcmp(glob, text) || !fnmatch(glob, text, 0);
}

static bool is_for(const struct pattern *p, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *so = strstr(base, ".so");

	if (!p->module || (p->file && !strcmp(p->file, path)))
		return true;
	if (strchr(p->module, '/'))
		return matches(p->module, path);
	if (matches(p->module, base))
		return true;
	if (!so || so == base || (so[3] && so[3] != '.'))
		return false;
	_free_ char *stem = mem_strndup(base, (size_t)(so - base));

	return matches(p->module, stem);
}

bool zonepatterns_is_for(const struct zonepatterns *z, size_t pattern, const char *path)
{
	return is_for(&z->at.at[pattern], path);
}

const char *zonepatterns_file(const struct zonepatterns *z, size_t pattern)
{
	const struct pattern *p = &z->at.at[pattern];

	return p->excludes ? NULL : p->file;
}

const char *zonepatterns_module(const struct zonepatterns *z, size_t pattern)
{
	const struct pattern *p = &z->at.at[pattern];

	return p->excludes ? NULL : p->module;
}

bool zonepatterns_want_module(const struct zonepatterns *z, const char *path)
{
	for (size_t i = 0; i < z->at.n; i++) {
		if (!z->at.at[i].excludes && is_for(&z->at.at[i], path))
			return true;
	}
	return !z->n_takers;
}

bool zonepatterns_may_take(const struct zonepatterns *z, const char *linkage)
{
	if (!z->n_takers || z->n_files || z->n_plain > MAX_SOUGHT_PLAIN)
		return true;
	for (size_t i = 0; i < z->at.n; i++) {
		const struct pattern *p = &z->at.at[i];

		if (!p->excludes && (!p->word || strstr(linkage, p->word)))
			return true;
	}
	return false;
}

/* --- matching ------------------------------------------------------------------------------- */

/* All spellings of a function's name: linkage, name, full, and those without a compiler's
 * suffix. */
#define MAX_SPELLINGS 5

struct spellings {
	const char *at[MAX_SPELLINGS];
	uint64_t hash[MAX_SPELLINGS]; /* set only if there are plain patterns */
	size_t n;
	char *linkage_stem, *name_stem; /* owned */
};

static void spell(struct spellings *s, const char *name, char **stem)
{
	const char *ending;

	if (!name)
		return;
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->at[i], name))
			return;
	}
	s->at[s->n++] = name;
	ending = stem ? symbolname_copy_ending(name) : NULL;
	if (ending) {
		*stem = mem_strndup(name, (size_t)(ending - name));
		s->at[s->n++] = *stem;
	}
}

static void spell_all(struct spellings *s, const struct zone_names *f, bool hashed)
{
	*s = (struct spellings){0};
	spell(s, f->linkage, &s->linkage_stem);
	spell(s, f->name, &s->name_stem);
	spell(s, f->full, NULL);
	for (size_t i = 0; hashed && i < s->n; i++)
		s->hash[i] = hash_bytes(s->at[i], strlen(s->at[i]));
}

static bool file_matches(const struct pattern *p, const struct zone_names *f)
{
	const char *base, *slash;

	if (!f->file || (p->line && (p->line < f->line || (f->end_line && p->line > f->end_line))))
		return false;
	if (matches(p->name, f->file))
		return true;
	slash = strrchr(f->file, '/');
	base = slash ? slash + 1 : f->file;
	if (!strchr(p->name, '/'))
		return matches(p->name, base);
	return str_ends(f->file, p->name) &&
	       (p->name[0] == '/' || f->file[strlen(f->file) - strlen(p->name) - 1] == '/');
}

static bool takes(const struct pattern *p, const struct zone_names *f, const struct spellings *s)
{
	if (!is_for(p, f->module))
		return false;
	if (f->stub && !p->excludes && !strstr(p->text, SYMBOLNAME_STUB))
		return false;
	if (f->marker && !p->excludes && !strstr(p->text, MARKER_ENDING))
		return false;
	if (p->kind == KIND_FILE)
		return file_matches(p, f);
	for (size_t i = 0; i < s->n; i++) {
		if (p->kind == KIND_REGEX ? !regexec(&p->regex, s->at[i], 0, NULL, 0)
					  : matches(p->name, s->at[i]))
			return true;
	}
	return false;
}

struct matching {
	struct zone_taking t;
	uint32_t *hits;
};

static void take(struct matching *m, const struct zonepatterns *z, size_t i)
{
	if (z->at.at[i].excludes) {
		m->t.excluded |= z->at.at[i].actions;
		return;
	}
	m->t.taken |= z->at.at[i].actions;
	m->t.arguments |= z->at.at[i].arguments;
	m->t.first = i < m->t.first ? i : m->t.first;
	if (m->hits)
		m->hits[i]++;
}

/* There may be thousands of plain patterns, so they are found by hash. */
static void match_plain(const struct zonepatterns *z, const struct zone_names *f,
			const struct spellings *s, struct matching *m)
{
	for (size_t k = 0; k < s->n; k++) {
		const uint32_t *first = map_get(&z->plain, s->hash[k]);

		for (uint32_t i = first ? *first : 0; i; i = z->at.at[i - 1].next_plain) {
			const struct pattern *p = &z->at.at[i - 1];

			if (!strcmp(p->name, s->at[k]) && is_for(p, f->module))
				take(m, z, i - 1);
		}
	}
}

struct zone_taking zonepatterns_match(const struct zonepatterns *z, const struct zone_names *f,
				      uint32_t *hits)
{
	struct matching m = {.t.first = ZONEPATTERN_NONE, .hits = hits};
	struct spellings s;

	spell_all(&s, f, z->n_plain);
	match_plain(z, f, &s, &m);
	for (size_t i = 0; i < z->at.n; i++) {
		if (z->at.at[i].kind != KIND_PLAIN && takes(&z->at.at[i], f, &s))
			take(&m, z, i);
	}
	free(s.linkage_stem);
	free(s.name_stem);
	if (!z->n_takers && !f->stub && !f->marker) {
		m.t.first = 0;
		m.t.taken = z->all_actions ? z->all_actions : z->actions;
		m.t.arguments = z->arguments;
	}
	return m.t;
}
