/*
 * tracy: a trace as Tracy itself saves it. Its format changes with every version, so Tracy's own
 * tracy-csvexport reads it, if that is on the PATH: what it prints of each call (-u) is read as
 * tracy-csv.
 */
#include "import/import.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/err.h"
#include "broker/agent.h"
#include "import/scan.h"
#include "sandbox/exporter.h"

/* Where this process is confined, its broker runs the exporter; else, as in tests, this process
 * does. */
static pid_t own_exporter;

/* *@out: what tracy-csvexport prints of the trace at @path. 0, or a negative errno with a text. */
static int run_exporter(const char *path, int *out)
{
	sigset_t none;

	if (agent_is_there())
		return agent_run(0, path, 0, NULL, 0, out);
	sigemptyset(&none);
	return exporter_start(path, &none, out, &own_exporter);
}

/* How it ended, as of waitpid(2), when *@out is closed. */
static int exporter_status(int *status)
{
	return agent_is_there() ? agent_run_end(false, status) : exporter_end(own_exporter, status);
}

/* How it ended counts where its output was in order so far as it went. */
static int end_exporter(const char *path, int rc)
{
	int status, ended = exporter_status(&status);

	if (ended)
		return ended;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return err(-EIO,
			   EXPORTER
			   " could not read '%s' (status %d): is it of the same version as "
			   "the program that saved it?",
			   path, WEXITSTATUS(status));
	/* By SIGPIPE it ends where we take no more. */
	if (WIFSIGNALED(status) && (!rc || WTERMSIG(status) != SIGPIPE))
		return err(-EIO, EXPORTER " was ended by signal %d on '%s'", WTERMSIG(status),
			   path);
	return rc;
}

static int tracy_read(struct input *in, struct builder *b)
{
	struct input text;
	int out, rc;

	if (!in->modified_ns)
		return err(-EINVAL, "'%s' is no regular file: " EXPORTER " needs one", in->name);
	rc = run_exporter(in->name, &out);
	if (rc)
		return rc;
	input_from_fd(&text, in->name, out);
	rc = import_find("tracy-csv")->read(&text, b);
	/* So that an exporter that still writes ends. */
	input_close(&text);
	return end_exporter(in->name, rc);
}

/* server/TracyFileHeader.hpp: of LZ4, of zstd, of either. */
static bool tracy_is(struct span head)
{
	return span_starts(head, "tlZ\x04") || span_starts(head, "tZst") ||
	       span_starts(head, "tr\xfdP");
}

const struct import tracy_import = {
	.name = "tracy",
	.extension = "tracy",
	.about = "a trace that Tracy saved, by tracy-csvexport",
	.is = tracy_is,
	.read = tracy_read,
};
