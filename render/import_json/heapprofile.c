/*
 * heapprofile: what Node.js (--heap-prof) and Chrome save of V8's sampling of allocations: the
 * bytes that were live, by the stack that allocated them:
 *
 *	{"head":{"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"selfSize":0,
 *	  "children":[{"callFrame":{…},"selfSize":16400,"children":[]}]}}
 */
#include "import/import.h"

#include <errno.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/v8_profile.h"

static void put(struct v8_profile *v, struct builder *b, const struct json_tape *t)
{
	static const char name[] = "main thread";
	const uint32_t thread = builder_thread(b, 0, 0, builder_text(b, name, sizeof(name) - 1), 0);
	struct builder_value value = {.metric = builder_metric(b, "live", "bytes", METRIC_SUM)};

	for (uint32_t i = 0; i < v->nodes.n; i++) {
		const uint32_t size = tape_get(t, v->nodes.at[i].at, "selfSize");

		if (!tape_scaled(t, size, 1, &value.value) || value.value < 0)
			builder_note(b, value.metric, LEDGER_APART, "node without a size, left out",
				     1);
		else
			builder_sample(b, 0, thread, stack_rows_node(&v->stacks, b, i), 1, &value,
				       1);
	}
}

static int heapprofile_read(struct input *in, struct builder *b)
{
	struct json_tape t = {0};
	struct v8_profile v = {0};
	int rc = json_tape_read(&t, in);

	if (!rc && !tape_get(&t, JSON_ROOT, "head"))
		rc = err(-EINVAL, "'%s' holds no heap profile of V8", in->name);
	if (!rc) {
		v8_profile_read_nested(&v, b, &t, tape_get(&t, JSON_ROOT, "head"));
		put(&v, b, &t);
	}
	v8_profile_release(&v);
	json_tape_release(&t);
	return rc;
}

static bool heapprofile_is(struct span head)
{
	return json_head_is(head, '{') && json_head_has(head, 1, "head") &&
	       json_head_has(head, 2, "callFrame");
}

const struct import heapprofile_import = {
	.name = "heapprofile",
	.extension = "heapprofile",
	.about = "heap profiles of Node.js and Chrome",
	.is = heapprofile_is,
	.read = heapprofile_read,
};
