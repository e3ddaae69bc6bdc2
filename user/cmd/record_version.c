#include "cmd/record_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/str.h"
#include "broker/agent.h"
#include "cmd/record_save.h"
#include "model/meta.h"
#include "process/opener.h"
#include "symbol/buildversion.h"

#define GIT_WAIT_MS 5000

/* --- git ---------------------------------------------------------------------------------------
 */

/* Reads what git prints, up to @n bytes; false: it takes too long, or prints more. */
static bool read_all(int fd, char *text, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t at = 0;
	ssize_t got = 1;

	while (got > 0 && at < n && poll(&p, 1, GIT_WAIT_MS) > 0) {
		do
			got = read(fd, text + at, n - at);
		while (got < 0 && errno == EINTR);
		at += got > 0 ? (size_t)got : 0;
	}
	return got == 0;
}

/* Gets "v1.2-5-gabc1234-dirty", without the newline. */
static bool describe(const char *folder, char *text, size_t n)
{
	int fds[2], status = -1, none, rc;
	bool whole;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	rc = agent_run(RECORD_GIT, folder, 0, &fds[1], 1, &none);
	close(fds[1]);
	whole = !rc && read_all(fds[0], text, n - 1);
	close(fds[0]);
	if (!rc)
		rc = agent_run_end(!whole, &status);
	text[strcspn(text, "\n")] = '\0';
	return !rc && whole && WIFEXITED(status) && !WEXITSTATUS(status) && text[0];
}

static void set_by_git(struct profile *p, const char *path)
{
	_free_ char *folder = mem_strndup(path, (size_t)(str_base(path) - path));
	char text[BUILDVERSION_BYTES] = "";
	_free_ char *clean = NULL;

	if (!describe(folder, text, sizeof(text)))
		return;
	clean = str_clean(text, strlen(text));
	profile_set_meta(p, META_VERSION, clean);
	profile_set_meta(p, META_VERSION_ORIGIN, "git describe");
}

/* Opens the file, which root's command names, if it is on a local file system that answers. */
static bool open_if_local(struct opener *opener, const char *path, struct opener_answer *a)
{
	const struct owner as = owner_reader(&(struct owner){0});
	const struct opener_request r = {.what = OPENER_PATH,
					 .path = path,
					 .root_fd = OPENER_OWN_ROOT,
					 .as = caller_had_rights() ? &as : NULL};

	return !opener_ask(opener, &r, a) && !a->is_copy;
}

void record_version_find(struct opener *opener, const char *path, const char *id,
			 struct buildversion *out)
{
	struct opener_answer a;

	*out = (struct buildversion){0};
	if (path[0] != '/')
		return;
	if (open_if_local(opener, path, &a)) {
		/* Packages own the file rather than links to it. */
		_free_ char *real = file_path(a.fd);

		buildversion_find(a.fd, real && real[0] == '/' ? real : path, id, NULL, out);
	}
	opener_answer_release(opener, &a);
}

void record_version_set(struct profile *p, struct opener *opener)
{
	const struct module *m = &p->modules.at[profile_main_module(p)];
	/* Copy it: setting attributes may move the strings. */
	_free_ char *path = mem_strdup(profile_text(p, m->path));
	_free_ char *id = mem_strdup(profile_text(p, m->build_id));
	struct buildversion v;

	record_version_find(opener, path, id, &v);
	if (v.version[0]) {
		profile_set_meta(p, META_VERSION, v.version);
		profile_set_meta(p, META_VERSION_ORIGIN, v.origin);
	} else if (v.is_there) {
		set_by_git(p, path);
	}
}
