#include "sandbox/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/owned.h"
#include "sandbox/exporter.h"
#include "sandbox/request.h"

/* --- rights ----------------------------------------------------------------------------------- */

static const int of_broker[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,
				CAP_KILL,  CAP_SETGID,	     CAP_SETUID};

void broker_keep_rights(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct all[2];
	uint32_t keep[2] = {0};

	if (syscall(SYS_capget, &head, all))
		return;
	for (size_t i = 0; i < sizeof(of_broker) / sizeof(*of_broker); i++)
		keep[CAP_TO_INDEX(of_broker[i])] |= CAP_TO_MASK(of_broker[i]);
	for (int i = 0; i < 2; i++) {
		all[i].permitted &= keep[i];
		all[i].effective &= keep[i];
		all[i].inheritable = 0;
	}
	(void)!syscall(SYS_capset, &head, all);
}

/* --- requests --------------------------------------------------------------------------------- */

struct exchange {
	const struct request *request;
	struct answer *answer;
	int fd; /* sent with the answer, then closed; -1: none */
};

static int serve_open(struct broker *b, struct exchange *x)
{
	const int writes = O_ACCMODE & x->request->flags;
	const unsigned uses =
		writes ? 1u << ALLOWED_CHANGE : 1u << ALLOWED_CHANGE | 1u << ALLOWED_READ;
	const int most = O_ACCMODE | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	const int flags = (int)x->request->flags | O_CLOEXEC;
	const struct allowed_file *f = allowed_find(b->allowed, x->request->path, uses);

	if (x->request->flags & ~(unsigned)most || !f)
		return -EACCES;
	x->fd = f->as_owner ? owned_open(f->path, flags) : open(f->path, flags);
	if (x->fd < 0)
		return -errno;
	snprintf(b->reading, sizeof(b->reading), "%s", x->request->path);
	return 0;
}

static int serve_done(struct broker *b, struct exchange *x)
{
	(void)x;
	b->reading[0] = '\0';
	return 0;
}

/* Of a file that may be both made and changed, the entry for what is asked. */
static const struct allowed_file *find_to_begin(const struct broker *b, const char *path,
						bool again)
{
	const unsigned make = 1u << ALLOWED_MAKE | 1u << ALLOWED_FILL;
	const struct allowed_file *f = again ? NULL : allowed_find(b->allowed, path, make);

	return f ? f : allowed_find(b->allowed, path, 1u << ALLOWED_CHANGE);
}

static int serve_begin(struct broker *b, struct exchange *x)
{
	const bool again = x->request->flags & REQUEST_AGAIN;
	const struct allowed_file *f = find_to_begin(b, x->request->path, again);
	const bool force = x->request->flags & REQUEST_FORCE;
	int i = 0, rc;

	while (i < BROKER_FILES && b->files[i].path)
		i++;
	if (i == BROKER_FILES || !f)
		return err(-EACCES, "cannot make '%s': the command line does not name it",
			   x->request->path);
	rc = again ? file_begin_again(&b->files[i], x->request->path)
		   : file_begin(&b->files[i], x->request->path, force && f->force);
	if (rc)
		return rc;
	x->answer->number = i;
	x->fd = dup(b->files[i].fd);
	return 0;
}

static struct file_new *begun(struct broker *b, const struct exchange *x)
{
	const int32_t i = x->request->number;

	return i >= 0 && i < BROKER_FILES && b->files[i].path ? &b->files[i] : NULL;
}

static int serve_commit(struct broker *b, struct exchange *x)
{
	struct file_new *f = begun(b, x);

	return f ? file_commit(f) : -EBADF;
}

static int serve_drop(struct broker *b, struct exchange *x)
{
	struct file_new *f = begun(b, x);

	if (f)
		file_drop(f);
	return 0;
}

static int serve_run(struct broker *b, struct exchange *x)
{
	const struct allowed_file *f =
		allowed_find(b->allowed, x->request->path, 1u << ALLOWED_READ);

	if (!b->allowed->runs_exporter || !f || b->exporter)
		return err(-EACCES, "cannot run " EXPORTER " on '%s': %s", x->request->path,
			   b->allowed->runs_exporter ? "the command line does not name it"
						     : "this command reads no traces");
	return exporter_start(f->path, &b->mask, &x->fd, &b->exporter);
}

static int serve_end(struct broker *b, struct exchange *x)
{
	int status = 0, rc = b->exporter ? exporter_end(b->exporter, &status) : -ECHILD;

	b->exporter = 0;
	x->answer->number = status;
	return rc;
}

static int (*const serve[REQUEST_KINDS])(struct broker *, struct exchange *) = {
	[REQUEST_OPEN] = serve_open,	 [REQUEST_DONE] = serve_done, [REQUEST_BEGIN] = serve_begin,
	[REQUEST_COMMIT] = serve_commit, [REQUEST_DROP] = serve_drop, [REQUEST_RUN] = serve_run,
	[REQUEST_END] = serve_end,
};

bool broker_serve(struct broker *b)
{
	struct request request;
	struct answer answer = {0};
	struct exchange x = {&request, &answer, -1};
	int sent = -1, rc = request_receive(b->socket, &request, sizeof(request), &sent);

	if (sent >= 0)
		close(sent);
	if (rc || request.kind >= REQUEST_KINDS)
		return false;
	request.path[sizeof(request.path) - 1] = '\0';
	answer.rc = serve[request.kind](b, &x);
	if (request.kind == REQUEST_DONE)
		return true;
	if (answer.rc)
		snprintf(answer.text, sizeof(answer.text), "%s", err_text());
	rc = request_send(b->socket, &answer, sizeof(answer), x.fd);
	if (x.fd >= 0)
		close(x.fd);
	return !rc;
}

void broker_end(struct broker *b)
{
	int status;

	for (int i = 0; i < BROKER_FILES; i++)
		if (b->files[i].path)
			file_drop(&b->files[i]);
	/* It ends where nobody reads what it prints. */
	if (b->exporter)
		(void)exporter_end(b->exporter, &status);
	b->exporter = 0;
	close(b->socket);
}
