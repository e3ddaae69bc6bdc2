/*
 * zone_guard: protects programs that run other programs by translating their code
 * (elf/translator.h). A probe is in its file and thus in every process that maps the file; read as
 * code, it crashes what such a translator runs. While a translator runs, no library has probes for
 * all processes, since the translator may load any, and no program whose code it reads; for a while
 * after its start, when it maps what it will run, no file at all has.
 *
 * If the translator's file was found before (zone_watch.c), its start waits until the probes are
 * gone (keeper.h). Otherwise eprof sees it only afterwards, too late for most of what it runs; the
 * second start of that file waits.
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
#include "process/closure.h"
#include "process/procfs.h"
#include "probe/zone_state.h"

/* valgrind has mapped the program within 0.1 s if it gets a CPU. */
#define BEGINNING_NS 10000000000u

static uint64_t key_of(const struct stat *st)
{
	return hash_two(hash_two(st->st_dev, st->st_ino),
			hash_two((uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec));
}

static const struct translator *read_program(const char *path, int fd, bool *is_script)
{
	const struct translator *is = translator_called(str_base(path));
	struct elffile f;

	*is_script = elffile_open(fd, &f) != 0;
	if (*is_script)
		return is;
	if (!is)
		is = translator_find(&f);
	elffile_release(&f);
	return is;
}

/* Identifies the translator in the file; reads each file once. A script's interpreter is a file of
 * its own. */
static const struct translator *judge_file(struct zones *z, int fd)
{
	_free_ char *link = mem_printf("/proc/self/fd/%d", fd);
	const struct translator *is;
	char name[PATH_MAX];
	struct stat st;
	uint32_t *at;
	ssize_t n;
	bool fresh, is_script;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	at = map_put(&z->programs, key_of(&st), &fresh);
	if (!fresh)
		return z->judged.at[*at];
	n = readlink(link, name, sizeof(name) - 1);
	name[n > 0 ? n : 0] = '\0';
	is = read_program(name, fd, &is_script);
	*at = (uint32_t)z->judged.n;
	vec_push(&z->judged, is);
	if (is && !is_script)
		keeper_watch(z->keeper, fd, *at);
	return is;
}

static const struct translator *judge(struct zones *z, const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? NULL : judge_file(z, fd);
}

void zone_guard_watch(struct zones *z, int fd)
{
	(void)judge_file(z, fd);
}

/* Has the probes for all processes decided on again. */
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

/* --- the code it reads ---------------------------------------------------------------------- */

static void take_mapping(void *context, const struct procfs_mapping *m)
{
	struct zone_translator *t = context;

	if (m->inode && !(m->executable && t->is->needs_libraries))
		vec_push(&t->reads, ((struct zone_reads){m->inode, m->file_offset,
							 m->file_offset + (m->end - m->start)}));
}

/* False: the process has ended. */
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
	if (!(image->list.flags & ZONELIST_PROGRAM))
		return true;
	if (t->begun_ns && clock_ns(CLOCK_MONOTONIC) - t->begun_ns < BEGINNING_NS)
		return true;
	for (size_t i = 0; i < t->reads.n; i++)
		if (t->reads.at[i].inode == inode && has_zone_in(image, &t->reads.at[i]))
			return true;
	return false;
}

/* --- forbidden probes ----------------------------------------------------------------------- */
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
	why = mem_printf("%s has no probes while process %u runs: %s would read them as code and "
			 "crash what it runs",
			 str_base(images_at(z->in.images, image->image)->path), t->pid,
			 t->is->name);
	zone_note(z, why);
	if (!z->forbidden)
		z->forbidden = mem_strdup(why);
	return true;
}

/* Detaches the probes: a translator may read them in a moment. */
static void take_down(struct zones *z)
{
	const struct zone_hanging nothing = {0};

	for (size_t i = 0; i < z->at.n; i++) {
		struct zone_image *image = z->at.at[i];

		if (zone_guard_forbids(z, image, &image->hanging))
			(void)zone_image_hang(image, &z->tools,
					      images_at(z->in.images, image->image), &nothing);
	}
}

/* --- processes ------------------------------------------------------------------------------ */

static void add(struct zones *z, const struct zone_translator *what)
{
	struct zone_translator *t = find(z, what->pid);

	if (!t)
		t = vec_add(&z->translators);
	t->pid = what->pid;
	t->is = what->is;
	t->begun_ns = what->begun_ns;
	t->held_ns = what->held_ns;
	(void)read_maps(t);
	take_down(z);
	look_again(z);
}

static void forget(struct zones *z, struct zone_translator *t)
{
	vec_release(&t->reads);
	*t = z->translators.at[--z->translators.n];
	look_again(z);
}

static void end(struct zones *z, uint32_t pid)
{
	struct zone_translator *t = find(z, pid);

	if (t)
		forget(z, t);
}

static void judge_process(struct zones *z, uint32_t pid, bool begins)
{
	_free_ char *path = procfs_path(pid, "exe");
	struct zone_translator t = {.pid = pid, .is = judge(z, path)};

	if (begins)
		t.begun_ns = clock_ns(CLOCK_MONOTONIC);
	if (t.is)
		add(z, &t);
	else
		end(z, pid);
}

/* What a command's process will run is known already. */
static void judge_running(void *context, uint32_t pid)
{
	struct zones *z = context;

	if (!find(z, pid))
		judge_process(z, pid, false);
}

static void watch_running(void *context, uint32_t pid)
{
	zone_watch_process(context, pid, true);
}

/* Finds translators that started just before their files were watched. */
void zone_guard_find(struct zones *z)
{
	(void)procfs_processes(watch_running, z);
	(void)procfs_processes(judge_running, z);
}

void zone_guard_written(struct zones *z, struct zone_image *image)
{
	_free_ char *text = mem_printf("%s was opened for writing: its probes were detached, and "
				       "its calls counted until then",
				       str_base(images_at(z->in.images, image->image)->path));

	image->written = true;
	if (image->list.zones.n)
		zone_note(z, text);
}

/* Later mappings of the file may be another image, with probes of its own. */
static void heed_written(struct zones *z, const struct keeper_file *file)
{
	for (size_t i = 0; i < z->at.n; i++)
		if (keeper_file_is(file, &z->at.at[i]->file))
			zone_guard_written(z, z->at.at[i]);
}

static void heed_start(struct zones *z, const struct keeper_start *start)
{
	const struct zone_translator t = {.pid = start->pid,
					  .is = z->judged.at[start->tag],
					  .begun_ns = clock_ns(CLOCK_MONOTONIC),
					  .held_ns = start->time_ns};

	add(z, &t);
}

void zone_guard_heed(struct zones *z)
{
	struct keeper_news news = {0};

	if (keeper_has_news(z->keeper, &news)) {
		for (size_t i = 0; i < news.written.n; i++)
			heed_written(z, &news.written.at[i]);
		for (size_t i = 0; i < news.starts.n; i++)
			heed_start(z, &news.starts.at[i]);
	}
	keeper_news_release(&news);
}

void zone_guard_command(struct zones *z, uint32_t pid, const char *command)
{
	_free_ char *program = closure_program(command);
	struct zone_translator t = {.pid = pid, .begun_ns = clock_ns(CLOCK_MONOTONIC)};

	t.is = program ? judge(z, program) : NULL;
	if (t.is)
		add(z, &t);
}

/* Whether the event is older than a held start of the process, and says nothing of what it runs
 * now. */
static bool is_past(struct zones *z, uint32_t pid, uint64_t time_ns)
{
	const struct zone_translator *t = find(z, pid);

	return t && time_ns < t->held_ns;
}

void zones_program(struct zones *z, uint32_t pid, uint64_t time_ns)
{
	zone_watch_process(z, pid, false);
	if (!is_past(z, pid, time_ns))
		judge_process(z, pid, true);
}

void zones_born(struct zones *z, uint32_t pid, uint32_t child)
{
	const struct zone_translator *t = find(z, pid);
	struct zone_translator born = {.pid = child};

	if (!t || find(z, child))
		return;
	born.is = t->is;
	born.begun_ns = t->begun_ns;
	add(z, &born);
}

void zones_end(struct zones *z, uint32_t pid, uint64_t time_ns)
{
	if (!is_past(z, pid, time_ns))
		end(z, pid);
}

/* Looks at the running translators again: they may map more. */
void zone_guard_tick(struct zones *z)
{
	for (size_t i = z->translators.n; i-- > 0;) {
		struct zone_translator *t = &z->translators.at[i];

		/* The end of a process that we cannot see is unknown. */
		if (t->pid && !read_maps(t))
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
