/*
 * zone_guard: programs that run others by translating their code (elf/translator.h). A probe stands
 * in its file, and so in all processes that map it: one that they read as code kills what they run.
 * While such a process runs, files whose code it reads have no probes for all; nor has any file for
 * a while after it began, when it maps what it will run.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/translator.h"
#include "source/zone_state.h"
#include "symbol/closure.h"
#include "symbol/procfs.h"

/* valgrind has mapped the program and its C library within 0.1 to 1 s. */
#define BEGINNING_NS 3000000000u

static uint64_t key_of(const struct stat *st)
{
	return hash_two(hash_two(st->st_dev, st->st_ino),
			hash_two((uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec));
}

static const struct translator *read_program(const char *path, int fd)
{
	const struct translator *is = translator_called(str_base(path));
	struct elffile f;

	if (is || elffile_open(fd, &f))
		return is;
	is = translator_find(&f);
	elffile_release(&f);
	return is;
}

/* What the file is; each is read once. */
static const struct translator *judge(struct zones *z, const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char name[PATH_MAX];
	struct stat st;
	uint32_t *at;
	ssize_t n;
	bool fresh;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	at = map_put(&z->programs, key_of(&st), &fresh);
	if (fresh) {
		n = readlink(path, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = '\0';
		*at = (uint32_t)z->judged.n;
		vec_push(&z->judged, read_program(n > 0 ? name : path, fd));
	}
	return z->judged.at[*at];
}

/* Probes of all processes are to be decided on anew. */
static void look_again(struct zones *z)
{
	for (size_t i = 0; i < z->processes.n; i++)
		zones_process(z, z->processes.at[i]->pid);
}

static struct zone_translator *find(struct zones *z, uint32_t pid)
{
	for (size_t i = 0; i < z->translators.n; i++)
		if (z->translators.at[i].pid == pid)
			return &z->translators.at[i];
	return NULL;
}

/* --- what it reads as code ------------------------------------------------------------------ */

static void take_mapping(void *context, const struct procfs_mapping *m)
{
	struct zone_translator *t = context;

	if (m->inode && !(m->executable && t->is->needs_libraries))
		vec_push(&t->reads, ((struct zone_reads){m->inode, m->file_offset,
							 m->file_offset + (m->end - m->start)}));
}

/* False: it is gone. */
static bool read_maps(struct zone_translator *t)
{
	t->reads.n = 0;
	return !procfs_all_maps(t->pid, take_mapping, t);
}

static bool has_zone_in(const struct zone_image *image, const struct zone_reads *r)
{
	for (size_t k = 0; k < image->list.zones.n; k++) {
		const struct site *site = &image->list.zones.at[k].sites.entry;

		if (site->offset >= r->from && site->offset < r->to)
			return true;
	}
	return false;
}

static bool reads(const struct zone_translator *t, const struct zone_image *image, uint64_t inode)
{
	if (t->begun_ns && clock_ns(CLOCK_MONOTONIC) - t->begun_ns < BEGINNING_NS)
		return true;
	for (size_t i = 0; i < t->reads.n; i++)
		if (t->reads.at[i].inode == inode && has_zone_in(image, &t->reads.at[i]))
			return true;
	return false;
}

/* --- what is forbidden ---------------------------------------------------------------------- */
static const struct zone_translator *who_reads(const struct zones *z,
					       const struct zone_image *image,
					       const struct zone_hanging *want)
{
	const uint64_t inode = image_inode(images_at(z->in.images, image->image));

	for (size_t i = 0; i < z->translators.n; i++) {
		const struct zone_translator *t = &z->translators.at[i];
		bool met = !want->entry_pid || want->entry_pid == t->pid ||
			   (want->exits && (!want->exit_pid || want->exit_pid == t->pid));

		if (met && reads(t, image, inode))
			return t;
	}
	return NULL;
}

bool zone_guard_forbids(struct zones *z, struct zone_image *image, const struct zone_hanging *want)
{
	const struct zone_translator *t;
	_free_ char *why = NULL;

	if (want->entries == HANG_NOTHING && !want->switches)
		return false;
	t = who_reads(z, image, want);
	if (!t || image->kept_from == t->pid) {
		image->kept_from = t ? t->pid : 0;
		return t;
	}
	image->kept_from = t->pid;
	why = mem_printf("%s has no probes while process %u runs: %s would take them for code, of "
			 "which what it runs dies",
			 str_base(images_at(z->in.images, image->image)->path), t->pid,
			 t->is->name);
	zone_note(z, why);
	if (!z->forbidden)
		z->forbidden = mem_strdup(why);
	return true;
}

/* It may read what is probed in a moment. */
static void take_down(struct zones *z)
{
	const struct zone_hanging nothing = {0};

	for (size_t i = 0; i < z->at.n; i++) {
		struct zone_image *image = z->at.at[i];

		if (zone_guard_forbids(z, image, &image->hanging))
			(void)zone_image_hang(image, z->in.session,
					      images_at(z->in.images, image->image), &nothing);
	}
}

/* --- processes ------------------------------------------------------------------------------ */

static void add(struct zones *z, uint32_t pid, const struct translator *is, bool begins)
{
	struct zone_translator *t = find(z, pid);

	if (!t)
		t = vec_add(&z->translators);
	t->pid = pid;
	t->is = is;
	t->begun_ns = begins ? clock_ns(CLOCK_MONOTONIC) : 0;
	(void)read_maps(t);
	take_down(z);
	look_again(z);
}

static void judge_process(struct zones *z, uint32_t pid, bool begins)
{
	_free_ char *path = mem_printf("/proc/%u/exe", pid);
	const struct translator *is = judge(z, path);

	if (is)
		add(z, pid, is, begins);
	else
		zones_end(z, pid);
}

/* What a command's process will run is known already. */
static void judge_running(void *context, uint32_t pid)
{
	struct zones *z = context;

	if (!find(z, pid))
		judge_process(z, pid, false);
}

void zone_guard_find(struct zones *z)
{
	(void)procfs_processes(judge_running, z);
}

void zone_guard_command(struct zones *z, uint32_t pid, const char *command)
{
	_free_ char *program = closure_program(command);
	const struct translator *is = program ? judge(z, program) : NULL;

	if (is)
		add(z, pid, is, true);
}

void zones_program(struct zones *z, uint32_t pid)
{
	judge_process(z, pid, true);
}

void zones_born(struct zones *z, uint32_t pid, uint32_t child)
{
	const struct zone_translator *t = find(z, pid);

	if (t && pid != child)
		add(z, child, t->is, t->begun_ns);
}

static void forget(struct zones *z, struct zone_translator *t)
{
	vec_release(&t->reads);
	*t = z->translators.at[--z->translators.n];
	look_again(z);
}

void zones_end(struct zones *z, uint32_t pid)
{
	struct zone_translator *t = find(z, pid);

	if (t)
		forget(z, t);
}

/* They may map more. */
void zone_guard_tick(struct zones *z)
{
	for (size_t i = z->translators.n; i-- > 0;) {
		struct zone_translator *t = &z->translators.at[i];

		if (!read_maps(t))
			forget(z, t);
	}
	if (z->translators.n)
		look_again(z);
}

void zone_guard_release(struct zones *z)
{
	for (size_t i = 0; i < z->translators.n; i++)
		vec_release(&z->translators.at[i].reads);
	vec_release(&z->translators);
	vec_release(&z->judged);
	map_release(&z->programs);
	free(z->forbidden);
}
