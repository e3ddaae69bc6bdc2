#include "process/mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/opener.h"

#define MAPS_MOST (16u << 20) /* 65,530 mappings, the kernel's default limit, with long paths */

int mappings_read(struct opener *opener, uint32_t pid,
		  void (*each)(void *context, const struct procfs_mapping *), void *context)
{
	const struct opener_request r = {.what = OPENER_READ,
					 .pid = pid,
					 .path = "maps",
					 .root_fd = OPENER_OWN_ROOT,
					 .bytes_most = MAPS_MOST};
	struct opener_answer a;
	char *save = NULL;
	const int rc = opener_ask(opener, &r, &a);

	if (rc)
		return opener_is_silent(rc) ? rc : -ESRCH;
	for (char *line = a.text ? strtok_r(a.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct procfs_mapping m;

		if (procfs_parse_mapping(line, &m))
			each(context, &m);
	}
	free(a.text);
	return 0;
}
