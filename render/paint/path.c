#include "paint/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static void fold_runs(const struct tree *t, const struct doc_path *path, path_items *out)
{
	uint32_t last = 0;

	for (size_t i = 0; i < path->nodes.n; i++) {
		uint32_t node = path->nodes.at[i], function = t->nodes.at[node].function;

		if (out->n && function && function == last)
			out->at[out->n - 1].times++;
		else
			vec_push(out, ((struct path_item){.node = node, .times = 1}));
		last = function;
	}
}

void path_layout(const struct tree *t, const struct doc_path *path, size_t max, path_items *out)
{
	size_t head = max / 3, tail = max - head - 1, gap = 0;

	fold_runs(t, path, out);
	if (out->n <= max)
		return;
	for (size_t i = head; i < out->n - tail; i++)
		gap += out->at[i].times;
	out->at[head] = (struct path_item){.times = (uint32_t)gap};
	memmove(&out->at[head + 1], &out->at[out->n - tail], tail * sizeof(out->at[0]));
	out->n = max;
}

char *path_item_text(const struct tree *t, const struct path_item *item)
{
	const char *name = profile_text(t->profile, t->nodes.at[item->node].name);
	_free_ char *clean = NULL;

	if (!item->node)
		return mem_printf("… %u frames …", item->times);
	clean = str_clean(name, strlen(name));
	if (item->times > 1)
		return mem_printf("%s ×%u", clean, item->times);
	return mem_strdup(clean);
}
