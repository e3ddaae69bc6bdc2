#include "function/zonelist_split.h"

#include <stdlib.h>
#include <string.h>

/* Whether the file is among them, or there is room for it. */
static bool takes(struct zonelist_split *s, const struct zone_def *zone)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->files[i].name, zone->dwo) &&
		    !strcmp(s->files[i].folder, zone->dwo_folder))
			return true;
	if (s->n == IMAGE_FILES_SPLIT)
		return false;
	s->files[s->n++] = (struct split_file){zone->dwo, zone->dwo_folder};
	return true;
}

bool zonelist_split_choose(struct zonelist *l, struct zonelist_split *out)
{
	*out = (struct zonelist_split){0};
	vec_each (zone, &l->zones)
		if (zone->dwo && !zone->dwo_tried)
			zone->dwo_tried = takes(out, zone);
	return out->n;
}

/* Puts the string in its place, and NULL where it was. */
static void move(char **to, char **from)
{
	free(*to);
	*to = *from;
	*from = NULL;
}

void zonelist_split_take(struct zonelist *l, struct zonelist *again)
{
	if (again->zones.n != l->zones.n)
		return;
	for (size_t i = 0; i < l->zones.n; i++) {
		struct zone_def *to = &l->zones.at[i], *from = &again->zones.at[i];

		if (!to->dwo || from->dwo || to->address != from->address)
			continue;
		move(&to->dwo, &from->dwo);
		move(&to->dwo_folder, &from->dwo_folder);
		move(&to->file, &from->file);
		to->line = from->line;
		signature_free(to->signature);
		to->signature = from->signature;
		from->signature = NULL;
	}
}
