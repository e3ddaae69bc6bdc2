// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/*
 * zone_process WAY ROUNDS: processes born and replaced within calls. WAY: fork, both return through
 * the frames in which they were forked, on to the third generation; vfork; spawn; clone, a process
 * that shares memory on a stack of its own; exec, each round's child becomes this program anew;
 * replace, the program itself does, last. Status 17.
 */
#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "zone.h"
#include "zone_stub.h"

extern char **environ;
static volatile uint64_t shared;

uint64_t zp_leaf(uint64_t x);

FRAME uint64_t zp_leaf(uint64_t x)
{
	return turns(x, 20);
}

/* A probe on a nop of 5 bytes may become a call into memory that a forked child has not. */
STUB(zp_nop, nop, zp_leaf);

FRAME int zp_wait(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* In frames of both processes: 0 in the child. */
FRAME pid_t zp_fork(int depth)
{
	pid_t pid = depth ? zp_fork(depth - 1) : fork();

	__asm__ volatile("" : "+r"(pid));
	return pid;
}

FRAME int zp_generation(int n)
{
	pid_t pid = zp_fork(5);
	int status = 0;

	if (pid)
		return zp_wait(pid) + 1;
	if (n)
		status = zp_generation(n - 1);
	_exit(status + (zp_nop(7) == turns(7, 20)));
}

FRAME int zp_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		shared += zp_nop(3);
		_exit(3);
	}
	return zp_wait(pid);
}

FRAME int zp_vfork_exec(const char *path)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(path, path, "leaf", NULL);
		_exit(9);
	}
	return zp_wait(pid);
}

FRAME int zp_spawn(const char *path)
{
	char name[] = "zone_process", leaf[] = "leaf";
	char *argv[] = {name, leaf, NULL};
	pid_t pid;

	return posix_spawn(&pid, path, NULL, NULL, argv, environ) ? 1000 : zp_wait(pid);
}

FRAME int zp_cloned(void *x)
{
	shared += zp_nop((uintptr_t)x);
	return 5;
}

FRAME int zp_clone(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));

	return zp_wait(clone(zp_cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD, (void *)9));
}

FRAME void zp_exec(int depth, const char *path, char *const argv[])
{
	if (depth)
		zp_exec(depth - 1, path, argv);
	execv(path, argv);
	__asm__ volatile("");
}

FRAME int zp_exec_child(const char *path)
{
	char name[] = "zone_process", leaf[] = "leaf";
	char *argv[] = {name, leaf, NULL};
	pid_t pid = zp_fork(1);

	if (!pid) {
		zp_exec(2, "/nonexistent", argv);
		zp_exec(2, path, argv);
		_exit(99);
	}
	return zp_wait(pid);
}

static uint64_t one_round(const char *way)
{
	static const char self[] = "/proc/self/exe";

	shared = 0;
	if (!strcmp(way, "fork"))
		return zp_generation(2) * 100 + zp_nop(1);
	if (!strcmp(way, "vfork"))
		return zp_vfork() + zp_vfork_exec(self) + shared;
	if (!strcmp(way, "spawn"))
		return zp_spawn(self) + zp_leaf(1);
	if (!strcmp(way, "clone"))
		return zp_clone() + shared;
	return zp_exec_child(self) + zp_leaf(2);
}

int main(int argc, char **argv)
{
	char *way = argc > 1 ? argv[1] : argv[0], leaf[] = "leaf";
	char *next[] = {argv[0], leaf, NULL};

	if (!strcmp(way, "leaf")) /* what was executed */
		return zp_leaf(1) == turns(1, 20) ? 21 : 1;
	rounds_open(argc, argv, 2, 5);
	while (rounds_next())
		rounds_result(one_round(way));
	if (!strcmp(way, "replace")) {
		rounds_end(17);
		zp_exec(3, "/proc/self/exe", next);
	}
	return rounds_end(17);
}
