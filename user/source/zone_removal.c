/*
 * zone_removal: takes the probes away when the capture has ended, beside what makes a profile of
 * it. The kernel takes its time for thousands; until then all that run the files pay for them, this
 * program too, each time that it calls its C library.
 */
#include <pthread.h>
#include <unistd.h>

#include "base/hash.h"
#include "source/zone_state.h"
#include "symbol/procfs.h"

static void note_own(void *context, const struct procfs_mapping *m)
{
	struct map *own = context;
	bool fresh;

	map_put(own, m->inode, &fresh);
}

static void move(struct probe_link *from, struct probe_link *to)
{
	for (size_t i = 0; i < from->fds.n; i++)
		vec_push(&to->fds, from->fds.at[i]);
	vec_release(&from->fds);
	*from = (struct probe_link){0};
}

/* Those in the files that this program runs itself are to go first: they are the last ones. */
static void take_links(struct zones *z, struct probe_link *out)
{
	struct map own = {0};

	(void)procfs_maps((uint32_t)getpid(), note_own, &own);
	for (int ours = 0; ours < 2; ours++) {
		for (size_t i = 0; i < z->at.n; i++) {
			struct zone_image *image = z->at.at[i];
			uint64_t inode = image_inode(images_at(z->in.images, image->image));

			if (!!map_get(&own, inode) == ours)
				move(&image->link, out);
		}
	}
	map_release(&own);
}

static void *remove_all(void *context)
{
	probe_link_close(context);
	return NULL;
}

void zones_take_away(struct zones *z)
{
	struct zone_removal *r = &z->removal;

	take_links(z, &r->link);
	r->runs = !pthread_create(&r->thread, NULL, remove_all, &r->link);
	if (!r->runs)
		probe_link_close(&r->link);
}

void zone_removal_wait(struct zones *z)
{
	if (z->removal.runs)
		pthread_join(z->removal.thread, NULL);
	z->removal.runs = false;
}
