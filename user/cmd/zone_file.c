#include "cmd/zone_file.h"

#include <errno.h>

#include "base/answers.h"
#include "base/err.h"

int zone_file_read(struct zonepatterns *patterns, const char *path)
{
	const size_t before = zonepatterns_count(patterns);
	int rc = answers(path, NULL);

	if (!rc)
		rc = zonepatterns_add_file(patterns, path);
	if (!rc && zonepatterns_count(patterns) == before)
		rc = err(-EINVAL, "'%s' contains no pattern", path);
	return rc;
}
