/*
 * zone_removal: takes the probes away when the capture has ended, beside what makes a profile of
 * it. The kernel takes its time for thousands; until then all that run the files pay for them, this
 * program too, each time that it calls its C library.
 */
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

/* Those in the files that this program runs itself are to go first: they are the last ones. */
void zones_take_away(struct zones *z)
{
	struct map own = {0};

	(void)procfs_maps((uint32_t)getpid(), note_own, &own);
	for (int ours = 1; ours >= 0; ours--) {
		for (size_t i = 0; i < z->at.n; i++) {
			struct zone_image *image = z->at.at[i];
			uint64_t inode = image_inode(images_at(z->in.images, image->image));

			if (!!map_get(&own, inode) == ours)
				keeper_drop(z->in.session->keeper, &image->links);
		}
	}
	map_release(&own);
}
