/*
 * brood SECONDS FILE: says "ready" when there are two children and a grandchild; then all of them
 * wait until there is something in the file, at most a minute. Children spin in brood_child for so
 * long, the grandchild in brood_grandchild. A third child ends at once and leaves its place to one
 * of its own, and so on, five milliseconds each, until then: the last one spins in brood_heir.
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "prog.h"

static double seconds, give_up;
static const char *file;

static int may_go(void)
{
	struct stat st;

	return stat(file, &st) || st.st_size || now_s() > give_up;
}

static void await_line(void)
{
	while (!may_go())
		usleep(10000);
}

FRAME uint64_t brood_child(void)
{
	return spin_for(seconds);
}

FRAME uint64_t brood_grandchild(void)
{
	return spin_for(seconds);
}

FRAME uint64_t brood_heir(void)
{
	return spin_for(seconds);
}

/* A child that works when it may. */
static void start(uint64_t (*work)(void), int children)
{
	if (fork())
		return;
	while (children--)
		start(brood_grandchild, 0);
	await_line();
	work();
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static void start_heirs(void)
{
	if (fork())
		return;
	while (!may_go()) {
		usleep(5000);
		if (fork())
			_exit(0);
	}
	brood_heir();
	_exit(0);
}

int main(int argc, char **argv)
{
	seconds = arg(argc, argv, 1, 1);
	file = argc > 2 ? argv[2] : "";
	give_up = now_s() + 60;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start(brood_child, 1);
	start(brood_child, 0);
	start_heirs();
	usleep(100000);
	puts("ready");
	fflush(stdout);
	while (wait(NULL) > 0)
		;
	return 0;
}
