#include "process/allowance.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

/* A file takes some 50 us, and 60,000 of them are possible in one process. */
static const struct allowance_rates of_loader = {{INT64_C(2000000000), 10},
						 {INT64_C(4000000000), 20}};

struct allowance {
	uint64_t (*now_ns)(void);
	const struct allowance_rates *rates;
	VEC(struct share) users;
	struct map by_uid; /* → users */
	struct share all;
	uint32_t uid; /* whose work is under way */
	unsigned depth;
	uint64_t begun_ns, refused;
};

struct allowance *allowance_new(uint64_t (*now_ns)(void), const struct allowance_rates *rates)
{
	struct allowance *a = mem_zalloc(1, sizeof(*a));

	a->now_ns = now_ns;
	a->rates = rates ? rates : &of_loader;
	share_open(&a->all, &a->rates->of_users, now_ns());
	return a;
}

void allowance_free(struct allowance *a)
{
	if (!a)
		return;
	vec_release(&a->users);
	map_release(&a->by_uid);
	free(a);
}

static struct share *share_of(struct allowance *a, uint32_t uid, uint64_t now_ns)
{
	bool fresh;
	uint32_t *at = map_put(&a->by_uid, uid, &fresh);

	if (fresh) {
		*at = (uint32_t)a->users.n;
		share_open(vec_add(&a->users), &a->rates->of_user, now_ns);
	}
	return &a->users.at[*at];
}

static void charge_user(struct allowance *a, uint32_t uid, uint64_t now_ns, int64_t ns)
{
	share_of(a, uid, now_ns)->left_ns -= ns;
	a->all.left_ns -= ns;
}

/* Charges the user for the time since the last call. */
static void charge(struct allowance *a, uint64_t now_ns)
{
	const int64_t ns = now_ns > a->begun_ns ? (int64_t)(now_ns - a->begun_ns) : 0;

	if (a->depth && a->uid)
		charge_user(a, a->uid, now_ns, ns);
	a->begun_ns = now_ns;
}

static bool is_left(struct allowance *a, uint32_t uid, uint64_t now_ns)
{
	return !uid ||
	       (share_refill(share_of(a, uid, now_ns), now_ns) && share_refill(&a->all, now_ns));
}

bool allowance_begin(struct allowance *a, uint32_t uid)
{
	uint64_t now_ns;

	if (!a)
		return true;
	now_ns = a->now_ns();
	charge(a, now_ns);
	if (!is_left(a, uid, now_ns)) {
		a->refused++;
		return false;
	}
	a->uid = uid;
	a->depth++;
	return true;
}

void allowance_end(struct allowance *a)
{
	if (!a)
		return;
	charge(a, a->now_ns());
	a->depth--;
}

bool allowance_is_left(struct allowance *a, uint32_t uid)
{
	return is_left(a, uid, a->now_ns());
}

void allowance_charge(struct allowance *a, uint32_t uid, int64_t ns)
{
	if (uid)
		charge_user(a, uid, a->now_ns(), ns);
}

uint64_t allowance_refused(const struct allowance *a)
{
	return a ? a->refused : 0;
}
