/* The start and the end of an opener: see opener.h. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"
#include "process/opener_state.h"

/* All copies together take this part of the machine's memory. */
#define COPIES_PART 8

/* How long an opener that is asked to end may take. */
#define END_MS 1000

static bool start(struct opener *o)
{
	_close_ int parent = pidfd_open(getpid(), 0);
	int control[2], requests[2];

	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control))
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests)) {
		close(control[0]);
		close(control[1]);
		return false;
	}
	o->pid = child_fork();
	if (o->pid == 0)
		opener_process_run(o->shared, control[1], requests[1], parent);
	close(control[1]);
	close(requests[1]);
	o->control = control[0];
	o->requests = requests[0];
	return o->pid > 0;
}

struct opener *opener_new(void)
{
	struct opener *o = mem_zalloc(1, sizeof(*o));

	o->control = o->requests = -1;
	o->shared = mmap(NULL, sizeof(*o->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->shared != MAP_FAILED) {
		o->shared->most_bytes = mem_most() / COPIES_PART;
		if (start(o))
			return o;
	}
	opener_free(o);
	return NULL;
}

/* The opener's process is never stuck itself; but it is not waited for without an end. */
static void end_process(const struct opener *o)
{
	/* Our children may still have the socket open. */
	shutdown(o->control, SHUT_RDWR);
	(void)child_await(o->pid, END_MS, NULL, NULL);
}

void opener_free(struct opener *o)
{
	if (!o)
		return;
	if (o->pid > 0)
		end_process(o);
	if (o->mine) {
		close(o->answers);
		close(o->theirs);
	}
	if (o->control >= 0)
		close(o->control);
	if (o->requests >= 0)
		close(o->requests);
	for (size_t i = 0; i < o->asked.n; i++)
		if (o->asked.at[i].is_here)
			opener_answer_release(o, &o->asked.at[i].answer);
	vec_release(&o->asked);
	if (o->shared != MAP_FAILED)
		munmap(o->shared, sizeof(*o->shared));
	free(o->room);
	free(o);
}
