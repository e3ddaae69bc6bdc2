/*
 * exporter: stands in for Tracy's tracy-csvexport: prints what the trace, its last argument, has
 * behind the first four bytes. A trace of one word has it do something else: "fails", "dies",
 * "hangs", or "tries": all that a hostile trace could try in it, each that is not refused a zone,
 * and one that says how many there were.
 */
#include <pthread.h>
#include <poll.h>

#include "attempts.h"

static unsigned tried;

static void told(const char *name, long rc)
{
	tried++;
	if (rc >= 0)
		printf("%s,m.c,1,%u,1,1,\n", name, 1000 * tried);
}

static void *run(void *arg)
{
	return arg;
}

static void try_all(void)
{
	char *argv[] = {(char *)"x", NULL};
	struct rlimit files = {0};
	pthread_t thread;

	printf("name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n");
	attempt_all(told, "/etc/shadow", "/etc/hostname");
	told("exec-fd", syscall(SYS_execveat, 3, "", argv, argv + 1, AT_EMPTY_PATH));
	getrlimit(RLIMIT_NOFILE, &files);
	while (open("/usr/bin/true", O_RDONLY) >= 0)
		;
	told("dup-number", dup2(3, (int)files.rlim_cur));
	told("exec-number",
	     syscall(SYS_execveat, files.rlim_cur, "", argv, argv + 1, AT_EMPTY_PATH));
	told("exec-own", syscall(SYS_execveat, AT_FDCWD, "/proc/self/exe", argv, argv + 1, 0));
	told("raise-files",
	     setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = 4096, .rlim_max = 4096}));
	told("write-file", write(3, "x", 1));
	printf("tried%u,m.c,1,0,1,1,\n", tried);
	if (!pthread_create(&thread, NULL, run, NULL) && !pthread_join(thread, NULL))
		printf("thread,m.c,1,1,1,1,\n");
	printf("uid%u,m.c,1,2,1,1,\n", getuid());
}

int main(int argc, char **argv)
{
	char text[65536];
	FILE *trace = argc == 4 && !strcmp(argv[1], "-u") && !strcmp(argv[2], "--")
			      ? fopen(argv[3], "r")
			      : NULL;
	size_t n = trace ? fread(text, 1, sizeof(text) - 1, trace) : 0;

	if (n < 4)
		return 9;
	text[n] = 0;
	if (!strcmp(text + 4, "fails"))
		return 3;
	if (!strcmp(text + 4, "dies"))
		raise(SIGKILL);
	if (!strcmp(text + 4, "hangs"))
		for (;;)
			;
	if (!strcmp(text + 4, "tries"))
		try_all();
	else
		fputs(text + 4, stdout);
	return 0;
}
