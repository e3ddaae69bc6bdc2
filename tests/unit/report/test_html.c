/*
 * The HTML report as text and data; with a folder as its argument it writes the pages there that
 * tests/web opens in a browser: small.html, hostile.html, deep.html; and with a number of stacks
 * behind that large.html, timed, and large.h5.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/err.h"
#include "base/str.h"
#include "format/format.h"
#include "format/html_flame.h"
#include "paint/flame.h"
#include "store/store.h"
#include "timeline/call_sums.h"
#include "view/view.h"

#include "lanes_profile.h"
#include "script_profile.h"
#include "timeline_profile.h"
#include "modes_profile.h"
#include "small_profile.h"
#include "zone_profile.h"

#define HOSTILE "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"

static void page_write(const struct profile *p, const char *title, FILE *out)
{
	const struct format *html = format_find("html");
	const struct selection selection = {0};
	struct tree *tree = NULL, *zone_tree = NULL;
	const struct view *chosen[VIEWS_MOST];
	struct shared_calls calls = {0};
	struct zone_rows zone_rows;
	struct doc doc;

	assert_int_equal(tree_build(p, &selection, &tree), 0);
	assert_int_equal(zone_tree_build(p, &selection, &zone_tree), 0);
	assert_int_equal(zone_rows_build(p, &selection, &zone_rows), 0);
	doc_init(&doc, p, title, "cpu-clock at 100 Hz");
	view_choose(html->medium, html->one_view, p, chosen);
	for (const struct view **view = chosen; *view; view++)
		assert_int_equal(view_write(*view,
					    &(struct view_input){.profile = p,
								 .selection = &selection,
								 .tree = tree,
								 .zone_tree = zone_tree,
								 .zone_rows = &zone_rows,
								 .calls = &calls},
					    &doc),
				 0);
	assert_int_equal(html->write(&doc, &(struct format_options){0}, out), 0);
	doc_release(&doc);
	shared_calls_release(&calls);
	zone_rows_release(&zone_rows);
	tree_free(zone_tree);
	tree_free(tree);
}

static char *page_text(const struct profile *p, const char *title)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	page_write(p, title, out);
	fclose(out);
	assert_int_equal(strlen(text), n);
	return text;
}

static uint32_t named_frame(struct profile *p, const char *name, uint8_t kind)
{
	const struct function f = {.name = intern_add(&p->strings, name), .kind = kind, .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
}

static struct profile *one_thread(const char *name)
{
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_thread(p, &(struct thread){.pid = 1,
					   .tid = 1,
					   .name = intern_add(&p->strings, name),
					   .process = intern_add(&p->strings, name)});
	return p;
}

/* Names that end a script, break a line, turn the text around, or are no UTF-8. */
static struct profile *hostile_profile(void)
{
	static const char *const names[] = {
		HOSTILE,
		"]]>--><!--",
		"a\"b'c&amp;<b>",
		"line\nbreak\ttab",
		"\xe2\x80\xaegnp.exe",
		"bad \xff\xfe utf8",
		"__proto__",
		"constructor",
	};
	struct profile *p = one_thread(HOSTILE);
	uint32_t node = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		node = profile_node(p, node, named_frame(p, names[i], KIND_NATIVE));
		profile_sample(p, i, 0, node, &(int64_t){SAMPLE_PERIOD});
	}
	profile_set_run(p, RUN_COMMAND, HOSTILE);
	return p;
}

static struct profile *deep_profile(void)
{
	struct profile *p = one_thread("deep");
	uint32_t node = 0;

	for (unsigned i = 0; i < 1500; i++) {
		char name[32];

		snprintf(name, sizeof(name), "level_%u", i % 97);
		node = profile_node(p, node, named_frame(p, name, KIND_NATIVE));
	}
	profile_sample(p, 0, 0, node, &(int64_t){SAMPLE_PERIOD});
	return p;
}

/* @stacks different stacks over 4,000 functions, each calling a few others: around ten nodes a
 * stack, values uneven as those of a real clock. */
static struct profile *large_profile(unsigned stacks)
{
	struct profile *p = one_thread("server");
	_free_ uint32_t *frames = mem_zalloc(4000, sizeof(*frames));
	uint64_t random = 88172645463325252u;

	for (unsigned i = 0; i < 4000; i++) {
		char name[96];

		snprintf(name, sizeof(name), "demo::module_%u::Handler<%u>::process_request(int)",
			 i % 61, i * 7919 % 4001);
		frames[i] = named_frame(p, name, i % 5 ? KIND_NATIVE : KIND_KERNEL);
	}
	for (unsigned s = 0; s < stacks; s++) {
		uint32_t node = 0, f = 0;
		unsigned depth;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		depth = 10 + (unsigned)(random >> 40) % 16;
		for (unsigned d = 0; d < depth; d++) {
			unsigned way = random >> (2 * d % 60) & 3;

			f = (f * 4 + way + d * 31 + 1) % 4000;
			node = profile_node(p, node, frames[f]);
		}
		profile_sample(p, s * (uint64_t)10000000, 0, node,
			       &(int64_t){10000000 + (int64_t)(random % 20011)});
	}
	return p;
}

static void test_page_holds_the_document(void **state)
{
	struct profile *p = sample_profile();
	_free_ char *text = page_text(p, "sqlite3 & <friends>");

	(void)state;
	assert_non_null(strstr(text, "<title>sqlite3 &amp; &lt;friends&gt;</title>"));
	assert_non_null(strstr(text, "no PMU: cpu-clock instead of cycles"));
	assert_non_null(strstr(text, "<section class=\"flame\" data-flame=\"0\""));
	assert_non_null(strstr(text, ">vdbeRecordCompareInt</td>"));
	assert_non_null(strstr(text, "ring full"));
	assert_non_null(strstr(text, "größe_von&lt;Übergröße&gt;"));
	assert_null(strstr(text, "{{"));
	profile_free(p);
}

static void test_page_loads_nothing(void **state)
{
	static const char *const loaders[] = {"src=",	 "@import", "url(",	 "fetch(",
					      "import(", "<link",   "XMLHttp",	 "WebSocket",
					      "<iframe", "<img",    "innerHTML", "eval("};
	struct profile *p = sample_profile();
	_free_ char *text = page_text(p, "page");

	(void)state;
	assert_non_null(strstr(text, "default-src 'none'; style-src 'sha256-"));
	assert_non_null(strstr(text, "script-src 'sha256-"));
	assert_null(strstr(text, "unsafe-inline"));
	for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++)
		if (strstr(text, loaders[i]))
			fail_msg("the page has %s", loaders[i]);
	profile_free(p);
}

static void test_hostile_names_stay_text(void **state)
{
	struct profile *p = hostile_profile();
	_free_ char *text = page_text(p, HOSTILE);
	unsigned scripts = 0;

	(void)state;
	for (const char *s = text; (s = strstr(s, "</script")); s++)
		scripts++;
	assert_int_equal(scripts, 2);
	assert_null(strstr(text, "<img"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_true(str_is_utf8(text, strlen(text)));
	profile_free(p);
}

/* A LEB128 at *@at, which moves behind it. */
static uint64_t read_uint(const struct pack *p, size_t *at)
{
	uint64_t v = 0;

	for (int shift = 0; *at < p->bytes.n; shift += 7) {
		uint8_t byte = p->bytes.at[(*at)++];

		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			break;
	}
	return v;
}

/* The columns give back every box's own integers, by the viewer's rules. */
static void check_columns(const struct tree *t)
{
	const struct tree_node *nodes = t->nodes.at;
	_free_ uint32_t *place = mem_zalloc(t->nodes.n, sizeof(*place));
	_free_ uint64_t *depth = mem_zalloc(t->nodes.n, sizeof(*depth));
	struct pack pack = {0};
	size_t at = 0, n, frames, colours;
	struct flame flame;

	html_flame_pack(t, &pack, place);
	read_uint(&pack, &at);
	assert_int_equal(read_uint(&pack, &at), t->of_zones);
	assert_int_equal(read_uint(&pack, &at), t->has_reasons);
	for (frames = (6 + t->has_reasons) * read_uint(&pack, &at); frames; frames--)
		read_uint(&pack, &at);
	for (colours = read_uint(&pack, &at); colours; colours--)
		read_uint(&pack, &at);
	read_uint(&pack, &at);
	n = read_uint(&pack, &at);
	assert_int_equal(n, t->nodes.n);
	for (size_t i = 1; i < n; i++)
		depth[i] = depth[i - 1] + 1 - read_uint(&pack, &at);
	for (size_t i = 0; i < t->nodes.n; i++) {
		assert_int_equal(depth[place[i]], nodes[i].depth);
		assert_true(!i || place[i] > place[nodes[i].parent]);
	}
	flame_layout(t, 0, &flame);
	assert_int_equal(flame.boxes.n, n);
	for (size_t i = 0; i < n; i++)
		if (!read_uint(&pack, &at))
			read_uint(&pack, &at);
	for (size_t i = 0; i < 2 * n; i++)
		read_uint(&pack, &at);
	/* Every box begins where the one before it ended: the gaps are 0. */
	for (size_t i = 0; i < n; i++)
		assert_int_equal(read_uint(&pack, &at), 0);
	assert_int_equal(at, pack.bytes.n);
	flame_release(&flame);
	pack_release(&pack);
}

static void test_columns_are_the_layout(void **state)
{
	const struct selection selection = {0};
	struct profile *profiles[] = {sample_profile(), deep_profile(), hostile_profile(),
				      small_waits()};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct tree *t = NULL;

		assert_int_equal(tree_build(profiles[i], &selection, &t), 0);
		check_columns(t);
		tree_free(t);
		profile_free(profiles[i]);
	}
}

static void test_numbers_packed(void **state)
{
	static const uint8_t want[] = {0x00, 0x7f, 0x80, 0x01, 0x01, 0x02, 0x00, 0x00, 0x80, 0x3f};
	struct pack p = {0};
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	pack_uint(&p, 0);
	pack_uint(&p, 127);
	pack_uint(&p, 128);
	pack_int(&p, -1);
	pack_int(&p, 1);
	pack_float(&p, 1.0);
	assert_int_equal(p.bytes.n, sizeof(want));
	assert_memory_equal(p.bytes.at, want, sizeof(want));
	pack_release(&p);
	pack_base64("Man", 3, out);
	pack_base64("Ma", 2, out);
	pack_base64("\xff", 1, out);
	/* 85^4 is 0x31c84b1; the last group is the start of ff 00 00 00, which is 2 of 5 digits. */
	pack_base85("\x03\x1c\x84\xb1", 4, out);
	pack_base85("\0\0\0\x14", 4, out);
	pack_base85("\xff\xff\xff\xff", 4, out);
	pack_base85("\xff", 1, out);
	fclose(out);
	assert_string_equal(text, "TWFuTWE=/w=="
				  "%$$$$"
				  "$$$$8"
				  "x;\\0$"
				  "ww");
	free(text);
}

static void test_empty_profile(void **state)
{
	struct profile *p = one_thread("idle");
	_free_ char *text = page_text(p, "nothing");

	(void)state;
	assert_non_null(strstr(text, "</html>"));
	profile_free(p);
}

static int save_page(const char *dir, const char *name, struct profile *p)
{
	_free_ char *path = mem_printf("%s/%s", dir, name);
	FILE *out = fopen(path, "w");
	struct timespec from, to;

	if (!out)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &from);
	page_write(p, name, out);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%s %.3f s, %ld bytes, %zu nodes in the profile\n", name,
	       (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec),
	       ftell(out), p->nodes.n);
	fclose(out);
	profile_free(p);
	return 0;
}

/* Three metrics: time on a CPU in work, time off it in wait, and one without samples. */
static struct profile *metrics_profile(void)
{
	static const struct {
		const char *stack;
		int64_t on_ns, off_ns;
	} samples[] = {{"main;work", 70, 0}, {"main;work;spin", 30, 0}, {"main;wait", 0, 400}};
	struct profile *p = profile_new();

	profile_metric_base(p, profile_metric(p, "cpu-clock", "ns", METRIC_SUM), METRIC_ON_CPU);
	profile_metric_base(p, profile_metric(p, "blocked", "ns", METRIC_SUM), "time blocked");
	profile_metric(p, "page-faults", "events", METRIC_COUNT);
	profile_add_part(p, PART_SAMPLES);
	small_thread(p, 10, 10, "main", "prog");
	small_thread(p, 10, 11, "sleeper", "prog");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const int64_t values[] = {samples[i].on_ns, samples[i].off_ns, 0};

		profile_sample(p, i, samples[i].off_ns != 0, small_node(p, samples[i].stack),
			       values);
	}
	p->duration_ns = 1000;
	return p;
}

/* The same with a zone that waits, and one that does not. */
static struct profile *waiting_zones_profile(void)
{
	struct profile *p = metrics_profile();

	zone_add(p, &(struct zone_spec){"wait", "", "", .timed = 2, .shorter = 200, .longer = 200});
	zone_add(p, &(struct zone_spec){"spin", "", "", .timed = 2, .shorter = 15, .longer = 15});
	zone_place(p, 0, 0, 2, 2, 400, 400);
	zone_place(p, 0, 1, 2, 2, 30, 30);
	profile_add_part(p, PART_ZONES);
	return p;
}

static int save_profile(const char *dir, const char *name, struct profile *p)
{
	_free_ char *path = mem_printf("%s/%s", dir, name);
	int rc = store_save(path, true, p);

	if (rc)
		fprintf(stderr, "%s\n", err_text());
	profile_free(p);
	return rc;
}

/* The sample's with some lines of two functions, one of which takes 30 % by itself in line 86617.
 */
static struct profile *source_profile(void)
{
	struct profile *p = sample_profile();
	const uint32_t file = intern_add(&p->strings, "sqlite3.c");

	profile_add_part(p, PART_SOURCE);
	for (uint32_t line = 86612; line < 86620; line++)
		vec_push(&p->source_lines,
			 ((struct source_line){file, line, intern_add(&p->strings, "x++;")}));
	return p;
}

/* The layout of each metric's flame graph, for the page's own to be held against: a line a box in
 * drawing order, level, left edge, width and name, and an empty one between metrics. */
static int save_boxes(const char *dir, const char *name, struct profile *p)
{
	_free_ char *path = mem_printf("%s/%s.boxes", dir, name);
	FILE *out = fopen(path, "w");

	for (size_t m = 0; out && m < p->metrics.n; m++) {
		const struct selection of = {.metric = profile_text(p, p->metrics.at[m].name)};
		struct tree *t = NULL;
		struct flame flame;
		uint32_t *box_of;

		if (tree_build(p, &of, &t))
			continue;
		flame_layout(t, 0, &flame);
		box_of = mem_zalloc(t->nodes.n, sizeof(*box_of));
		for (size_t i = 0; i < flame.boxes.n; i++)
			box_of[flame.boxes.at[i].node] = (uint32_t)i;
		for (uint32_t node = 0, i = 0; !i || node; node = tree_next(t, node, true), i++) {
			const struct flame_box *b = &flame.boxes.at[box_of[node]];
			const char *text = profile_text(p, t->nodes.at[node].name);
			_free_ char *clean = str_clean(text, strlen(text));

			fprintf(out, "%u %" PRId64 " %" PRId64 " %s\n", b->depth, b->x, b->w,
				clean);
		}
		fputc('\n', out);
		free(box_of);
		flame_release(&flame);
		tree_free(t);
	}
	profile_free(p);
	return !out || fclose(out) != 0;
}

static int save_pages(const char *dir, unsigned stacks)
{
	struct profile *p = sample_profile();
	int rc = save_profile(dir, "sample.h5", sample_profile());

	rc |= save_profile(dir, "zones.h5", zone_profile());
	rc |= save_profile(dir, "zones-only.h5", zones_only_profile());
	rc |= save_profile(dir, "zones-none.h5", zones_none_profile());
	rc |= save_profile(dir, "metrics.h5", metrics_profile());
	rc |= save_profile(dir, "source.h5", source_profile());
	rc |= save_profile(dir, "lanes.h5", lanes_profile());
	rc |= save_profile(dir, "timeline.h5", timeline_known());
	rc |= save_profile(dir, "work.h5", timeline_of_work());
	rc |= save_profile(dir, "script.h5", script_profile());
	rc |= save_profile(dir, "waiting-zones.h5", waiting_zones_profile());
	rc |= save_page(dir, "small.html", p);
	rc |= save_page(dir, "hostile.html", hostile_profile());
	rc |= save_page(dir, "deep.html", deep_profile());
	rc |= save_page(dir, "waits.html", small_waits());
	rc |= save_page(dir, "modes.html", modes_profile());
	rc |= save_boxes(dir, "small", sample_profile());
	rc |= save_boxes(dir, "hostile", hostile_profile());
	rc |= save_boxes(dir, "waits", small_waits());
	rc |= save_boxes(dir, "metrics", metrics_profile());
	rc |= save_boxes(dir, "modes", modes_profile());
	if (stacks) {
		rc |= save_page(dir, "large.html", large_profile(stacks));
		rc |= save_profile(dir, "large.h5", large_profile(stacks));
	}
	return rc != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_holds_the_document),
		cmocka_unit_test(test_page_loads_nothing),
		cmocka_unit_test(test_hostile_names_stay_text),
		cmocka_unit_test(test_columns_are_the_layout),
		cmocka_unit_test(test_numbers_packed),
		cmocka_unit_test(test_empty_profile),
	};

	if (argc > 1)
		return save_pages(argv[1], argc > 2 ? (unsigned)atoi(argv[2]) : 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
