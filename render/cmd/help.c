/* help: what eprof-render can do. */
#include "cmd/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/style.h"
#include "format/format.h"
#include "query/selection.h"
#include "model/zone_column.h"
#include "view/view.h"

#define LINE_WIDTH 78

static const char examples[] =
	"Examples:\n"
	"  eprof-render eprof.h5                     where the time went, on the terminal\n"
	"  eprof-render eprof.h5 -o report.html      one interactive page that needs no network\n"
	"  eprof-render new.h5 --append report.html  a second capture in that page\n"
	"  eprof-render eprof.h5 -o report.pdf       to print or to mail\n"
	"  eprof-render eprof.h5 -o flame.svg        the flame graph, to zoom and search\n"
	"  eprof-render eprof.h5 --view tree         the call tree in the terminal\n"
	"  eprof-render eprof.h5 --view paths,threads --pid sqlite3\n"
	"  eprof-render eprof.h5 --focus 'sqlite3Btree*' --view functions\n"
	"  eprof-render eprof.h5 --zone parse_value  callers, distribution, lines of a zone\n"
	"  eprof-render eprof.h5 -o zones.csv --sort p99 --where 'counts>100'\n"
	"  eprof-render export eprof.h5 -o out.folded --to folded\n"
	"  perf script | eprof-render import - -o perf.h5\n"
	"  eprof-render compare old.h5 new.h5        what changed, how sure that is\n"
	"\n"
	"Usage: eprof-render [report] FILE [-o OUT] [OPTION…]\n"
	"       eprof-render COMMAND …\n";

static const char options[] =
	"\n"
	"Options of a report:\n"
	"  -o, --output OUT     write to OUT, in the format of its extension; - is stdout\n"
	"      --format NAME    write this format, whatever OUT is called\n"
	"      --view NAME,…    show these views, in this order\n"
	"      --top N          the first N rows of each table, in every format\n"
	"      --by WHAT        the view calls: each call (call), or calls added up by function,\n"
	"                       or by function and arguments (arguments)\n"
	"      --force          replace OUT if it exists\n"
	"      --mode OCTAL     the mode of what is made (root: 600; else by the umask)\n"
	"      --folder         html: OUT is a folder, with the page, its style, script and data\n"
	"      --append PAGE    add the report to this html page, which then has several to "
	"choose\n"
	"      --width N        columns of txt; pixels of svg and png (1200)\n"
	"      --colour auto|always|never  colours in txt (auto: on a terminal, unless NO_COLOR is "
	"set)\n";
static const char more_options[] = "  -h, --help           this text\n"
				   "      --version        the version\n"
				   "\n"
				   "Selection (the same for export):\n";

/* What --sort and --where know, as lines of a terminal. */
static void print_columns(void)
{
	size_t width = 0;

	for (const struct zone_column *c = zone_columns; c->name; c++) {
		size_t n = strlen(c->name) + 2;
		bool first = c == zone_columns, wraps = width + n > LINE_WIDTH;

		width = first || wraps ? n + 1 : width + n;
		printf("%s%s", first ? "  " : wraps ? ",\n  " : ", ", c->name);
	}
	puts("");
}

void render_help_print(void)
{
	fputs(examples, stdout);
	puts("\nCommands:");
	for (const struct cmd *c = commands; c->name; c++)
		if (c->about)
			printf("  %-10s %s\n", c->name, c->about);
	fputs(options, stdout);
	fputs(style_help, stdout);
	fputs(more_options, stdout);
	selection_help(stdout, true);
	puts("\nViews:");
	for (const struct view *const *v = views; *v; v++)
		printf("  %-10s %s\n", (*v)->name, (*v)->about);
	puts("\nFormats:");
	for (const struct format *const *f = formats; *f; f++)
		printf("  %-10s %s\n", (*f)->extension, (*f)->about);
	puts("\nColumns of zones, for --sort and --where (_ns may be left out); the events that\n"
	     "--clock counted are columns too, by their exact names:");
	print_columns();
	puts("\nExit status: 0 done, 1 failed, 2 wrong usage.");
}

int render_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	render_help_charset();
	render_help_print();
	return 0;
}
