#include "cmd/record_compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/as_owner.h"
#include "compare/baseline.h"
#include "compare/kept.h"
#include "compare/sides.h"
#include "model/meta.h"

/* --- which baseline --------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int record_baseline_parse(const char *text, struct record_baseline *b)
{
	const size_t length = strlen(text);

	free(b->file);
	b->version = NULL;
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

/* --- in the child ----------------------------------------------------------------------------- */

static int check(const char *path, const void *version)
{
	struct catalog c;
	bool any = false;
	int rc = catalog_load(path, &c);

	for (size_t i = 0; !rc && i < c.runs.n; i++)
		any |= !version || !strcmp(c.runs.at[i].version, version);
	catalog_release(&c);
	if (!rc && !any)
		rc = version ? err(-ENOENT, "'%s' has no version '%s' to compare with", path,
				   (const char *)version)
			     : err(-ENOENT, "'%s' holds no run to compare with", path);
	return rc;
}

static int check_quietly(const char *path, const void *version, struct str *out)
{
	(void)out;
	return check(path, version);
}

/* What the child is to compare. */
struct question {
	const struct record_baseline *baseline;
	const struct profile *profile;
};

static char *choice_of_file(const struct question *q, const struct comparison *c)
{
	return mem_printf("%s, %s of '%s': the last %zu run%s", c->run[BASE][0].version,
			  q->baseline->version ? "as asked for" : "the newest version",
			  q->baseline->file, c->runs[BASE], c->runs[BASE] == 1 ? "" : "s");
}

/* 0 also where there is no baseline: then @kept says so. */
static int compare(const char *path, const struct question *q, struct comparison *c,
		   struct profile *kept)
{
	static const struct selection all;
	static const struct compare_options options;
	const struct record_baseline *b = q->baseline;
	const struct sides_wanted wanted = {.files[BASE] = &path,
					    .n[BASE] = b->file ? 1 : 0,
					    .captured = q->profile,
					    .store = path,
					    .baseline = b->version,
					    .selection = &all,
					    .runs = BASELINE_RUNS};
	struct sides sides;
	int rc = sides_load(&wanted, &sides);

	if (!rc)
		rc = sides_compare(&sides, &options, c);
	if (!rc && b->file && !c->choice)
		c->choice = choice_of_file(q, c);
	if (!rc)
		kept_put(c, kept);
	else if (rc == -ENOENT || rc == -ENODATA)
		kept_put_none(kept, rc == -ENOENT && sides.choice ? sides.choice : err_text());
	sides_release(&sides);
	return rc == -ENOENT || rc == -ENODATA ? 0 : rc;
}

/* Whether --fail-on fires stands before what the profile keeps. */
static int compare_in_child(const char *path, const void *question, struct str *out)
{
	const struct question *q = question;
	struct comparison c = {.runs = {0}};
	struct profile *kept = profile_new();
	int rc = compare(path, q, &c, kept);

	str_addc(out, fail_on_fires(&q->baseline->fail_on, &c) ? '1' : '0');
	if (!rc)
		kept_pack(kept, out);
	profile_free(kept);
	comparison_release(&c);
	return rc;
}

/* --- here ------------------------------------------------------------------------------------- */

int record_baseline_check(const struct record_baseline *b)
{
	struct str nothing = {0};
	int rc = b->file ? cmd_read_as_owner(b->file, check_quietly, b->version, &nothing) : 0;

	str_release(&nothing);
	return rc;
}

static int ask(const struct record_baseline *b, struct profile *p, bool *fires)
{
	const struct question question = {b, p};
	const char *file = b->file ? b->file : b->store;
	struct str answer = {0};
	int rc;

	if (!b->file && access(file, F_OK) && errno == ENOENT) {
		const char *version = profile_meta(p, META_VERSION);
		_free_ char *why = mem_printf("'%s' is the first version in the store",
					      version ? version : "this");

		kept_put_none(p, why);
		return 0;
	}
	rc = cmd_read_as_owner(file, compare_in_child, &question, &answer);
	if (!rc && !answer.n)
		rc = err(-EINVAL, "the comparison cannot be read");
	if (!rc)
		rc = kept_unpack(answer.s + 1, answer.n - 1, p);
	*fires = !rc && answer.s[0] == '1';
	str_release(&answer);
	return rc;
}

bool record_compare(const struct record_baseline *b, struct profile *p)
{
	_free_ char *line = NULL;
	bool fires = false;

	if (!b->file && !b->store)
		return false;
	if (ask(b, p, &fires)) {
		_free_ char *why = mem_strdup(err_text());

		kept_put_none(p, why);
		fires = false;
	}
	line = kept_line(p);
	fprintf(stderr, "eprof: %s\n", line);
	return fires;
}
