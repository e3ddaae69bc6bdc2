/*
 * pmcstat: call graphs of FreeBSD's pmcstat -G, leaf first:
 *
 *	@ inst_retired.any [35705 samples]
 *
 *	20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko
 *	 100.0%  [7447]      zio_compress_data
 *	  50.00%  [3000]       zio_write_compress
 *
 * A line's samples are those of the lines below it that are one deeper, its callers, and the rest
 * of them had no callers. A module is that of the lines before until another one is named.
 */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "import/scan.h"
#include "model/meta.h"

#define DEPTH_MOST 512

struct pmcstat {
	struct input *in;
	struct builder *b;
	uint32_t metric, module;
	bool kernel; /* the module is of it */
	bool any;    /* an event has been named */
	struct caller {
		uint32_t frame;
		int64_t rest; /* samples that no caller has had */
	} stack[DEPTH_MOST];
	size_t n;
};

static void put(struct pmcstat *p, size_t n, int64_t samples)
{
	static const char all[] = "all threads";
	const uint32_t thread =
		builder_thread(p->b, 0, 0, builder_text(p->b, all, sizeof(all) - 1), 0);
	uint32_t node = 0;

	if (samples <= 0)
		return;
	for (size_t i = n; i-- > 0;)
		node = profile_node(p->b->profile, node, p->stack[i].frame);
	builder_sample(p->b, 0, thread, node, 0, &(struct builder_value){p->metric, samples}, 1);
}

/* What is deeper than @n lines ends. */
static void end_below(struct pmcstat *p, size_t n)
{
	for (; p->n > n; p->n--)
		put(p, p->n, p->stack[p->n - 1].rest);
}

/* "@ inst_retired.any [35705 samples]" */
static void take_event(struct pmcstat *p, struct span line)
{
	struct span rest = span_from(line, 1);
	const struct span name = span_word(&rest);
	char text[256];

	end_below(p, 0);
	snprintf(text, sizeof(text), "%.*s", (int)(name.n < 255 ? name.n : 255), name.s);
	p->metric = builder_metric(p->b, *text ? text : "samples", "events", METRIC_COUNT);
	p->any = true;
}

static uint32_t frame_of(struct pmcstat *p, struct span name)
{
	struct function f = {.name = builder_span(p->b, name), .module = p->module};

	f.named = !builder_is_unnamed(name);
	f.kind = p->kernel ? KIND_KERNEL : builder_code_kind(p->b, f.module, name);
	return profile_frame(p->b->profile,
			     &(struct frame){.function = profile_function(p->b->profile, &f)});
}

/* "20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko" */
static bool take_parts(struct span line, int64_t *samples, struct span *name, struct span *module)
{
	const struct span share = span_word(&line);
	struct span count = span_word(&line);
	double percent;

	if (!span_ends(share, "%") || !span_double((struct span){share.s, share.n - 1}, &percent) ||
	    !span_starts(count, "[") || !span_ends(count, "]"))
		return false;
	count = (struct span){count.s + 1, count.n - 2};
	*name = span_word(&line);
	line = span_trim(line);
	*module = span_starts(line, "@ ") ? span_trim(span_from(line, 2)) : (struct span){"", 0};
	return span_int(count, samples) && *samples > 0 && name->n;
}

static void take_module(struct pmcstat *p, struct span path)
{
	p->module = builder_module(p->b, path);
	p->kernel = span_starts(path, "/boot/");
}

static int take_line(struct pmcstat *p, struct span line)
{
	struct span name, module;
	int64_t samples;
	size_t depth = 0;

	while (depth < line.n && line.s[depth] == ' ')
		depth++;
	if (!take_parts(line, &samples, &name, &module))
		return input_bad(p->in, "a share, [samples] and a function are expected");
	if (depth > p->n || depth >= DEPTH_MOST)
		return input_bad(p->in, "it is deeper than the line before it allows");
	end_below(p, depth);
	if (module.n)
		take_module(p, module);
	if (!p->any)
		take_event(p, span_of("@ samples"));
	if (depth)
		p->stack[depth - 1].rest -= samples;
	p->stack[p->n++] = (struct caller){frame_of(p, name), samples};
	return 0;
}

static int pmcstat_read(struct input *in, struct builder *b)
{
	struct pmcstat p = {.in = in, .b = b};
	struct span line;
	int rc;

	while ((rc = input_line(in, &line)) > 0) {
		const struct span words = span_trim(line);

		rc = 0;
		if (span_starts(words, "@ "))
			take_event(&p, words);
		else if (words.n && words.s[0] != '#' && !span_starts(words, "//"))
			rc = builder_skip(b, in, take_line(&p, line));
		if (rc)
			break;
	}
	end_below(&p, 0);
	return !rc && !b->rows.n ? builder_nothing(b, in, "holds no samples of pmcstat") : rc;
}

/* A line of an event, and then one of a function. */
static bool pmcstat_is(struct span head)
{
	bool event = false;

	while (head.n) {
		const bool whole = span_find(head, '\n') < head.n;
		const struct span line = span_trim(span_take(&head, '\n'));
		struct span name, module;
		int64_t samples;

		if (span_starts(line, "@ ") && span_ends(line, " samples]"))
			event = true;
		else if (event && whole && take_parts(line, &samples, &name, &module))
			return true;
	}
	return false;
}

const struct import pmcstat_import = {
	.name = "pmcstat",
	.about = "call graphs of FreeBSD's pmcstat -G",
	.is = pmcstat_is,
	.read = pmcstat_read,
};
