#include "base/answers.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"

#define ANSWER_MS 10000

/* It opens nothing: what eprof has not written it does not read. */
static _Noreturn void look(const char *path)
{
	struct stat st;

	_exit(stat(path, &st) ? 1 : 0);
}

int answers(const char *path)
{
	const pid_t child = child_fork();
	int status = 0, rc = 0;

	if (!child)
		look(path);
	if (child > 0)
		rc = child_await(child, ANSWER_MS, &status, NULL);
	if (rc == -ETIMEDOUT || (!rc && WIFSIGNALED(status)))
		return err(-ETIMEDOUT, "'%s' lies on a mount that does not answer", path);
	return 0;
}
