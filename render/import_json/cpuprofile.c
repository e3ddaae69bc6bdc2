/*
 * cpuprofile: what Node.js (--cpu-prof) and Chrome's developer tools save of V8's profiler:
 *
 *	{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},
 *	   "children":[2]},…],
 *	 "startTime":153,"endTime":1053,"samples":[2,2],"timeDeltas":[100,250]}
 *
 * In what older versions write nodes hold their children ("head"), and samples have times
 * ("timestamps") instead of distances.
 */
#include "import/import.h"

#include <errno.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/v8_profile.h"

#define US 1000

/* Times instead of distances; startTime is in whole seconds there. */
static void read_older(struct v8_profile *v, struct builder *b, const struct json_tape *t)
{
	int64_t at, before = 0;

	v8_profile_read_nested(v, b, t, tape_get(t, JSON_ROOT, "head"));
	v->start_ns = v->end_ns = 0;
	tape_each(t, time, tape_get(t, JSON_ROOT, "timestamps"))
	{
		if (!tape_scaled(t, time, US, &at))
			at = before;
		if (!v->deltas_ns.n)
			v->start_ns = before = at;
		vec_push(&v->deltas_ns, at - before);
		before = at;
	}
}

static int cpuprofile_read(struct input *in, struct builder *b)
{
	static const char thread[] = "main thread";
	struct json_tape t = {0};
	struct v8_profile v = {0};
	int rc = json_tape_read(&t, in);

	if (!rc) {
		v8_profile_read(&v, b, &t, JSON_ROOT);
		if (tape_get(&t, JSON_ROOT, "head"))
			read_older(&v, b, &t);
		if (!v8_profile_put(&v, b,
				    builder_thread(b, 0, 0,
						   builder_text(b, thread, sizeof(thread) - 1), 0)))
			rc = err(-EINVAL, "'%s' holds no samples of V8", in->name);
		if (v.end_ns > v.start_ns)
			b->duration_ns = builder_sum(b->duration_ns, v.end_ns - v.start_ns);
	}
	v8_profile_release(&v);
	json_tape_release(&t);
	return rc;
}

static bool cpuprofile_is(struct span head)
{
	if (!json_head_is(head, '{'))
		return false;
	return (json_head_has(head, 1, "nodes") &&
		(json_head_has(head, 3, "callFrame") || json_head_has(head, 1, "timeDeltas"))) ||
	       (json_head_has(head, 1, "head") && json_head_has(head, 2, "functionName"));
}

const struct import cpuprofile_import = {
	.name = "cpuprofile",
	.extension = "cpuprofile",
	.about = "CPU profiles of Node.js and Chrome",
	.is = cpuprofile_is,
	.read = cpuprofile_read,
};
