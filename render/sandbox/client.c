#include "sandbox/client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "sandbox/exporter.h"
#include "sandbox/request.h"

/* Of the process: its broker, and an exporter that it runs itself. */
static int broker = -1;
static pid_t own_exporter;

static int receive(struct answer *a, int *fd)
{
	int rc = request_receive(broker, a, sizeof(*a), fd);

	if (rc)
		return err(rc, "the process that opens files for this one is gone");
	a->text[sizeof(a->text) - 1] = '\0';
	return a->rc && a->text[0] ? err(a->rc, "%s", a->text) : a->rc;
}

/* The answer's code; *@fd -1 where none came. */
static int ask(const struct request *r, struct answer *a, int *fd)
{
	int rc = request_send(broker, r, sizeof(*r), -1);

	*fd = -1;
	return rc ? err(rc, "the process that opens files for this one is gone") : receive(a, fd);
}

/* -ENAMETOOLONG with a text. */
static int put_path(struct request *r, const char *path)
{
	const size_t n = strlen(path);

	if (n >= sizeof(r->path))
		return err(-ENAMETOOLONG, "cannot open '%.100s...': %s", path,
			   strerror(ENAMETOOLONG));
	memcpy(r->path, path, n + 1);
	return 0;
}

static int ask_open(const char *path, int flags)
{
	struct request r = {.kind = REQUEST_OPEN, .flags = (uint32_t)flags};
	struct answer a;
	int fd = -1, rc = put_path(&r, path);

	if (!rc)
		rc = ask(&r, &a, &fd);
	errno = -rc;
	return rc ? -1 : fd;
}

static void tell_done(void)
{
	const struct request r = {.kind = REQUEST_DONE};

	(void)request_send(broker, &r, sizeof(r), -1);
}

static int ask_begin(const char *path, bool force, bool again, int *fd)
{
	struct request r = {.kind = REQUEST_BEGIN,
			    .flags = (force ? REQUEST_FORCE : 0u) | (again ? REQUEST_AGAIN : 0u)};
	struct answer a;
	int rc = put_path(&r, path);

	if (!rc)
		rc = ask(&r, &a, fd);
	return rc ? rc : a.number;
}

static int ask_end(int number, bool commit)
{
	const struct request r = {.kind = commit ? REQUEST_COMMIT : REQUEST_DROP, .number = number};
	struct answer a;
	int none;

	return ask(&r, &a, &none);
}

void client_begin(int socket)
{
	static const struct file_agent agent = {ask_open, tell_done, ask_begin, ask_end};

	broker = socket;
	file_use_agent(&agent);
}

int client_run(const char *path, int *out)
{
	struct request r = {.kind = REQUEST_RUN};
	struct answer a;
	sigset_t none;
	int rc;

	if (broker < 0) {
		sigemptyset(&none);
		return exporter_start(path, &none, out, &own_exporter);
	}
	rc = put_path(&r, path);
	return rc ? rc : ask(&r, &a, out);
}

int client_run_end(int *status)
{
	const struct request r = {.kind = REQUEST_END};
	struct answer a;
	int none, rc;

	if (broker < 0)
		return exporter_end(own_exporter, status);
	rc = ask(&r, &a, &none);
	*status = a.number;
	return rc;
}
