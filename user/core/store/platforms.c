#include "store/platforms.h"

#include <stdlib.h>
#include <string.h>

#include "model/meta.h"
#include "model/version.h"
#include "store/run_list.h"

struct listing {
	struct reader *reader;
	struct platforms *platforms;
};

/* How many links a group has; the checks of those are for who follows them. */
static size_t count_links(hid_t group)
{
	H5G_info_t info;

	return H5Gget_info(group, &info) < 0 ? 0 : (size_t)info.nlinks;
}

static int take_platform(void *arg, const struct walk_platform *at)
{
	struct listing *l = arg;
	struct platform *p = vec_add(&l->platforms->all);
	const struct {
		const char *key;
		char **text;
	} texts[] = {
		{META_TIMESTAMP, &p->timestamp}, {META_SYSTEM, &p->system},
		{META_PROCESSOR, &p->processor}, {META_CORES, &p->cores},
		{META_NODE, &p->node},
	};
	_h5_ hid_t runs = -1, meta = -1;
	int rc = reader_group(l->reader, at->group, "profiles", &runs);

	p->version = mem_strdup(at->version);
	p->platform = mem_strdup(at->platform);
	if (!rc)
		rc = reader_group(l->reader, at->group, "meta", &meta);
	p->runs = count_links(runs);
	for (size_t i = 0; !rc && i < sizeof(texts) / sizeof(*texts); i++)
		rc = reader_text(l->reader, meta, texts[i].key, texts[i].text);
	return rc;
}

/* Texts of a list that could not be read to its end may be missing, but that is not sorted. */
static int in_order(const void *left, const void *right)
{
	const struct platform *a = left, *b = right;
	int c = version_compare(a->version, b->version);

	c = c ? c : strcmp(a->version, b->version);
	c = c ? c : strcmp(a->timestamp, b->timestamp);
	return c ? c : strcmp(a->platform, b->platform);
}

/* Versions that only time tells apart: by the first timestamp of each, which stands first. */
struct span {
	size_t at, n;
	const struct platform *first;
};

static int by_time(const void *left, const void *right)
{
	const struct span *a = left, *b = right;
	int c = version_compare(a->first->version, b->first->version);

	c = c ? c : strcmp(a->first->timestamp, b->first->timestamp);
	return c ? c : strcmp(a->first->version, b->first->version);
}

static void sort_versions(struct platforms *list)
{
	struct platform *sorted = mem_zalloc(list->all.n, sizeof(*sorted));
	VEC(struct span) spans = {0};
	size_t n = 0;

	for (size_t i = 0; i < list->all.n; i++) {
		const struct platform *p = &list->all.at[i];

		if (!spans.n || strcmp(p->version, spans.at[spans.n - 1].first->version) != 0)
			vec_push(&spans, ((struct span){.at = i, .first = p}));
		spans.at[spans.n - 1].n++;
	}
	qsort(spans.at, spans.n, sizeof(*spans.at), by_time);
	for (size_t i = 0; i < spans.n; n += spans.at[i++].n)
		memcpy(sorted + n, spans.at[i].first, spans.at[i].n * sizeof(*sorted));
	vec_release(&spans);
	free(list->all.at);
	list->all.at = sorted;
	list->all.cap = n;
}

int platforms_load(const char *path, struct platforms *list)
{
	struct reader r;
	struct listing l = {&r, list};
	int rc = reader_open(&r, path);

	*list = (struct platforms){0};
	if (!rc)
		rc = walk_platforms(&r, NULL, take_platform, &l);
	reader_close(&r);
	if (rc || !list->all.n)
		return rc;
	qsort(list->all.at, list->all.n, sizeof(*list->all.at), in_order);
	sort_versions(list);
	return 0;
}

void platforms_release(struct platforms *list)
{
	for (size_t i = 0; i < list->all.n; i++) {
		const struct platform *p = &list->all.at[i];

		free(p->version);
		free(p->platform);
		free(p->timestamp);
		free(p->system);
		free(p->processor);
		free(p->cores);
		free(p->node);
	}
	vec_release(&list->all);
}
