/* for-eprof compare: what was captured against its baseline, before it is saved. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "cmd/enter.h"
#include "cmd/for_eprof.h"
#include "compare/baseline.h"
#include "compare/kept.h"
#include "compare/sides.h"
#include "store/store.h"

/* compare store|baseline FILE CAPTURED FAIL-ON [VERSION] */
struct question {
	const char *file, *version; /* version NULL: none was asked for */
	bool in_store;		    /* the baseline is chosen in the store that it goes to */
	struct fail_on fail_on;
	struct profile *captured; /* owned */
};

static char *choice_of_file(const struct question *q, const struct comparison *c)
{
	return mem_printf("%s, %s of '%s': the last %zu run%s", c->run[BASE][0].version,
			  q->version ? "as asked for" : "the newest version", q->file,
			  c->runs[BASE], c->runs[BASE] == 1 ? "" : "s");
}

/* 0 also where there is no baseline: then @kept says so. */
static int compare(const struct question *q, struct comparison *c, struct profile *kept)
{
	static const struct selection all;
	static const struct compare_options options;
	const struct sides_wanted wanted = {.files[BASE] = &q->file,
					    .n[BASE] = q->in_store ? 0 : 1,
					    .captured = q->captured,
					    .store = q->file,
					    .baseline = q->version,
					    .selection = &all,
					    .runs = BASELINE_RUNS};
	struct sides sides;
	int rc = sides_load(&wanted, &sides);

	if (!rc)
		rc = sides_compare(&sides, &options, c);
	if (!rc && !q->in_store && !c->choice)
		c->choice = choice_of_file(q, c);
	if (!rc)
		kept_put(c, kept);
	else if (rc == -ENOENT || rc == -ENODATA)
		kept_put_none(kept, rc == -ENOENT && sides.choice ? sides.choice : err_text());
	sides_release(&sides);
	return rc == -ENOENT || rc == -ENODATA ? 0 : rc;
}

/* Whether --fail-on fires stands before what the profile keeps. */
static int answer(const struct question *q)
{
	struct comparison c = {.runs = {0}};
	struct profile *kept = profile_new();
	struct str out = {0};
	int rc = compare(q, &c, kept);

	str_addc(&out, comparison_fires(&c, &q->fail_on) ? '1' : '0');
	if (!rc)
		kept_pack(kept, &out);
	if (!rc)
		rc = for_eprof_answer(&out);
	str_release(&out);
	profile_free(kept);
	comparison_release(&c);
	return rc;
}

int for_eprof_compare(struct for_eprof *f)
{
	struct question q = {.file = f->words[1],
			     .version = f->n > 4 ? f->words[4] : NULL,
			     .in_store = !strcmp(f->words[0], "store")};
	struct allowed s = {0};
	int rc = *f->words[3] ? fail_on_parse(f->words[3], &q.fail_on) : 0;

	if (rc)
		return rc;
	allowed_read_as_owner(&s, q.file);
	allowed_read(&s, f->words[2]);
	render_enter(&s);
	rc = store_load(f->words[2], NULL, &q.captured);
	if (!rc)
		rc = answer(&q);
	profile_free(q.captured);
	return rc;
}
