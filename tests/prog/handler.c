// cflags: -O2 -fomit-frame-pointer
/* handler SECONDS: spins in handle, a signal handler upon a stack of its own, which interrupted
 * interrupted_here, called by main. */
#include "prog.h"

static double seconds;
static volatile sig_atomic_t handled;
static volatile uint64_t result;

FRAME uint64_t handle_slowly(double for_seconds)
{
	return spin_for(for_seconds) + 1;
}

FRAME void handle(int number)
{
	handled = number;
	result = handle_slowly(seconds);
}

/* The signal comes in the middle of its loop, not at a call. */
FRAME uint64_t interrupted_here(void)
{
	uint64_t x = 1;

	while (!handled)
		x = turns(x, 1000);
	return x;
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct itimerspec soon = {.it_value.tv_nsec = 50000000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;

	seconds = arg(argc, argv, 1, 2);
	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL))
		return 1;
	interrupted_here();
	printf("pid=%d handled=%d\n", getpid(), handled);
	return 0;
}
