/* Lines of /proc/PID/maps and mountinfo, whose paths are the target's to choose; and the sorted
 * mappings that are made of the first. */
#include "base/err.h"
#include "process/maps.h"
#include "process/mounts.h"
#include "process/procfs.h"

#define FUZZ_RUN fuzz_maps_run
#include "fuzz.h"

static void add(void *context, const struct procfs_mapping *m)
{
	struct maps *maps = context;

	expect(m->path && m->executable);
	(void)strlen(m->path);
	if (m->start < m->end && maps->at.n < 1024)
		(void)maps_add(maps, &(struct mapping){.start = m->start,
						       .end = m->end,
						       .bias = m->file_offset - m->start,
						       .image = 1});
}

static bool is_local(void *context, const char *path)
{
	(void)context;
	return strlen(path) % 2;
}

static bool has_remote(void *context)
{
	(void)context;
	return false;
}

static void judge(char *line)
{
	const struct mount_judge judge = {.is_local = is_local, .has_remote = has_remote};
	struct mount_line m;

	if (mount_line_parse(line, &m)) {
		(void)mount_line_is_local(&m, &judge);
		(void)mount_line_is_pseudo(&m);
	}
}

static void check(const struct maps *maps)
{
	struct place place;

	for (size_t i = 0; i < maps->at.n; i++) {
		expect(maps->at.at[i].start < maps->at.at[i].end);
		expect(!i || maps->at.at[i - 1].end <= maps->at.at[i].start);
		expect(maps_place(maps, maps->at.at[i].start, &place));
	}
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1), *copy, *save = NULL;
	struct procfs_mapping m;
	struct maps maps = {0};

	memcpy(text, bytes, n);
	text[n] = '\0';
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		copy = strdup(line);
		if (procfs_parse_mapping(line, &m) && m.executable)
			add(&maps, &m);
		judge(copy);
		free(copy);
	}
	check(&maps);
	maps_release(&maps);
	free(text);
}
