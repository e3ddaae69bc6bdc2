#include "cmd/record_compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/answers.h"
#include "base/err.h"
#include "base/str.h"
#include "cmd/record_save.h"
#include "cmd/render_run.h"
#include "model/meta.h"
#include "model/regression.h"
#include "select/version.h"
#include "store/store.h"

/* --- which baseline --------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int record_baseline_parse(const char *text, struct record_baseline *b)
{
	const size_t length = strlen(text);
	/* Checks that no mount on the path hangs. */
	int rc = answers(text, NULL);

	free(b->file);
	b->file = NULL;
	b->version = NULL;
	if (rc)
		return rc;
	for (size_t n = strcspn(text + 1, "/") + 1; *text; n += strcspn(text + n + 1, "/") + 1) {
		b->file = mem_strndup(text, n);
		if (n >= length || !is_folder(b->file))
			break;
		free(b->file);
	}
	if (!*text || is_folder(b->file)) {
		b->file = *text ? b->file : NULL;
		return err(-EINVAL, "--baseline is FILE or FILE/VERSION, not '%s'", text);
	}
	if (strlen(b->file) + 1 < length)
		b->version = text + strlen(b->file) + 1;
	if (access(b->file, F_OK))
		return err(-errno, "cannot open '%s' of --baseline: %s", b->file, strerror(errno));
	return 0;
}

void record_baseline_release(struct record_baseline *b)
{
	free(b->file);
	b->file = NULL;
}

/* --- asking eprof-render ---------------------------------------------------------------------- */

int record_baseline_check(const struct record_baseline *b)
{
	const char *const words[] = {"check-baseline", b->file, b->version, NULL};

	return b->file ? render_run(words, NULL, RENDER_RUN_ON, NULL) : 0;
}

/* Parses the answer: what --fail-on makes of it, and the part for the profile. */
static int ask(const struct record_baseline *b, const struct profile *p, int signal_fd,
	       struct str *answer)
{
	_free_ char *image = NULL;
	struct render_file captured = {.fd = -1};
	size_t n = 0;
	int rc = store_image(p, &image, &n);

	if (!rc)
		rc = render_file_make(&captured, image, n);
	if (!rc)
		rc = render_run_by_broker(RECORD_COMPARE, b->file ? b->file : b->store, &captured,
					  signal_fd, answer);
	render_file_close(&captured);
	if (!rc && (!answer->n || !strchr("012", answer->s[0])))
		rc = err(-EINVAL, "the comparison cannot be read");
	return rc;
}

/* *@outcome: '0' passed, or nothing was asked; '1' fails; '2' undecided. */
static int compare(const struct record_baseline *b, struct profile *p, int signal_fd, char *outcome)
{
	struct str answer = {0};
	bool is_first = false;
	int rc = b->file ? 0 : answers(b->store, &is_first);

	if (rc)
		return rc;
	if (is_first) {
		const char *version = profile_meta(p, META_VERSION);
		const bool known = version && strcmp(version, VERSION_NONE) != 0;
		_free_ char *why =
			known ? mem_printf("'%s' is the first version in the store", version)
			      : mem_strdup("this is the first run in the store");

		regression_put_none(p, why);
		return 0;
	}
	rc = ask(b, p, signal_fd, &answer);
	if (!rc)
		rc = regression_unpack(answer.s + 1, answer.n - 1, p);
	if (!rc)
		*outcome = answer.s[0];
	str_release(&answer);
	return rc;
}

static int status_of(const struct record_baseline *b, char outcome)
{
	if (outcome == '1')
		return FAIL_ON_STATUS;
	return outcome == '2' && b->fail_undecided ? FAIL_UNDECIDED_STATUS : 0;
}

int record_compare(const struct record_baseline *b, struct profile *p, int signal_fd)
{
	const bool asked = b->fail_on.what != FAIL_NEVER;
	_free_ char *line = NULL;
	char outcome = '2';

	if (!b->file && !b->store)
		return 0;
	if (compare(b, p, signal_fd, &outcome)) {
		_free_ char *why = mem_strdup(err_text());

		regression_put_none(p, why);
	}
	if (asked && !profile_run(p, REGRESSION_OUTCOME))
		profile_set_run(p, REGRESSION_OUTCOME, "undecided: there is no baseline");
	line = regression_line(p);
	fprintf(stderr, "eprof: %s\n", line);
	if (asked)
		fprintf(stderr, "eprof: gate %s\n", profile_run(p, REGRESSION_OUTCOME));
	return asked ? status_of(b, outcome) : 0;
}
