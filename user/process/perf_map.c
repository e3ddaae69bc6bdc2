#include "process/perf_map.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/opener.h"

/* Not the owner of /proc/PID, which is root for a process that forbade its core files. */
uint32_t perf_map_user(uint32_t pid)
{
	uint32_t user = UINT32_MAX;
	char path[32], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (str_starts(line, "Uid:")) {
			user = (uint32_t)strtoul(line + 4, NULL, 10);
			break;
		}
	}
	if (f)
		fclose(f);
	return user;
}

static bool may_read(const struct opener_answer *a, uint32_t user)
{
	return a->links == 1 && (a->uid == user || (a->uid == 0 && a->mode & S_IROTH));
}

int perf_map_open(struct opener *opener, int root_fd, uint32_t pid, uint32_t user)
{
	char path[48];
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = root_fd, .no_links = true};
	struct opener_answer a;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	if (!opener_ask(opener, &r, &a) && !may_read(&a, user))
		opener_answer_release(opener, &a);
	return a.fd;
}
