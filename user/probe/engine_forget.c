/*
 * engine_forget: lets go, between windows, of what nobody runs any more, so that a capture of all
 * processes holds what runs, not what ran: programs come and go, and any user can map a new copy of
 * a probed library each second. The kernel counts by zone up to the end of the capture, so of
 * images with zones what their rows need stays; --zones-max limits these.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "probe/engine.h"
#include "process/maps.h"

const struct image *engine_file(const struct engine *z, const struct probed_image *i)
{
	return i->was ? i->was : images_at(z->in.images, i->image);
}

/* --- processes ------------------------------------------------------------------------------ */

static void forget_processes(struct engine *z)
{
	struct map by_pid = {0};
	size_t n = 0;
	bool fresh;

	/* The end of one may not have been told. */
	for (size_t i = z->processes.n; i-- > 0;)
		if (!z->processes.at[i]->dirty && !z->processes.at[i]->before_exec &&
		    !procs_find(z->in.procs, z->processes.at[i]->pid))
			probed_process_end(z, i);
	for (size_t i = 0; i < z->met.n; i++) {
		struct probed_process *p = z->met.at[i];

		if (p->ended) {
			vec_release(&p->images);
			free(p);
			continue;
		}
		*map_put(&by_pid, p->pid, &fresh) = (uint32_t)n;
		z->met.at[n++] = p;
	}
	z->met.n = n;
	map_release(&z->by_pid);
	z->by_pid = by_pid;
}

static void mark(void *context, uint32_t image)
{
	((uint8_t *)context)[image] = 1;
}

/* Takes away the images that it maps no more. What it has just begun to run may not be mapped yet.
 */
static void forget_unmapped(struct engine *z, struct probed_process *p)
{
	_free_ uint8_t *mapped = NULL;
	size_t n = 0;

	if (p->dirty || p->before_exec || p->unknown_until_ns ||
	    !procs_knows_code(z->in.procs, p->pid))
		return;
	mapped = mem_zalloc(z->in.images->at.n, 1);
	procs_each_image(z->in.procs, p->pid, mark, mapped);
	for (size_t i = 0; i < p->images.n; i++) {
		struct probed_image *image = z->at.at[p->images.at[i]];

		if (mapped[image->image] || !images_is_stale(z->in.images, image->image))
			p->images.at[n++] = p->images.at[i];
		else
			probed_process_keep_past(p, image);
	}
	p->images.n = n;
}

/* --- images --------------------------------------------------------------------------------- */

/* Detaches its probes, and lets its file be written to. */
static void take_down(struct engine *z, struct probed_image *i)
{
	const struct engine_slot slot = {i->slot, i->generation};
	const struct guard_file unknown = {0};

	if (i->links.n)
		keeper_drop(z->keeper, &i->links);
	if (!guard_file_is(&i->file, &unknown))
		keeper_unlease(z->keeper, &i->file);
	if (i->passed.inode)
		probemaps_forget_file(z->in.session->maps, &i->passed);
	if (i->list.zones.n || i->list.switches.n)
		vec_push(&z->unused_slots, slot);
	i->file = unknown;
	i->passed = (struct wire_probe_file){0};
	i->attached = (struct probe_set){0};
}

/* What the rows of its zones need. */
static void keep_rows(struct engine *z, struct probed_image *i)
{
	const struct image *image = images_at(z->in.images, i->image);

	i->was = mem_zalloc(1, sizeof(*i->was));
	i->was->kind = image->kind;
	i->was->path = mem_strdup(image->path);
	i->was->fd = i->was->root_fd = -1;
	i->was->build_id_bytes = image->build_id_bytes;
	memcpy(i->was->build_id, image->build_id, sizeof(i->was->build_id));
}

/* Which images processes run, by their place in z->at; the caller's to free. */
static uint8_t *which_run(const struct engine *z)
{
	uint8_t *runs = mem_zalloc(z->at.n + 1, 1);

	for (size_t i = 0; i < z->processes.n; i++)
		for (size_t k = 0; k < z->processes.at[i]->images.n; k++)
			runs[z->processes.at[i]->images.at[k]] = 1;
	return runs;
}

static void let_go(struct engine *z)
{
	_free_ uint8_t *runs = which_run(z);

	for (size_t i = 0; i < z->at.n; i++) {
		struct probed_image *image = z->at.at[i];

		if (runs[i] || image->named || probed_image_is_past(image) ||
		    !images_is_stale(z->in.images, image->image))
			continue;
		take_down(z, image);
		if (image->list.zones.n)
			keep_rows(z, image);
		image->image = IMAGE_NONE;
	}
}

/* Those of which nothing is left leave their places to others. */
static void close_up(struct engine *z)
{
	_free_ uint32_t *place = mem_zalloc(z->at.n + 1, sizeof(*place));
	uint32_t n = 0;
	bool fresh;

	map_release(&z->by_image);
	z->by_image = (struct map){0};
	for (size_t i = 0; i < z->at.n; i++) {
		struct probed_image *image = z->at.at[i];

		if (probed_image_is_past(image) && !image->list.zones.n) {
			probed_image_release(image);
			free(image);
			continue;
		}
		if (!probed_image_is_past(image))
			*map_put(&z->by_image, image->image, &fresh) = n;
		place[i] = n;
		z->at.at[n++] = image;
	}
	z->at.n = n;
	for (size_t i = 0; i < z->processes.n; i++)
		for (size_t k = 0; k < z->processes.at[i]->images.n; k++)
			z->processes.at[i]->images.at[k] = place[z->processes.at[i]->images.at[k]];
}

void engine_forget(struct engine *z, uint8_t *used)
{
	forget_processes(z);
	for (size_t i = 0; i < z->processes.n; i++)
		forget_unmapped(z, z->processes.at[i]);
	let_go(z);
	close_up(z);
	for (size_t i = 0; i < z->at.n; i++)
		used[z->at.at[i]->image] = 1;
}

/* --- what comes again ----------------------------------------------------------------------- */

static bool same_zones(const struct zonelist *a, const struct zonelist *b)
{
	if (a->zones.n != b->zones.n || !a->zones.n)
		return false;
	for (size_t k = 0; k < a->zones.n; k++)
		if (a->zones.at[k].address != b->zones.at[k].address ||
		    a->zones.at[k].actions != b->zones.at[k].actions ||
		    strcmp(a->zones.at[k].name, b->zones.at[k].name))
			return false;
	return true;
}

/* Whether @past is of the same build and name: then their zones have the same rows. */
static bool is_again(const struct engine *z, const struct probed_image *past,
		     const struct probed_image *image)
{
	const struct image *a = past->was, *b = images_at(z->in.images, image->image);

	return a && a->build_id_bytes && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes) && !strcmp(a->path, b->path) &&
	       same_zones(&past->list, &image->list);
}

bool engine_forget_revive(struct engine *z, struct probed_image *image)
{
	struct probed_image *past = NULL;

	for (size_t i = 0; i < z->at.n && !past; i++)
		if (is_again(z, z->at.at[i], image))
			past = z->at.at[i];
	if (!past)
		return false;
	image->first = past->first;
	image->past = past->past;
	for (size_t k = 0; k < past->list.zones.n; k++) {
		vec_push(&image->refused, false);
		vec_push(&image->modes, past->modes.at[k]);
	}
	zonelist_drop(&past->list);
	return true;
}
