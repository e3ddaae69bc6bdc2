#include "elf/budget.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

/*
 * What opening one file may take, and all its pieces beyond what each brings: of 4,100 files of
 * Debian 12, toolchains, CUDA and cloud tools a Go program of 700 MB takes most, 177 MiB and
 * 600,000 steps.
 */
static const struct budget_limits of_file = {.bytes = UINT64_C(384) << 20,
					     .steps = 1u << 25,
					     .memory = UINT64_C(768) << 20,
					     .ns = UINT64_C(5000000000)};
/* At first each file has this: more than 99 of 100 take. One that needs more is large. */
static const struct budget_limits at_first = {
	.bytes = 4u << 20, .steps = 1u << 16, .memory = 8u << 20, .ns = 500000000};
/* What reading its build-id may take; while its owner has had its share. */
static const struct budget_limits of_id = {
	.bytes = 256u << 10, .steps = 1u << 13, .memory = 1u << 20, .ns = 500000000};
static const struct budget_limits of_late_id = {
	.bytes = 16u << 10, .steps = 1u << 11, .memory = 1u << 20, .ns = 500000000};

/* The work of so many files whose budget was used up, about ten: what an owner may waste. */
#define MOST_WASTED_NS UINT64_C(1000000000)
/* Less is no waste. */
#define LEAST_WASTED_NS 20000000

/* Between two looks at the signals and the deadline, at least. */
#define LOOK_NS 500000

static const struct share_rate of_root = {INT64_C(6000000000), 50};
static const struct share_rate of_other = {INT64_C(1000000000), 20};
/* All owners but root together. */
static const struct share_rate of_others = {INT64_C(2000000000), 40};
/* The part of these that large files may take: a file is opened while any of it is left, and once
 * it is open its pieces have the whole share. */
static const struct share_rate of_large = {INT64_C(400000000), 10};
static const struct share_rate of_all_large = {INT64_C(800000000), 20};

struct owner {
	struct share share, large;
	bool is_root;
	uint64_t wasted_ns, held_bytes;
};

struct budget_pool {
	struct budget_world world;
	VEC(struct owner) owners;
	struct map by_id; /* hash of the owner → index */
	struct share others, others_large;
	uint64_t held_bytes;
	struct budget_losses losses;
	uint64_t looked_ns; /* when it was asked last whether reads go on, */
	bool went_on;	    /* and whether they did */
};

/* What is read or done between two looks at the clock and the signals: a millisecond or two. */
#define TURN_BYTES (4u << 20)
#define TURN_STEPS (1u << 18)

/* Copying from the page cache, and parsing, on a usual processor. */
#define BYTES_PER_NS 4
#define NS_PER_STEP  4

/* Of the time that a file took its owner's share is charged this part at least: some of it the
 * loader may have waited for a processor or a disk, which is not the owner's doing. */
#define WALL_PART 2

static uint64_t pool_now(const struct budget_pool *p)
{
	return p->world.now_ns ? p->world.now_ns() : 0;
}

static bool pool_goes_on(struct budget_pool *p)
{
	const uint64_t at = pool_now(p);

	/* Small requests follow each other fast. */
	if (!at || !p->went_on || at - p->looked_ns >= LOOK_NS) {
		p->went_on = !p->world.goes_on || p->world.goes_on(p->world.context);
		p->looked_ns = pool_now(p);
	}
	return p->went_on;
}

struct budget_pool *budget_pool_new(const struct budget_world *world)
{
	struct budget_pool *p = mem_zalloc(1, sizeof(*p));

	p->world = *world;
	share_open(&p->others, &of_others, pool_now(p));
	share_open(&p->others_large, &of_all_large, pool_now(p));
	return p;
}

void budget_pool_free(struct budget_pool *p)
{
	if (!p)
		return;
	vec_release(&p->owners);
	map_release(&p->by_id);
	free(p);
}

const struct budget_losses *budget_pool_losses(const struct budget_pool *p)
{
	return &p->losses;
}

/* --- owners --------------------------------------------------------------------------------- */

#define NOT_OURS UINT32_MAX

/* Root's by file system, in the upper half. */
uint64_t budget_owner_of(uint32_t uid, uint64_t device, bool is_ours)
{
	return uid ? uid : device << 32 | (is_ours ? 0 : NOT_OURS);
}

static bool is_root(uint64_t owner)
{
	return (uint32_t)owner == 0;
}

static uint32_t owner_at(struct budget_pool *p, uint64_t id)
{
	const struct share_rate *rate = is_root(id) ? &of_root : &of_other;
	bool fresh;
	uint32_t *at = map_put(&p->by_id, id, &fresh);

	if (fresh) {
		*at = (uint32_t)p->owners.n;
		vec_push(&p->owners, ((struct owner){.is_root = is_root(id)}));
		share_open(&p->owners.at[*at].share, rate, pool_now(p));
		share_open(&p->owners.at[*at].large, &of_large, pool_now(p));
	}
	return *at;
}

/* --- time ----------------------------------------------------------------------------------- */

static bool has_share(struct budget_pool *p, struct owner *o, bool opens_large)
{
	const uint64_t now_ns = pool_now(p);

	(void)share_refill(&o->share, now_ns);
	(void)share_refill(&o->large, now_ns);
	(void)share_refill(&p->others, now_ns);
	(void)share_refill(&p->others_large, now_ns);
	if (o->share.left_ns <= 0 || o->is_root)
		return o->share.left_ns > 0;
	return p->others.left_ns > 0 &&
	       (!opens_large || (o->large.left_ns > 0 && p->others_large.left_ns > 0));
}

/* Known to be large, and not yet allowed to be. */
static bool opens_large(const struct budget *b)
{
	return b->is_large && b->base.steps != of_file.steps;
}

static bool pool_may(struct budget_pool *p, const struct budget *b)
{
	const bool may = has_share(p, &p->owners.at[b->owner], opens_large(b));

	p->losses.put_off += !may;
	return may;
}

static void pool_charge(struct budget_pool *p, const struct budget *b, uint64_t ns)
{
	struct owner *o = &p->owners.at[b->owner];

	o->share.left_ns -= (int64_t)ns;
	if (o->is_root)
		return;
	p->others.left_ns -= (int64_t)ns;
	if (b->is_large) {
		o->large.left_ns -= (int64_t)ns;
		p->others_large.left_ns -= (int64_t)ns;
	}
}

/* --- waste and memory ----------------------------------------------------------------------- */

static void pool_waste(struct budget_pool *p, const struct budget *b)
{
	const uint64_t ns = budget_cost_ns(b);

	if (ns >= LEAST_WASTED_NS)
		p->owners.at[b->owner].wasted_ns += ns;
}

static void pool_give_up(struct budget_pool *p, const struct budget *b)
{
	pool_waste(p, b);
	p->losses.files += !b->small;
	p->losses.spared += b->is_large && b->base.steps == at_first.steps;
}

/* All but root leave half of what others do not hold. */
static bool pool_hold(struct budget_pool *p, uint32_t owner, int64_t more)
{
	struct owner *o = &p->owners.at[owner];
	uint64_t others, most;

	o->held_bytes += (uint64_t)more;
	p->held_bytes += (uint64_t)more;
	others = p->held_bytes - o->held_bytes;
	most = others < p->world.memory ? p->world.memory - others : 0;
	return more <= 0 || o->held_bytes <= (o->is_root ? most : most / 2);
}

/* --- reading -------------------------------------------------------------------------------- */

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t now(const struct budget *b)
{
	return b->pool ? pool_now(b->pool) : 0;
}

uint64_t budget_cost_ns(const struct budget *b)
{
	const uint64_t work = b->spent.bytes / BYTES_PER_NS + b->spent.steps * NS_PER_STEP;

	return work > b->spent.ns / WALL_PART ? work : b->spent.ns / WALL_PART;
}

static void pay(struct budget *b)
{
	const uint64_t cost = budget_cost_ns(b);

	if (b->pool && cost > b->paid_ns) {
		pool_charge(b->pool, b, cost - b->paid_ns);
		b->paid_ns = cost;
	}
}

static bool give_up(struct budget *b, enum budget_end why)
{
	if (b->end == BUDGET_GOES_ON) {
		b->end = why;
		if (b->pool && why == BUDGET_USED_UP)
			pool_give_up(b->pool, b);
		if (b->pool && why == BUDGET_STOPPED)
			b->pool->losses.stopped++;
	}
	/* A caller that goes on all the same is stopped again. */
	b->stop_bytes = b->stop_steps = 0;
	return false;
}

/* What is there is used up: of what files have at first, or of all. */
static bool use_up(struct budget *b)
{
	if (b->end != BUDGET_GOES_ON || !b->pool || b->small || b->is_large)
		return give_up(b, BUDGET_USED_UP);
	b->is_large = true;
	return give_up(b, BUDGET_PUT_OFF);
}

/* A large file has all that a file may have, unless its owner has wasted too much. */
static bool enlarge(struct budget *b)
{
	if (!opens_large(b))
		return true;
	if (b->pool->owners.at[b->owner].wasted_ns >= MOST_WASTED_NS)
		return give_up(b, BUDGET_USED_UP);
	b->base = of_file;
	b->most = (struct budget_limits){b->spent.bytes + of_file.bytes,
					 b->spent.steps + of_file.steps, of_file.memory,
					 b->spent.ns + of_file.ns};
	return true;
}

static void count_time(struct budget *b)
{
	const uint64_t at = now(b);

	if (b->begun_ns && at > b->begun_ns) {
		b->spent.ns += at - b->begun_ns;
		b->begun_ns = at;
	}
}

bool budget_turn(struct budget *b)
{
	if (b->end != BUDGET_GOES_ON)
		return give_up(b, b->end);
	count_time(b);
	pay(b);
	if (b->spent.bytes >= b->most.bytes || b->spent.steps >= b->most.steps ||
	    b->spent.ns >= b->most.ns)
		return use_up(b);
	/* What a file is known by is read even then: without it nothing can be named later. */
	if (b->pool && !b->small && !pool_goes_on(b->pool))
		return give_up(b, BUDGET_STOPPED);
	b->stop_bytes = lower(b->most.bytes, b->spent.bytes + TURN_BYTES);
	b->stop_steps = lower(b->most.steps, b->spent.steps + TURN_STEPS);
	return true;
}

/* What was not used of earlier requests is kept, up to what a file may have at once. */
static uint64_t raised(uint64_t most, uint64_t more, uint64_t spent, uint64_t base)
{
	const uint64_t top = spent + (base > more ? base : more);

	return most + more < top ? most + more : top;
}

bool budget_begin(struct budget *b, const struct budget_limits *more)
{
	if (b->end == BUDGET_USED_UP)
		return false;
	b->end = BUDGET_GOES_ON;
	if (b->pool && !b->small && !pool_may(b->pool, b))
		return give_up(b, BUDGET_PUT_OFF);
	if (!enlarge(b))
		return false;
	if (more) {
		b->most.bytes = raised(b->most.bytes, more->bytes, b->spent.bytes, b->base.bytes);
		b->most.steps = raised(b->most.steps, more->steps, b->spent.steps, b->base.steps);
		b->most.ns = raised(b->most.ns, more->ns, b->spent.ns, b->base.ns);
	}
	b->begun_ns = now(b);
	return budget_turn(b);
}

enum budget_end budget_end(struct budget *b)
{
	count_time(b);
	b->begun_ns = 0;
	pay(b);
	return b->end;
}

void budget_in_vain(struct budget *b)
{
	if (b && b->pool)
		pool_waste(b->pool, b);
}

bool budget_memory(struct budget *b, uint64_t bytes)
{
	if (!b)
		return true;
	if (b->end != BUDGET_GOES_ON)
		return false;
	if (bytes > b->most.memory || b->spent.memory > b->most.memory - bytes)
		return use_up(b);
	return budget_hold(b, b->spent.memory + bytes);
}

void budget_memory_back(struct budget *b, uint64_t bytes)
{
	if (b)
		budget_hold(b, b->spent.memory > bytes ? b->spent.memory - bytes : 0);
}

bool budget_hold(struct budget *b, uint64_t bytes)
{
	const int64_t more = (int64_t)(bytes - b->spent.memory);

	b->spent.memory = bytes;
	if (b->pool && !pool_hold(b->pool, b->owner, more))
		return give_up(b, BUDGET_USED_UP);
	return true;
}

/* --- budgets -------------------------------------------------------------------------------- */

static void open_with(struct budget_pool *p, uint64_t owner, const struct budget_limits *most,
		      struct budget *out)
{
	*out = (struct budget){.pool = p, .base = *most, .most = *most};
	if (p)
		out->owner = owner_at(p, owner);
}

void budget_open(struct budget_pool *p, uint64_t owner, struct budget *out)
{
	open_with(p, owner, p ? &at_first : &of_file, out);
}

void budget_open_small(struct budget_pool *p, uint64_t owner, struct budget *out)
{
	open_with(p, owner, &of_id, out);
	out->small = true;
	if (p && !has_share(p, &p->owners.at[out->owner], false))
		out->base = out->most = of_late_id;
}

void budget_close(struct budget *b)
{
	if (b->pool)
		pool_hold(b->pool, b->owner, -(int64_t)b->spent.memory);
	b->spent.memory = 0;
	b->pool = NULL;
}
