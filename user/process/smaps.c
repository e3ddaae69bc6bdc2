#include "process/smaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "process/opener.h"
#include "process/procfs.h"

/* Some 20,000 mappings. */
#define SMAPS_MOST (16u << 20)

/* A mapping while its lines are read. */
struct area {
	bool any, shared, has_file;
	enum smaps_kind kind;
};

static bool is_memory_file(const char *path)
{
	return str_starts(path, "/dev/shm/") || str_starts(path, "/memfd:") ||
	       str_starts(path, "/SYSV") || str_starts(path, "/dev/zero");
}

static enum smaps_kind kind_of(const struct procfs_mapping *m, bool shared)
{
	if (!strcmp(m->path, "[heap]"))
		return SMAPS_HEAP;
	if (str_starts(m->path, "[stack"))
		return SMAPS_STACK;
	if (is_memory_file(m->path))
		return shared ? SMAPS_SHARED : SMAPS_ANONYMOUS;
	if (m->inode)
		return SMAPS_FILE;
	return shared ? SMAPS_SHARED : SMAPS_ANONYMOUS;
}

/* "7f…-7f… rw-p …". */
static bool is_writable(const char *line)
{
	const char *perms = strchr(line, ' ');

	return perms && perms[1] && perms[2] == 'w';
}

static bool is_shared(const char *line)
{
	const char *perms = strchr(line, ' ');

	return perms && strlen(perms) > 4 && perms[4] == 's';
}

static void begin_area(char *line, struct area *a, struct smaps *out)
{
	const bool shared = is_shared(line), writable = is_writable(line);
	struct procfs_mapping m;

	a->any = procfs_parse_mapping(line, &m);
	if (!a->any)
		return;
	a->shared = shared;
	a->kind = kind_of(&m, shared);
	a->has_file = a->kind == SMAPS_FILE;
	out->of[a->kind].mappings++;
	if (a->has_file && writable && !out->libc && arenas_may_have(m.path)) {
		out->libc = m.start;
		out->libc_end = m.end;
	}
}

/* "Rss:      1234 kB". The changed pages of a file's mapping stand apart. */
static void add_line(const char *line, const struct area *a, struct smaps *out)
{
	struct smaps_sum *sum = &out->of[a->kind];
	unsigned long kib;

	if (sscanf(line, "Rss: %lu kB", &kib) == 1) {
		sum->resident += kib * 1024;
	} else if (sscanf(line, "Swap: %lu kB", &kib) == 1) {
		sum->swap += kib * 1024;
	} else if (a->has_file && sscanf(line, "Anonymous: %lu kB", &kib) == 1 && kib) {
		sum->resident -= kib * 1024 < sum->resident ? kib * 1024 : sum->resident;
		out->of[SMAPS_CHANGED].resident += kib * 1024;
		out->of[SMAPS_CHANGED].mappings++;
	}
}

void smaps_parse(char *text, struct smaps *out)
{
	struct area a = {0};
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		/* What is said of a mapping begins with a capital letter. */
		if (line[0] >= 'A' && line[0] <= 'Z') {
			if (a.any)
				add_line(line, &a, out);
		} else {
			begin_area(line, &a, out);
		}
	}
}

bool smaps_read(struct opener *opener, uint32_t pid, struct smaps *out)
{
	const struct opener_request r = {.what = OPENER_READ,
					 .pid = pid,
					 .path = "smaps",
					 .root_fd = OPENER_OWN_ROOT,
					 .bytes_most = SMAPS_MOST};
	struct opener_answer a;

	*out = (struct smaps){0};
	if (opener_ask(opener, &r, &a) || !a.text)
		return false;
	out->cut = a.text_bytes >= SMAPS_MOST;
	smaps_parse(a.text, out);
	opener_answer_release(opener, &a);
	return true;
}

bool smaps_arenas(struct opener *opener, uint32_t pid, const struct smaps *s, struct arenas *out)
{
	const struct opener_request r = {.what = OPENER_ARENAS,
					 .pid = pid,
					 .start = s->libc,
					 .end = s->libc_end,
					 .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	bool found;

	if (!s->libc)
		return false;
	found = !opener_ask(opener, &r, &a) && a.text && a.text_bytes == sizeof(*out);
	if (found)
		memcpy(out, a.text, sizeof(*out));
	opener_answer_release(opener, &a);
	return found;
}
