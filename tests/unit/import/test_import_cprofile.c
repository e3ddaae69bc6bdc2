/* cProfile's marshalled statistics to zones and their call tree. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/str.h"
#include "imported.h"
#include "model/zone_column.h"

/* --- marshal's bytes ----------------------------------------------------------------------------
 */

static void put_int(struct str *s, int32_t n)
{
	str_addc(s, 'i');
	str_addn(s, (const char *)&n, sizeof(n));
}

static void put_double(struct str *s, double v)
{
	str_addc(s, 'g');
	str_addn(s, (const char *)&v, sizeof(v));
}

static void put_text(struct str *s, const char *text)
{
	str_addc(s, 'z');
	str_addc(s, (char)strlen(text));
	str_add(s, text);
}

static void put_tuple(struct str *s, uint8_t n)
{
	str_addc(s, ')');
	str_addc(s, (char)n);
}

static void put_key(struct str *s, const char *file, int32_t line, const char *name)
{
	put_tuple(s, 3);
	put_text(s, file);
	put_int(s, line);
	put_text(s, name);
}

static void put_calls(struct str *s, int32_t first, int32_t second, double tt, double ct)
{
	put_int(s, first);
	put_int(s, second);
	put_double(s, tt);
	put_double(s, ct);
}

static struct profile *finished(struct str *s)
{
	struct profile *p;

	str_addc(s, '0');
	p = imported_bytes("cprofile", s->s, s->n);
	str_release(s);
	return p;
}

/* --- tests --------------------------------------------------------------------------------------
 */

/* main calls fib(5): 15 calls, one of them primitive; and len() three times. */
static struct profile *fib(void)
{
	struct str s = {0};

	str_addc(&s, '{');
	put_key(&s, "a.py", 1, "main");
	put_tuple(&s, 5);
	put_calls(&s, 1, 1, 0.5, 2.0);
	str_add(&s, "{0");
	put_key(&s, "a.py", 5, "fib");
	put_tuple(&s, 5);
	put_calls(&s, 1, 15, 1.25, 1.25);
	str_addc(&s, '{');
	put_key(&s, "a.py", 1, "main");
	put_tuple(&s, 4);
	put_calls(&s, 1, 1, 0.25, 1.25);
	put_key(&s, "a.py", 5, "fib");
	put_tuple(&s, 4);
	/* In callers all calls come first, then the primitive ones. */
	put_calls(&s, 14, 0, 1.0, 1.0);
	str_addc(&s, '0');
	put_key(&s, "~", 0, "<built-in method builtins.len>");
	put_tuple(&s, 5);
	put_calls(&s, 3, 3, 0.25, 0.25);
	str_addc(&s, '{');
	put_key(&s, "a.py", 1, "main");
	put_tuple(&s, 4);
	put_calls(&s, 3, 3, 0.25, 0.25);
	str_addc(&s, '0');
	return finished(&s);
}

static void both_counts_are_kept(void **state)
{
	struct profile *p = fib();
	const struct zone *z = zone_named(p, "fib");

	(void)state;
	assert_int_equal(z->counts, 15);
	assert_int_equal(zone_timed(z), 1);
	assert_int_equal(z->total_ns, 1250000000);
	assert_int_equal(z->self_ns, 1250000000);
	assert_int_equal(z->mean_ns, 1250000000);
	assert_int_equal(z->src_line, 5);
	assert_string_equal(profile_text(p, z->src_file), "a.py");
	assert_string_equal(
		profile_text(p, zone_named(p, "<built-in method builtins.len>")->src_file), "");
	assert_int_equal(p->duration_ns, 2000000000);
	assert_false(zone_column_is_known(zone_column_find("max"), p));
	assert_true(zone_column_is_known(zone_column_find("self"), p));
	assert_int_equal(ledger_count(p, LEDGER_ZONES, LEDGER_KEPT), 19);
	profile_free(p);
}

static const struct zone_edge *edge_of(const struct profile *p, const char *name)
{
	for (size_t i = 1; i < p->zone_edges.n; i++)
		if (&p->zones.at[p->zone_edges.at[i].zone] == zone_named(p, name))
			return &p->zone_edges.at[i];
	fail_msg("no edge to '%s'", name);
	return NULL;
}

static void callers_make_the_tree(void **state)
{
	struct profile *p = fib();
	const struct zone_edge *e = edge_of(p, "fib");

	(void)state;
	assert_int_equal(p->zone_edges.n, 4);
	assert_int_equal(p->zone_edges.at[e->parent].zone, zone_named(p, "main") - p->zones.at);
	/* Recursion is folded into the place that there is. */
	assert_int_equal(e->counts, 15);
	assert_int_equal(e->total_ns, 1250000000);
	assert_int_equal(e->self_ns, 1250000000);
	assert_int_equal(edge_of(p, "main")->parent, 0);
	assert_int_equal(edge_of(p, "main")->self_ns, 500000000);
	profile_free(p);
}

/* Two references to one key, and a number of 31 bits and more. */
static void references_and_longs(void **state)
{
	static const char bytes[] = "{"
				    "\xa9\x03\xfa\x01"
				    "fi\1\0\0\0\xda\1g"
				    ")\5l\3\0\0\0\0\0\0\0\4\0" /* 4 << 30 */
				    "l\3\0\0\0\0\0\0\0\4\0"
				    "g\0\0\0\0\0\0\xe0?g\0\0\0\0\0\0\xe0?"
				    "{r\0\0\0\0)\4i\1\0\0\0i\1\0\0\0"
				    "g\0\0\0\0\0\0\0\0g\0\0\0\0\0\0\0\0"
				    "00";
	struct profile *p = imported_bytes("cprofile", bytes, sizeof(bytes) - 1);

	(void)state;
	assert_int_equal(p->zones.n, 1);
	assert_int_equal(p->zones.at[0].counts, 4ll << 30);
	assert_int_equal(p->zones.at[0].total_ns, 500000000);
	profile_free(p);
}

static void bombs_are_refused(void **state)
{
	char deep[4096];

	(void)state;
	memset(deep, ')', sizeof(deep));
	deep[0] = '{';
	for (size_t i = 2; i < sizeof(deep); i += 2)
		deep[i] = 1;
	refused_bytes("cprofile", deep, sizeof(deep), "nested deeper");
	/* A million items, of which none is there. */
	refused_bytes("cprofile", "{(\x40\x42\x0f\0", 6, "the file ends within an object");
	refused_bytes("cprofile", "{)\1r\0\0\0\0", 8, "a reference to an object that is not there");
	/* It refers to itself. */
	refused_bytes("cprofile", "{\xa9\1r\0\0\0\0", 8,
		      "a reference to an object that is not there");
	refused_bytes("cprofile", "{c\0\0\0\0", 6, "not of cProfile");
	refused_bytes("cprofile", "{)\1l\6\0\0\0\1\0\1\0\1\0\1\0\1\0\1\0", 20,
		      "does not fit 64 bits");
	refused_bytes("cprofile", "{N0", 3, "a key without a value");
	refused_bytes("cprofile", "{", 1, "the file ends");
	refused_bytes("cprofile", "i\1\0\0\0", 5, "no dictionary");
	refused_bytes("cprofile", "{NN0", 4, "no (file, line, function)");
}

static void refuse_value(int32_t cc, int32_t nc, double tt, double ct)
{
	struct str s = {0};

	str_addc(&s, '{');
	put_key(&s, "a", 1, "f");
	put_tuple(&s, 5);
	put_calls(&s, cc, nc, tt, ct);
	str_add(&s, "{00");
	refused_bytes("cprofile", s.s, s.n, "function 'f': its value is no");
	str_release(&s);
}

static void bad_numbers_are_refused(void **state)
{
	(void)state;
	refuse_value(2, 1, 0, 0);
	refuse_value(-1, 1, 0, 0);
	refuse_value(1, 1, -5, 0);
	refuse_value(1, 1, 0.0 / 0.0, 0);
	refuse_value(1, 1, 0, 1e300);
}

static void each_cut_is_refused(void **state)
{
	struct str s = {0};

	(void)state;
	str_addc(&s, '{');
	put_key(&s, "a", 1, "f");
	put_tuple(&s, 5);
	put_calls(&s, 1, 1, 0.5, 0.5);
	str_add(&s, "{00");
	for (size_t n = 1; n < s.n; n++)
		refused_bytes("cprofile", s.s, n, "the file ends within an object");
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_counts_are_kept),	   cmocka_unit_test(callers_make_the_tree),
		cmocka_unit_test(references_and_longs),	   cmocka_unit_test(bombs_are_refused),
		cmocka_unit_test(bad_numbers_are_refused), cmocka_unit_test(each_cut_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
