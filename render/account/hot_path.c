#include "account/hot_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "query/short_name.h"
#include "query/startup.h"

/* Every stack begins with some of these: that they have all of the time says nothing. */
static bool is_starter(const struct profile *p, uint32_t function)
{
	static const char *const mains[] = {"main", "runtime.goexit", "runtime.main"};
	const char *name = profile_text(p, p->functions.at[function].name);

	for (size_t i = 0; i < sizeof(mains) / sizeof(*mains); i++)
		if (!strcmp(name, mains[i]))
			return true;
	return startup_of(p, function) == STARTUP_THREAD;
}

/* By row of the threads whether it is of that thread. Freed by the caller. */
static bool *rows_of(const struct profile *p, const struct thread_account *account)
{
	const uint64_t key = thread_key(&p->threads.at[account->thread]);
	bool *out = mem_zalloc(p->threads.n, sizeof(*out));

	for (size_t i = 0; i < p->threads.n; i++)
		out[i] = thread_key(&p->threads.at[i]) == key;
	return out;
}

static uint32_t function_of(const struct profile *p, uint32_t node)
{
	return p->frames.at[p->nodes.at[node].frame].function;
}

static bool is_shown(const struct filter *f, uint32_t function)
{
	return !f->omit || !f->omit[function];
}

/* The innermost function of a stack that is not left out. */
static uint32_t leaf_of(const struct filter *f, uint32_t node)
{
	for (; node; node = f->profile->nodes.at[node].parent) {
		const uint32_t function = function_of(f->profile, node);

		if (is_shown(f, function))
			return function;
	}
	return 0;
}

/* --- branches --------------------------------------------------------------------------------- */

/* Of amounts by node makes those of nodes with their callees. What one function calls is one node,
 * whatever its lines: the first of them has the sum. */
static void add_up(const struct profile *p, int64_t *sums)
{
	_free_ uint32_t *first = mem_zalloc(p->nodes.n + 1, sizeof(*first));
	struct map merged = {0};

	for (uint32_t i = (uint32_t)p->nodes.n; i-- > 1;)
		sums[p->nodes.at[i].parent] += sums[i];
	for (uint32_t i = 1; i < p->nodes.n; i++) {
		if (!sums[i])
			continue;
		first[i] = map_number(
			&merged, (uint64_t)first[p->nodes.at[i].parent] << 32 | function_of(p, i),
			i);
		if (first[i] == i)
			continue;
		sums[first[i]] += sums[i];
		sums[i] = 0;
	}
	map_release(&merged);
}

/* The deepest node with more than half of all. The nodes with more than half are callers and
 * callees of each other, so that the last is the deepest. */
static uint32_t deepest(const struct profile *p, const int64_t *sums)
{
	uint32_t node = 0;

	for (uint32_t i = 1; i < p->nodes.n; i++)
		if (2 * sums[i] > sums[0])
			node = i;
	return node;
}

static bool is_script(const struct profile *p, uint32_t function)
{
	const struct function *f = &p->functions.at[function];

	return (f->kind == KIND_JIT && f->named) || frame_kind_is_script(f->kind);
}

/* @node: from which on its callers are looked at. */
static void find_script(const struct thread_accounts *a, uint32_t node, struct hot_branch *out)
{
	for (size_t i = 0; i < out->n; i++)
		if (is_script(a->p, out->calls[i]))
			return;
	for (; node && !out->script; node = a->p->nodes.at[node].parent) {
		const uint32_t function = function_of(a->p, node);

		if (is_script(a->p, function) && is_shown(&a->filter, function))
			out->script = function;
	}
}

/* @sums: amounts by node, which are lost. */
static void find_branch(const struct thread_accounts *a, int64_t *sums, struct hot_branch *out)
{
	const struct profile *p = a->p;
	uint32_t path[HOT_CALLS], last = 0, node;

	add_up(p, sums);
	for (node = deepest(p, sums); node && out->n < HOT_CALLS; node = p->nodes.at[node].parent) {
		const uint32_t function = function_of(p, node);

		if (is_starter(p, function))
			break;
		/* A function that calls itself is named once. */
		if (!function || function == last || !is_shown(&a->filter, function))
			continue;
		if (!out->n)
			out->value = sums[node];
		path[out->n++] = last = function;
	}
	for (size_t i = 0; i < out->n; i++)
		out->calls[i] = path[out->n - 1 - i];
	find_script(a, node, out);
}

/* --- where it ran ----------------------------------------------------------------------------- */

/* By node, the thread's time on a CPU that ends there. Freed by the caller. */
static int64_t *ran_by_node(const struct thread_accounts *a, const struct thread_account *account,
			    size_t *samples)
{
	const struct profile *p = a->p;
	int64_t *sums = mem_zalloc(p->nodes.n + 1, sizeof(*sums));
	_free_ bool *is_of = rows_of(p, account);

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.at[i];

		if (is_of[s->thread] && a->classes->of[i] == WAIT_NONE &&
		    !thread_accounts_is_ready(p, i)) {
			const int64_t value = filter_value(&a->filter, i);

			sums[s->node] += value;
			*samples += value != 0;
		}
	}
	return sums;
}

static void find_self(const struct thread_accounts *a, const int64_t *by_node, struct hot_path *out)
{
	const struct profile *p = a->p;
	_free_ int64_t *sums = mem_zalloc(p->functions.n + 1, sizeof(*sums));

	for (uint32_t i = 0; i < p->nodes.n; i++) {
		if (!by_node[i])
			continue;
		if (p->functions.at[function_of(p, i)].kind == KIND_KERNEL)
			out->kernel += by_node[i];
		sums[leaf_of(&a->filter, i)] += by_node[i];
	}
	for (uint32_t i = 1; i < p->functions.n; i++)
		if (sums[i] > out->self_value) {
			out->self = i;
			out->self_value = sums[i];
		}
}

struct hot_path hot_path_find(const struct thread_accounts *a, const struct thread_account *account)
{
	struct hot_path out = {0};
	_free_ int64_t *sums = ran_by_node(a, account, &out.samples);

	find_self(a, sums, &out);
	find_branch(a, sums, &out.branch);
	return out;
}

/* --- where it waited -------------------------------------------------------------------------- */

/* The outermost call of the function in a stack; 0: there is none. */
static uint32_t call_of(const struct profile *p, uint32_t node, uint32_t function)
{
	uint32_t call = 0;

	for (; node; node = p->nodes.at[node].parent)
		if (function_of(p, node) == function)
			call = node;
	return call;
}

struct wait_call {
	uint32_t node, object;
	int64_t value;
};
typedef VEC(struct wait_call) wait_calls;

/* Goes from the calls to their callers, and keeps those in the function that has more than half of
 * @all; 0, and no change: there is none. */
static uint32_t common_caller(const struct profile *p, wait_calls *calls, int64_t all)
{
	_free_ int64_t *sums = mem_zalloc(p->functions.n + 1, sizeof(*sums));
	uint32_t most = 0;
	size_t n = 0;

	vec_each (c, calls) {
		const uint32_t caller = p->nodes.at[c->node].parent;
		const uint32_t function = caller ? function_of(p, caller) : 0;

		sums[function] += c->value;
		most = sums[function] > sums[most] ? function : most;
	}
	if (!most || 2 * sums[most] <= all || is_starter(p, most))
		return 0;
	vec_each (c, calls) {
		const uint32_t caller = p->nodes.at[c->node].parent;

		if (caller && function_of(p, caller) == most)
			calls->at[n++] = (struct wait_call){caller, c->object, c->value};
	}
	calls->n = n;
	return most;
}

static uint32_t object_of(const struct profile *p, const struct sample *s)
{
	return s->reason ? p->reasons.at[s->reason].object : 0;
}

/* The string that stands for more than half of @all: Boyer and Moore, "MJRTY: a fast majority vote
 * algorithm" (1991), and a count of what it finds. */
static uint32_t common_object(const wait_calls *calls, int64_t all)
{
	uint32_t object = 0;
	int64_t lead = 0, sum = 0;

	vec_each (c, calls) {
		if (lead <= 0)
			object = c->object;
		lead += c->object == object ? c->value : -c->value;
		if (lead < 0) {
			object = c->object;
			lead = -lead;
		}
	}
	vec_each (c, calls)
		sum += c->object == object ? c->value : 0;
	return 2 * sum > all ? object : 0;
}

/* The innermost function of a script around calls of more than half of @all; 0: there is none, or
 * @out has one. */
static uint32_t common_script(const struct profile *p, const struct hot_branch *out,
			      const wait_calls *calls, int64_t all)
{
	_free_ int64_t *sums = mem_zalloc(p->functions.n + 1, sizeof(*sums));
	uint32_t most = 0;

	for (size_t i = 0; i < out->n; i++)
		if (is_script(p, out->calls[i]))
			return 0;
	vec_each (c, calls) {
		const uint32_t node = profile_script_node(p, c->node);
		const uint32_t function = node ? function_of(p, node) : 0;

		sums[function] += c->value;
		most = function && (!most || sums[function] > sums[most]) ? function : most;
	}
	return most && 2 * sums[most] > all ? most : 0;
}

struct hot_branch hot_path_to_wait(const struct thread_accounts *a,
				   const struct thread_account *account,
				   const struct thread_hold *hold)
{
	const struct profile *p = a->p;
	uint32_t caller = hold->function;
	struct hot_branch out = {.value = hold->value};
	uint32_t path[HOT_CALLS];
	_free_ bool *is_of = rows_of(p, account);
	wait_calls calls = {0};

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.at[i];

		if (is_of[s->thread] && a->classes->of[i] == hold->class &&
		    a->classes->site[i] == hold->function)
			vec_push(&calls, ((struct wait_call){call_of(p, s->node, hold->function),
							     object_of(p, s),
							     filter_value(&a->filter, i)}));
	}
	out.object = common_object(&calls, hold->value);
	while (caller && out.n < HOT_CALLS) {
		path[out.n++] = caller;
		caller = common_caller(p, &calls, hold->value);
	}
	for (size_t i = 0; i < out.n; i++)
		out.calls[i] = path[out.n - 1 - i];
	out.script = common_script(p, &out, &calls, hold->value);
	vec_release(&calls);
	return out;
}

/* --- in words --------------------------------------------------------------------------------- */

static void add_call(const struct profile *p, uint32_t function, const char *before,
		     struct str *out)
{
	_free_ char *name = short_name(profile_text(p, p->functions.at[function].name), "…");

	str_addf(out, "%s%s", before, name);
}

void hot_branch_text(const struct profile *p, const struct hot_branch *b, struct str *out)
{
	if (b->script)
		add_call(p, b->script, "", out);
	for (size_t i = b->script && b->n == HOT_CALLS; i < b->n; i++)
		add_call(p, b->calls[i],
			 b->script && i == (b->n == HOT_CALLS) ? " > … > "
			 : i				       ? " > "
							       : "",
			 out);
}
