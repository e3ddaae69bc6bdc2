#include "export/secrets.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "merge/merge.h"
#include "model/cell.h"
#include "model/meta.h"
#include "model/profile.h"

#define COMMAND "-- " /* how the target of a command begins: "-- make -j2" */

/* Calls @each for every cell of texts, those of secret columns or the others. */
static void each_text(struct profile *p, bool secret,
		      void (*each)(void *context, const struct column *, char *row), void *context)
{
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		for (size_t k = 0; k < t->table->n_columns; k++) {
			const struct column *c = &t->table->columns[k];

			for (size_t i = 0; i < v->n && c->type == COLUMN_TEXT; i++)
				if (c->secret == secret)
					each(context, c, v->at + i * t->table->row_bytes);
		}
	}
}

static void mark(void *used, const struct column *c, char *row)
{
	((bool *)used)[cell_u32(c, row)] = true;
}

static void empty(void *none, const struct column *c, char *row)
{
	(void)none;
	cell_set_u32(c, row, 0);
}

static void mark_attributes(bool *used, const struct attr *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		used[at[i].key] = used[at[i].text] = true;
}

/* Empties the texts that nothing has any more: some formats write all. */
static void empty_unused(struct profile *p)
{
	const size_t n = intern_count(&p->strings);
	_free_ bool *used = mem_zalloc(n, sizeof(*used));

	each_text(p, false, mark, used);
	mark_attributes(used, p->meta.at, p->meta.n);
	mark_attributes(used, p->run.at, p->run.n);
	used[PROFILE_ROOT_NAME] = true;
	for (size_t i = 1; i < n; i++)
		if (!used[i])
			p->strings.bytes.at[p->strings.start.at[i]] = '\0';
}

/* The first word of the text that begins at @from stays, with what is before it. */
static void keep_word(struct profile *p, const char *key, size_t from)
{
	const char *text = profile_run(p, key);
	_free_ char *cut = mem_strndup(text, from + strcspn(text + from, " "));

	profile_set_run(p, key, cut);
}

/* Whether its command is in words: "all processes", "several commands", the name of a file. */
static bool has_words(const struct profile *p)
{
	const char *target = profile_run(p, RUN_TARGET);
	const char *command = profile_run(p, RUN_COMMAND);

	return !command || str_starts(command, MERGE_SEVERAL " ") ||
	       (target && (str_starts(target, "-a") || str_starts(target, "-G "))) ||
	       (profile_run(p, RUN_SOURCE) && !profile_run(p, RUN_OPTIONS));
}

/* A command is the end of the profiler's command line. */
static void hide_in_options(struct profile *p, const char *command)
{
	const char *options = profile_run(p, RUN_OPTIONS);

	if (!options)
		return;
	if (str_ends(options, command))
		keep_word(p, RUN_OPTIONS, strlen(options) - strlen(command));
	else
		profile_set_run(p, RUN_OPTIONS, "");
}

/* Of imports, too, and of merges of captures that have the target or the command alone in common.
 */
static void hide_in_run(struct profile *p)
{
	const char *target = profile_run(p, RUN_TARGET);
	_free_ char *command = NULL;

	if (target && str_starts(target, COMMAND)) {
		hide_in_options(p, target + strlen(COMMAND));
		keep_word(p, RUN_TARGET, strlen(COMMAND));
	}
	if (has_words(p))
		return;
	command = mem_strdup(profile_run(p, RUN_COMMAND));
	if (profile_run(p, RUN_SOURCE))
		hide_in_options(p, command);
	keep_word(p, RUN_COMMAND, 0);
}

void export_hide_secrets(struct profile *p)
{
	each_text(p, true, empty, NULL);
	hide_in_run(p);
	/* Formats that do without the events in memory write what is used alone. */
	if (!p->events_left)
		empty_unused(p);
}
