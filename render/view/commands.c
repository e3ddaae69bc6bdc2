#include "view/commands.h"

#include "base/str.h"

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
