/*
 * family: processes of many kinds, for tests of the table of processes. Each line is
 * "LABEL PID PARENT END STATUS ARGUMENTS", with END exited, killed or lives, and the command line
 * as it was executed in hexadecimal.
 *
 *	family          the family; the last of it, "title", goes on
 *	family WORD N … exits with N, after what WORD says
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BRIEF 50
#define LONG  130000

static char *self;

static void *ends_later(void *status)
{
	usleep(20000);
	exit(*(int *)status);
}

static void *executes(void *argv)
{
	execv(self, argv);
	_exit(99);
}

static void burn(double seconds)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}

/* As setproctitle(3): writes over the arguments. */
static void take_title(int argc, char **argv, const char *title)
{
	char *end = argv[argc - 1] + strlen(argv[argc - 1]);

	memset(argv[0], 0, (size_t)(end - argv[0]));
	memcpy(argv[0], title, strlen(title));
}

static int act(int argc, char **argv)
{
	char *next[] = {argv[0], "leaf", argv[2], "as-second", NULL};
	int status = atoi(argv[2]);
	pthread_t thread;

	if (!strcmp(argv[1], "killed"))
		raise(SIGKILL);
	if (!strcmp(argv[1], "twice"))
		executes(next);
	if (!strcmp(argv[1], "thread")) {
		pthread_create(&thread, NULL, executes, next);
		pause();
	}
	if (!strcmp(argv[1], "leaderless")) {
		pthread_create(&thread, NULL, ends_later, &status);
		pthread_exit(NULL);
	}
	if (!strcmp(argv[1], "title")) {
		take_title(argc, argv, "family: a title");
		burn(0.3);
		(void)!write(3, "", 1);
		close(3);
		pause();
	}
	return status;
}

static void say(const char *label, pid_t pid, const char *end, int status, char *const *argv)
{
	printf("%s %d %d %s %d ", label, pid, getpid(), end, status);
	for (; *argv; argv++) {
		for (const unsigned char *c = (const void *)*argv; *c; c++)
			printf("%02x", *c);
		printf("00");
	}
	puts("");
	fflush(stdout);
}

static pid_t born(char *const *argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!strcmp(argv[1], "forked"))
		_exit(atoi(argv[2]));
	execv(self, argv);
	_exit(99);
}

/* @shown: the command line that it has at its end. */
static pid_t live(const char *label, char *const *argv, char *const *shown)
{
	pid_t pid = born(argv);
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		say(label, pid, "killed", WTERMSIG(status), shown);
	else
		say(label, pid, "exited", WEXITSTATUS(status), shown);
	return pid;
}

/* Two processes with one pid, if the kernel lets that be chosen and nobody else takes it. */
static void live_again(void)
{
	char *first[] = {self, "leaf", "1", "first", NULL};
	char *second[] = {self, "leaf", "2", "second", NULL};
	pid_t pid = live("first", first, first);
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (last) {
		fprintf(last, "%d", pid - 1);
		fclose(last);
	}
	live("second", second, second);
}

static void live_on(void)
{
	char *argv[] = {self, "title", "0", "some", "more", "words", NULL};
	char *title[] = {"family: a title", NULL};
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		exit(98);
	pid = fork();
	if (!pid) {
		close(ready[0]);
		dup2(ready[1], 3);
		if (ready[1] != 3)
			close(ready[1]);
		execv(self, argv);
		_exit(99);
	}
	close(ready[1]);
	(void)!read(ready[0], &byte, 1);
	say("title", pid, "lives", 0, title);
}

int main(int argc, char **argv)
{
	static char text[LONG + 1], number[16];
	char *forked[] = {argv[0], "forked", "3", NULL};
	char *killed[] = {argv[0], "killed", "0", "secret", NULL};
	char *twice[] = {argv[0], "twice", "4", NULL}, *thread[] = {argv[0], "thread", "5", NULL};
	char *second[] = {argv[0], "leaf", "4", "as-second", NULL};
	char *of_thread[] = {argv[0], "leaf", "5", "as-second", NULL};
	char *leaderless[] = {argv[0], "leaderless", "6", NULL};
	char *odd[] = {argv[0], "leaf", "7", "a\nb\033[31m", "\xff\xc3\xa4", "", "end", NULL};
	char *huge[] = {argv[0], "leaf", "8", text, NULL};
	char *brief[] = {argv[0], "leaf", number, "brief", NULL};

	self = argv[0];
	if (argc > 1)
		return act(argc, argv);
	memset(text, 'x', LONG);
	for (int i = 0; i < BRIEF; i++) {
		snprintf(number, sizeof(number), "%d", i);
		live("brief", brief, brief);
	}
	live("forked", forked, argv);
	live("killed", killed, killed);
	live("twice", twice, second);
	live("thread", thread, of_thread);
	live("leaderless", leaderless, leaderless);
	live("odd", odd, odd);
	live("long", huge, huge);
	live_again();
	live_on();
	return 9;
}
