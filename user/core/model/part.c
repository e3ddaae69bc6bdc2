#include "model/part.h"

#include <string.h>

static const char *const names[PARTS] = {
	[PART_SAMPLES] = "samples",
	[PART_ZONES] = "zones",
	[PART_OFFCPU] = "off-cpu",
	[PART_SOURCE] = "source",
};

const char *part_name(enum profile_part part)
{
	return names[part];
}

enum profile_part part_find(const char *name, size_t n)
{
	for (int part = PART_ANY + 1; part < PARTS; part++)
		if (strlen(names[part]) == n && !memcmp(names[part], name, n))
			return part;
	return PART_ANY;
}
