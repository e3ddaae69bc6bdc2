/* pprof files in and out: nothing is lost on the way, and a file that lies is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>
#include <zlib.h>

#include "base/err.h"
#include "base/str.h"
#include "export/export.h"
#include "import/import.h"
#include "pprof.pb-c.h"
#include "sample_profile.h"
#include "small_profile.h"

struct bytes {
	char *at;
	size_t n;
};

static struct bytes written(const struct profile *p)
{
	const struct export_input in = {.profile = p, .part = p};
	struct bytes b = {0};
	FILE *out = open_memstream(&b.at, &b.n);

	assert_int_equal(export_find("pprof")->write(&in, out), 0);
	fclose(out);
	return b;
}

static int read_back(const void *at, size_t n, struct profile **out)
{
	struct input in;
	int rc;

	*out = NULL;
	input_from_memory(&in, "x.pb.gz", at, n);
	rc = import_input(&in, import_find("pprof"), out);
	input_close(&in);
	return rc;
}

static struct bytes unzipped(struct bytes b)
{
	struct bytes out = {mem_zalloc(1 << 20, 1), 1 << 20};
	z_stream z = {.next_in = (Bytef *)b.at,
		      .avail_in = (uInt)b.n,
		      .next_out = (Bytef *)out.at,
		      .avail_out = (uInt)out.n};

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	out.n = z.total_out;
	inflateEnd(&z);
	return out;
}

/* --- there and back --------------------------------------------------------------------------- */

/* "thread;frame@line+;… = value", all of it that pprof holds. */
static char *row_text(const struct profile *p, size_t row, int64_t value)
{
	const struct thread *t = &p->threads.at[p->samples.at[row].thread];
	const struct reason *r = p->samples.at[row].reason
					 ? &p->reasons.at[p->samples.at[row].reason]
					 : &(struct reason){0};
	struct str s = {0};

	str_addf(&s, "%u/%u %s %s|%d%c%d %s %s", t->pid, t->tid, profile_text(p, t->name),
		 profile_text(p, t->process), r->kind, r->state ? r->state : '-', r->idle,
		 profile_text(p, r->call), profile_text(p, r->object));
	for (uint32_t n = p->samples.at[row].node; n; n = p->nodes.at[n].parent) {
		const struct frame *frame = &p->frames.at[p->nodes.at[n].frame];
		const struct function *f = &p->functions.at[frame->function];
		const struct module *m = &p->modules.at[f->module];

		str_addf(&s, ";%s@%s:%u:%u%s[%d%d]%s=%s/%s", profile_text(p, f->name),
			 profile_text(p, f->file), f->line, frame->line, frame->inlined ? "+" : "",
			 f->kind, f->named, profile_text(p, f->linkage), profile_text(p, m->path),
			 profile_text(p, m->build_id));
	}
	str_addf(&s, " %lld", (long long)value);
	return str_steal(&s);
}

/* Adds up what a profile has of a metric by that text, the value left out of it. */
static int64_t *totals(const struct profile *p, const char *metric, struct intern *texts,
		       size_t room)
{
	int64_t *out = mem_zalloc(room, sizeof(*out));

	for (uint32_t m = 0; m < p->metrics.n; m++) {
		if (strcmp(profile_text(p, p->metrics.at[m].name), metric) != 0)
			continue;
		for (size_t i = 0; i < p->samples.n; i++) {
			_free_ char *text = row_text(p, i, 0);
			const int64_t value = p->samples.values.at[m].at[i];

			if (!value)
				continue;
			assert_true(intern_count(texts) < room);
			out[intern_add(texts, text)] += value;
		}
	}
	return out;
}

static void assert_same_metric(const struct profile *a, const struct profile *b, const char *metric)
{
	struct intern texts = {0};
	_free_ int64_t *x = totals(a, metric, &texts, 1000);
	const size_t n = intern_count(&texts);
	_free_ int64_t *y = totals(b, metric, &texts, 1000);

	assert_int_equal(intern_count(&texts), n);
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			fail_msg("%s: %lld, back %lld", intern_text(&texts, (uint32_t)i),
				 (long long)x[i], (long long)y[i]);
	assert_true(n > 1);
	intern_release(&texts);
}

static void assert_round_trip(struct profile *p)
{
	struct bytes b = written(p);
	struct profile *back;

	assert_int_equal(read_back(b.at, b.n, &back), 0);
	for (size_t m = 0; m < p->metrics.n; m++) {
		assert_same_metric(p, back, profile_text(p, p->metrics.at[m].name));
		assert_string_equal(profile_text(p, p->metrics.at[m].unit),
				    profile_text(back, back->metrics.at[m + 1].unit));
		assert_string_equal(profile_text(p, p->metrics.at[m].base),
				    profile_text(back, back->metrics.at[m + 1].base));
	}
	assert_string_equal(profile_text(back, back->metrics.at[0].name), "samples");
	assert_int_equal(back->duration_ns, p->duration_ns);
	assert_int_equal(back->started_unix_ns, p->started_unix_ns);
	assert_true(back->hz > p->hz - .01 && back->hz < p->hz + .01);
	assert_string_equal(profile_run(back, "command"), profile_run(p, "command"));
	assert_string_equal(profile_meta(back, "version"), profile_meta(p, "version"));
	profile_free(back);
	profile_free(p);
	free(b.at);
}

static void test_samples_come_back(void **state)
{
	struct profile *p = sample_profile();

	(void)state;
	/* Control characters are no text: the thread's name is told without its newline. */
	p->threads.at[1].name = intern_add(&p->strings, "work;er<1>&");
	assert_round_trip(p);
}

static void test_metrics_and_waits_come_back(void **state)
{
	struct profile *p = small_waits();

	(void)state;
	profile_metric_base(p, 0, METRIC_ON_CPU);
	assert_round_trip(p);
}

/* A second time it is the same file: types, locations, labels and all. */
static void test_second_trip_is_the_same(void **state)
{
	struct profile *p = sample_profile(), *once, *twice;
	struct bytes a = written(p), b, c;

	(void)state;
	assert_int_equal(read_back(a.at, a.n, &once), 0);
	b = written(once);
	assert_int_equal(read_back(b.at, b.n, &twice), 0);
	c = written(twice);
	assert_int_equal(b.n, c.n);
	assert_memory_equal(b.at, c.at, b.n);
	profile_free(p);
	profile_free(once);
	profile_free(twice);
	free(a.at);
	free(b.at);
	free(c.at);
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* A sound profile of one sample, main > f inlined into it: what the tests below damage. */
struct hand {
	Pprof__Profile m;
	Pprof__ValueType type, *types;
	Pprof__Sample sample, *samples;
	Pprof__Location location, *locations;
	Pprof__Line lines[2], *line[2];
	Pprof__Function function[2], *functions[2];
	Pprof__Mapping mapping, *mappings;
	Pprof__Label label, *labels;
	uint64_t path[2];
	int64_t value[2];
	char *strings[8];
};

static void hand_init(struct hand *h)
{
	static const char *const strings[] = {"",  "cpu",    "nanoseconds", "main",
					      "f", "/bin/x", "tid",	    "k"};

	*h = (struct hand){.m = PPROF__PROFILE__INIT,
			   .type = PPROF__VALUE_TYPE__INIT,
			   .sample = PPROF__SAMPLE__INIT,
			   .location = PPROF__LOCATION__INIT,
			   .lines = {PPROF__LINE__INIT, PPROF__LINE__INIT},
			   .function = {PPROF__FUNCTION__INIT, PPROF__FUNCTION__INIT},
			   .mapping = PPROF__MAPPING__INIT,
			   .label = PPROF__LABEL__INIT,
			   .path = {7, 7},
			   .value = {5, 5}};
	memcpy(h->strings, strings, sizeof(strings));
	h->type.type = 1;
	h->type.unit = 2;
	h->types = &h->type;
	h->mapping.id = 3;
	h->mapping.filename = 5;
	h->mappings = &h->mapping;
	for (size_t i = 0; i < 2; i++) {
		h->function[i].id = 10 + i;
		h->function[i].name = h->function[i].system_name = 3 + (int64_t)i;
		h->functions[i] = &h->function[i];
		h->lines[i].function_id = 11 - i;
		h->line[i] = &h->lines[i];
	}
	h->location.id = 7;
	h->location.mapping_id = 3;
	h->location.n_line = 2;
	h->location.line = h->line;
	h->locations = &h->location;
	h->label.key = 6;
	h->label.num = 42;
	h->labels = &h->label;
	h->sample.n_location_id = 1;
	h->sample.location_id = h->path;
	h->sample.n_value = 1;
	h->sample.value = h->value;
	h->sample.n_label = 1;
	h->sample.label = &h->labels;
	h->samples = &h->sample;
	h->m.n_sample_type = h->m.n_sample = h->m.n_location = h->m.n_mapping = 1;
	h->m.sample_type = &h->types;
	h->m.sample = &h->samples;
	h->m.location = &h->locations;
	h->m.mapping = &h->mappings;
	h->m.n_function = 2;
	h->m.function = h->functions;
	h->m.n_string_table = 8;
	h->m.string_table = h->strings;
}

static int hand_read(const struct hand *h, struct profile **out)
{
	const size_t n = pprof__profile__get_packed_size(&h->m);
	_free_ uint8_t *packed = mem_zalloc(n, 1);

	pprof__profile__pack(&h->m, packed);
	return read_back(packed, n, out);
}

static void test_by_hand(void **state)
{
	struct profile *p;
	struct hand h;
	const struct frame *leaf;

	(void)state;
	hand_init(&h);
	assert_int_equal(hand_read(&h, &p), 0);
	assert_int_equal(p->samples.n, 1);
	assert_int_equal(p->threads.at[p->samples.at[0].thread].tid, 42);
	leaf = &p->frames.at[p->nodes.at[p->samples.at[0].node].frame];
	assert_string_equal(profile_text(p, p->functions.at[leaf->function].name), "f");
	assert_int_equal(leaf->inlined, 1);
	assert_string_equal(profile_text(p, p->metrics.at[0].base), METRIC_ON_CPU);
	profile_free(p);
}

/* Another unit of time is ns here; an address without a line is a name by its module. */
static void test_units_and_addresses(void **state)
{
	struct profile *p;
	struct hand h;

	(void)state;
	hand_init(&h);
	h.strings[2] = (char *)"milliseconds";
	h.location.n_line = 0;
	h.location.address = 0x2345;
	h.mapping.memory_start = 0x2000;
	h.mapping.file_offset = 0x1000;
	assert_int_equal(hand_read(&h, &p), 0);
	assert_int_equal(p->samples.values.at[0].at[0], 5000000);
	assert_string_equal(profile_text(p, p->functions.at[1].name), "x+0x1345");
	assert_int_equal(p->functions.at[1].named, 0);
	profile_free(p);
}

static void spoil(struct hand *h, int how)
{
	switch (how) {
	case 0:
		h->type.type = 8;
		break; /* no such string */
	case 1:
		h->type.unit = -1;
		break;
	case 2:
		h->m.n_sample_type = 0;
		break;
	case 3:
		h->sample.n_value = 2;
		break;
	case 4:
		h->path[0] = 8;
		break; /* no such location */
	case 5:
		h->path[0] = 0;
		break;
	case 6:
		h->location.id = 0;
		break;
	case 7:
		h->location.mapping_id = 4;
		break;
	case 8:
		h->lines[0].function_id = 99;
		break;
	case 9:
		h->function[0].id = 0;
		break;
	case 10:
		h->function[1].id = 10;
		break; /* twice */
	case 11:
		h->mapping.id = 0;
		break;
	case 12:
		h->label.key = 1000;
		break;
	case 13:
		h->label.str = INT64_MIN;
		break;
	case 14:
		h->mapping.filename = INT64_MAX;
		break;
	case 15:
		h->m.n_string_table = 0;
		break;
	case 16:
		h->strings[2] = (char *)"seconds", h->value[0] = INT64_MAX;
		break;
	case 17:
		h->m.default_sample_type = 50;
		break;
	case 18:
		h->function[0].name = 50;
		break;
	case 19:
		h->value[0] = INT64_MIN;
		break;
	}
}

static void test_lies_are_refused(void **state)
{
	(void)state;
	for (int how = 0; how < 20; how++) {
		struct profile *p;
		struct hand h;
		int rc;

		hand_init(&h);
		spoil(&h, how);
		rc = hand_read(&h, &p);
		if (rc != -EINVAL || !*err_text())
			fail_msg("damage %d: %d, '%s'", how, rc, err_text());
		assert_null(p);
	}
}

/* A location of many lines, named again and again: short in the file, long in memory. */
static void test_long_stacks_are_refused(void **state)
{
	enum { LINES = 1000, TIMES = 1000 };
	_free_ Pprof__Line **line = mem_zalloc(LINES, sizeof(*line));
	_free_ uint64_t *path = mem_zalloc(TIMES, sizeof(*path));
	struct profile *p;
	struct hand h;

	(void)state;
	hand_init(&h);
	for (size_t i = 0; i < LINES; i++)
		line[i] = &h.lines[0];
	for (size_t i = 0; i < TIMES; i++)
		path[i] = 7;
	h.location.n_line = LINES;
	h.location.line = line;
	h.sample.n_location_id = TIMES;
	h.sample.location_id = path;
	assert_int_equal(hand_read(&h, &p), -EFBIG);
}

static void test_gzip_bomb_is_refused(void **state)
{
	const size_t plain = (size_t)600 << 20;
	const size_t room = 1 << 20;
	_free_ unsigned char *out = mem_zalloc(room, 1), *zeros = mem_zalloc(1 << 20, 1);
	z_stream z = {.next_out = out, .avail_out = (uInt)room};
	struct profile *p;

	(void)state;
	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	for (size_t n = 0; n < plain / 1000; n += 1 << 20) {
		z.next_in = zeros;
		z.avail_in = 1 << 20;
		deflate(&z, Z_NO_FLUSH);
	}
	deflate(&z, Z_FINISH);
	/* Such a piece again and again: gzips one behind the other. */
	{
		const size_t piece = z.total_out, times = 1000;
		_free_ char *all = mem_zalloc(times, piece);

		for (size_t i = 0; i < times; i++)
			memcpy(all + i * piece, out, piece);
		assert_int_equal(read_back(all, times * piece, &p), -EFBIG);
		assert_non_null(strstr(err_text(), "512 MiB"));
	}
	deflateEnd(&z);
}

/* --- damage ----------------------------------------------------------------------------------- */

static void test_cut_off(void **state)
{
	struct profile *p = sample_profile(), *back;
	struct bytes b = written(p);

	(void)state;
	for (size_t n = 0; n < b.n; n += 7)
		assert_true(read_back(b.at, n, &back) < 0);
	profile_free(p);
	free(b.at);
}

/* Whatever a byte becomes: a profile or one line. */
static void test_changed_bytes(void **state)
{
	struct profile *p = sample_profile(), *back;
	struct bytes zipped = written(p), b = unzipped(zipped);
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		_free_ char *bad = mem_zalloc(b.n, 1);

		memcpy(bad, b.at, b.n);
		for (int k = 0; k < 1 + i % 4; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			bad[(random >> 33) % b.n] = (char)(random >> 20);
		}
		if (read_back(bad, b.n - (size_t)(i % 3), &back) == 0)
			profile_free(back);
		else
			assert_true(*err_text());
	}
	profile_free(p);
	free(zipped.at);
	free(b.at);
}

/* Fields of a message come in any order: those of Go's runtime/pprof begin with a time or a period.
 */
static void test_recognised_in_any_order(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} first[] = {{"\x48\x80\x01", 3}, {"\x5a\x04\x08\x01\x10\x02", 6}, {"\x50\x01\x60\x02", 4}};
	struct profile *p = sample_profile();
	struct bytes b = written(p), plain = unzipped(b);

	(void)state;
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
		char *at = malloc(first[i].n + plain.n);
		struct span all = {at, first[i].n + plain.n};

		memcpy(at, first[i].bytes, first[i].n);
		memcpy(at + first[i].n, plain.at, plain.n);
		assert_ptr_equal(import_recognise("x", all), import_find("pprof"));
		free(at);
	}
	profile_free(p);
	free(plain.at);
	free(b.at);
}

static void test_recognised(void **state)
{
	struct profile *p = sample_profile();
	struct bytes b = written(p), plain = unzipped(b);

	(void)state;
	assert_ptr_equal(import_recognise("x", (struct span){b.at, b.n}), import_find("pprof"));
	assert_ptr_equal(import_recognise("x", (struct span){plain.at, plain.n}),
			 import_find("pprof"));
	assert_ptr_not_equal(import_recognise("x", (struct span){"a;b 3\n", 6}),
			     import_find("pprof"));
	assert_ptr_not_equal(import_recognise("x", (struct span){"\x1f\x8b\x08\0\0", 5}),
			     import_find("pprof"));
	profile_free(p);
	free(b.at);
	free(plain.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_come_back),
		cmocka_unit_test(test_metrics_and_waits_come_back),
		cmocka_unit_test(test_second_trip_is_the_same),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_units_and_addresses),
		cmocka_unit_test(test_lies_are_refused),
		cmocka_unit_test(test_long_stacks_are_refused),
		cmocka_unit_test(test_gzip_bomb_is_refused),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_recognised),
		cmocka_unit_test(test_recognised_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
