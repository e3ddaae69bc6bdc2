/*
 * export_text: what an export writes of a profile, and the smallest profile there is. For the
 * tests of exports; after cmocka.
 */
#ifndef TESTS_EXPORT_TEXT_H
#define TESTS_EXPORT_TEXT_H

#include "export/export.h"

/* Owned by the caller. */
static inline char *export_text(const struct export *export, const struct profile *p, bool values)
{
	const struct selection selection = {0};
	struct tree *t = NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(tree_build(p, &selection, &t), 0);
	assert_int_equal(export->write(&(struct export_input){.profile = p,
							      .selection = &selection,
							      .tree = t,
							      .values = values},
				       out),
			 0);
	fclose(out);
	tree_free(t);
	return text;
}

/* A profile of one thread, without samples. */
static inline struct profile *thread_named(const char *name)
{
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_thread(p,
		       &(struct thread){.pid = 1, .tid = 1, .name = intern_add(&p->strings, name)});
	return p;
}

#endif
