/* The few types that programs refer to, out of a kernel's: names, places, and what cannot be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "load/btf_cut.h"

/* A small kernel: struct task holds struct entity and points to struct mm; struct other is no
 * concern of theirs. */
static struct btf *make_kernel(void)
{
	struct btf *k = btf__new_empty();
	int number = btf__add_int(k, "unsigned long", 8, 0);
	int other = btf__add_struct(k, "other", 8);
	int entity, constant, list, pointer, task, proto;

	btf__add_field(k, "filler", number, 0, 0);
	entity = btf__add_struct(k, "entity", 16);
	btf__add_field(k, "before", number, 0, 0);
	btf__add_field(k, "runtime", number, 64, 0);
	list = btf__add_array(k, number, entity, 2);
	pointer = btf__add_ptr(k, other);
	constant = btf__add_const(k, entity);
	task = btf__add_struct(k, "task", 56);
	btf__add_field(k, "mm", pointer, 0, 0);
	btf__add_field(k, "se", constant, 64, 0);
	btf__add_field(k, "past", list, 192, 0);
	pointer = btf__add_ptr(k, task);
	proto = btf__add_func_proto(k, 0);
	btf__add_func_param(k, "task", pointer);
	btf__add_typedef(k, "btf_trace_born", btf__add_ptr(k, proto));
	btf__add_func(k, "bpf_iter_task", BTF_FUNC_STATIC, proto);
	return k;
}

static const struct btf_type *type_of(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name(btf, name);

	return id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
}

static void test_layout(void **state)
{
	struct btf *kernel = make_kernel(), *few;
	struct btf_cut c = {0};
	const struct btf_type *task;
	uint32_t n;
	const void *data = btf__raw_data(kernel, &n);

	(void)state;
	btf_cut_want(&c, "task___flavour");
	btf_cut_want(&c, "nowhere");
	assert_int_equal(btf_cut(&c, data, n), 0);
	few = btf__new(c.bytes.at, (uint32_t)c.bytes.n);
	assert_non_null(few);
	task = type_of(few, "task");
	assert_non_null(task);
	assert_int_equal(task->size, 56);
	assert_int_equal(btf_vlen(task), 3);
	assert_string_equal(btf__name_by_offset(few, btf_members(task)[1].name_off), "se");
	assert_int_equal(btf_member_bit_offset(task, 1), 64);
	/* What stands in it comes along; what it points to does not. */
	assert_int_equal(btf__resolve_size(few, btf_members(task)[1].type), 16);
	assert_int_equal(btf__resolve_size(few, btf_members(task)[0].type), 8);
	assert_int_equal(btf__resolve_size(few, btf_members(task)[2].type), 32);
	assert_non_null(type_of(few, "entity"));
	assert_null(type_of(few, "other"));
	assert_null(type_of(few, "btf_trace_born"));
	btf__free(few);
	btf__free(kernel);
	btf_cut_release(&c);
}

static void test_numbers(void **state)
{
	struct btf *kernel = make_kernel();
	struct btf_cut_id ids[] = {
		{"btf_trace_born", 0}, {"bpf_iter_task", 0}, {"bpf_iter_none", 0}};
	struct btf_cut c = {.ids = ids, .n_ids = 3};
	uint32_t n;
	const void *data = btf__raw_data(kernel, &n);

	(void)state;
	assert_int_equal(btf_cut(&c, data, n), 0);
	assert_int_equal(ids[0].id, btf__find_by_name(kernel, "btf_trace_born"));
	assert_int_equal(ids[1].id, btf__find_by_name(kernel, "bpf_iter_task"));
	assert_int_equal(ids[2].id, 0);
	btf__free(kernel);
	btf_cut_release(&c);
}

/* A name of one or two letters has fewer than are looked at first. */
static void test_short_names(void **state)
{
	struct btf *kernel = btf__new_empty(), *few;
	struct btf_cut c = {0};
	uint32_t n;
	const void *data;

	(void)state;
	btf__add_struct(kernel, "rq", 8);
	btf__add_struct(kernel, "q", 8);
	data = btf__raw_data(kernel, &n);
	btf_cut_want(&c, "q");
	btf_cut_want(&c, "rq");
	assert_int_equal(btf_cut(&c, data, n), 0);
	few = btf__new(c.bytes.at, (uint32_t)c.bytes.n);
	assert_non_null(type_of(few, "q"));
	assert_non_null(type_of(few, "rq"));
	btf__free(few);
	btf__free(kernel);
	btf_cut_release(&c);
}

static int cut_bytes(const void *data, size_t n)
{
	struct btf_cut c = {0};
	int ret;

	btf_cut_want(&c, "task");
	ret = btf_cut(&c, data, n);
	btf_cut_release(&c);
	return ret;
}

/* Cut off anywhere, or with a byte of another value anywhere: an error or some types, no more. */
static void test_spoilt(void **state)
{
	struct btf *kernel = make_kernel();
	uint32_t n;
	const void *data = btf__raw_data(kernel, &n);
	uint8_t *copy = mem_zalloc(n, 1);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *part = mem_zalloc(i + 1, 1);

		memcpy(part, data, i);
		assert_int_not_equal(cut_bytes(part, i), 0);
		free(part);
	}
	memcpy(copy, data, n);
	for (uint32_t i = 0; i < n; i++) {
		for (int bit = 0; bit < 8; bit++) {
			copy[i] ^= (uint8_t)(1 << bit);
			(void)cut_bytes(copy, n);
			copy[i] ^= (uint8_t)(1 << bit);
		}
	}
	free(copy);
	btf__free(kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_spoilt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
