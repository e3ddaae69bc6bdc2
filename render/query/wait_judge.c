#include "query/wait_judge.h"

#include <stdlib.h>

#include "base/mem.h"

/*
 * The frame that a thread's waits and its work have in common is looked for from the root of its
 * stacks. In that frame some calls only wait, or nearly so: these waits are idle. Other calls work,
 * too: what waits in them is held up. Where all calls that wait work as well, the frame is further
 * down, in one of them.
 */

/* Of the samples of a frame's work at most one in so many is within a call that only waits: such a
 * call still reads what it has waited for. */
#define ASIDE_PART 10
#define ASIDE_FEW  2
/* Of several calls that never work, those that wait a part as often as the most frequent one. */
#define OFTEN_PART 4
/* A frame with more calls, which only a forged file has, is not looked into. */
#define MOST_CALLS 512

/* Whether the frames above work while a path goes on. */
enum in_work {
	IN_NO_WORK,
	IN_LITTLE_WORK, /* too little to be sure */
	IN_WORK,
};

struct place {
	uint32_t path;
	enum in_work in_work;
};

struct judge {
	const struct wait_paths *paths;
	uint8_t *rule;	 /* per path: of itself and of all below it; none: as above it */
	uint8_t *direct; /* per path: of its direct waits alone */
	VEC(struct place) todo;
};

#define each_child(child, j, of)                                        \
	for (uint32_t child = (j)->paths->at.at[of].first_child; child; \
	     child = (j)->paths->at.at[child].next_sibling)

static const struct wait_path *path_at(const struct judge *j, uint32_t path)
{
	return &j->paths->at.at[path];
}

static bool is_active(const struct wait_path *path)
{
	return path->waits || path->work;
}

/* Whether the two went on by turns, and not one before the other. */
static bool by_turns(const struct wait_path *a, const struct wait_path *b)
{
	return a->first_ns <= b->last_ns && b->first_ns <= a->last_ns;
}

/* Whether the thread waited in it, worked in it, and waited again. */
static bool is_loop(const struct wait_path *path)
{
	return path->waits > 1 && path->last_work_ns >= path->first_wait_ns &&
	       path->last_wait_ns >= path->first_wait_ns;
}

static void push(struct judge *j, uint32_t path, enum in_work in_work)
{
	vec_push(&j->todo, ((struct place){path, in_work}));
}

/* The only path below @v, where nothing else is in it; 0: it is not so. */
static uint32_t only_child(const struct judge *j, uint32_t v)
{
	const struct wait_path *path = path_at(j, v);
	uint32_t found = 0;

	if (path->direct || path->own_work || path->own_calls)
		return 0;
	each_child (child, j, v) {
		if (is_active(path_at(j, child)) && found)
			return 0;
		found = is_active(path_at(j, child)) ? child : found;
	}
	return found;
}

/* --- calls that only wait --------------------------------------------------------------------- */

static bool is_aside(const struct wait_path *call, const struct wait_path *of)
{
	return call->waits && (!call->apart || call->apart * ASIDE_PART < of->work ||
			       (call->apart <= ASIDE_FEW && call->apart * 2 < of->work &&
				call->waits * 2 >= of->waits));
}

/* Of @v's calls that only wait the one that works least, then the most frequent one; 0: none. */
static uint32_t main_call(const struct judge *j, uint32_t v)
{
	const struct wait_path *best = NULL;
	uint32_t found = 0;

	each_child (child, j, v) {
		const struct wait_path *call = path_at(j, child);

		if (!is_aside(call, path_at(j, v)) || (best && call->apart > best->apart))
			continue;
		if (!best || call->apart < best->apart || call->waits > best->waits) {
			best = call;
			found = child;
		}
	}
	return found;
}

/* What of @v is where its thread waits for work: its direct waits, else some of its calls. */
struct home {
	uint64_t first_ns, last_ns; /* of these waits */
	uint32_t main;		    /* 0: its direct waits */
	uint32_t waits;
};

static bool find_home(const struct judge *j, uint32_t v, struct home *home)
{
	const struct wait_path *path = path_at(j, v), *call;

	*home = (struct home){.first_ns = path->direct_first_ns,
			      .last_ns = path->direct_last_ns,
			      .waits = path->direct};
	if (path->direct)
		return true;
	home->main = main_call(j, v);
	if (!home->main)
		return false;
	call = path_at(j, home->main);
	home->first_ns = call->first_ns;
	home->last_ns = call->last_wait_ns;
	home->waits = call->waits;
	return true;
}

static bool is_home(const struct judge *j, const struct home *home, uint32_t child)
{
	const struct wait_path *call = path_at(j, child);

	return home->main && (child == home->main || (call->waits && !call->apart &&
						      call->waits * OFTEN_PART >= home->waits));
}

/* With few samples of work, none of them in several calls that wait, each of these may still be the
 * one that works. */
static bool is_doubtful(const struct judge *j, uint32_t v, const struct home *home)
{
	uint32_t calls = 0;

	if (!home->main || path_at(j, v)->work >= WAIT_WORK_ENOUGH)
		return false;
	each_child (child, j, v)
		calls += path_at(j, child)->waits && !path_at(j, child)->apart;
	return calls > 1;
}

/* A call beside @home that waits, too. */
static void judge_beside(struct judge *j, const struct home *home, uint32_t child,
			 enum in_work in_work)
{
	const struct wait_path *call = path_at(j, child);
	const bool turns = home->first_ns <= call->last_ns && call->first_ns <= home->last_ns;

	if ((home->main && !call->apart) || (!call->work && !turns))
		j->rule[child] = RULE_UNDECIDED; /* seldom or once: it may be either */
	else if (turns || !is_loop(call))
		j->rule[child] = RULE_HELD_UP;
	else
		push(j, child, in_work);
}

/* A thread that waits for work comes back to that; a wait, or a row of waits, between other things
 * is no loop. */
static enum wait_rule came_back(uint32_t turns, enum wait_rule rule)
{
	return turns > 1 ? rule : RULE_UNDECIDED;
}

static void judge_home(struct judge *j, uint32_t v, const struct home *home, enum in_work in_work)
{
	const bool doubtful = is_doubtful(j, v, home);
	static const enum wait_rule idle[] = {[IN_NO_WORK] = RULE_IDLE,
					      [IN_LITTLE_WORK] = RULE_OPEN_POLL,
					      [IN_WORK] = RULE_IDLE_POLL};
	const enum wait_rule rule = doubtful ? RULE_UNDECIDED : idle[in_work];

	if (!home->main)
		j->direct[v] = (uint8_t)came_back(path_at(j, v)->direct_turns, rule);
	each_child (child, j, v) {
		if (is_home(j, home, child))
			j->rule[child] = (uint8_t)came_back(path_at(j, child)->turns, rule);
		else if (path_at(j, child)->waits)
			judge_beside(j, home, child, in_work);
	}
}

/* --- calls that wait and work ----------------------------------------------------------------- */

/* Whether @v works beside its call @child, in turns with it. */
static enum in_work works_beside(const struct judge *j, uint32_t v, uint32_t child)
{
	const struct wait_path *path = path_at(j, v);
	uint64_t work = path->own_work + path->own_calls;

	each_child (other, j, v)
		if (other != child && by_turns(path_at(j, other), path_at(j, child)))
			work += path_at(j, other)->work;
	if (work * ASIDE_PART < path->work)
		return IN_NO_WORK;
	return path->work < WAIT_WORK_ENOUGH ? IN_LITTLE_WORK : IN_WORK;
}

static enum in_work worse(enum in_work a, enum in_work b)
{
	return a > b ? a : b;
}

/* What of @v's other calls that wait goes on in turns with @child: as few as none, or with polls.
 */
static void count_rivals(const struct judge *j, uint32_t v, uint32_t child, uint32_t *rivals,
			 uint32_t *polling)
{
	*rivals = *polling = 0;
	each_child (other, j, v) {
		const struct wait_path *at = path_at(j, other);

		if (other == child || !at->waits || !by_turns(at, path_at(j, child)))
			continue;
		*rivals += 1;
		*polling += at->polls != 0;
	}
}

static void judge_mixed(struct judge *j, uint32_t v, enum in_work in_work)
{
	size_t calls = 0;

	each_child (child, j, v)
		calls++;
	if (calls > MOST_CALLS) {
		j->rule[v] = RULE_UNDECIDED_POLL;
		return;
	}
	each_child (child, j, v) {
		const struct wait_path *call = path_at(j, child);
		uint32_t rivals, polling;

		if (!call->waits)
			continue;
		count_rivals(j, v, child, &rivals, &polling);
		if (!rivals)
			push(j, child, worse(in_work, works_beside(j, v, child)));
		else if (call->polls && !polling)
			push(j, child, IN_WORK);
		else
			j->rule[child] = call->polls ? RULE_UNDECIDED_POLL : RULE_HELD_UP;
	}
}

static void judge_at(struct judge *j, uint32_t v, enum in_work in_work)
{
	const uint32_t child = only_child(j, v);
	const struct wait_path *path = path_at(j, v);
	struct home home;

	if (child)
		push(j, child, in_work);
	else if (!path->direct && !path->work)
		j->rule[v] = RULE_UNDECIDED;
	else if (find_home(j, v, &home))
		judge_home(j, v, &home, in_work);
	else
		judge_mixed(j, v, in_work);
}

uint8_t *wait_judge(const struct wait_paths *paths)
{
	const size_t n = paths->at.n;
	struct judge j = {.paths = paths,
			  .rule = mem_zalloc(n + 1, sizeof(*j.rule)),
			  .direct = mem_zalloc(n + 1, sizeof(*j.direct))};

	for (uint32_t i = 1; i < n; i++)
		if (path_at(&j, i)->parent == i && path_at(&j, i)->waits)
			push(&j, i, IN_NO_WORK);
	while (j.todo.n) {
		const struct place at = j.todo.at[--j.todo.n];

		judge_at(&j, at.path, at.in_work);
	}
	for (uint32_t i = 1; i < n; i++)
		if (!j.rule[i])
			j.rule[i] = j.rule[path_at(&j, i)->parent];
	for (uint32_t i = 1; i < n; i++)
		if (j.direct[i])
			j.rule[i] = j.direct[i];
	vec_release(&j.todo);
	free(j.direct);
	return j.rule;
}
