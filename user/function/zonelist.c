#include "function/zonelist.h"

#include <stdlib.h>
#include <string.h>

bool zone_def_is_clone(const struct zone_def *zone)
{
	static const char *const endings[] = {".isra.", ".constprop.", ".part.", "@plt"};
	const char *name = zone->linkage ? zone->linkage : zone->name;

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (strstr(name, endings[i]))
			return true;
	return false;
}

void zonelist_drop(struct zonelist *l)
{
	for (size_t i = 0; i < l->zones.n; i++) {
		free(l->zones.at[i].name);
		free(l->zones.at[i].linkage);
		free(l->zones.at[i].file);
		free(l->zones.at[i].dwo);
		free(l->zones.at[i].dwo_folder);
		signature_free(l->zones.at[i].signature);
		sites_release(&l->zones.at[i].sites);
	}
	for (size_t i = 0; i < l->switches.n; i++) {
		free(l->switches.at[i].name);
		sites_release(&l->switches.at[i].sites);
	}
	vec_release(&l->zones);
	vec_release(&l->switches);
	l->matched = 0;
}

void zonelist_release(struct zonelist *l)
{
	zonelist_drop(l);
	vec_release(&l->hits);
	free(l->problem);
	free(l->hijack_unsafe);
	*l = (struct zonelist){0};
}

const char *zonelist_obstacle(const struct image *image)
{
	switch (image->kind) {
	case IMAGE_KIND_FILE:
		if (image->fd >= 0)
			return NULL;
		return image->note ? image->note : "it could not be opened";
	case IMAGE_KIND_VDSO:
		return "the vDSO is the kernel's: it takes no probes there";
	case IMAGE_KIND_JIT:
		return "generated code (JIT) is in no file, and probes are put in files";
	default:
		return "kernel code: zones are for programs and libraries";
	}
}
