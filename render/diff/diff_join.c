/* diff_join(), diff_slice(): see diff_build.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/comparable.h"
#include "diff/diff_build.h"
#include "model/rows.h"

#define COMM_LENGTH 15 /* of a thread's name: TASK_COMM_LEN - 1 */

struct join {
	struct diff_build *b;
	struct subjects *subjects; /* the comparison's */
	struct intern threads;
	struct map children; /* parent << 32 | what it is → node */
};

/* --- nodes ------------------------------------------------------------------------------------ */

/* A program that was built under another name gives its threads that name. */
static uint32_t thread_of(struct join *j, const char *name)
{
	const char *alias = j->subjects->alias, *of = j->subjects->alias_of;

	if (alias && !strncmp(alias, name, COMM_LENGTH) &&
	    (strlen(name) == COMM_LENGTH || !strcmp(alias, name)))
		return intern_addn(&j->threads, of, strnlen(of, COMM_LENGTH));
	return intern_add(&j->threads, name);
}

/* What tells the node from its siblings: an odd number for a thread. */
static uint32_t identity(struct join *j, const struct tree *t, const struct tree_node *n)
{
	if (n->function)
		return 2 * subject_of(j->subjects, t->profile, n->function);
	return 2 * thread_of(j, profile_text(t->profile, n->name)) + 1;
}

static uint32_t add_node(struct join *j, struct rows *names, const struct tree_node *n,
			 uint32_t parent, uint32_t what)
{
	struct diff *d = j->b->d;
	const uint32_t function = rows_need(names, TABLE_functions, n->function);
	uint32_t name = function ? d->names->functions.at[function].name : 0, node;

	if (!function)
		name = intern_add(&d->names->strings, intern_text(&j->threads, what / 2));
	else if (d->names->functions.at[function].named)
		name = intern_add(&d->names->strings, subject_name(j->subjects, what / 2));
	node = tree_add(d->tree, parent, function, name);
	d->tree->nodes.at[node].inlined = n->inlined;
	(void)vec_add(&d->nodes);
	vec_push(&j->b->subject, function ? what / 2 : DIFF_NONE);
	return node;
}

/* Per node of @t its node in the joined tree; freed by the caller. */
static uint32_t *join_nodes(struct join *j, const struct tree *t, int side)
{
	struct diff *d = j->b->d;
	uint32_t *place = mem_zalloc(t->nodes.n, sizeof(*place));
	struct rows names;

	rows_init(&names, t->profile, d->names, NULL);
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.at[i];
		struct diff_node *to;
		uint32_t what, *node;
		bool fresh;

		if (i) {
			what = identity(j, t, n);
			node = map_put(&j->children, (uint64_t)place[n->parent] << 32 | what,
				       &fresh);
			if (fresh)
				*node = add_node(j, &names, n, place[n->parent], what);
			d->tree->nodes.at[*node].inlined &= n->inlined;
			place[i] = *node;
		}
		to = &d->nodes.at[place[i]];
		to->self[side] += n->self;
		to->total[side] += n->total;
		to->samples[side] += n->total_samples;
	}
	rows_release(&names);
	return place;
}

/* --- runs ------------------------------------------------------------------------------------- */

static int join_run(struct join *j, struct diff_run *run)
{
	const size_t samples = run->profile->samples.n;
	_free_ uint32_t *place = NULL;
	struct tree *t = NULL;
	int rc = tree_build(run->profile, &j->b->selection, &t);

	run->place = mem_zalloc(samples + 1, sizeof(*run->place));
	/* A selection that matches nothing in this run may match in another. */
	if (rc == -ENOENT)
		return 0;
	if (rc)
		return rc;
	place = join_nodes(j, t, run->side);
	for (size_t i = 0; i < samples; i++)
		run->place[i] = place[t->sample_node[i]];
	tree_free(t);
	if (j->b->d->tree->nodes.n > TREE_MAX_NODES)
		return err(-EFBIG, "the call trees have more than %u nodes: select less",
			   TREE_MAX_NODES);
	return 0;
}

int diff_join(struct diff_build *b)
{
	struct join j = {.b = b, .subjects = &b->c->subjects};
	int rc = 0;

	(void)vec_add(&b->d->nodes);
	vec_push(&b->subject, DIFF_NONE);
	/* New runs first: names, files and lines are theirs where both have them. */
	for (int side = NEW; side >= BASE && !rc; side--)
		for (size_t i = 0; i < b->n_runs && !rc; i++)
			if (b->runs[i].side == side)
				rc = join_run(&j, &b->runs[i]);
	intern_release(&j.threads);
	map_release(&j.children);
	return rc;
}

/* --- questions -------------------------------------------------------------------------------- */

static bool has_all_of(const struct diff_node *n, const struct diff_node *parent)
{
	return n->total[BASE] == parent->total[BASE] && n->total[NEW] == parent->total[NEW];
}

static void choose_questions(struct diff_build *b)
{
	const struct diff *d = b->d;

	b->question = mem_zalloc(d->nodes.n, sizeof(*b->question));
	for (size_t i = 0; i < d->nodes.n; i++) {
		const struct diff_node *n = &d->nodes.at[i];
		const uint32_t parent = d->tree->nodes.at[i].parent;

		b->question[i] = DIFF_NONE;
		if (i && has_all_of(n, &d->nodes.at[parent])) {
			b->question[i] = b->question[parent];
		} else if (!i || n->samples[BASE] + n->samples[NEW] >= COMPARE_LEAST) {
			b->question[i] = (uint32_t)b->asked.n;
			vec_push(&b->asked, (uint32_t)i);
		}
	}
}

/* --- slices ----------------------------------------------------------------------------------- */

/* Values by slice of all questions. */
struct account {
	double value[SLICES];
};

/* From the last node to the first: a node's children come before it. */
static void add_slice(const struct diff_build *b, size_t slice, int64_t *sums, struct account *to)
{
	const struct tree *t = b->d->tree;

	for (size_t i = t->nodes.n; i-- > 0;) {
		const uint32_t question = b->question[i];

		if (!sums[i])
			continue;
		if (question != DIFF_NONE && b->asked.at[question] == i)
			to[question].value[slice] = (double)sums[i];
		if (i)
			sums[t->nodes.at[i].parent] += sums[i];
		sums[i] = 0;
	}
}

static void settle(struct diff_run *run, const struct slices *s, const struct account *accounts,
		   size_t n)
{
	const bool phases = comparable_is_whole(run->profile);
	_free_ struct scatter *all = mem_zalloc(n + 1, sizeof(*all));

	run->whole.whole = s->whole;
	run->whole.effective = s->effective;
	for (size_t q = 0; q < n; q++) {
		for (size_t k = 0; k < SLICES; k++)
			run->total[q] += accounts[q].value[k];
		all[q] = s->whole > 0 ? slices_dispersion(s, accounts[q].value, phases)
				      : (struct scatter){SLICES_OVER, 0};
	}
	slices_moderate(all, n);
	for (size_t q = 0; q < n; q++)
		run->over[q] = all[q].variance;
}

static int slice_run(const struct diff_build *b, struct diff_run *run)
{
	const size_t n = b->asked.n;
	_free_ struct account *accounts = mem_zalloc(n + 1, sizeof(*accounts));
	_free_ int64_t *sums = mem_zalloc(b->d->nodes.n, sizeof(*sums));
	struct slices s = {0};
	struct filter filter;
	size_t at = 0;
	int rc = filter_init(&filter, run->profile, &b->selection);

	run->total = mem_zalloc(n + 1, sizeof(*run->total));
	run->over = mem_zalloc(n + 1, sizeof(*run->over));
	if (!rc)
		slices_build(&s, &filter);
	for (size_t k = 0; k < SLICES && !rc; k++) {
		for (; at < s.ends[k]; at++)
			sums[run->place[s.rows[at]]] += filter_value(&filter, s.rows[at]);
		add_slice(b, k, sums, accounts);
	}
	if (!rc || rc == -ENOENT)
		settle(run, &s, accounts, n);
	slices_release(&s);
	filter_release(&filter);
	return rc == -ENOENT ? 0 : rc;
}

int diff_slice(struct diff_build *b)
{
	int rc = 0;

	choose_questions(b);
	for (size_t i = 0; i < b->n_runs && !rc; i++)
		rc = slice_run(b, &b->runs[i]);
	return rc;
}
