/*
 * for-eprof: what eprof has done here rather than read a stranger's HDF5 itself, which may run as
 * root: see user/cmd/render_run.h. It is no command for people: --help does not list it, and each
 * release of eprof may call others. Files are named by their paths, what eprof captured by that of
 * a descriptor; answers, as bytes, go to stdout.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/str.h"
#include "cmd/command.h"
#include "compare/baseline.h"
#include "compare/gate.h"
#include "compare/kept.h"
#include "compare/sides.h"
#include "model/meta.h"
#include "select/renaming.h"
#include "store/catalog.h"
#include "store/store.h"
/* An action and its words; each action enters the sandbox before it opens a file. */
struct for_eprof {
	const char *const *words; /* behind the action; borrowed */
	size_t n;
};

static int print_answer(const struct str *answer)
{
	if (answer->n)
		fwrite(answer->s, 1, answer->n, stdout);
	return file_flush(stdout, "stdout");
}

/* --- store ------------------------------------------------------------------------------------ */

static void enter_store(struct for_eprof *f)
{
	struct allowed s = {0};

	allowed_add(&s, ALLOWED_CHANGE, f->words[0], false);
	if (f->n > 1)
		allowed_add(&s, ALLOWED_READ, f->words[1], false);
	render_enter(&s);
}

/* check-store STORE */
static int check_store(struct for_eprof *f)
{
	enter_store(f);
	return store_check(f->words[0]);
}

/* add STORE CAPTURED → "added": said on stdout as well, for callers that do not get the exit
 * status. */
static int add(struct for_eprof *f)
{
	struct profile *p = NULL;
	struct str answer = {0};
	int rc;

	enter_store(f);
	rc = store_load(f->words[1], NULL, &p);
	if (!rc)
		rc = store_add(f->words[0], p, NULL);
	profile_free(p);
	str_add(&answer, "added");
	if (!rc)
		rc = print_answer(&answer);
	str_release(&answer);
	return rc;
}

/* --- baseline --------------------------------------------------------------------------------- */

/* check-baseline FILE [VERSION] */
static int check_baseline(struct for_eprof *f)
{
	const char *file = f->words[0], *version = f->n > 1 ? f->words[1] : NULL;
	struct allowed s = {0};
	struct catalog c;
	bool any = false;
	int rc;

	allowed_add(&s, ALLOWED_READ_AS_OWNER, file, false);
	render_enter(&s);
	rc = catalog_load(file, &c);
	for (size_t i = 0; !rc && i < c.runs.n; i++)
		any |= !version || !strcmp(c.runs.at[i].version, version);
	catalog_release(&c);
	if (rc || any)
		return rc;
	return version ? err(-ENOENT, "'%s' has no version '%s' to compare with", file, version)
		       : err(-ENOENT, "'%s' holds no run to compare with", file);
}

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
		regression_put_none(kept,
				    rc == -ENOENT && sides.choice ? sides.choice : err_text());
	sides_release(&sides);
	return rc == -ENOENT || rc == -ENODATA ? 0 : rc;
}

/* '1': --fail-on fires; '2': the runs do not tell; '0'. In @kept what it says. */
static char outcome(const struct question *q, const struct comparison *c, struct profile *kept)
{
	static const char chars[] = {
		[GATE_PASSED] = '0', [GATE_FIRED] = '1', [GATE_UNDECIDED] = '2'};
	_free_ char *text = NULL;

	if (q->fail_on.what == FAIL_NEVER)
		return '0';
	if (kept_none(kept) || !kept_is_there(kept))
		return '2';
	text = gate_text(c, &q->fail_on);
	profile_set_run(kept, REGRESSION_OUTCOME, text);
	return chars[gate_outcome(c, &q->fail_on)];
}

/* What --fail-on makes of it stands before what the profile keeps. */
static int answer(const struct question *q)
{
	struct comparison c = {.runs = {0}};
	struct profile *kept = profile_new();
	struct str out = {0};
	int rc = compare(q, &c, kept);

	str_addc(&out, rc ? '0' : outcome(q, &c, kept));
	if (!rc)
		regression_pack(kept, &out);
	if (!rc)
		rc = print_answer(&out);
	str_release(&out);
	profile_free(kept);
	comparison_release(&c);
	return rc;
}

static int compare_captured(struct for_eprof *f)
{
	struct question q = {.file = f->words[1],
			     .version = f->n > 4 ? f->words[4] : NULL,
			     .in_store = !strcmp(f->words[0], "store")};
	struct allowed s = {0};
	int rc = *f->words[3] ? fail_on_parse(f->words[3], &q.fail_on) : 0;

	if (rc)
		return rc;
	allowed_add(&s, ALLOWED_READ_AS_OWNER, q.file, false);
	allowed_add(&s, ALLOWED_READ, f->words[2], false);
	render_enter(&s);
	rc = store_load(f->words[2], NULL, &q.captured);
	if (!rc)
		rc = answer(&q);
	profile_free(q.captured);
	return rc;
}

/* --- names: eprof looks for debug files itself, this program reads and writes the profile ----- */

#define NAMES_MOST (1u << 30) /* bytes */

/* unnamed FILE VERSION PLATFORM RUN
 * rename FILE VERSION PLATFORM RUN NAMES how [OUT], how: "force", or "" */
struct names {
	const char *file;
	struct store_key key;
	const char *names;  /* path of the bytes: u64, so many bytes of unnamed_pack(), the rest of
			     * renaming_pack() */
	const char *output; /* NULL: in the place of what was read */
	bool force;
	struct profile *p; /* owned */
};

static const char *given(const char *word)
{
	return *word ? word : NULL;
}

static struct names parse(const struct for_eprof *f)
{
	return (struct names){
		.file = f->words[0],
		.key = {given(f->words[1]), given(f->words[2]), given(f->words[3])},
		.names = f->n > 4 ? f->words[4] : NULL,
		.force = f->n > 5 && *f->words[5],
		.output = f->n > 6 ? f->words[6] : NULL,
	};
}

/* Refuses profiles with parts that rewriting would lose. */
static int load(struct names *n)
{
	const char *unknown;
	int rc = store_load(n->file, &n->key, &n->p);

	if (rc)
		return rc;
	unknown = profile_run(n->p, RUN_UNKNOWN_PARTS);
	if (!unknown || !unknown[0])
		return 0;
	return err(-ENOTSUP,
		   "'%s' has parts that this program does not know (%s) and would lose: use a "
		   "newer eprof",
		   n->file, unknown);
}

static int unnamed(struct for_eprof *f)
{
	struct names n = parse(f);
	struct unnamed u = {0};
	struct str out = {0};
	struct allowed s = {0};
	int rc;

	allowed_add(&s, ALLOWED_READ, n.file, false);
	render_enter(&s);
	rc = load(&n);
	if (!rc) {
		unnamed_find(&u, n.p);
		unnamed_pack(&u, &out);
		rc = print_answer(&out);
	}
	str_release(&out);
	unnamed_release(&u);
	profile_free(n.p);
	return rc;
}

/* Those that @at is about are those that the profile has now. */
static int check_same(const struct names *n, const struct unnamed *now, const char *at,
		      size_t bytes)
{
	struct str packed = {0};
	bool same;

	unnamed_pack(now, &packed);
	same = packed.n == bytes && !memcmp(packed.s, at, bytes);
	str_release(&packed);
	return same ? 0
		    : err(-ESTALE, "cannot read '%s': somebody changed it meanwhile: try again",
			  n->file);
}

static int apply(struct names *n, const char *at, size_t bytes)
{
	struct unnamed now = {0};
	struct renaming r = {0};
	uint64_t head = 0;
	int rc = -EINVAL;

	if (bytes >= sizeof(head))
		memcpy(&head, at, sizeof(head));
	if (bytes < sizeof(head) || head > bytes - sizeof(head))
		return err(rc, "the names that were found cannot be read");
	at += sizeof(head);
	unnamed_find(&now, n->p);
	rc = check_same(n, &now, at, head);
	if (!rc)
		rc = renaming_unpack(at + head, bytes - sizeof(head) - head, now.addresses.n, &r);
	if (!rc)
		renaming_apply(&r, n->p);
	renaming_release(&r);
	unnamed_release(&now);
	return rc;
}

/* To the output; else in place of what was read: a run of a store, or a file with a single run,
 * which is rewritten as a whole, for it may have several windows. */
static int save(const struct names *n)
{
	bool single = false;
	int rc = n->output ? 0 : store_is_single(n->file, &single);

	if (rc)
		return rc;
	if (n->output || single)
		return store_save(n->output ? n->output : n->file, n->force || !n->output, n->p);
	return store_replace(n->file, &n->key, n->p);
}

static void enter(const struct names *n)
{
	struct allowed s = {0};

	allowed_add(&s, ALLOWED_READ, n->names, false);
	if (n->output) {
		allowed_add(&s, ALLOWED_READ, n->file, false);
		allowed_add(&s, ALLOWED_MAKE, n->output, n->force);
	} else {
		allowed_add(&s, ALLOWED_CHANGE, n->file, false);
		allowed_add(&s, ALLOWED_MAKE, n->file, true);
	}
	render_enter(&s);
}

static int rename_functions(struct for_eprof *f)
{
	struct names n = parse(f);
	char *bytes = NULL;
	size_t count = 0;
	int rc;

	enter(&n);
	rc = file_read(n.names, NAMES_MOST, &bytes, &count);
	if (!rc)
		rc = load(&n);
	if (!rc)
		rc = apply(&n, bytes, count);
	if (!rc)
		rc = save(&n);
	free(bytes);
	profile_free(n.p);
	return rc;
}

static const struct action {
	const char *name;
	int (*run)(struct for_eprof *);
	size_t least, most; /* words */
} actions[] = {
	{"check-store", check_store, 1, 1},
	{"add", add, 2, 2},
	{"check-baseline", check_baseline, 1, 2},
	{"compare", compare_captured, 4, 5},
	{"unnamed", unnamed, 4, 4},
	{"rename", rename_functions, 6, 7},
};

#define MODE "--mode="

int render_for_eprof(int argc, char **argv)
{
	struct for_eprof f;

	if (argc > 1 && str_starts(argv[1], MODE)) {
		if (file_use_mode(argv[1] + strlen(MODE)))
			return render_usage("for-eprof: %s", err_text());
		argc--;
		argv++;
	}
	f = (struct for_eprof){(const char *const *)argv + 2, argc > 2 ? (size_t)argc - 2 : 0};
	/* A file that may not grow is an error to be told. */
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < sizeof(actions) / sizeof(*actions); i++) {
		const struct action *a = &actions[i];

		if (!strcmp(argv[1], a->name) && f.n >= a->least && f.n <= a->most)
			return a->run(&f) ? render_fail() : 0;
	}
	return render_usage("for-eprof: it is not of the same version as the eprof that runs it");
}
