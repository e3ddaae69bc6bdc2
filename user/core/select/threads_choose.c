#include "select/threads_choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "select/pattern.h"

#define NAMED_MOST 6 /* so many threads or processes an error names */

/* One word of a list: a number or a pattern. */
struct wanted {
	struct pattern *pattern; /* NULL: by number */
	uint32_t number;
};

/* What --thread, --pid or --cgroup asks for. */
struct chooser {
	const char *text; /* NULL: takes all */
	VEC(struct wanted) words;
};

static void chooser_release(struct chooser *c)
{
	vec_each (w, &c->words)
		pattern_free(w->pattern);
	vec_release(&c->words);
}

static int add_word(struct chooser *c, const char *word)
{
	struct wanted w = {0};
	uint64_t number = 0;
	int rc;

	if (!*word || strlen(word) > 10 || strspn(word, "0123456789") != strlen(word)) {
		rc = pattern_new(word, &w.pattern);
		if (rc)
			return rc;
	}
	for (; !w.pattern && *word; word++)
		number = 10 * number + (uint64_t)(*word - '0');
	w.number = number <= UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	vec_push(&c->words, w);
	return 0;
}

/* A regular expression may have commas: it is no list. */
static int chooser_init(struct chooser *c, const char *text)
{
	_free_ char *copy = text ? mem_strdup(text) : NULL;
	int rc = 0;

	*c = (struct chooser){.text = text};
	if (text && text[0] == '/')
		return add_word(c, text);
	for (char *rest = copy, *word; rest && !rc;) {
		word = strsep(&rest, ",");
		rc = add_word(c, word);
	}
	return rc;
}

static bool chooser_takes(const struct chooser *c, uint32_t number, const char *name)
{
	bool takes = !c->text;

	vec_each (w, &c->words)
		takes |= w->pattern ? pattern_match(w->pattern, name) : w->number == number;
	return takes;
}

/* "/system.slice/nginx.service" by all of it, or by its end: "nginx.service", "system.slice/n*". */
static bool takes_cgroup(const struct chooser *c, const char *path)
{
	bool takes = chooser_takes(c, UINT32_MAX, path);

	for (const char *end = strchr(path, '/'); end && !takes; end = strchr(end + 1, '/'))
		takes = chooser_takes(c, UINT32_MAX, end + 1);
	return takes;
}

int thread_list_check(const char *text)
{
	struct chooser c;
	int rc = chooser_init(&c, text);

	chooser_release(&c);
	return rc;
}

bool thread_choice_is_all(const struct thread_choice *c)
{
	return !c->thread && !c->pid && !c->cgroup;
}

enum thread_part { BY_THREAD, BY_PROCESS, BY_CGROUP, THREAD_PARTS };

static uint32_t name_of_part(const struct thread *t, enum thread_part by)
{
	return by == BY_THREAD ? t->name : by == BY_PROCESS ? t->process : t->cgroup;
}

/* "no process matches 'x': there are sqlite3 (4711), node (4800)"; of many only how many. */
static int no_thread(const struct profile *p, const char *text, enum thread_part by)
{
	static const char *const whats[] = {"thread", "process", "cgroup"};
	const char *what = whats[by];
	struct map known = {0};
	struct str names = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.at[i];
		const uint32_t id = by == BY_THREAD ? t->tid : by == BY_PROCESS ? t->pid : 0;
		const uint32_t name = name_of_part(t, by);
		bool fresh;

		if (by == BY_CGROUP && !*profile_text(p, name))
			continue;
		map_put(&known, (uint64_t)id << 32 | name, &fresh);
		if (!fresh || n++ >= NAMED_MOST)
			continue;
		str_addf(&names, "%s%s", names.n ? ", " : "", profile_text(p, name));
		if (by != BY_CGROUP)
			str_addf(&names, " (%u)", id);
	}
	if (!n)
		err(-ENOENT, "no %s matches '%s': the profile has none", what, text);
	else if (n <= NAMED_MOST)
		err(-ENOENT, "no %s matches '%s': there %s %s", what, text, n == 1 ? "is" : "are",
		    str_text(&names));
	else
		err(-ENOENT, "no %s of the profile's %zu matches '%s'", what, n, text);
	map_release(&known);
	str_release(&names);
	return -ENOENT;
}

/* Which threads all of them take. */
static int choose(const struct profile *p, const struct chooser *by, bool *taken)
{
	size_t n[THREAD_PARTS] = {0}, all = 0;

	for (size_t i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.at[i];
		const bool thread = chooser_takes(&by[BY_THREAD], t->tid, profile_text(p, t->name));
		const bool process =
			chooser_takes(&by[BY_PROCESS], t->pid, profile_text(p, t->process));
		const bool cgroup = !by[BY_CGROUP].text ||
				    takes_cgroup(&by[BY_CGROUP], profile_text(p, t->cgroup));

		taken[i] = thread && process && cgroup;
		n[BY_THREAD] += thread;
		n[BY_PROCESS] += process;
		n[BY_CGROUP] += cgroup;
		all += taken[i];
	}
	for (enum thread_part part = 0; part < THREAD_PARTS; part++)
		if (by[part].text && !n[part])
			return no_thread(p, by[part].text, part);
	if (!all)
		return err(-ENOENT,
			   "no thread matches --thread '%s' in a process of --pid '%s'%s%s",
			   by[BY_THREAD].text ? by[BY_THREAD].text : "*",
			   by[BY_PROCESS].text ? by[BY_PROCESS].text : "*",
			   by[BY_CGROUP].text ? " and --cgroup " : "",
			   by[BY_CGROUP].text ? by[BY_CGROUP].text : "");
	return 0;
}

int threads_choose(const struct profile *p, const struct thread_choice *c, bool **out)
{
	const char *const texts[THREAD_PARTS] = {c->thread, c->pid, c->cgroup};
	struct chooser by[THREAD_PARTS] = {0};
	int rc = 0;

	*out = NULL;
	for (size_t i = 0; i < THREAD_PARTS && !rc; i++)
		rc = chooser_init(&by[i], texts[i]);
	if (!rc && !thread_choice_is_all(c)) {
		*out = mem_zalloc(p->threads.n + 1, sizeof(**out));
		rc = choose(p, by, *out);
	}
	for (size_t i = 0; i < THREAD_PARTS; i++)
		chooser_release(&by[i]);
	return rc;
}
