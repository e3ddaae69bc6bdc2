#include "cmd/record_save.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chance.h"
#include "base/answers.h"
#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "cmd/record_program.h"
#include "cmd/render_run.h"
#include "store/store.h"

char *record_part_name(const char *output, const char *store)
{
	return output ? mem_printf("%s.part", output)
		      : mem_printf("%s.%d.part", store, (int)getpid());
}

/* A store is eprof-render's to read and to change: see render_run.h. */
static int check_store(const char *store)
{
	const char *const words[] = {"check-store", store, NULL};

	return access(store, F_OK) && errno == ENOENT
		       ? file_check_new(store, false)
		       : render_run(words, NULL, RENDER_RUN_ON, NULL);
}

static int add_to_store(const struct profile *p, int signal_fd)
{
	_free_ char *image = NULL;
	struct render_file captured = {.fd = -1};
	struct str done = {0};
	size_t n = 0;
	int rc = store_image(p, &image, &n);

	if (!rc)
		rc = render_file_make(&captured, image, n);
	if (!rc)
		rc = render_have_run(RECORD_ADD, &captured, signal_fd, &done);
	render_file_close(&captured);
	str_release(&done);
	return rc;
}

int record_places_check(const struct record_places *at)
{
	int ret = store_library_check();

	if (!ret && at->output)
		ret = answers(at->output);
	if (!ret && at->store)
		ret = answers(at->store);
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

/* Whether what is made there stays: nobody but root and us can rename or remove others' files. */
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

static const char *save_elsewhere(const struct record_places *at, const struct profile *p)
{
	for (size_t i = 0; i < at->n_elsewhere; i++)
		if (!store_save(at->elsewhere[i], false, p))
			return at->elsewhere[i];
	return NULL;
}

int record_save(const struct record_places *at, const struct profile *p, int signal_fd, bool *saved)
{
	_free_ char *why = NULL;
	const char *there = NULL;

	if (at->output && store_save(at->output, at->force, p))
		why = mem_strdup(err_text());
	else
		there = at->output;
	if (at->store && add_to_store(p, signal_fd)) {
		free(why);
		why = mem_strdup(err_text());
	} else if (at->store) {
		there = there ? there : at->store;
	}
	there = there ? there : save_elsewhere(at, p);
	*saved = there != NULL;
	if (!why)
		return 0;
	return there ? err(-EIO, "%s; the profile is in '%s' instead", why, there)
		     : err(-EIO, "%s", why);
}
