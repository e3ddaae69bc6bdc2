#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/capture.h"
#include "source/checkpoint.h"
#include "store/store.h"

#define FIRST_NS (20ull * 1000000000)
#define MOST_NS	 (600ull * 1000000000)

static void __attribute__((noreturn)) write_and_exit(struct capture *c, const char *path)
{
	struct profile *p;
	int ret;

	setpriority(PRIO_PROCESS, 0, 10);
	ret = capture_profile(c, &p);
	if (!ret)
		ret = store_save(path, true, p);
	_exit(ret ? 1 : 0);
}

void checkpoint_tick(struct checkpoint *k, struct capture *c, const char *path)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!path)
		return;
	if (k->child > 0 && waitpid(k->child, NULL, WNOHANG) == k->child)
		k->child = 0;
	if (!k->next_ns)
		k->next_ns = now + FIRST_NS;
	if (k->child > 0 || now < k->next_ns)
		return;
	k->child = fork();
	if (k->child == 0)
		write_and_exit(c, path);
	if (k->last_ns)
		k->next_ns =
			now + (2 * (now - k->last_ns) < MOST_NS ? 2 * (now - k->last_ns) : MOST_NS);
	else
		k->next_ns = now + 2 * FIRST_NS;
	k->last_ns = now;
}

void checkpoint_end(struct checkpoint *k)
{
	if (k->child > 0)
		waitpid(k->child, NULL, 0);
	k->child = 0;
}
