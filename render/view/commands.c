#include "view/facts.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/process.h"

/* On a page or in a file a cell has no more than this; the profile has all. */
#define COLUMNS_MOST 400

const struct doc_column commands_column = {
	"Command", "command", CELL_TEXT,
	"the command line; a child that executed nothing has its "
	"parent's"};

void commands_cell(const struct view_input *in, struct doc_table *t, const struct process *process)
{
	_free_ char *text = process ? process_command(in->profile, process) : NULL;
	_free_ char *cut = text ? str_cut_middle(text, COLUMNS_MOST, "…") : NULL;

	doc_cell(t, 0, "%s", cut && *cut ? cut : "–");
}

/* --- what sets one apart ---------------------------------------------------------------------- */

/* The next word from *@at on, of *@n bytes; NULL: none follows. */
static const char *next_word(const char **at, size_t *n)
{
	const char *word = *at + strspn(*at, " ");

	*n = strcspn(word, " ");
	*at = word + *n;
	return *n ? word : NULL;
}

static uint64_t first_word(const char *command)
{
	size_t n;
	const char *word = next_word(&command, &n);

	return word ? hash_bytes(word, n) : 0;
}

static void add_words(struct map *words, const char *command)
{
	const char *word;
	bool fresh;
	size_t n;

	while ((word = next_word(&command, &n)))
		map_put(words, hash_bytes(word, n), &fresh);
}

/* Options come before what they are for, and are seldom it. */
static char *word_besides(const struct map *words, const char *command)
{
	const char *word;
	size_t n;

	while ((word = next_word(&command, &n)))
		if (*word != '-' && !map_get(words, hash_bytes(word, n)))
			return mem_printf("%.*s", (int)n, word);
	return NULL;
}

char *command_distinct(const struct profile *p, uint32_t thread)
{
	const struct thread *t = &p->threads.at[thread];
	const char *own = NULL;
	struct map others = {0};
	uint64_t program;
	char *found;

	vec_each (e, &p->processes)
		if (e->pid == t->pid && e->born_ns == t->born_ns)
			own = profile_text(p, e->command);
	if (!own || !*own)
		return NULL;
	program = first_word(own);
	vec_each (e, &p->processes) {
		const char *command = profile_text(p, e->command);

		if ((e->pid != t->pid || e->born_ns != t->born_ns) &&
		    first_word(command) == program)
			add_words(&others, command);
	}
	found = others.n ? word_besides(&others, own) : NULL;
	map_release(&others);
	return found;
}
