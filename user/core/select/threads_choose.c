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

/* What --thread or --pid asks for: a number or a pattern. */
struct chooser {
	const char *text;	 /* NULL: takes all */
	struct pattern *pattern; /* NULL: by number */
	uint32_t number;
};

static int chooser_init(struct chooser *c, const char *text)
{
	uint64_t number = 0;

	*c = (struct chooser){.text = text};
	if (!text)
		return 0;
	if (!*text || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text))
		return pattern_new(text, &c->pattern);
	for (; *text; text++)
		number = 10 * number + (*text - '0');
	c->number = number <= UINT32_MAX ? number : UINT32_MAX;
	return 0;
}

static bool chooser_takes(const struct chooser *c, uint32_t number, const char *name)
{
	if (!c->text)
		return true;
	return c->pattern ? pattern_match(c->pattern, name) : number == c->number;
}

/* "no process matches 'x': there are sqlite3 (4711), node (4800)"; of many only how many. */
static int no_thread(const struct profile *p, const char *text, bool by_process)
{
	const char *what = by_process ? "process" : "thread";
	struct map known = {0};
	struct str names = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.at[i];
		uint32_t id = by_process ? t->pid : t->tid,
			 name = by_process ? t->process : t->name;
		bool fresh;

		map_put(&known, (uint64_t)id << 32 | name, &fresh);
		if (fresh && n++ < NAMED_MOST)
			str_addf(&names, "%s%s (%u)", names.n ? ", " : "", profile_text(p, name),
				 id);
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

/* Which threads both take. */
static int choose(const struct profile *p, const struct chooser *by_thread,
		  const struct chooser *by_pid, bool *taken)
{
	size_t threads = 0, processes = 0, both = 0;

	for (size_t i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.at[i];
		bool thread = chooser_takes(by_thread, t->tid, profile_text(p, t->name));
		bool process = chooser_takes(by_pid, t->pid, profile_text(p, t->process));

		taken[i] = thread && process;
		threads += thread;
		processes += process;
		both += taken[i];
	}
	if (by_thread->text && !threads)
		return no_thread(p, by_thread->text, false);
	if (by_pid->text && !processes)
		return no_thread(p, by_pid->text, true);
	if (!both)
		return err(-ENOENT, "no thread matches --thread '%s' in a process of --pid '%s'",
			   by_thread->text, by_pid->text);
	return 0;
}

int threads_choose(const struct profile *p, const char *thread, const char *pid, bool **out)
{
	struct chooser by_thread, by_pid = {0};
	int rc = chooser_init(&by_thread, thread);

	*out = NULL;
	if (!rc)
		rc = chooser_init(&by_pid, pid);
	if (!rc && (thread || pid)) {
		*out = mem_zalloc(p->threads.n + 1, sizeof(**out));
		rc = choose(p, &by_thread, &by_pid, *out);
	}
	pattern_free(by_thread.pattern);
	pattern_free(by_pid.pattern);
	return rc;
}
