#include "process/allowance.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "base/share.h"

/* A file takes some 50 us, and 60,000 of them are possible in one process. */
static const struct share_rate of_user = {INT64_C(2000000000), 10};
/* All but root together. */
static const struct share_rate of_users = {INT64_C(4000000000), 20};

struct allowance {
	uint64_t (*now_ns)(void);
	VEC(struct share) users;
	struct map by_uid; /* → users */
	struct share all;
	uint32_t uid; /* whose work it is */
	unsigned depth;
	uint64_t begun_ns, refused;
};

struct allowance *allowance_new(uint64_t (*now_ns)(void))
{
	struct allowance *a = mem_zalloc(1, sizeof(*a));

	a->now_ns = now_ns;
	share_open(&a->all, &of_users, now_ns());
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
		share_open(vec_add(&a->users), &of_user, now_ns);
	}
	return &a->users.at[*at];
}

/* Takes what has passed from what the user has. */
static void charge(struct allowance *a, uint64_t now_ns)
{
	const int64_t ns = now_ns > a->begun_ns ? (int64_t)(now_ns - a->begun_ns) : 0;

	if (a->depth && a->uid) {
		share_of(a, a->uid, now_ns)->left_ns -= ns;
		a->all.left_ns -= ns;
	}
	a->begun_ns = now_ns;
}

bool allowance_begin(struct allowance *a, uint32_t uid)
{
	uint64_t now_ns;

	if (!a)
		return true;
	now_ns = a->now_ns();
	charge(a, now_ns);
	if (uid &&
	    !(share_refill(share_of(a, uid, now_ns), now_ns) && share_refill(&a->all, now_ns))) {
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

uint64_t allowance_refused(const struct allowance *a)
{
	return a ? a->refused : 0;
}
