/* deleted SECONDS: runs a copy of itself which unlinks its own file and then spins in
 * deleted_spin. */
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "prog.h"

FRAME uint64_t deleted_spin(double seconds)
{
	return spin_for(seconds);
}

static int run_copy(char *seconds)
{
	char path[] = "/tmp/deleted.XXXXXX";
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st))
		return 1;
	while (sendfile(to, from, NULL, st.st_size) > 0)
		;
	fchmod(to, 0700);
	close(to);
	execl(path, path, seconds, "copy", NULL);
	unlink(path);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (argc < 3)
		return run_copy(argv[1]);
	if (unlink(argv[0]))
		return 1;
	deleted_spin(atof(argv[1]));
	printf("pid=%d path=%s\n", getpid(), argv[0]);
	return 0;
}
