#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/mem.h"
#include "load/kernel_types.h"
#include "load/ran.h"
#include "load/counters.h"
#include "load/task_walk.h"
#include "process/procfs.h"
#include "eprof.skel.h"

#define SETTLE_ROUNDS 25
#define SETTLE_US     2000

static bool is_cgroup(const struct target *t)
{
	return t->kind == TARGET_CGROUP;
}

/* Whether the kernel's iterator reaches all threads of the target. It visits those of our PID
 * namespace only: in a nested one that is not the whole machine. */
static bool is_walked(const struct target *t)
{
	return !is_cgroup(t) && (t->kind != TARGET_ALL || procfs_in_first_namespace());
}

void ran_configure(struct eprof_bpf *skel, const struct target *t)
{
	bool wanted = is_walked(t);

	bpf_program__set_autoload(skel->progs.ran_exit, wanted);
	bpf_program__set_autoload(skel->progs.ran_free, wanted);
	bpf_program__set_autoload(skel->progs.ran_now, wanted);
	bpf_map__set_autocreate(skel->maps.ran_before, wanted);
	bpf_map__set_autocreate(skel->maps.ran_sums, wanted);
}

void ran_attach(struct ran *r, struct eprof_bpf *skel, const struct target *t)
{
	*r = (struct ran){.target = t, .sum_fd = -1};
	if (!is_walked(t))
		return;
	r->exit = kernel_types_attach(skel->progs.ran_exit);
	r->free = kernel_types_attach(skel->progs.ran_free);
	r->walk = kernel_types_attach(skel->progs.ran_now);
	r->stopped = &skel->bss->ran_stopped;
	if (r->exit && r->free && r->walk)
		r->sum_fd = bpf_map__fd(skel->maps.ran_sums);
}

/* usage_usec of cpu.stat, which every v2 cgroup has. */
static bool read_cgroup(int cgroup_fd, uint64_t *ns)
{
	_close_ int fd = openat(cgroup_fd, "cpu.stat", O_RDONLY | O_CLOEXEC);
	char text[512] = "";
	const char *at;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return false;
	at = strstr(text, "usage_usec ");
	if (at)
		*ns = strtoull(at + strlen("usage_usec "), NULL, 10) * 1000;
	return at;
}

static bool read_sum(const struct ran *r, enum wire_ran what, uint64_t *sum)
{
	return !counters_sum(r->sum_fd, what, sum);
}

static bool read_total(const struct ran *r, uint64_t *ns)
{
	if (is_cgroup(r->target))
		return read_cgroup(r->target->cgroup_fd, ns);
	return r->sum_fd >= 0 && task_walk(r->walk) && read_sum(r, WIRE_RAN_NS, ns);
}

void ran_start(struct ran *r)
{
	r->started = read_total(r, &r->base_ns);
	r->last_ns = r->base_ns;
}

bool ran_last(const struct ran *r, uint64_t *ns)
{
	*ns = r->last_ns - r->base_ns;
	return r->started;
}

bool ran_read(struct ran *r, uint64_t *ns)
{
	if (r->started && !read_total(r, &r->last_ns))
		r->started = false;
	return ran_last(r, ns);
}

/* Whether all exited threads have released their memory, after the kernel's next grace period. */
static bool is_settled(const struct ran *r)
{
	uint64_t exited, freed;

	return !read_sum(r, WIRE_RAN_EXITED, &exited) || !read_sum(r, WIRE_RAN_FREED, &freed) ||
	       freed >= exited;
}

void ran_stop(struct ran *r)
{
	uint64_t ns;

	if (ran_read(r, &ns) && r->stopped)
		*r->stopped = 1;
}

void ran_settle(struct ran *r)
{
	if (!r->started || r->sum_fd < 0)
		return;
	for (int i = 0; i < SETTLE_ROUNDS && !is_settled(r); i++)
		usleep(SETTLE_US);
	r->started = read_sum(r, WIRE_RAN_NS, &r->last_ns);
}

void ran_detach(struct ran *r)
{
	bpf_link__destroy(r->exit);
	bpf_link__destroy(r->free);
	bpf_link__destroy(r->walk);
	*r = (struct ran){.sum_fd = -1};
}
