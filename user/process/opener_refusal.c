#include "process/opener_wire.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

/* How long is not asked what has timed out; twice as long each time, up to so often. */
#define REFUSE_NS   (10ull * 1000000000)
#define MOST_DOUBLE 6
/* Of one user so many requests may time out before nothing is asked for it. */
#define USER_TIMES 2

enum { KEY_DEVICE = 1, KEY_PROCESS, KEY_USER };

static uint64_t key_of(uint64_t kind, uint64_t what)
{
	return hash_two(kind, what) | 1;
}

uint64_t refusal_user(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u", pid);
	struct stat st;

	return pid && !stat(path, &st) ? key_of(KEY_USER, st.st_uid) : 0;
}

static struct opener_refusal *find_refusal(struct opener_shared *s, uint64_t key)
{
	for (size_t i = 0; key && i < OPENER_REFUSED; i++)
		if (atomic_load(&s->refused[i].key) == key)
			return &s->refused[i];
	return NULL;
}

void refusal_add(struct opener_shared *s, uint64_t key, uint64_t now_ns)
{
	struct opener_refusal *r = find_refusal(s, key);
	uint32_t times;

	if (!key)
		return;
	if (!r) {
		r = &s->refused[atomic_fetch_add(&s->refused_n, 1) % OPENER_REFUSED];
		atomic_store(&r->times, 0);
		atomic_store(&r->key, key);
	}
	times = atomic_fetch_add(&r->times, 1);
	atomic_store(&r->until_ns,
		     now_ns + (REFUSE_NS << (times < MOST_DOUBLE ? times : MOST_DOUBLE)));
}

static bool is_refused(struct opener_shared *s, uint64_t key, uint32_t times)
{
	const struct opener_refusal *r = find_refusal(s, key);

	return r && atomic_load(&r->times) >= times &&
	       clock_ns(CLOCK_MONOTONIC) < atomic_load(&r->until_ns);
}

uint64_t refusal_device(uint32_t major, uint32_t minor)
{
	return major || minor ? key_of(KEY_DEVICE, (uint64_t)major << 32 | minor) : 0;
}

uint64_t refusal_process(const struct opener_request *r)
{
	return key_of(KEY_PROCESS, (uint64_t)r->pid << 8 | r->what);
}

/* Nearly always nothing is refused: then no key is made. */
bool refusal_holds(struct opener_shared *s, const struct opener_request *r)
{
	if (!atomic_load(&s->refused_n))
		return false;
	return is_refused(s, refusal_device(r->device_major, r->device_minor), 1) ||
	       (r->pid && is_refused(s, refusal_process(r), 1)) ||
	       is_refused(s, refusal_user(r->pid), USER_TIMES);
}
