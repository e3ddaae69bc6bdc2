#include "query/wait_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "query/measure.h"
#include "query/wait_names.h"

#define MOST_PATHS (1u << 22)
/* Turns are counted in so many steps from a function to its caller; what more there are, only a
 * forged file has. */
#define MOST_STEPS (1u << 28)

/* Where the stack of one thread and node ends. */
struct place {
	uint32_t path;	      /* 0: unknown, because there is no room */
	bool in_kernel, over; /* over: what follows is no more this thread's stack */
};

struct walk {
	const struct profile *p;
	struct wait_paths *to;
	uint8_t *names;
	struct map paths;   /* path and function → path */
	struct map roots;   /* process, thread → path: one thread under several names is one */
	struct map by_node; /* thread and node → place */
	VEC(struct place) places; /* row 0: none */
	VEC(uint32_t) nodes;
	uint32_t *leaf;	     /* per sample: the place where it ends */
	VEC(uint32_t) taken; /* samples that tell what the thread did */
};

/* --- rows ------------------------------------------------------------------------------------- */

static bool is_clear_kind(uint8_t kind)
{
	return kind == REASON_FILE_LOCK || kind == REASON_DISK || kind == REASON_FILE ||
	       kind == REASON_FAULT || kind == REASON_FAULT_DISK || kind == REASON_STOPPED ||
	       kind == REASON_TRACED || kind == REASON_GIL;
}

/* Nobody waits for work in a call that gives something away. */
static bool is_clear_call(const char *call)
{
	static const char *const calls[] = {"write",   "pwrite64",  "writev",	"pwritev", "sendto",
					    "sendmsg", "sendmmsg",  "sendfile", "connect", "fsync",
					    "msync",   "fdatasync", "close",	"openat",  "open"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(call, calls[i]))
			return true;
	return false;
}

/* @blocked: the time blocked, of no metric where the profile has none. */
static enum wait_row row_of(const struct profile *p, size_t row, const struct measure *blocked)
{
	const uint32_t reason = p->samples.at[row].reason;
	const struct reason *r = reason ? &p->reasons.at[reason] : NULL;

	if (!sample_has_value(&p->samples, row))
		return WAIT_ROW_NONE;
	if (!r || r->kind == REASON_NONE)
		return measure_value(p, blocked, row) ? WAIT_ROW_OPEN : WAIT_ROW_WORK;
	if (r->kind == REASON_RUNNABLE)
		return WAIT_ROW_WORK;
	return is_clear_kind(r->kind) || is_clear_call(profile_text(p, r->call)) ? WAIT_ROW_CLEAR
										 : WAIT_ROW_OPEN;
}

/* --- paths ------------------------------------------------------------------------------------ */

static uint32_t add_path(struct walk *w, uint64_t key, struct map *map, uint32_t parent,
			 uint32_t function)
{
	bool fresh;
	uint32_t *at;

	if (w->to->at.n >= MOST_PATHS)
		return 0;
	at = map_put(map, key, &fresh);
	if (fresh) {
		const uint32_t number = (uint32_t)w->to->at.n;
		struct wait_path *path = vec_add(&w->to->at);
		const struct wait_path *up = &w->to->at.at[parent];

		*path = (struct wait_path){.parent = parent ?: number,
					   .root = parent ? up->root : number,
					   .function = function,
					   .first_ns = UINT64_MAX,
					   .first_wait_ns = UINT64_MAX,
					   .direct_first_ns = UINT64_MAX};
		path->lock = w->names[function] == WAIT_NAME_LOCK || (parent && up->lock);
		path->scheduler =
			w->names[function] == WAIT_NAME_SCHEDULER || (parent && up->scheduler);
		*at = number;
	}
	return *at;
}

static uint32_t root_of(struct walk *w, uint32_t thread)
{
	const struct thread *t = &w->p->threads.at[thread];
	const uint64_t key = thread_key(t);

	return add_path(w, key, &w->roots, 0, 0);
}

/* The place of a node whose caller's is @up. */
static struct place step(struct walk *w, struct place up, uint32_t node)
{
	const struct frame *frame = &w->p->frames.at[w->p->nodes.at[node].frame];
	const struct function *f = &w->p->functions.at[frame->function];
	const bool at_root = up.path && w->to->at.at[up.path].parent == up.path;

	if (up.over || !up.path)
		return up;
	if (f->kind == KIND_KERNEL)
		return (struct place){up.path, true, false};
	/* "[stack cut]" at the root takes the place of callers, "[woken by]" ends the stack. */
	if (f->kind == KIND_MARK && (up.in_kernel || !at_root))
		return (struct place){up.path, up.in_kernel, true};
	return (struct place){add_path(w, (uint64_t)up.path << 32 | frame->function, &w->paths,
				       up.path, frame->function),
			      up.in_kernel, false};
}

static uint32_t *place_of(struct walk *w, uint32_t thread, uint32_t node)
{
	return map_get(&w->by_node, (uint64_t)thread << 32 | node);
}

/* The number of a sample's place; 0 without room. */
static uint32_t walk_stack(struct walk *w, uint32_t thread, uint32_t node)
{
	const uint32_t *known;
	struct place at;

	w->nodes.n = 0;
	while (node && !place_of(w, thread, node)) {
		vec_push(&w->nodes, node);
		node = w->p->nodes.at[node].parent;
	}
	known = node ? place_of(w, thread, node) : NULL;
	at = known ? w->places.at[*known] : (struct place){.path = root_of(w, thread)};
	if (!w->nodes.n && known)
		return *known;
	if (w->places.n + w->nodes.n >= MOST_PATHS)
		return 0;
	for (size_t i = w->nodes.n; i-- > 0;) {
		bool fresh;

		at = step(w, at, w->nodes.at[i]);
		*map_put(&w->by_node, (uint64_t)thread << 32 | w->nodes.at[i], &fresh) =
			(uint32_t)w->places.n;
		vec_push(&w->places, at);
	}
	if (!w->nodes.n) /* a stack without frames */
		vec_push(&w->places, at);
	return (uint32_t)w->places.n - 1;
}

/* Above the wrappers at a stack's end. */
static uint32_t site_of(const struct walk *w, uint32_t path)
{
	const struct wait_path *at = w->to->at.at;

	while (at[path].parent != path && (w->names[at[path].function] == WAIT_NAME_WRAPPER ||
					   w->names[at[path].function] == WAIT_NAME_LOCK))
		path = at[path].parent;
	return path;
}

/* --- sums ------------------------------------------------------------------------------------- */

static void take_first(uint64_t *to, uint64_t ns)
{
	*to = ns < *to ? ns : *to;
}

static void take_last(uint64_t *to, uint64_t ns)
{
	*to = ns > *to ? ns : *to;
}

static void add_wait(struct wait_path *path, const struct sample *s, bool polls)
{
	const uint64_t start_ns = s->wait_ns < s->time_ns ? s->time_ns - s->wait_ns : 0;

	path->direct++;
	path->waits++;
	path->polls += polls;
	take_first(&path->first_ns, start_ns);
	take_last(&path->last_ns, s->time_ns);
	take_first(&path->first_wait_ns, s->time_ns);
	take_last(&path->last_wait_ns, s->time_ns);
	take_first(&path->direct_first_ns, start_ns);
	take_last(&path->direct_last_ns, s->time_ns);
}

static void add_work(struct wait_path *path, const struct sample *s, bool is_call)
{
	path->own_work += !is_call;
	path->own_calls += is_call;
	take_first(&path->first_ns, s->time_ns);
	take_last(&path->last_ns, s->time_ns);
	take_last(&path->last_work_ns, s->time_ns);
}

/* Whether it ran in a system call of the program; a fault may be anywhere. */
static bool is_call(const struct walk *w, size_t row, uint32_t site)
{
	const uint32_t reason = w->p->samples.at[row].reason;
	const struct place *place = &w->places.at[w->leaf[row]];

	if (w->to->row[row] == WAIT_ROW_WORK)
		return site != place->path && place->in_kernel;
	return w->p->reasons.at[reason].kind != REASON_FAULT &&
	       w->p->reasons.at[reason].kind != REASON_FAULT_DISK;
}

/* What ran in exactly the stack of a wait was on the way into it or out of it, and in no function
 * of the program within exec or the thread's end: neither tells what the thread does. */
static void add_row(struct walk *w, size_t row)
{
	const struct sample *s = &w->p->samples.at[row];
	const uint32_t end = w->places.at[w->leaf[row]].path;
	struct wait_path *leaf = &w->to->at.at[end];
	struct wait_path *root = &w->to->at.at[leaf->root];
	const uint8_t kind = s->reason ? w->p->reasons.at[s->reason].kind : REASON_NONE;
	uint32_t site = site_of(w, end);

	if (w->to->row[row] == WAIT_ROW_OPEN && leaf->lock)
		w->to->row[row] = WAIT_ROW_LOCK;
	/* A scheduler runs on a stack of its own, beside all work of its thread. */
	if (w->to->row[row] == WAIT_ROW_OPEN && leaf->scheduler)
		site = leaf->root;
	w->to->site[row] = site;
	if (w->to->row[row] == WAIT_ROW_WORK && (leaf->waited || end == leaf->root))
		return;
	vec_push(&w->taken, (uint32_t)row);
	root->stacks += !leaf->counted;
	leaf->counted = true;
	if (w->to->row[row] == WAIT_ROW_OPEN)
		add_wait(&w->to->at.at[site], s, kind == REASON_POLL || kind == REASON_EPOLL);
	else
		add_work(&w->to->at.at[site], s, is_call(w, row, site));
}

static void add_up(struct wait_paths *to)
{
	for (uint32_t i = (uint32_t)to->at.n - 1; i > 0; i--) {
		struct wait_path *path = &to->at.at[i], *up = &to->at.at[path->parent];

		path->work += path->own_work + path->own_calls;
		path->apart += path->own_work + (path->waits ? 0 : path->own_calls);
		if (up == path)
			continue;
		path->next_sibling = up->first_child;
		up->first_child = i;
		up->waits += path->waits;
		up->polls += path->polls;
		up->work += path->work;
		up->apart += path->apart;
		take_first(&up->first_ns, path->first_ns);
		take_last(&up->last_ns, path->last_ns);
		take_first(&up->first_wait_ns, path->first_wait_ns);
		take_last(&up->last_wait_ns, path->last_wait_ns);
		take_last(&up->last_work_ns, path->last_work_ns);
	}
}

/* --- turns ------------------------------------------------------------------------------------ */

/* What a function was last seen in: one of its calls, by its path; 0: none; or these. */
#define LAST_OWN    UINT32_MAX
#define LAST_DIRECT (UINT32_MAX - 1)

static int by_time(const void *left, const void *right, void *walk)
{
	const struct walk *w = walk;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const uint32_t x = w->to->at.at[w->to->site[a]].root, y = w->to->at.at[w->to->site[b]].root;

	return order_up(x, y) ?:
	       order_up(w->p->samples.at[a].time_ns, w->p->samples.at[b].time_ns) ?:
	       order_up(a, b);
}

static void add_turn(struct wait_paths *to, uint32_t *last, uint32_t path, uint32_t now)
{
	if (last[path] == now)
		return;
	last[path] = now;
	if (now == LAST_DIRECT)
		to->at.at[path].direct_turns++;
	else if (now != LAST_OWN)
		to->at.at[now].turns++;
}

static void count_turns(struct walk *w)
{
	struct wait_paths *to = w->to;
	_free_ uint32_t *last = mem_zalloc(to->at.n, sizeof(*last));
	uint64_t steps = 0;

	vec_sort_by(&w->taken, by_time, w);
	for (size_t i = 0; i < w->taken.n && steps < MOST_STEPS; i++) {
		const uint32_t row = w->taken.at[i];
		uint32_t path = to->site[row];

		add_turn(to, last, path, to->row[row] == WAIT_ROW_OPEN ? LAST_DIRECT : LAST_OWN);
		for (uint32_t up = to->at.at[path].parent; up != path;
		     path = up, up = to->at.at[up].parent, steps++)
			add_turn(to, last, up, path);
	}
}

static void walk_release(struct walk *w)
{
	free(w->names);
	free(w->leaf);
	map_release(&w->paths);
	map_release(&w->roots);
	map_release(&w->by_node);
	vec_release(&w->places);
	vec_release(&w->nodes);
	vec_release(&w->taken);
}

void wait_paths_init(struct wait_paths *to, const struct profile *p)
{
	const size_t n = p->samples.n;
	struct walk w = {.p = p, .to = to, .names = wait_names(p)};
	struct measure blocked = {0};

	if (!measure_has(p, METRIC_BLOCKED, &blocked))
		blocked.n = 0;
	*to = (struct wait_paths){.site = mem_zalloc(n + 1, sizeof(*to->site)),
				  .row = mem_zalloc(n + 1, sizeof(*to->row))};
	w.leaf = mem_zalloc(n + 1, sizeof(*w.leaf));
	vec_add(&to->at);
	vec_add(&w.places);
	for (size_t i = 0; i < n; i++) {
		to->row[i] = (uint8_t)row_of(p, i, &blocked);
		if (to->row[i] == WAIT_ROW_NONE)
			continue;
		w.leaf[i] = walk_stack(&w, p->samples.at[i].thread, p->samples.at[i].node);
		if (to->row[i] != WAIT_ROW_WORK)
			to->at.at[w.places.at[w.leaf[i]].path].waited = true;
	}
	for (size_t i = 0; i < n; i++)
		if (w.places.at[w.leaf[i]].path)
			add_row(&w, i);
	add_up(to);
	count_turns(&w);
	walk_release(&w);
}

void wait_paths_release(struct wait_paths *paths)
{
	vec_release(&paths->at);
	free(paths->site);
	free(paths->row);
	*paths = (struct wait_paths){0};
}
