#include "cmd/label.h"

#include "base/mem.h"
#include "model/meta.h"

void label_import(struct profile *p, const char *version, const char *platform)
{
	if (!version)
		version = profile_meta(p, META_VERSION);
	if (!platform)
		platform = profile_meta(p, META_PLATFORM);
	profile_set_meta(p, META_VERSION, version ? version : "unversioned");
	profile_set_meta(p, META_PLATFORM, platform ? platform : "unknown");
	if (!profile_run(p, RUN_NAME))
		profile_set_run(p, RUN_NAME, profile_run(p, RUN_COMMAND));
	profile_set_run(p, RUN_WRITTEN_BY, "eprof-render " EPROF_VERSION);
}
