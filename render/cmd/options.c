#include <getopt.h>
#include <stddef.h>

#include "base/err.h"
#include "base/file.h"
#include "base/usage.h"
#include "cmd/command.h"

int render_options(const struct render_options *o, int argc, char **argv, void *arg)
{
	int opt, status = -1;

	optind = 0; /* anew */
	opterr = 0;
	while (status < 0 && (opt = getopt_long(argc, argv, o->shorts, o->longs, NULL)) != -1) {
		if (opt == '?' || opt == ':') {
			usage_option(opt, argv, o->longs);
			return render_usage("%s: %s", o->command, err_text());
		}
		if (opt == 'h') {
			render_help_charset();
			o->help();
			return 0;
		}
		if (opt != RENDER_OPT_MODE)
			status = o->take(arg, opt);
		else if (file_use_mode(optarg))
			return render_usage("%s: %s", o->command, err_text());
	}
	return status;
}
