#include "cmd/command.h"

#include <stddef.h>

const struct cmd commands[] = {
	{"report", render_report, "a report of one profile (the default when a file is named)"},
	{"export", render_export, "the profile in the format of another tool"},
	{"import", render_import, "a profile of what another tool wrote"},
	{"merge", render_merge, "several profiles added up to one"},
	{"compare", render_compare, "what changed between runs, how sure that is, and a verdict"},
	{"store", render_store, "many runs in one file: add, list, show, remove"},
	{"generate", render_generate, "reports of all profiles in a folder"},
	{"help", render_help, "this text"},
	{"for-eprof", render_for_eprof, NULL},
	{NULL, NULL, NULL},
};
