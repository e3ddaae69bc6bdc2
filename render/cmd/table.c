#include "cmd/command.h"

#include <stddef.h>

const struct cmd commands[] = {
	{"report", render_report, "a report of one profile (the default when a file is named)"},
	{"export", render_export, "the profile in the format of another tool"},
	{"help", render_help, "this text"},
	{NULL, NULL, NULL},
};
