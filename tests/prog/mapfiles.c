/* mapfiles MS FILE…: maps each file as code and runs in it for MS milliseconds, again and again, as
 * any user may, whatever the file's headers say (tests/kernel/busyfile.py). Ends after ten minutes,
 * or with whoever started it. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf out;

static void leave(int signal_number)
{
	(void)signal_number;
	siglongjmp(out, 1);
}

int main(int n, char **arguments)
{
	const int ms = n > 2 ? atoi(arguments[1]) : 0;
	const struct itimerval t = {.it_interval = {ms / 1000, ms % 1000 * 1000},
				    .it_value = {ms / 1000, ms % 1000 * 1000}};
	void (**code)(void) = calloc((size_t)n, sizeof(*code));
	const time_t end = time(NULL) + 600;
	volatile int i = 2;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int k = 2; k < n; k++) {
		int fd = open(arguments[k], O_RDONLY);

		code[k] = (void (*)(void))mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
					       65536);
		if ((void *)code[k] == MAP_FAILED)
			return 1;
	}
	signal(SIGALRM, leave);
	puts("mapped");
	fflush(stdout);
	if (sigsetjmp(out, 1))
		i = i + 1 < n ? i + 1 : 2;
	if (time(NULL) > end)
		return 0;
	setitimer(ITIMER_REAL, &t, NULL);
	code[i]();
	return 0;
}
