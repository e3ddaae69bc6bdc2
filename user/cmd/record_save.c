#include "cmd/record_save.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/answers.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/hash.h"
#include "base/str.h"
#include "cmd/render_run.h"
#include "store/store.h"

char *record_part_name(const char *output, const char *store)
{
	return output ? mem_printf("%s.part", output)
		      : mem_printf("%s.%d.part", store, (int)getpid());
}

/* Memory may be short for a moment. */
#define IMAGE_TRIES 2

/* Has eprof-render check the store: see render_run.h. */
static int check_store(const char *store)
{
	const char *const words[] = {"check-store", store, NULL};

	return access(store, F_OK) && errno == ENOENT
		       ? file_check_new(store, false)
		       : render_run(words, NULL, RENDER_RUN_ON, NULL);
}

/* What the broker is to write, and the signals that limit its time. */
struct saving {
	const struct record_places *at;
	struct render_file image;
	int signal_fd;
};

static int add_to_store(const struct saving *s)
{
	struct str done = {0};
	const int rc =
		render_run_by_broker(RECORD_ADD, s->at->store, &s->image, s->signal_fd, &done);

	str_release(&done);
	return rc;
}

static int save_at(const struct saving *s, const char *path)
{
	return render_save_by_broker(RECORD_SAVE, path, 0, &s->image, s->signal_fd);
}

int record_places_check(const struct record_places *at)
{
	int ret = store_library_check();

	if (!ret && at->output)
		ret = answers(at->output, NULL);
	if (!ret && at->store)
		ret = answers(at->store, NULL);
	if (!ret && at->output)
		ret = file_check_new(at->output, at->force);
	if (!ret && at->store)
		ret = check_store(at->store);
	if (!ret && !at->force && access(at->part, F_OK) == 0)
		ret = err(-EEXIST,
			  "'%s' is left from a capture that was cut off; rename it, or use --force",
			  at->part);
	return ret;
}

/* Whether only root and we can rename or remove files in the folder. */
static bool is_safe(const char *folder)
{
	struct stat st;

	return !stat(folder, &st) && S_ISDIR(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

void record_places_settle(struct record_places *at)
{
	static const char *const folders[] = {"/var/tmp", "/tmp", "/dev/shm"};
	const uint64_t name = chance_u64();

	if (at->store)
		at->elsewhere[at->n_elsewhere++] =
			mem_printf("%s.%016" PRIx64 ".h5", at->store, name);
	at->n_beside = at->n_elsewhere;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (is_safe(folders[i]))
			at->elsewhere[at->n_elsewhere++] =
				mem_printf("%s/eprof-%016" PRIx64 ".h5", folders[i], name);
}

void record_places_release(struct record_places *at)
{
	for (size_t i = 0; i < at->n_elsewhere; i++)
		free(at->elsewhere[i]);
	at->n_elsewhere = 0;
}

static const char *save_elsewhere(const struct saving *s, bool store_hangs)
{
	const struct record_places *at = s->at;

	for (size_t i = store_hangs ? at->n_beside : 0; i < at->n_elsewhere; i++)
		if (!save_at(s, at->elsewhere[i]))
			return at->elsewhere[i];
	return NULL;
}

/* Saves the file. Returns where; NULL: nowhere. *@why: why it is not at the requested path; NULL:
 * it is. */
static const char *save(const struct saving *s, char **why, struct record_saved *saved)
{
	const struct record_places *at = s->at;
	const char *there = at->output;
	int rc = at->output ? save_at(s, at->output) : 0;

	if (rc) {
		there = NULL;
		*why = mem_strdup(err_text());
	}
	saved->part_hangs = rc == -ETIMEDOUT;
	rc = at->store ? add_to_store(s) : 0;
	if (rc) {
		free(*why);
		*why = mem_strdup(err_text());
	} else if (at->store && !there) {
		there = at->store;
	}
	if (!at->output)
		saved->part_hangs = rc == -ETIMEDOUT;
	return there ? there : save_elsewhere(s, rc == -ETIMEDOUT);
}

/* Makes the bytes once for all places. */
static int make_image(const struct profile *p, struct render_file *to)
{
	_free_ char *image = NULL, *why = NULL;
	size_t n = 0;
	int rc = store_image(p, &image, &n);

	if (!rc)
		rc = render_file_make(to, image, n);
	if (!rc)
		return 0;
	why = mem_strdup(err_text());
	return err(rc, "cannot write the profile: %s", why);
}

int record_save(const struct record_places *at, const struct profile *p, int signal_fd,
		struct record_saved *saved)
{
	struct saving s = {.at = at, .image = {.fd = -1}, .signal_fd = signal_fd};
	_free_ char *why = NULL;
	const char *there;
	int rc;

	*saved = (struct record_saved){0};
	/* Retry: without the image nothing can be saved anywhere. */
	for (int i = 0; i < IMAGE_TRIES; i++) {
		rc = make_image(p, &s.image);
		if (!rc)
			break;
		render_file_close(&s.image);
	}
	there = rc ? NULL : save(&s, &why, saved);
	render_file_close(&s.image);
	saved->anywhere = there != NULL;
	if (rc || !why)
		return rc;
	return there ? err(-EIO, "%s; the profile is in '%s' instead", why, there)
		     : err(-EIO, "%s", why);
}

void record_part_remove(const struct record_places *at, int signal_fd)
{
	_free_ char *text = mem_strdup(err_text());
	struct render_file nothing;
	const int rc = render_file_make(&nothing, "", 0);

	if (!rc)
		(void)render_save_by_broker(RECORD_REMOVE, at->part, 0, &nothing, signal_fd);
	render_file_close(&nothing);
	(void)err(0, "%s", text);
}

static int put(const struct window_place *w, const void *bytes, size_t n, uint64_t at,
	       int signal_fd)
{
	struct render_file f;
	int rc = render_file_make(&f, bytes, n);

	if (!rc)
		rc = render_save_by_broker(RECORD_PUT, w->path, at, &f, signal_fd);
	render_file_close(&f);
	return rc;
}

static int get(const struct window_place *w, void *bytes, size_t n, uint64_t at, int signal_fd)
{
	struct render_file f;
	int rc = render_file_room(&f, n);

	if (!rc)
		rc = render_save_by_broker(RECORD_GET, w->path, at, &f, signal_fd);
	if (!rc && file_get_at(f.fd, bytes, n, 0) != (ssize_t)n)
		rc = err(-EIO, "cannot read '%s'", w->path);
	render_file_close(&f);
	return rc;
}

struct window_place record_windows(const char *path)
{
	return (struct window_place){.path = path, .put = put, .get = get};
}
