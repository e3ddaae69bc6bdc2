/*
 * engine_guard: detaches the probes of zones from files where they would harm a process, as the
 * guard says (guard.h), and lets them be attached again when nobody is left whom they harm.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "probe/engine.h"

/* --- forbidden probes ----------------------------------------------------------------------- */

static const struct guard_reader *who_reads(const struct engine *z,
					    const struct probed_image *image,
					    const struct probe_set *want)
{
	const uint64_t inode = image_inode(images_at(z->in.images, image->image));
	const bool is_program = image->list.flags & ZONELIST_PROGRAM;
	const struct guard_reader *r = guard_reader(z->guard, inode, is_program, want->entry_pid);

	return r || !want->exits ? r : guard_reader(z->guard, inode, is_program, want->exit_pid);
}

bool engine_guard_forbids(struct engine *z, struct probed_image *image,
			  const struct probe_set *want)
{
	const struct guard_reader *r;
	_free_ char *why = NULL;

	if (want->entries == ATTACH_NOTHING && !want->switches)
		return false;
	r = who_reads(z, image, want);
	if (!r || image->kept_from == r->pid) {
		image->kept_from = r ? r->pid : 0;
		return r;
	}
	image->kept_from = r->pid;
	why = mem_printf("%s has no probes while process %u runs: %s would read them as code and "
			 "crash what it runs",
			 str_base(images_at(z->in.images, image->image)->path), r->pid,
			 guard_translator_name(r->translator));
	engine_note(z, why);
	if (!z->forbidden)
		z->forbidden = mem_strdup(why);
	return true;
}

/* Detaches the probes: a translator may read them in a moment. */
static void take_down(struct engine *z)
{
	const struct probe_set nothing = {0};

	for (size_t i = 0; i < z->at.n; i++) {
		struct probed_image *image = z->at.at[i];

		if (engine_guard_forbids(z, image, &image->attached))
			(void)probed_image_attach(image, &z->tools,
						  images_at(z->in.images, image->image), &nothing);
	}
}

/* Has the probes for all processes decided on again if other code is read than before. */
static void heed(struct engine *z, bool changed)
{
	if (!changed)
		return;
	take_down(z);
	for (size_t i = 0; i < z->processes.n; i++)
		engine_process(z, z->processes.at[i]->pid);
}

/* --- files that are written to -------------------------------------------------------------- */

void engine_guard_written(struct engine *z, struct probed_image *image)
{
	_free_ char *text = mem_printf("%s was opened for writing: its probes were detached, and "
				       "its calls counted until then",
				       str_base(images_at(z->in.images, image->image)->path));

	image->written = true;
	if (image->list.zones.n)
		engine_note(z, text);
}

/* Later mappings of the file may be another image, with probes of its own. */
static void heed_written(struct engine *z, const struct guard_file *file)
{
	for (size_t i = 0; i < z->at.n; i++)
		if (guard_file_is(file, &z->at.at[i]->file))
			engine_guard_written(z, z->at.at[i]);
}

/* --- what happens --------------------------------------------------------------------------- */

static void watch(void *context, int fd)
{
	keeper_watch(context, fd);
}

void engine_guard_init(struct engine *z)
{
	z->guard = guard_new(z->in.images->opener, watch, z->keeper);
}

void engine_guard_heed(struct engine *z)
{
	struct keeper_news news = {0};

	if (keeper_has_news(z->keeper, &news)) {
		for (size_t i = 0; i < news.written.n; i++)
			heed_written(z, &news.written.at[i]);
		for (size_t i = 0; i < news.starts.n; i++)
			heed(z, guard_started(z->guard, &news.starts.at[i]));
	}
	keeper_news_release(&news);
}

void engine_guard_command(struct engine *z, uint32_t pid, const char *command)
{
	heed(z, guard_command(z->guard, pid, command));
}

void engine_program(struct engine *z, uint32_t pid, uint64_t time_ns)
{
	heed(z, guard_exec(z->guard, pid, time_ns));
}

void engine_born(struct engine *z, uint32_t pid, uint32_t child)
{
	heed(z, guard_born(z->guard, pid, child));
}

void engine_end(struct engine *z, uint32_t pid, uint64_t time_ns)
{
	heed(z, guard_exit(z->guard, pid, time_ns));
}

void engine_guard_tick(struct engine *z)
{
	heed(z, guard_tick(z->guard));
}

void engine_guard_release(struct engine *z)
{
	guard_free(z->guard);
	free(z->forbidden);
	free(z->remote);
}
